/** Side files for all tasks of a job, with a bit for every document that its tasks need. */
import { KIND, KINDS, RANK, WHOLE_RECORD } from '../../tasks/stream/kinds.js';
import { PairedBits } from '../../tasks/stream/pairedBits.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
import { bytesOfBits, wantedBytes } from '../../tasks/stream/wantedBits.js';
import type { Jobs } from './jobs.js';

/** The side file of the documents in the pairs of some jobs; `count`: the number of pairs. */
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

/**
 * The side file of the documents that the second reading needs, from the output of a job. Memory: a bit a record of every file, up
 * to its last needed record.
 */
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

/** The bits of a file, in at least `bytes` bytes. */
function longEnough(lines: Map<number, Uint8Array>, file: number, bytes: number): Uint8Array {
  const known = lines.get(file);
  if (known !== undefined && known.length >= bytes) return known;
  const larger = new Uint8Array(Math.max(bytes, 2 * (known?.length ?? 0)));
  if (known !== undefined) larger.set(known);
  lines.set(file, larger);
  return larger;
}
