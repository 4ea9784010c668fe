/** Side files for all tasks of a job, with a bit for every document that its tasks need. */
import { firstRankOf } from '../../tasks/stages/rankStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KIND, KINDS, WHOLE_RECORD } from '../../tasks/stream/kinds.js';
import { LARGE, LargeSets } from '../../tasks/stream/largeSets.js';
import { RankBitsFile, UNITS } from '../../tasks/stream/rankBits.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
import { bytesOfBits, wantedBytes } from '../../tasks/stream/wantedBits.js';
import { type Jobs, sumOf } from './jobs.js';

/** The stages that find documents which records name. */
export type RankStage = 'pairRanks' | 'memberRanks' | 'rootRanks' | 'rowRanks';

/** The side file (rankBits.ts) of the documents that the records of some jobs name. */
export async function rankFile(
  jobs: Jobs,
  label: string,
  stage: RankStage,
  named: readonly string[],
): Promise<Uint8Array> {
  const done = await jobs.run(stage, named, { label });
  // Ranks of documents are dense, those of units are not.
  const bits =
    jobs.manifest.strides === null ? RankBitsFile.exact() : RankBitsFile.spread(sumOf(done, 'ranks'));
  await jobs.each(done.name, KINDS.ranks, (key, value) => {
    const first = firstRankOf(key);
    for (let at = 0; at < value.length; at += 2) bits.add(first + value[at]! * 2 ** 8 + value[at + 1]!);
  });
  return bits.bytes();
}

/**
 * The side files, by name, of the documents and units that the second reading needs, from the output of a job; `count`: their
 * number. Memory: a bit a record of every file, up to its last needed record, bits of units, and the places of documents whose sets
 * are split.
 */
export async function wantedFiles(
  jobs: Jobs,
  wanted: string,
  count: number,
): Promise<{ readonly wanted: Uint8Array; readonly [UNITS]?: Uint8Array; readonly [LARGE]?: Uint8Array }> {
  const { files, strides } = jobs.manifest;
  const places = new CorpusFiles(jobs.manifest);
  const units = strides === null ? null : RankBitsFile.spread(count);
  const whole = new Uint8Array(bytesOfBits(files.length));
  const lines = new Map<number, Uint8Array>();
  const large = new LargeSets();
  await jobs.each(wanted, KINDS.wanted, (key, value) => {
    if (value[0]! > 0) large.add(key.subarray(KIND), value[0]!);
    const file = u32At(key, KIND);
    const number = u64At(key, KIND + 4);
    units?.add(places.rankOf(file, number));
    const record = places.numbered.recordOf(file, number);
    const isWhole = record === WHOLE_RECORD;
    const bit = isWhole ? file : record;
    const bits = isWhole ? whole : longEnough(lines, file, bytesOfBits(record + 1));
    const byte = Math.floor(bit / 8);
    bits[byte] = bits[byte]! | (1 << (bit % 8));
  });
  const bytes = wantedBytes(files.length, whole, lines);
  return {
    wanted: bytes,
    ...(units !== null && { [UNITS]: units.bytes() }),
    ...(large.bytes !== null && { [LARGE]: large.bytes }),
  };
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
