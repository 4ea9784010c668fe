/** Writes tables of the result from rows of the SQL engine, in the form of a run on one machine. */

import { listName, partName } from '../../output/fileNames.js';
import { agreementMillionths } from '../../output/tables/escaping.js';
import { PAIR_COLUMNS } from '../../output/tables/pairTable.js';
import { cellOf, OpenRows, type RowWriter } from '../../output/tables/rows.js';
import { CLUSTER_COLUMNS, duplicateColumns, ROWS_PER_PART } from '../../output/tables/tables.js';
import type { ResultParams } from '../../sketch/params.js';
import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import type { WrittenFile } from '../../store/files.js';

/** Tables of the result, by the names of their queries. */
export type SqlTable = 'pairs' | 'duplicates' | 'clusters';

type Cells = readonly string[];
type WriteCells = (rows: RowWriter, cells: Cells) => void;

/** Writes the rows of a table to files of at most ROWS_PER_PART rows. @throws MinHashError WRITE_FAILED, DISK_FULL */
export async function writeSqlTable(
  table: SqlTable,
  lines: AsyncIterable<string>,
  root: string,
  params: ResultParams,
): Promise<WrittenFile[]> {
  const { columns, write } = FORMS[table](params);
  const files: WrittenFile[] = [];
  const openPart = (): OpenRows => {
    const file = table === 'duplicates' ? listName(table) : partName(table, files.length);
    return new OpenRows({ root, file }, columns);
  };
  let open = openPart();
  try {
    for await (const line of lines) {
      if (open.rows.rows === ROWS_PER_PART && table !== 'duplicates') {
        files.push(open.finish());
        open = openPart();
      }
      write(open.rows, line.split('\t'));
      open.rows.endRow();
    }
    files.push(open.finish());
    return files;
  } catch (error) {
    open.abandon();
    throw error;
  }
}

const FORMS: Readonly<
  Record<SqlTable, (params: ResultParams) => { columns: readonly string[]; write: WriteCells }>
> = {
  pairs: (params) => {
    const similarity = similarityCells(params);
    const millionths = agreementMillionths(params.sketch.hashes);
    return {
      columns: PAIR_COLUMNS,
      write(rows, [x, y, agreement, common, sizeA, sizeB, kind]) {
        rows.word(cellOf(x!));
        rows.word(cellOf(y!));
        similarity(rows, Number(agreement), Number(common), Number(sizeA), Number(sizeB));
        rows.millionths(millionths[Number(agreement)]!);
        const isKnown = params.verify === 'exact' || kind !== 'near';
        for (const size of [sizeA, sizeB])
          rows.fraction(isKnown ? containmentOf(Number(common), Number(size)) : Number.NaN);
        rows.word(cellOf(kind!));
      },
    };
  },
  duplicates: (params) => {
    const similarity = similarityCells(params);
    return {
      columns: duplicateColumns('resemblance'),
      write(rows, [x, y, agreement, common, sizeA, sizeB, place]) {
        rows.word(cellOf(x!));
        rows.word(cellOf(y!));
        similarity(rows, Number(agreement), Number(common), Number(sizeA), Number(sizeB));
        rows.word(cellOf(place!));
      },
    };
  },
  clusters: ({ ...params }) => {
    const millionths = agreementMillionths(params.sketch.hashes);
    let [cluster, root] = [0, ''];
    return {
      columns: CLUSTER_COLUMNS,
      write(rows, [first, doc, name, agreement, common, sizeA, sizeB, basis, place]) {
        if (first !== root) [cluster, root] = [cluster + 1, first!];
        rows.integer(cluster);
        rows.word(cellOf(name!));
        rows.word(cellOf(first === doc ? 'representative' : 'member'));
        if (basis === 'exact') rows.fraction(resemblanceOf(Number(common), Number(sizeA), Number(sizeB)));
        else rows.millionths(millionths[Number(agreement)]!);
        rows.word(cellOf(basis!));
        rows.word(cellOf(place!));
      },
    };
  },
};

/** Writes the similarity of a pair: exact, or in other modes that of the signatures. */
function similarityCells(params: ResultParams) {
  const millionths = agreementMillionths(params.sketch.hashes);
  return (rows: RowWriter, agreement: number, common: number, sizeA: number, sizeB: number): void => {
    if (params.verify === 'exact') rows.fraction(resemblanceOf(common, sizeA, sizeB));
    else rows.millionths(millionths[agreement]!);
  };
}
