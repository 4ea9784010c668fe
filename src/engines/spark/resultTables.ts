/** Writes tables of the result from rows of the SQL engine, in the same form as a run on one machine. */

import { type ErrorCode, listedKind } from '../../errors.js';
import { listName, partName } from '../../result/fileNames.js';
import { agreementMillionths } from '../../result/tables/escaping.js';
import { PAIR_COLUMNS } from '../../result/tables/pairTable.js';
import { cellOf, OpenRows, type RowWriter } from '../../result/tables/rows.js';
import {
  CANDIDATE_COLUMNS,
  CLUSTER_COLUMNS,
  duplicateColumns,
  ROWS_PER_PART,
  SKIPPED_COLUMNS,
  skipReason,
} from '../../result/tables/tables.js';
import type { ResultParams } from '../../sketch/params.js';
import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import type { WrittenFile } from '../../store/files.js';
import type { SqlTable } from './resultQueries.js';

type WriteCells = (rows: RowWriter, cells: readonly string[]) => void;

interface TableForm {
  readonly columns: readonly string[];
  readonly write: WriteCells;
}

/** A written table. */
export interface WrittenTable {
  readonly files: readonly WrittenFile[];
  readonly rows: number;
}

const LOCATIONS = ['a_location', 'b_location'] as const;

/**
 * Writes the rows of a table: lists to one file, other tables to files of at most ROWS_PER_PART rows.
 *
 * @param onSimilarity called with the similarity of each document to the first one of its cluster
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export async function writeSqlTable(
  table: SqlTable,
  lines: AsyncIterable<string>,
  root: string,
  params: ResultParams,
  onSimilarity: (similarity: number) => void = () => {},
): Promise<WrittenTable> {
  const { columns, write } = formOf(table, params, onSimilarity);
  const isList = table === 'duplicates' || table === 'skipped';
  const files: WrittenFile[] = [];
  const openPart = (): OpenRows =>
    new OpenRows({ root, file: isList ? listName(table) : partName(table, files.length) }, columns);
  let count = 0;
  let open = openPart();
  try {
    for await (const line of lines) {
      if (open.rows.rows === ROWS_PER_PART && !isList) {
        files.push(open.finish());
        open = openPart();
      }
      write(open.rows, line.split('\t'));
      open.rows.endRow();
      count++;
    }
    files.push(open.finish());
    return { files, rows: count };
  } catch (error) {
    open.abandon();
    throw error;
  }
}

function formOf(
  table: SqlTable,
  params: ResultParams,
  onSimilarity: (similarity: number) => void,
): TableForm {
  const { hashes } = params.sketch;
  const isExact = params.verify === 'exact';
  const millionths = agreementMillionths(hashes);
  const words = (rows: RowWriter, ...cells: (string | undefined)[]): void => {
    for (const cell of cells) rows.word(cellOf(cell!));
  };
  const similarity = (
    rows: RowWriter,
    agreement: string,
    common: string,
    sizeA: string,
    sizeB: string,
  ): void => {
    if (isExact) rows.fraction(resemblanceOf(Number(common), Number(sizeA), Number(sizeB)));
    else rows.millionths(millionths[Number(agreement)]!);
  };
  switch (table) {
    case 'pairs':
      return {
        columns: [...PAIR_COLUMNS, ...LOCATIONS],
        write(rows, [a, b, agreement, common, sizeA, sizeB, kind, ...locations]) {
          words(rows, a, b);
          similarity(rows, agreement!, common!, sizeA!, sizeB!);
          rows.millionths(millionths[Number(agreement)]!);
          const isKnown = isExact || kind !== 'near';
          for (const size of [sizeA, sizeB])
            rows.fraction(isKnown ? containmentOf(Number(common), Number(size)) : Number.NaN);
          words(rows, kind, ...locations);
        },
      };
    case 'candidates':
      return {
        columns: [...CANDIDATE_COLUMNS, ...LOCATIONS],
        write(rows, [a, b, agreement, common, sizeA, sizeB, accepted, ...locations]) {
          words(rows, a, b);
          rows.millionths(millionths[Number(agreement)]!);
          const isCompared = isExact && Number(sizeA) > 0;
          rows.fraction(
            isCompared ? resemblanceOf(Number(common), Number(sizeA), Number(sizeB)) : Number.NaN,
          );
          words(rows, accepted, ...locations);
        },
      };
    case 'duplicates':
      return {
        columns: duplicateColumns('resemblance'),
        write(rows, [document, kept, agreement, common, sizeA, sizeB, ...locations]) {
          words(rows, document, kept);
          similarity(rows, agreement!, common!, sizeA!, sizeB!);
          words(rows, ...locations);
        },
      };
    case 'clusters': {
      let [cluster, root] = [0, ''];
      return {
        columns: CLUSTER_COLUMNS,
        write(rows, [first, doc, name, agreement, common, sizeA, sizeB, basis, location]) {
          if (first !== root) [cluster, root] = [cluster + 1, first!];
          rows.integer(cluster);
          words(rows, name, first === doc ? 'representative' : 'member');
          const value =
            basis === 'exact'
              ? resemblanceOf(Number(common), Number(sizeA), Number(sizeB))
              : Number(agreement) / hashes;
          rows.fraction(value);
          onSimilarity(value);
          words(rows, basis, location);
        },
      };
    }
    case 'skipped':
      return {
        columns: SKIPPED_COLUMNS,
        write(rows, [hex, code]) {
          const location = Buffer.from(hex!, 'hex');
          rows.text(location, 0, location.length);
          words(rows, listedKind(code as ErrorCode), skipReason(code as ErrorCode));
        },
      };
  }
}

/**
 * Merges rows of `skipped` from this machine with those of the engine; both are sorted by location and code.
 *
 * @param own locations in hexadecimal digits, and codes
 */
export async function* withOwnSkips(
  lines: AsyncIterable<string>,
  own: readonly (readonly [hex: string, code: string])[],
): AsyncGenerator<string> {
  const rows = own.map((row) => row.join('\t')).sort();
  let next = 0;
  for await (const line of lines) {
    while (next < rows.length && rows[next]! < line) yield rows[next++]!;
    yield line;
  }
  yield* rows.slice(next);
}
