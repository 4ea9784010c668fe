/**
 * Which files a run read, as it found them: what a later attempt at the run holds its inputs against.
 *
 *      idOffsets  u32   n+1 offsets into idBytes
 *      idBytes    u8    ids of the files, in their order
 *      root       u32   in meta.roots: [path, prefix of ids] each, binary strings
 *      sizes      f64   bytes
 *      times      f64   modification, milliseconds since 1970; GONE of what could not be looked at
 *
 * Knows neither what is in a file nor what becomes of a difference. A file is looked at before it is read, so
 * a change at any later time is a difference; but for one of the same length within one tick of the file system's clock.
 */
import { type Block, encodeBlock } from '../blocks/block.js';
import { STDIN, UNKNOWN } from './list/fileList.js';
import type { FileTable } from './list/fileTable.js';
import { binaryOfBytes, textOf } from './list/pathIds.js';
import { lookAt } from './list/sizes.js';

type Roots = readonly (readonly [path: string, prefix: string])[];

/** The files of a run and what is known of them; those not looked at yet are UNKNOWN. */
export class InputsRecord {
  private readonly files: FileTable;
  private readonly sizes: Float64Array;
  /** All files before this one have been looked at. */
  private next = 0;

  constructor(files: FileTable) {
    this.files = files;
    this.sizes = files.sizes.slice();
  }

  /** Whether standard input is among the files: nobody can look at it. */
  get hasStdin(): boolean {
    return this.files.kinds.some((kind) => (kind & STDIN) !== 0);
  }

  /** Whether every file has been looked at. */
  get complete(): boolean {
    return this.next === this.files.length;
  }

  /** Looks at a file, unless that was done. A size that the plan of the run goes by stays. */
  look(index: number): void {
    const { files, sizes } = this;
    if (files.times[index] !== UNKNOWN) return;
    const isStdin = (files.kinds[index]! & STDIN) !== 0;
    const { size, time } = isStdin ? { size: 0, time: 0 } : lookAt(files, index);
    if (sizes[index] === UNKNOWN) sizes[index] = size;
    files.times[index] = time;
  }

  /** Looks at those whose size is known: few, or looked at when they were listed. */
  lookAtSized(): void {
    for (let i = 0; i < this.files.length; i++) if (this.files.sizes[i] !== UNKNOWN) this.look(i);
  }

  /** Looks at the next `count` files, in order. */
  lookOn(count: number): void {
    const end = Math.min(this.files.length, this.next + count);
    while (this.next < end) this.look(this.next++);
  }

  /** Bytes of the record, at least. */
  get bytes(): number {
    const { ids, length } = this.files;
    return ids.offsets[length]! + length * (4 + 4 + 8 + 8);
  }

  /** The record of a complete one, with the given facts in its header. */
  block(meta: Readonly<Record<string, unknown>>): Block {
    const { ids, root, roots, times } = this.files;
    const named: Roots = roots.map(({ path, prefix }) => [path, prefix]);
    const columns = { idOffsets: ids.offsets, idBytes: ids.bytes, root, sizes: this.sizes, times };
    return encodeBlock('inputs', { ...meta, roots: named }, columns);
  }

  /**
   * How the files differ from those of an earlier record; empty where they do not. Both must be complete.
   *
   * @param most differences that are named; the others are counted
   */
  differencesFrom(earlier: Block, most: number): InputDifferences {
    const now = this.block({});
    const same = SAME.every((name) => equalBytes(now.columns[name]!, earlier.columns[name]!));
    if (same && JSON.stringify(now.meta.roots) === JSON.stringify(earlier.meta.roots)) return NONE;
    return namedDifferences(earlier, now, most);
  }
}

/** What is told of differences between inputs. */
export interface InputDifferences {
  /** One a file: `a.txt: 10 bytes, now 12`. */
  readonly named: readonly string[];
  /** Named or not. */
  readonly count: number;
}

const NONE: InputDifferences = { named: [], count: 0 };
const SAME = ['idOffsets', 'idBytes', 'root', 'sizes', 'times'] as const;

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

/** By path. Made only where something differs, so that it may cost an object a file. */
function seenIn({ columns, meta }: Block): Map<string, Seen> {
  const { idOffsets, idBytes, root, sizes, times } = columns;
  const roots = meta.roots as Roots;
  const seen = new Map<string, Seen>();
  for (let i = 0; i < root!.length; i++) {
    const id = binaryOfBytes((idBytes as Uint8Array).subarray(idOffsets![i]!, idOffsets![i + 1]!));
    const [path, prefix] = roots[root![i]!]!;
    seen.set(path + id.slice(prefix.length), { id, size: sizes![i]!, time: times![i]! });
  }
  return seen;
}

function namedDifferences(earlier: Block, now: Block, most: number): InputDifferences {
  const before = seenIn(earlier);
  const named: string[] = [];
  let count = 0;
  const tell = (path: string, what: string): void => {
    if (++count <= most) named.push(`${textOf(path)}: ${what}`);
  };
  for (const [path, file] of seenIn(now)) {
    const old = before.get(path);
    before.delete(path);
    if (old === undefined) tell(path, 'new');
    else if (old.size !== file.size) tell(path, `${old.size} bytes, now ${file.size}`);
    else if (old.time !== file.time) tell(path, `modified ${timeText(old.time)}, now ${timeText(file.time)}`);
    else if (old.id !== file.id) tell(path, `called ${textOf(old.id)}, now ${textOf(file.id)}`);
  }
  for (const path of before.keys()) tell(path, 'gone');
  return { named, count };
}

function timeText(time: number): string {
  const date = new Date(time);
  return time < 0 || Number.isNaN(date.getTime()) ? 'never' : date.toISOString();
}
