/**
 * The stage that writes result files: each part is a task, formatted from columns where there is a free worker.
 *
 * Floor 3. Blocks: `out/ids` (ids by document number), `out/candidates/p`, `out/near`, `out/runs`, `out/clusters`,
 * `out/dropped`, `out/skipped`, `out/eliminated`, `out/contents` (documents that are still there, and their content keys);
 * where ids are not places: `out/names` (what places begin with) and, by table and part, `out/places/...`.
 */
import { decodeBlock } from '../blocks/block.js';
import type { IdTable } from '../blocks/idTable.js';
import type { RunSetup } from '../blocks/shapes.js';
import { agreementUnits } from '../sketch/sketchKind.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import { writeCandidatesPart } from '../storage/results/candidateParts.js';
import { writeClustersPart } from '../storage/results/clusterParts.js';
import { contentDigest } from '../storage/results/contentDigest.js';
import { writeEliminated } from '../storage/results/eliminatedList.js';
import { writeDuplicates, writeSkipped } from '../storage/results/lists.js';
import { type NearPairs, type PairPart, writePairsPart } from '../storage/results/pairParts.js';
import type { RowRange } from '../storage/results/parts.js';
import type { RowPlaces } from '../storage/results/placeCells.js';
import type { ResultPlace, WritingTools } from '../storage/results/tableWriter.js';
import type { Json } from './engine.js';
import type { Stage, TaskContext } from './protocol.js';
import { kernelOf } from './stagesContext.js';

/** Block of the places of the rows; null: the id of every document is its place. */
type PlacesName = string | null;

/** What a writing task is told. */
export type WriteTask =
  | {
      readonly table: 'candidates';
      readonly place: ResultPlace;
      readonly range: RowRange;
      /** Block of the rows of the range. */
      readonly rows: string;
    }
  | {
      readonly table: 'clusters';
      readonly place: ResultPlace;
      readonly range: RowRange;
      readonly places: PlacesName;
    }
  | { readonly table: 'pairs'; readonly place: ResultPlace; readonly part: PairPart }
  | { readonly table: 'duplicates'; readonly place: ResultPlace; readonly places: PlacesName }
  | { readonly table: 'skipped'; readonly place: ResultPlace }
  | { readonly table: 'eliminated'; readonly place: ResultPlace };

/** The digest of all that was compared: no file, but work of the same kind, and no thread has more time for it. */
export interface DigestTask {
  readonly table: 'contents';
}

function columns(context: TaskContext, name: string): Record<string, never> {
  // Every layout is written by src/pipeline/writing.ts alone; its names and types are those of the writers' columns.
  return decodeBlock(context.input(name), undefined, name).columns as Record<string, never>;
}

/** Writes one part of one result file and reports {file, rows, bytes, sha256}; of the contents only the last. */
export const write: Stage = (context): Json => {
  const task = context.params as unknown as WriteTask | DigestTask;
  return task.table === 'contents' ? { sha256: digest(context) } : { ...written(context, task) };
};

function digest(context: TaskContext): string {
  const ids = columns(context, 'out/ids') as unknown as IdTable;
  const { documents, contentKeys } = columns(context, 'out/contents');
  const contents = { ids, documents: documents!, contentKeys: contentKeys! };
  return contentDigest(contents, kernelOf(context).formatRows);
}

function written(context: TaskContext, task: WriteTask): WrittenFile {
  const { params } = context.setup as unknown as RunSetup;
  const units = agreementUnits(params);
  if (task.table === 'skipped') {
    const { offsets, bytes, codes } = columns(context, 'out/skipped');
    return writeSkipped(task.place, { places: { offsets: offsets!, bytes: bytes! }, codes: codes! });
  }
  if (task.table === 'eliminated') {
    const { hashes, documents, offsets, bytes } = columns(context, 'out/eliminated');
    const texts = { offsets: offsets!, bytes: bytes! };
    return writeEliminated(task.place, { hashes: hashes!, documents: documents!, texts });
  }
  const tools: WritingTools = { formatRows: kernelOf(context).formatRows };
  const ids = columns(context, 'out/ids') as unknown as IdTable;
  if (task.table === 'duplicates') {
    const { document, kept, jaccard } = columns(context, 'out/dropped');
    const places = placesOf(context, task.places);
    const dropped = { document: document!, kept: kept!, jaccard: jaccard!, places };
    return writeDuplicates(task.place, ids, dropped, tools, params.measure);
  }
  if (task.table === 'pairs') {
    const near = nearPairsOf(columns(context, 'out/near'));
    const { a, start, end, members } = columns(context, 'out/runs');
    const runs = { a: a!, start: start!, end: end!, members: members! };
    return writePairsPart(task.place, ids, near, units, runs, task.part, tools);
  }
  const { from, to } = task.range;
  if (task.table === 'candidates') {
    const { a, b, agreement, rows, jaccard, accepted } = columns(context, task.rows);
    const candidates = {
      a: a!,
      b: b!,
      agreement: agreement!,
      jaccard: jaccard === undefined ? null : byRow(task.range, rows!, jaccard),
      accepted: accepted!,
    };
    return writeCandidatesPart(task.place, ids, candidates, units, 0, to - from, tools);
  }
  const { cluster, document, role, similarity, basis } = columns(context, 'out/clusters');
  const rows = {
    cluster: cluster!,
    document: document!,
    role: role!,
    similarity: similarity!,
    basis: basis!,
  };
  return writeClustersPart(task.place, ids, rows, from, to, placesOf(context, task.places), tools);
}

function placesOf(context: TaskContext, places: PlacesName): RowPlaces | null {
  if (places === null) return null;
  const { name, number } = columns(context, places);
  return { names: columns(context, 'out/names') as unknown as IdTable, name: name!, number: number! };
}

/** A value for every row of a range: NaN but for the given rows. */
function byRow({ from, to }: RowRange, rows: Uint32Array, values: Float64Array): Float64Array {
  const all = new Float64Array(to - from).fill(Number.NaN);
  for (let i = 0; i < rows.length; i++) all[rows[i]! - from] = values[i]!;
  return all;
}

/** The exact evidence is there in exact mode only. */
function nearPairsOf(near: Record<string, never>): NearPairs {
  const { a, b, agreement, jaccard, containmentAB, containmentBA } = near;
  return {
    count: (a as unknown as Uint32Array).length,
    a: a!,
    b: b!,
    agreement: agreement!,
    exact:
      jaccard === undefined
        ? null
        : { jaccard, containmentAB: containmentAB!, containmentBA: containmentBA! },
  };
}
