/**
 * The stage that writes result files: each part of a file is a task, which formats rows from columns on any free worker.
 *
 * Blocks: `out/ids` (ids by document number), `out/candidates/p`, `out/near`, `out/identical`, `out/clusters`, `out/dropped`,
 * `out/skipped`, `out/links`, `out/contents` (documents that are still there, and their content keys); where
 * ids are not places: `out/names` (the prefixes of places) and, by table and part, `out/places/...`.
 */

import { numbersBelow } from '../../arrays/growable.js';
import { type Block, type ColumnsOf, type ColumnType, typedColumns } from '../../blocks/block.js';
import { ID_COLUMNS, type IdTable } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import type { Agreements } from '../../blocks/pairs.js';
import { contentDigest } from '../../output/tables/digest.js';
import { type NearPairs, type PairPart, writePairsPart } from '../../output/tables/pairTable.js';
import { IdCells, type ResultPlace, type RowPlaces } from '../../output/tables/rows.js';
import {
  inListOrder,
  type RowRange,
  writeCandidatesPart,
  writeClustersPart,
  writeDuplicates,
  writeSkipped,
} from '../../output/tables/tables.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { WrittenFile } from '../../store/files.js';
import { type CutUnit, unitMark } from '../../text/units.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, setupOf } from '../workplace.js';

/** Name of the block with the places of the rows; null: the id of every document is its place. */
type PlacesName = string | null;

export type WriteTask =
  | {
      readonly table: 'candidates';
      readonly place: ResultPlace;
      readonly range: RowRange;
      /** Name of the block with the rows of the range. */
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
  | { readonly table: 'skipped'; readonly place: ResultPlace };

export const write: PlannedKind<WriteTask, WrittenFile> = {
  reads: ['out'],
  writes: [],
  planned: () => 'later',
  work(task, here) {
    switch (task.table) {
      case 'candidates':
        return writtenCandidates(here, task);
      case 'pairs':
        return writtenPairs(here, task);
      case 'clusters':
        return writtenClusters(here, task);
      case 'duplicates':
        return writtenDuplicates(here, task);
      case 'skipped':
        return writtenSkipped(here, task);
    }
  },
};

/** The digest of everything that was compared. It writes no file, but a worker is freer for it than the main thread. */
export const digest: PlannedKind<Record<string, never>, { readonly sha256: string }> = {
  reads: ['out'],
  writes: [],
  planned: () => 1,
  work(_task, here) {
    const { contentKeys } = columns(here, 'contents', { contentKeys: 'u32' });
    const left = block(here, NAMES.out('contents')).columns.documents as Uint32Array | undefined;
    const contents = {
      ids: idsIn(here),
      documents: left ?? numbersBelow(contentKeys.length / 4),
      contentKeys,
    };
    return { sha256: contentDigest(contents) };
  },
};

type TaskOf<Table extends WriteTask['table']> = Extract<WriteTask, { table: Table }>;

/** Columns of the block `out/NAME`, as src/coordinator/finish/write.ts writes them. */
function columns<const Types extends Readonly<Record<string, ColumnType>>>(
  here: Workplace,
  name: string,
  types: Types,
): ColumnsOf<Types> {
  return typedColumns(block(here, NAMES.out(name)), types);
}

function idsIn(here: Workplace): IdTable {
  return columns(here, 'ids', ID_COLUMNS);
}

function writtenSkipped(here: Workplace, task: TaskOf<'skipped'>): WrittenFile {
  const PLACES = { ...ID_COLUMNS, rows: 'u32', codes: 'u8' } as const;
  const skipped = columns(here, 'skipped', { ...PLACES, listed: 'u32', listedCodes: 'u8' });
  const links = columns(here, 'links', PLACES);
  return writeSkipped(task.place, [
    { places: skipped, rows: skipped.rows, codes: skipped.codes },
    { places: links, rows: links.rows, codes: links.codes },
    inListOrder({ places: idsIn(here), rows: skipped.listed, codes: skipped.listedCodes }),
  ]);
}

function writtenDuplicates(here: Workplace, task: TaskOf<'duplicates'>): WrittenFile {
  const found = columns(here, 'dropped', { document: 'u32', kept: 'u32', jaccard: 'f64' });
  const dropped = { ...found, places: placesOf(here, task.places) };
  return writeDuplicates(task.place, idsIn(here), dropped, setupOf(here).params.measure);
}

function writtenPairs(here: Workplace, task: TaskOf<'pairs'>): WrittenFile {
  const near = nearPairsOf(block(here, NAMES.out('near')));
  const found = columns(here, 'identical', { a: 'u32', b: 'u32', isSame: 'u8' });
  const identical = { count: found.a.length, ...found };
  return writePairsPart(task.place, idsIn(here), near, unitsOf(here), identical, task.part);
}

function writtenCandidates(here: Workplace, task: TaskOf<'candidates'>): WrittenFile {
  const { from, to } = task.range;
  const rows = block(here, task.rows);
  const { a, b, accepted } = typedColumns(rows, { a: 'u32', b: 'u32', accepted: 'u8' });
  const agreement = rows.columns.agreement as Agreements;
  const isExact = rows.columns.jaccard !== undefined;
  const jaccard = isExact ? typedColumns(rows, { jaccard: 'f64' }).jaccard : null;
  const candidates = { a, b, agreement, jaccard, accepted };
  return writeCandidatesPart(task.place, idsIn(here), candidates, unitsOf(here), 0, to - from);
}

function writtenClusters(here: Workplace, task: TaskOf<'clusters'>): WrittenFile {
  const types = { cluster: 'u32', document: 'u32', role: 'u8', similarity: 'f64', basis: 'u8' } as const;
  const rows = columns(here, 'clusters', types);
  const { from, to } = task.range;
  return writeClustersPart(task.place, idsIn(here), rows, from, to, placesOf(here, task.places));
}

function unitsOf(here: Workplace): number {
  return sketchFamilyOf(setupOf(here).params).units;
}

function placesOf(here: Workplace, places: PlacesName): RowPlaces | null {
  if (places === null) return null;
  const rows = block(here, places);
  const { name, number } = typedColumns(rows, { name: 'u32', number: 'f64' });
  const documents = { names: new IdCells(columns(here, 'names', ID_COLUMNS)), name, number };
  if (rows.columns.unit === undefined) return documents;
  const mark = unitMark(setupOf(here).params.unit as CutUnit);
  return { ...documents, units: { mark, number: rows.columns.unit as Float64Array } };
}

/** Near pairs; the block has exact evidence in exact mode only. */
function nearPairsOf(near: Block): NearPairs {
  const { a, b } = typedColumns(near, { a: 'u32', b: 'u32' });
  const agreement = near.columns.agreement as Agreements;
  const isExact = near.columns.jaccard !== undefined;
  const evidence = { jaccard: 'f64', containmentAB: 'f64', containmentBA: 'f64' } as const;
  return { count: a.length, a, b, agreement, exact: isExact ? typedColumns(near, evidence) : null };
}
