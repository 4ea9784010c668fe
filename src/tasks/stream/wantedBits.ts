/**
 * The side file `wanted`: which documents the second reading turns into sets; where units are compared, which have such units, and
 * the side file `units` (rankBits.ts) says which units. A file of records has a bit a record, up to its last wanted one.
 *
 *      bits of files       bit f: file f is one document, and is wanted; one bit a file, in whole bytes
 *      ends                u64 big-endian a file: where the bits of its lines end, counted from the first bits of lines
 *      bits of lines       bit r of a file: its line or row r, from 0, is wanted
 */
import { RankBits, UNITS } from './rankBits.js';
import { FieldWriter, u64At } from './records.js';
import type { StagePlace } from './stage.js';

const NAME = 'wanted';

/** Encodes the side file from the bits of whole files and, by file, the bits of its lines. */
export function wantedBytes(
  files: number,
  whole: Uint8Array,
  lines: ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  const ends = new FieldWriter();
  let length = 0;
  for (let file = 0; file < files; file++) {
    length += lines.get(file)?.length ?? 0;
    ends.u64(length);
  }
  const bytes = new Uint8Array(whole.length + 8 * files + length);
  bytes.set(whole);
  bytes.set(ends.view, whole.length);
  let at = whole.length + 8 * files;
  for (let file = 0; file < files; file++) {
    const bits = lines.get(file);
    if (bits === undefined) continue;
    bytes.set(bits, at);
    at += bits.length;
  }
  return bytes;
}

export const bytesOfBits = (bits: number): number => Math.ceil(bits / 8);

/** Reads the part of the side file that a task needs. */
export class WantedBits {
  private readonly here: StagePlace;
  private readonly files: number;
  private readonly units: RankBits | null;

  constructor(here: StagePlace) {
    this.here = here;
    this.units = RankBits.from(here, UNITS);
    this.files = here.manifest.files.length;
  }

  /** Whether a file that is one document is wanted. */
  hasFile(file: number): boolean {
    return ((this.bytes(file >>> 3, 1)[0]! >>> (file & 7)) & 1) === 1;
  }

  /** Whether the unit of this rank may be wanted. */
  hasUnit(rank: number): boolean {
    return this.units?.has(rank) !== false;
  }

  /** Which lines of [first, first + count) are wanted, counted from `first`; none where `first` is -1. */
  linesOf(file: number, first: number, count: number): number[] {
    const found: number[] = [];
    if (first < 0) return found;
    const ends = bytesOfBits(this.files);
    const told = this.bytes(ends + 8 * Math.max(0, file - 1), file === 0 ? 8 : 16);
    const from = file === 0 ? 0 : u64At(told, 0);
    const length = u64At(told, file === 0 ? 0 : 8) - from;
    const start = Math.floor(first / 8);
    const end = Math.min(length, bytesOfBits(first + count));
    if (start >= end) return found;
    const bits = this.bytes(ends + 8 * this.files + from + start, end - start);
    for (let line = first; line < Math.min(first + count, 8 * end); line++) {
      if (((bits[Math.floor(line / 8) - start]! >>> (line % 8)) & 1) === 1) found.push(line - first);
    }
    return found;
  }

  private bytes(from: number, length: number): Uint8Array {
    return this.here.side(NAME, from, length);
  }
}
