/**
 * Tasks that write the result files, one per part of a table: columns are formatted as rows.
 *
 * Blocks: `out/ids` and, if ids are not locations, `out/locations` (by label), `out/TABLE/p` (the rows of a part), `out/skipped/LIST`.
 */
import { typedColumns } from '../../blocks/block.js';
import { ID_COLUMNS } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import {
  type LabelTables,
  writeCandidateRows,
  writeClusterRows,
  writeDropRows,
  writePairRows,
} from '../../result/tables/documentRows.js';
import type { TableFile } from '../../result/tables/rows.js';
import { type SkippedPlaces, writeSkipped } from '../../result/tables/tables.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { WrittenFile } from '../../store/files.js';
import type { TaskKind, Workplace } from '../task.js';
import { block, setupOf } from '../workplace.js';
import { dropPairMemory } from './bandTasks.js';

export interface WriteTableTask {
  readonly table: 'pairs' | 'candidates' | 'clusters' | 'duplicates' | 'skipped';
  readonly place: TableFile;
  /** Name of the block with the rows. */
  readonly rows: string;
  readonly hasLocations: boolean;
  /** Names of the blocks with the lists of `skipped`. */
  readonly lists: readonly string[];
}

export const writeTable: TaskKind<WriteTableTask, WrittenFile> = {
  work({ table, place, rows: name, hasLocations, lists }, here) {
    dropPairMemory(here);
    if (table === 'skipped')
      return writeSkipped(
        place,
        lists.map((list) => skippedIn(here, list)),
      );
    const labels = labelsIn(here, hasLocations);
    const rows = block(here, name);
    const { measure } = setupOf(here).params;
    const slots = () => sketchFamilyOf(setupOf(here).params).units;
    const pairs = { a: 'u32', b: 'u32', agreement: 'u16' } as const;
    switch (table) {
      case 'pairs':
        return writePairRows(
          place,
          labels,
          { ...typedColumns(rows, { ...pairs, kind: 'u8' }), sets: setsIn(rows) },
          measure === 'containment' ? null : slots(),
        );
      case 'candidates':
        return writeCandidateRows(
          place,
          labels,
          { ...typedColumns(rows, { ...pairs, accepted: 'u8' }), sets: setsIn(rows) },
          slots(),
        );
      case 'clusters': {
        const types = {
          cluster: 'u32',
          document: 'u32',
          role: 'u8',
          similarity: 'f64',
          basis: 'u8',
        } as const;
        return writeClusterRows(place, labels, typedColumns(rows, types));
      }
      case 'duplicates':
        return writeDropRows(
          place,
          labels,
          typedColumns(rows, { document: 'u32', kept: 'u32', jaccard: 'f64' }),
          measure,
        );
    }
  },
};

function labelsIn(here: Workplace, hasLocations: boolean): LabelTables {
  const table = (name: string) => typedColumns(block(here, NAMES.out(name)), ID_COLUMNS);
  return { ids: table('ids'), locations: hasLocations ? table('locations') : null };
}

/** Common elements and sizes of the sets of pairs; null outside exact mode. */
function setsIn(rows: ReturnType<typeof block>) {
  return rows.columns.common === undefined
    ? null
    : typedColumns(rows, { common: 'u32', sizeA: 'u32', sizeB: 'u32' });
}

function skippedIn(here: Workplace, name: string): SkippedPlaces {
  const { codes, ...places } = typedColumns(block(here, name), { ...ID_COLUMNS, codes: 'u8' });
  return { places, codes };
}
