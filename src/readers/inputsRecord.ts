/**
 * The files that a run reads, with their states: a resumed run and `apply` compare their inputs with them.
 *
 *      idOffsets  u32   n+1 offsets into idBytes
 *      idBytes    u8    ids of the files, in their order
 *      root       u32   in meta.roots: [path, prefix of ids] each, binary strings; addresses without secrets
 *      sizes      f64   bytes; UNKNOWN if the file was not looked up
 *      times      f64   modification, milliseconds since 1970; GONE if the file could not be looked up; UNKNOWN
 *      digests    u32   of the texts of its documents, in their order (RecordDigests); only records of finished runs have them
 *
 * Files that decide the plan of a run are looked up when they are listed, others when they are opened. A later change is a
 * difference, except one of the same length within one tick of the file system's clock.
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
import { UNKNOWN } from './list/fileList.js';
import type { FileTable } from './list/fileTable.js';
import { binaryOfBytes, textOf } from './list/pathIds.js';

/** A digest per file of its texts in their order. */
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

type Recorded = Pick<Block, 'columns' | 'meta'>;

function recordOf({ ids, root, roots, sizes, times }: FileTable): Recorded {
  const paths: Roots = roots.map(({ place, prefix }) => [place, prefix]);
  const columns = { idOffsets: ids.offsets, idBytes: ids.bytes, root, sizes, times };
  return { meta: { roots: paths }, columns };
}

/** The record of files with their current states, and with further notes. */
export function inputsBlock(
  files: FileTable,
  notes: Readonly<Record<string, unknown>> = {},
  digests?: RecordDigests,
): Block {
  files.lookUpRest();
  const { meta, columns } = recordOf(files);
  const more = digests === undefined ? {} : { digests: digests.files };
  return encodeBlock('inputs', { ...meta, ...notes }, { ...columns, ...more });
}

/** Differences between inputs, for a message. */
export interface InputDifferences {
  /** One per file: `a.txt: 10 bytes, now 12`. */
  readonly named: readonly string[];
  /** All differences, listed or not. */
  readonly count: number;
}

/** A file of a record. */
export interface RecordedFile {
  readonly id: string;
  /** Its path or address. */
  readonly source: string;
  /** The prefix of its PATH. */
  readonly prefix: string;
  readonly size: number;
  readonly time: number;
  /** UNKNOWN: the record has none. */
  readonly digest: number;
}

/** The files of a record, one object per file. */
export function* recordedFiles({ columns, meta }: Recorded): Generator<RecordedFile> {
  const { idOffsets, idBytes, root, sizes, times, digests } = columns;
  const roots = meta.roots as Roots;
  for (let i = 0; i < root!.length; i++) {
    const id = binaryOfBytes((idBytes as Uint8Array).subarray(idOffsets![i]!, idOffsets![i + 1]!));
    const [path, prefix] = roots[root![i]!]!;
    const digest = digests?.[i] ?? UNKNOWN;
    yield { id, source: path + id.slice(prefix.length), prefix, size: sizes![i]!, time: times![i]!, digest };
  }
}

/**
 * The differences between the files now and those of an earlier record; files whose state was unknown then are compared by name alone.
 *
 * @param most how many differences are listed; all are counted
 */
export function differencesFrom(files: FileTable, earlier: Recorded, most: number): InputDifferences {
  files.lookUpRest();
  const now = recordOf(files);
  const isSame =
    COLUMNS.every((name) => equalBytes(now.columns[name]!, earlier.columns[name]!)) &&
    JSON.stringify(now.meta.roots) === JSON.stringify(earlier.meta.roots);
  if (isSame) return { named: [], count: 0 };
  const before = new Map(Array.from(recordedFiles(earlier), (file) => [file.source, file]));
  return differencesOf(files, before, (index) => files.source(index), changeOf, most);
}

const COLUMNS = ['idOffsets', 'idBytes', 'root', 'sizes', 'times'] as const;

function equalBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const bytes = (view: ArrayBufferView): Buffer =>
    Buffer.from(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
  return a.byteLength === b.byteLength && bytes(a).equals(bytes(b));
}

/** The change of a file that is in both records; null: none is known. */
function changeOf(old: RecordedFile, files: FileTable, index: number): string | null {
  const [size, time, id] = [files.sizes[index]!, files.times[index]!, files.id(index)];
  if (old.time !== UNKNOWN) {
    if (old.size !== size) return `${old.size} bytes, now ${size}`;
    if (old.time !== time) return `modified ${timeText(old.time)}, now ${timeText(time)}`;
  }
  return old.id === id ? null : `called ${textOf(old.id)}, now ${textOf(id)}`;
}

/**
 * Differences by the names of files.
 *
 * @param before by name; emptied
 * @param changeOf the change of a file that was there before; null: none
 */
export function differencesOf(
  files: FileTable,
  before: Map<string, RecordedFile>,
  nameOf: (index: number) => string,
  changeOf: (old: RecordedFile, files: FileTable, index: number) => string | null,
  most: number,
): InputDifferences {
  const named: string[] = [];
  let count = 0;
  const add = (path: string, change: string): void => {
    if (++count <= most) named.push(`${textOf(path)}: ${change}`);
  };
  for (let index = 0; index < files.length; index++) {
    const name = nameOf(index);
    const old = before.get(name);
    before.delete(name);
    const change = old === undefined ? 'new' : changeOf(old, files, index);
    if (change !== null) add(files.source(index), change);
  }
  for (const name of before.keys()) add(name, 'gone');
  return { named, count };
}

function timeText(time: number): string {
  const date = new Date(time);
  return time < 0 || Number.isNaN(date.getTime()) ? 'never' : date.toISOString();
}

/** Checks a record that was read from a disk. @throws MinHashError BLOCK_FOREIGN */
export function checkInputs(block: Block): Block {
  const files = block.columns.root?.length ?? 0;
  const { idOffsets, idBytes, root, sizes, times } = heldColumns(
    block,
    { root: 'u32', idOffsets: 'u32', idBytes: 'u8', sizes: 'f64', times: 'f64' },
    { idOffsets: files + 1, sizes: files, times: files },
  );
  if (block.columns.digests !== undefined) heldColumns(block, { digests: 'u32' }, { digests: files });
  const { roots } = block.meta;
  const isRoot = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');
  must(Array.isArray(roots) && roots.every(isRoot), 'roots, a path and a prefix each');
  mustDivide(idOffsets, idBytes.length, 'idOffsets');
  for (let i = 0; i < files; i++) {
    must(root[i]! < roots.length, `roots below ${roots.length}`);
    must(sizes[i] === UNKNOWN || isCount(sizes[i]!), 'sizes of files');
    must(Number.isFinite(times[i]!), 'times of files');
  }
  return block;
}

/** The most that a record decompresses to, as a multiple of its size. */
const MOST_UNPACKED = 64;

/** A record as compressed text for the statistics of a result: about 20 bytes per file. */
export function inputsText({ buffer }: Pick<Block, 'buffer'>): string {
  return deflateRawSync(new Uint8Array(buffer), { level: 1 }).toString('base64');
}

/** The record of such a text; null: it is not one. */
export function inputsIn(text: string): Block | null {
  try {
    // A copy: columns are views, which begin at multiples of their width.
    const compressed = Buffer.from(text, 'base64');
    const maxOutputLength = (1 << 20) + MOST_UNPACKED * compressed.length;
    const bytes = new Uint8Array(inflateRawSync(compressed, { maxOutputLength }));
    return checkInputs(decodeBlock(bytes.buffer, 'inputs', 'inputs'));
  } catch {
    return null;
  }
}
