/** Which documents later tasks are to look at: bits that all of them are sent. */
import { KIND, KINDS, RANK, WHOLE_RECORD } from '../../tasks/stream/kinds.js';
import { PairedBits } from '../../tasks/stream/pairedBits.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
import { bytesOfBits, wantedBytes } from '../../tasks/stream/wantedBits.js';
import type { Jobs } from './jobs.js';

/** The side file of the documents that are in so many pairs, which some jobs gave. */
export async function pairedFile(jobs: Jobs, pairs: readonly string[], count: number): Promise<Uint8Array> {
  const bits = PairedBits.of(2 * count);
  for (const name of pairs) {
    for await (const [key] of jobs.engine.read(name)) {
      if (key[0] !== KINDS.pair) continue;
      bits.add(key, KIND);
      bits.add(key, KIND + RANK);
    }
  }
  return bits.bytes;
}

/** The side file of the places that a job gave, for the second reading. It is held in memory: a bit a record, up to the last one of a file. */
export async function wantedFile(jobs: Jobs, wanted: string): Promise<Uint8Array> {
  const { files } = jobs.shared;
  const whole = new Uint8Array(bytesOfBits(files.length));
  const lines = new Map<number, Uint8Array>();
  for await (const [key] of jobs.engine.read(wanted)) {
    if (key[0] !== KINDS.wanted) continue;
    const file = u32At(key, KIND);
    const record = u64At(key, KIND + 4);
    const isWhole = record === WHOLE_RECORD;
    const bit = isWhole ? file : record;
    const bits = isWhole ? whole : longEnough(lines, file, bytesOfBits(record + 1));
    const byte = Math.floor(bit / 8);
    bits[byte] = bits[byte]! | (1 << (bit % 8));
  }
  return wantedBytes(files.length, whole, lines);
}

/** The bits of a file, with room for so many bytes. */
function longEnough(lines: Map<number, Uint8Array>, file: number, bytes: number): Uint8Array {
  const known = lines.get(file);
  if (known !== undefined && known.length >= bytes) return known;
  const larger = new Uint8Array(Math.max(bytes, 2 * (known?.length ?? 0)));
  if (known !== undefined) larger.set(known);
  lines.set(file, larger);
  return larger;
}
