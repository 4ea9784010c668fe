/**
 * The files that a run reads, with their states: a later attempt at the run compares its inputs with them.
 *
 *      idOffsets  u32   n+1 offsets into idBytes
 *      idBytes    u8    ids of the files, in their order
 *      root       u32   in meta.roots: [path, prefix of ids] each, binary strings; addresses without secrets
 *      sizes      f64   bytes; UNKNOWN where nothing was looked up
 *      times      f64   modification, milliseconds since 1970; GONE where the file could not be looked up; UNKNOWN
 *      digests    u32   of the texts of its documents, in their order (RecordDigests); only records of finished runs have them
 *
 * Files that decide the plan of a run are looked up when they are listed; others when they are opened to be read: these
 * states are in the tables of documents. A file without kept results may change: it is read anew. Any later change
 * is a difference, except one of the same length within one tick of the file system's clock.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  type Block,
  decodeBlock,
  encodeBlock,
  heldColumns,
  isCount,
  must,
  mustDivide,
} from '../blocks/block.js';
import type { OpenedColumns } from '../blocks/documents.js';
import { STDIN, UNKNOWN } from './list/fileList.js';
import type { FileTable } from './list/fileTable.js';
import { binaryOfBytes, textOf } from './list/pathIds.js';
import { lookAt } from './list/sizes.js';

/** By file a digest of its texts in their order: a file with the same texts in another order has another one. */
export class RecordDigests {
  readonly files: Uint32Array;

  constructor(files: number) {
    this.files = new Uint32Array(files);
  }

  /** @param keys four words per document (`textKey`) */
  add(file: number, keys: ArrayLike<number>, document = 0): void {
    const word = this.files[file]! ^ keys[4 * document]!;
    this.files[file] = Math.imul((word << 13) | (word >>> 19), 0x9e3779b1) + keys[4 * document + 1]!;
  }
}

type Roots = readonly (readonly [path: string, prefix: string])[];

/** The files of a run with their known states. */
export class InputsRecord {
  readonly files: FileTable;
  private readonly sizes: Float64Array;

  constructor(files: FileTable) {
    this.files = files;
    this.sizes = files.sizes.slice();
    for (let i = 0; i < files.length; i++) {
      const isStdin = (files.kinds[i]! & STDIN) !== 0;
      if (isStdin) this.note(i, 0, 0);
      // A PATH that is a file, whose size was looked up when it was found.
      else if (files.sizes[i] !== UNKNOWN) this.look(i);
    }
  }

  /** How many files there are. */
  get length(): number {
    return this.files.length;
  }

  /** Notes the states of files when readers opened them. */
  noteOpened({ files, bytes, times }: OpenedColumns): void {
    for (let i = 0; i < files.length; i++) this.note(files[i]!, bytes[i]!, times[i]!);
  }

  /** The first state that is known stays. */
  private note(index: number, size: number, time: number): void {
    if (this.files.times[index] !== UNKNOWN) return;
    if (this.sizes[index] === UNKNOWN) this.sizes[index] = size;
    this.files.times[index] = time;
  }

  /** Looks up a file, unless its state is known. A size that decides the plan of the run stays. */
  private look(index: number): void {
    if (this.files.times[index] !== UNKNOWN) return;
    const { size, time } = lookAt(this.files, index);
    this.note(index, size, time);
  }

  /** Looks up every file whose state is unknown. */
  lookAtRest(): void {
    const { times } = this.files;
    for (let i = times.indexOf(UNKNOWN); i >= 0; i = times.indexOf(UNKNOWN, i + 1)) this.look(i);
  }

  /** The record as it is now, with further notes. */
  block(notes: Readonly<Record<string, unknown>> = {}, digests?: RecordDigests): Block {
    const { meta, columns } = this.noted;
    const more = digests === undefined ? {} : { digests: digests.files };
    return encodeBlock('inputs', { ...meta, ...notes }, { ...columns, ...more });
  }

  /** The same as a view: later states appear in it. */
  private get noted(): Noted {
    const { ids, root, roots, times } = this.files;
    const named: Roots = roots.map(({ place, prefix }) => [place, prefix]);
    const columns = { idOffsets: ids.offsets, idBytes: ids.bytes, root, sizes: this.sizes, times };
    return { meta: { roots: named }, columns };
  }

  /**
   * The differences between the files now and those of an earlier record; empty where there are none. Files whose state was
   * unknown then are compared by name alone.
   *
   * @param opened states that readers noted then, by the numbers of the earlier record; states of that record go before
   * @param most differences that are named; the others are counted
   */
  differencesFrom(earlier: Block, opened: Iterable<OpenedColumns>, most: number): InputDifferences {
    const before = withOpened(earlier, opened);
    const wanted = before.columns.times!;
    const now = this.noted;
    const isSameList =
      LISTED.every((name) => equalBytes(now.columns[name]!, before.columns[name]!)) &&
      JSON.stringify(now.meta.roots) === JSON.stringify(before.meta.roots);
    for (let i = 0; i < this.files.length; i++) if (!isSameList || wanted[i] !== UNKNOWN) this.look(i);
    return namedDifferences(before, now, isSameList, most);
  }
}

type Noted = Pick<Block, 'columns' | 'meta'>;

/** A record with the states that readers noted for files that it does not know. */
function withOpened({ columns, meta }: Block, opened: Iterable<OpenedColumns>): Noted {
  const sizes = (columns.sizes as Float64Array).slice();
  const known = columns.times as Float64Array;
  const times = known.slice();
  for (const found of opened) {
    for (let i = 0; i < found.files.length; i++) {
      const file = found.files[i]!;
      if (known[file] !== UNKNOWN) continue;
      sizes[file] = found.bytes[i]!;
      times[file] = found.times[i]!;
    }
  }
  return { columns: { ...columns, sizes, times }, meta };
}

/** Differences between inputs, for a message. */
export interface InputDifferences {
  /** One a file: `a.txt: 10 bytes, now 12`. */
  readonly named: readonly string[];
  /** All differences, named or not. */
  readonly count: number;
}

const NONE: InputDifferences = { named: [], count: 0 };
const LISTED = ['idOffsets', 'idBytes', 'root'] as const;

function equalBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const bytes = (view: ArrayBufferView): Buffer =>
    Buffer.from(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
  return a.byteLength === b.byteLength && bytes(a).equals(bytes(b));
}

/** One file of a record. */
interface Seen {
  readonly id: string;
  readonly size: number;
  readonly time: number;
}

function seenAt({ columns }: Noted, i: number, id: string): Seen {
  return { id, size: columns.sizes![i]!, time: columns.times![i]! };
}

/** By path. Made only where something differs, so that it may cost an object a file. */
function seenIn(noted: Noted): Map<string, Seen> {
  const { idOffsets, idBytes, root } = noted.columns;
  const roots = noted.meta.roots as Roots;
  const seen = new Map<string, Seen>();
  for (let i = 0; i < root!.length; i++) {
    const id = binaryOfBytes((idBytes as Uint8Array).subarray(idOffsets![i]!, idOffsets![i + 1]!));
    const [path, prefix] = roots[root![i]!]!;
    seen.set(path + id.slice(prefix.length), seenAt(noted, i, id));
  }
  return seen;
}

/** The change of a file that is in both records; null: none is known. */
function changeOf(old: Seen, file: Seen): string | null {
  if (old.time !== UNKNOWN) {
    if (old.size !== file.size) return `${old.size} bytes, now ${file.size}`;
    if (old.time !== file.time) return `modified ${timeText(old.time)}, now ${timeText(file.time)}`;
  }
  return old.id === file.id ? null : `called ${textOf(old.id)}, now ${textOf(file.id)}`;
}

function namedDifferences(before: Noted, now: Noted, isSameList: boolean, most: number): InputDifferences {
  if (isSameList) {
    const length = before.columns.root!.length;
    let i = 0;
    while (i < length && changeOf(seenAt(before, i, ''), seenAt(now, i, '')) === null) i++;
    if (i === length) return NONE;
  }
  const earlier = seenIn(before);
  const named: string[] = [];
  let count = 0;
  const tell = (path: string, what: string): void => {
    if (++count <= most) named.push(`${textOf(path)}: ${what}`);
  };
  for (const [path, file] of seenIn(now)) {
    const old = earlier.get(path);
    earlier.delete(path);
    const change = old === undefined ? 'new' : changeOf(old, file);
    if (change !== null) tell(path, change);
  }
  for (const path of earlier.keys()) tell(path, 'gone');
  return { named, count };
}

function timeText(time: number): string {
  const date = new Date(time);
  return time < 0 || Number.isNaN(date.getTime()) ? 'never' : date.toISOString();
}

/** Holds a record that was read from a disk against this layout. @throws MinHashError BLOCK_FOREIGN */
export function checkInputs(block: Block): Block {
  const files = block.columns.root?.length ?? 0;
  const { idOffsets, idBytes, root, sizes, times } = heldColumns(
    block,
    { root: 'u32', idOffsets: 'u32', idBytes: 'u8', sizes: 'f64', times: 'f64' },
    { idOffsets: files + 1, sizes: files, times: files },
  );
  if (block.columns.digests !== undefined) heldColumns(block, { digests: 'u32' }, { digests: files });
  const { roots } = block.meta;
  const isRoot = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === 'string');
  must(Array.isArray(roots) && roots.every(isRoot), 'roots, a path and a prefix each');
  mustDivide(idOffsets, idBytes.length, 'idOffsets');
  for (let i = 0; i < files; i++) {
    must(root[i]! < roots.length, `roots below ${roots.length}`);
    must(sizes[i] === UNKNOWN || isCount(sizes[i]!), 'sizes of files');
    must(Number.isFinite(times[i]!), 'times of files');
  }
  return block;
}

/** A real record does not unpack to more than so many times its size. */
const MOST_UNPACKED = 64;

/** A record as a text, packed: it stands in the statistics of a result, and takes some 20 bytes a file. */
export function inputsText({ buffer }: Pick<Block, 'buffer'>): string {
  return deflateRawSync(new Uint8Array(buffer), { level: 1 }).toString('base64');
}

/** The record of a text; null: it is no such text. */
export function inputsIn(text: string): Block | null {
  try {
    // A copy: columns are views, which begin at multiples of their width.
    const packed = Buffer.from(text, 'base64');
    const maxOutputLength = (1 << 20) + MOST_UNPACKED * packed.length;
    const bytes = new Uint8Array(inflateRawSync(packed, { maxOutputLength }));
    return checkInputs(decodeBlock(bytes.buffer, 'inputs', 'inputs'));
  } catch {
    return null;
  }
}
