/** Side files for all tasks of a job, with a bit for every document that its tasks need. */
import { firstRankOf } from '../../tasks/stages/rankStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KIND, KINDS } from '../../tasks/stream/kinds.js';
import { LARGE, LargeSets } from '../../tasks/stream/largeSets.js';
import { RankBitsFile, WANTED } from '../../tasks/stream/rankBits.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
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
 * The side files, by name, of the documents or units that the second reading needs, from the output of a job; `count`: their
 * number. Memory: a bit a rank, up to the last one needed, and the places of documents whose sets are split.
 */
export async function wantedFiles(
  jobs: Jobs,
  wanted: string,
  count: number,
): Promise<{ readonly [WANTED]: Uint8Array; readonly [LARGE]?: Uint8Array }> {
  const places = new CorpusFiles(jobs.manifest);
  const { numbered } = places;
  const bits = jobs.manifest.strides === null ? RankBitsFile.exact() : RankBitsFile.spread(2 * count);
  const large = new LargeSets();
  await jobs.each(wanted, KINDS.wanted, (key, value) => {
    if (value[0]! > 0) large.add(key.subarray(KIND), value[0]!);
    const file = u32At(key, KIND);
    const number = u64At(key, KIND + 4);
    bits.add(places.rankOf(file, number));
    // The document that a unit is of.
    bits.add(places.rankOf(file, numbered.numberOf(file, numbered.recordOf(file, number), 0)));
  });
  return { [WANTED]: bits.bytes(), ...(large.bytes !== null && { [LARGE]: large.bytes }) };
}
