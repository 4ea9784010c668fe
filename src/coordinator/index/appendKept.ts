/** Adds what a run kept to the index that was its reference. */
import type { IndexWriter } from '../../index/indexFolder.js';
import { kernelHere } from '../../tasks/kernelHere.js';
import type { Run } from '../context.js';
import type { PipelineResult } from '../pipeline.js';
import type { Source } from '../sketch/source.js';
import { addDocuments } from './addDocuments.js';
import type { IndexReference } from './indexReference.js';

/**
 * Adds the documents that are neither dropped nor of the index, and notes that those of the index that some document resembles were seen.
 *
 * @throws MinHashError INDEX_DAMAGED, WRITE_FAILED, DISK_FULL: the index is as it was
 */
export async function appendKept(
  writer: IndexWriter,
  reference: IndexReference,
  portion: string,
  run: Run,
  source: Source,
  { sketched, numbered, decided }: PipelineResult,
): Promise<void> {
  const { references, rowOf } = numbered;
  const { starts } = sketched.documents;
  const ofIndex = starts.at(-2)!;
  const rowOfNumber = (number: number): number => (rowOf === null ? number : rowOf[number]!);
  const leftOut = new Uint8Array(starts.at(-1)!).fill(1, ofIndex);
  for (const number of decided.drop.document) leftOut[rowOfNumber(number)] = 1;
  const seen = new Set<number>();
  const { candidates, identical } = decided;
  for (let i = 0; i < candidates.count; i++)
    if (candidates.accepted[i] === 1 && candidates.a[i]! < references) seen.add(candidates.a[i]!);
  for (let i = 0; i < identical.count; i++) if (identical.a[i]! < references) seen.add(identical.a[i]!);
  const places = [...seen].map((number) => reference.placeOf(rowOfNumber(number) - ofIndex));
  const kernel = await kernelHere();
  await addDocuments(writer, {
    run,
    source,
    sketched,
    kernel,
    portion,
    now: Date.now(),
    leftOut,
    seen: places,
  });
}
