/** Adds the kept documents of a run to the index that was its reference. */
import { newArray } from '../../arrays/ownPages.js';
import { sortedSets } from '../../arrays/sort.js';
import { EMPTY } from '../../blocks/documents.js';
import type { IndexWriter } from '../../index/indexFolder.js';
import type { SegmentWriter } from '../../index/segmentWriter.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { LineNumbers } from '../../readers/split.js';
import { strideOf } from '../../sketch/signature.js';
import { setChecksums } from '../../store/platformCrc.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { signaturesOf } from '../agreements.js';
import type { Run } from '../context.js';
import type { PipelineResult } from '../pipeline.js';
import type { Source } from '../sketch/source.js';
import { readSets } from '../verify.js';
import { addPortion, tableColumns } from './addDocuments.js';
import type { IndexReference } from './indexReference.js';
import { portionSources } from './indexSources.js';

/**
 * Adds the kept documents that are not of the index, and records that those of the index that resemble a
 * document were seen.
 *
 * @throws MinHashError INDEX_DAMAGED, WRITE_FAILED, DISK_FULL: the index is unchanged
 */
export async function appendKept(
  writer: IndexWriter,
  reference: IndexReference,
  portion: string,
  run: Run,
  source: Source,
  { sketched, numbered, decided }: PipelineResult,
  inputs: Pick<Inputs, 'places'>,
): Promise<void> {
  const { references, rowOf } = numbered;
  const { starts, facts } = sketched.documents;
  const ofIndex = starts.at(-2)!;
  const rowOfNumber = (number: number): number => (rowOf === null ? number : rowOf[number]!);
  const isKept = new Uint8Array(starts.at(-1)!);
  for (let k = 0; k < facts.length - 1; k++)
    for (const [i, flags] of facts[k]!.flags.entries())
      isKept[starts[k]! + i] = (flags & EMPTY) === 0 ? 1 : 0;
  for (const number of decided.drop.document) isKept[rowOfNumber(number)] = 0;
  const seen = new Set<number>();
  const { candidates, identical } = decided;
  for (const { a, first, count } of candidates.parts())
    for (let i = 0; i < count; i++)
      if (candidates.accepted[first + i] === 1 && a[i]! < references) seen.add(a[i]!);
  for (let i = 0; i < identical.count; i++) if (identical.a[i]! < references) seen.add(identical.a[i]!);
  // Pairs have the first document of a duplicate group alone.
  const { members, offsets } = numbered.groups;
  for (let group = 0; group + 1 < offsets.length; group++)
    if (seen.has(members[offsets[group]!]!))
      for (const number of members.subarray(offsets[group], offsets[group + 1]))
        if (number < references) seen.add(number);
  const places = [...seen].map((number) => reference.placeOf(rowOfNumber(number) - ofIndex));
  const kernel = await kernelHere();
  const sources = portionSources(inputs, run.params);
  await addPortion(writer, { name: portion, kernel, seen: places, sources }, async (segment, number) => {
    await appendAgain(segment, number, { run, source, sketched, kernel }, isKept);
    return 0;
  });
}

/** Appends documents of a run, whose sets are read once more. @param isKept by row: 1 if it is appended */
async function appendAgain(
  segment: SegmentWriter,
  portion: number,
  {
    run,
    source,
    sketched: { documents, batches },
    kernel,
  }: Pick<PipelineResult, 'sketched'> & {
    readonly run: Run;
    readonly source: Source;
    readonly kernel: Kernel;
  },
  isKept: Uint8Array,
): Promise<void> {
  const { sketch, banding, unit } = run.params;
  const lines = new LineNumbers();
  const firstLines = batches.map(({ split, report }) => lines.firstOf(split, report.lines));
  const signatures = signaturesOf(run, batches);
  const words = strideOf(sketch.hashes) / 2;
  const locationOf = (row: number): string => documents.locationOf(row);
  try {
    await readSets(run, documents, isKept, { batches, source, locationOf }, ({ rows, counts, hashes }) => {
      const k = documents.batchOf(rows[0]!);
      const first = documents.starts[k]!;
      const documentCount = documents.starts[k + 1]! - first;
      const positions = rows.map((row) => row - first);
      const order = new Uint32Array(2 * rows.length);
      for (let i = 0; i < rows.length; i++) order.set([positions[i]!, rows[i]!], 2 * i);
      const slots = newArray(Uint32Array, words * documentCount);
      signatures.gather(order, slots, 0);
      const keys = new Uint32Array(banding.bands * documentCount);
      for (let band = 0; band < banding.bands; band++)
        signatures.keys(band, first, documentCount, keys, band * documentCount);
      const starts = new Float64Array(counts.length);
      for (let i = 1; i < counts.length; i++) starts[i] = starts[i - 1]! + counts[i - 1]!;
      const sorted = sortedSets(hashes, starts, counts, kernel.sortUnique);
      const crcs = setChecksums(sorted);
      const sets = {
        counts: new Uint32Array(documentCount),
        crcs: new Uint32Array(documentCount),
        hashes: sorted.hashes,
      };
      for (const [i, position] of positions.entries()) {
        sets.counts[position] = sorted.counts[i]!;
        sets.crcs[position] = crcs[i]!;
      }
      segment.append({
        ...{ positions, portion, keys, sets, slots: new Uint16Array(slots.buffer, slots.byteOffset) },
        ...tableColumns(documents.table(k), source.input!.files, firstLines[k]!, unit),
      });
    });
  } finally {
    signatures.close();
  }
}
