/**
 * Drop lists in files of their own, which `view` saves and people edit. They have the columns of duplicates.tsv and one row per
 * dropped document. `kept` is the document that replaces it, and may be empty.
 */
import { unescapeBytes } from '../blocks/ids.js';
import { MinHashError, type Problem } from '../errors.js';
import { type OptionFile, readOptionFile } from '../options/optionFile.js';
import { shownValue } from '../options/values.js';
import { bytesOf, textOf } from '../readers/list/pathIds.js';
import { readPlainFile } from '../store/plainFile.js';
import { besideResult } from './fileNames.js';
import type { Manifest } from './manifest.js';
import { type DropRow, FRACTION_CELL, tableRows } from './readResult.js';
import { ByteWriter, millionthsOf } from './tables/escaping.js';
import { duplicateColumns } from './tables/tables.js';

/** `result-drop-list.tsv` beside `result`. */
export function dropListFile(folder: string): string {
  return besideResult(folder, 'drop-list.tsv');
}

/** The largest drop list that is read, in bytes. */
const LARGEST = 500_000_000;
/** Bad rows that are reported one by one; others are counted. */
const MOST_REPORTED = 5;

/**
 * The rows of a drop list on the command line: a file or a pipe. Without the column `place` its documents are identified by ids, and
 * the clusters of the result in `folder` give their locations.
 *
 * @throws MinHashError OPTION_INVALID, with the numbers of bad lines, or with ids that several documents have; errors of the result
 */
export function readDropList(file: string, folder: string): Promise<readonly DropRow[]> {
  return locatedRows(folder, rowsOf(file, readOptionFile(file, LARGEST)));
}

/** The rows of the drop list beside a result, which others may have written; null if there is none. @throws as readDropList */
export async function savedDropList(file: string, folder: string): Promise<readonly DropRow[] | null> {
  const read = readPlainFile(file, LARGEST);
  if (read.bytes !== null)
    return locatedRows(folder, rowsOf(file, { text: Buffer.from(read.bytes).toString('utf8') }));
  if (read.why === null) return null;
  return locatedRows(folder, rowsOf(file, { problem: `expected a regular file: ${read.why}` }));
}

/** The rows of a file; `isByIds`: the file has no locations. */
interface ListedRows {
  readonly name: string;
  readonly rows: readonly DropRow[];
  readonly isByIds: boolean;
}

async function locatedRows(folder: string, { name, rows, isByIds }: ListedRows): Promise<readonly DropRow[]> {
  if (!isByIds) return rows;
  const ids = new Set(rows.flatMap(({ document, kept }) => [document, kept]));
  const locations = new Map<string, string>();
  const repeated = new Set<string>();
  for await (const { document, place } of tableRows(folder, 'clusters')) {
    if (!ids.has(document)) continue;
    if (locations.has(document)) repeated.add(document);
    locations.set(document, place);
  }
  const ambiguous = rows.filter(({ document }) => repeated.has(document));
  if (ambiguous.length > 0)
    throw new MinHashError(
      ambiguous
        .slice(0, MOST_REPORTED)
        .map(({ document }) =>
          invalid(
            `${name}: several documents have the id ${textOf(document)}; expected the column place, too`,
          ),
        ),
    );
  return rows.map((row) => ({
    ...row,
    place: locations.get(row.document) ?? row.place,
    keptPlace: locations.get(row.kept) ?? row.keptPlace,
  }));
}

function rowsOf(file: string, read: OptionFile): ListedRows {
  const name = `drop list ${shownValue(file)}`;
  if ('problem' in read)
    throw new MinHashError({
      ...invalid(`${name}: ${read.problem}`),
      remedy: 'check its path; mr-minhash view RESULT edits and saves a drop list',
    });
  const lines = read.text.split(/\r?\n/);
  const heads = lines[0]!.replace(/^\ufeff/, '').split('\t');
  const at = (column: string): number => heads.indexOf(column);
  const [kept, place, keptPlace] = [at('kept'), at('place'), at('kept_place')];
  const document = at('document') < 0 ? place : at('document');
  // Ids may repeat; if locations are missing, a row is identified by its id.
  const key = place < 0 ? document : place;
  const value = Math.max(at('jaccard'), at('containment'));
  if (document < 0)
    throw new MinHashError(
      invalid(
        `${name}, line 1: expected the columns of duplicates.tsv, with TABs between them: document, kept, jaccard, place, kept_place`,
      ),
    );
  const rows: DropRow[] = [];
  const known = new Set<string>();
  const problems: Problem[] = [];
  for (let line = 1; line < lines.length; line++) {
    if (lines[line] === '') continue;
    const cells = lines[line]!.split('\t');
    const cell = (column: number): string =>
      column < 0 ? '' : unescapeBytes(Buffer.from(cells[column]!, 'utf8').toString('latin1'));
    const why =
      cells.length !== heads.length
        ? `expected ${heads.length} cells with TABs between them, got ${cells.length}`
        : cells[key] === ''
          ? `expected a ${heads[key]}`
          : known.has(cells[key]!)
            ? `${cells[key]!.slice(0, 80)} is listed twice`
            : valueProblem(value < 0 ? '' : cells[value]!);
    if (why !== null) {
      problems.push(invalid(`${name}, line ${line + 1}: ${why}`));
      continue;
    }
    known.add(cells[key]!);
    const number = value < 0 || cells[value] === '' ? null : Number(cells[value]);
    rows.push({
      document: cell(document),
      kept: cell(kept),
      jaccard: heads[value] === 'jaccard' ? number : null,
      containment: heads[value] === 'containment' ? number : null,
      place: cell(key),
      keptPlace: cell(keptPlace < 0 ? kept : keptPlace),
      at: `${name}, line ${line + 1}`,
    });
  }
  if (problems.length === 0) return { name, rows, isByIds: place < 0 };
  const more = problems.length - MOST_REPORTED;
  const rest = more > 0 ? [invalid(`${name}: ${more} more lines cannot be read`)] : [];
  throw new MinHashError([...problems.slice(0, MOST_REPORTED), ...rest]);
}

function valueProblem(cell: string): string | null {
  return FRACTION_CELL.test(cell)
    ? null
    : `expected a similarity of 0 to 1, got ${shownValue(cell.slice(0, 40))}`;
}

const invalid = (detail: string): Problem => ({
  code: 'OPTION_INVALID',
  detail,
  remedy:
    'correct the file: it needs the columns of duplicates.tsv in the result; mr-minhash view RESULT edits and saves such a list',
});

/** The bytes of an id (binary string) as a cell, escaped. */
export function escapedCell(id: string): Uint8Array {
  const out = new ByteWriter(64);
  const bytes = bytesOf(id);
  out.appendEscaped(bytes, 0, bytes.length);
  return out.written();
}

/** The size of a piece in bytes. */
const PIECE = 1 << 18;

/** A drop list as the bytes of a file, in pieces. */
export async function* dropListBytes(
  { parameters }: Pick<Manifest, 'parameters'>,
  rows: AsyncIterable<DropRow>,
): AsyncGenerator<Uint8Array> {
  let out = new ByteWriter();
  out.append(Buffer.from(`${duplicateColumns(parameters.measure).join('\t')}\n`));
  for await (const { document, kept, jaccard, containment, place, keptPlace } of rows) {
    const value = jaccard ?? containment;
    for (const id of [document, kept]) {
      out.append(escapedCell(id));
      out.append(TAB);
    }
    if (value !== null && !Number.isNaN(value)) out.appendMillionths(millionthsOf(value));
    out.append(TAB);
    out.append(escapedCell(place));
    out.append(TAB);
    out.append(escapedCell(keptPlace));
    out.append(LINE_FEED);
    if (out.length < PIECE) continue;
    yield out.written();
    out = new ByteWriter();
  }
  yield out.written();
}

const TAB = Buffer.from('\t');
const LINE_FEED = Buffer.from('\n');
