/**
 * The stage that writes result files: each part is a task, formatted from columns where there is a free worker.
 *
 * Blocks: `out/ids` (ids by document number), `out/candidates/p`, `out/near`, `out/runs`, `out/clusters`,
 * `out/dropped`, `out/skipped`, `out/links`, `out/eliminated`, `out/contents` (documents that are still there, and their content keys);
 * where ids are not places: `out/names` (what places begin with) and, by table and part, `out/places/...`.
 */

import { decodeBlock } from '../blocks/block.js';
import type { IdTable } from '../blocks/ids.js';
import { NAMES } from '../blocks/names.js';
import { contentDigest } from '../output/tables/digest.js';
import { type NearPairs, type PairPart, writePairsPart } from '../output/tables/pairTable.js';
import type { ResultPlace, RowPlaces, WritingTools } from '../output/tables/rows.js';
import {
  type RowRange,
  writeCandidatesPart,
  writeClustersPart,
  writeDuplicates,
  writeEliminated,
  writeSkipped,
} from '../output/tables/tables.js';
import { familyOf } from '../sketch/family.js';
import type { WrittenFile } from '../store/files.js';
import type { RunSetup, TaskKind, Workplace } from './task.js';
import { kernelOf } from './workplace.js';

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

function columns(here: Workplace, name: string): Record<string, never> {
  // Every layout is written by src/coordinator/finish/write.ts alone; its names and types are those of the writers' columns.
  return decodeBlock(here.input(name), undefined, name).columns as Record<string, never>;
}

/** The file that was written; of the contents their digest. */
type WriteReport = WrittenFile | { readonly sha256: string };

/** Writes one part of one result file and reports {file, rows, bytes, sha256}; of the contents only the last. */
export const write: TaskKind<WriteTask | DigestTask, WriteReport> = {
  work(task, here) {
    return task.table === 'contents' ? { sha256: digest(here) } : written(here, task);
  },
};

function digest(here: Workplace): string {
  const ids = columns(here, NAMES.out('ids')) as unknown as IdTable;
  const { documents, contentKeys } = columns(here, NAMES.out('contents'));
  const contents = { ids, documents: documents!, contentKeys: contentKeys! };
  return contentDigest(contents, kernelOf(here).formatRows);
}

function written(here: Workplace, task: WriteTask): WrittenFile {
  const { params } = here.setup as RunSetup;
  const units = familyOf(params).units;
  if (task.table === 'skipped') {
    const { offsets, bytes, rows, codes, listed, listedCodes } = columns(here, NAMES.out('skipped'));
    const links = columns(here, NAMES.out('links'));
    return writeSkipped(task.place, [
      { places: { offsets: offsets!, bytes: bytes! }, rows: rows!, codes: codes! },
      { places: { offsets: links.offsets!, bytes: links.bytes! }, rows: links.rows!, codes: links.codes! },
      { places: columns(here, NAMES.out('ids')) as unknown as IdTable, rows: listed!, codes: listedCodes! },
    ]);
  }
  if (task.table === 'eliminated') {
    const { hashes, documents, offsets, bytes } = columns(here, NAMES.out('eliminated'));
    const texts = { offsets: offsets!, bytes: bytes! };
    return writeEliminated(task.place, { hashes: hashes!, documents: documents!, texts });
  }
  const tools: WritingTools = { formatRows: kernelOf(here).formatRows };
  const ids = columns(here, NAMES.out('ids')) as unknown as IdTable;
  if (task.table === 'duplicates') {
    const { document, kept, jaccard } = columns(here, NAMES.out('dropped'));
    const places = placesOf(here, task.places);
    const dropped = { document: document!, kept: kept!, jaccard: jaccard!, places };
    return writeDuplicates(task.place, ids, dropped, tools, params.measure);
  }
  if (task.table === 'pairs') {
    const near = nearPairsOf(columns(here, NAMES.out('near')));
    const { a, start, end, members, texts } = columns(here, NAMES.out('runs'));
    const runs = { a: a!, start: start!, end: end!, members: members!, texts: texts! };
    return writePairsPart(task.place, ids, near, units, runs, task.part, tools);
  }
  const { from, to } = task.range;
  if (task.table === 'candidates') {
    const { a, b, agreement, rows, jaccard, accepted } = columns(here, task.rows);
    const candidates = {
      a: a!,
      b: b!,
      agreement: agreement!,
      jaccard: jaccard === undefined ? null : byRow(task.range, rows!, jaccard),
      accepted: accepted!,
    };
    return writeCandidatesPart(task.place, ids, candidates, units, 0, to - from, tools);
  }
  const { cluster, document, role, similarity, basis } = columns(here, NAMES.out('clusters'));
  const rows = {
    cluster: cluster!,
    document: document!,
    role: role!,
    similarity: similarity!,
    basis: basis!,
  };
  return writeClustersPart(task.place, ids, rows, from, to, placesOf(here, task.places), tools);
}

function placesOf(here: Workplace, places: PlacesName): RowPlaces | null {
  if (places === null) return null;
  const { name, number } = columns(here, places);
  return { names: columns(here, NAMES.out('names')) as unknown as IdTable, name: name!, number: number! };
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
