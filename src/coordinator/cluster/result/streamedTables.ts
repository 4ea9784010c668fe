/**
 * The tables of a result, row by row in the order of documents: the same bytes as src/output/tables writes from columns.
 *
 * Nothing is held but a piece of each file that is open, and what was skipped.
 */
import { EMPTY, REPAIRED } from '../../../blocks/documents.js';
import type { ListedPlaces } from '../../../blocks/ids.js';
import { LISTED_CODES } from '../../../errors.js';
import { listName, type PartFolder, partName } from '../../../output/fileNames.js';
import { PAIR_COLUMNS, PAIR_KINDS } from '../../../output/tables/pairTable.js';
import { OpenRows, PlaceWriter, type RowTaker, wordCell } from '../../../output/tables/rows.js';
import {
  agreementCells,
  CANDIDATE_COLUMNS,
  CLUSTER_COLUMNS,
  duplicateColumns,
  ROWS_PER_PART,
  SKIPPED_COLUMNS,
  SkippedRows,
} from '../../../output/tables/tables.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { sketchFamilyOf } from '../../../sketch/family.js';
import type { ResultFormat, ResultParams } from '../../../sketch/params.js';
import type { WrittenFile } from '../../../store/files.js';
import { IDENTICAL } from '../../../tasks/stream/kinds.js';
import type { NamedDocument, OrderedDocument, OrderedRow } from './orderedRecords.js';

interface Place {
  readonly root: string;
  readonly format: ResultFormat;
}

/** A table in parts of so many rows; without a row one part that has none. */
class PartedRows {
  readonly files: WrittenFile[] = [];
  private readonly place: Place;
  private readonly folder: PartFolder;
  private readonly columns: readonly string[];
  private readonly rowsPerPart: number;
  private open: OpenRows;

  constructor(place: Place, folder: PartFolder, columns: readonly string[], rowsPerPart: number) {
    this.place = place;
    this.folder = folder;
    this.columns = columns;
    this.rowsPerPart = rowsPerPart;
    this.open = this.part();
  }

  /** Where the next row goes. */
  get rows(): RowTaker {
    if (this.open.rows.rows === this.rowsPerPart) {
      this.files.push(this.open.finish());
      this.open = this.part();
    }
    return this.open.rows;
  }

  finish(): void {
    this.files.push(this.open.finish());
  }

  abandon(): void {
    this.open.abandon();
  }

  private part(): OpenRows {
    const file = partName(this.folder, this.files.length, this.place.format);
    return new OpenRows({ ...this.place, file }, this.columns);
  }
}

/** Cells that are made once. */
function cellsOf(params: ResultParams) {
  const words = (...texts: readonly string[]): Uint8Array[] =>
    texts.map((text) => wordCell(text, params.format));
  const [near, identical, sameTokens] = words(...PAIR_KINDS);
  return {
    agreements: agreementCells(sketchFamilyOf(params).units),
    accepted: words('no', 'yes'),
    kinds: { near: near!, identical: identical!, sameTokens: sameTokens! },
    roles: words('representative', 'member'),
    bases: words('exact', 'estimate'),
  };
}

const EMPTY_CODE = LISTED_CODES.indexOf('EMPTY');
const REPAIRED_CODE = LISTED_CODES.indexOf('REPAIRED');

/** All tables of a result, open. End them with `finish` or `abandon`. */
export class StreamedTables {
  private readonly params: ResultParams;
  private readonly files: FileTable;
  private readonly cells: ReturnType<typeof cellsOf>;
  private readonly parted: { readonly [Folder in PartFolder]: PartedRows };
  private readonly duplicates: OpenRows;
  private readonly skipped: OpenRows;
  private readonly listed: SkippedRows;
  /** The place of one row. */
  private readonly name = new Uint32Array(1);
  private readonly number = new Float64Array(1);
  private readonly places: PlaceWriter;

  /** @param lists what skipped.tsv lists beside documents that were read */
  constructor(
    root: string,
    params: ResultParams,
    files: FileTable,
    lists: readonly ListedPlaces[],
    rowsPerPart = ROWS_PER_PART,
  ) {
    const { format } = params;
    const place = { root, format };
    this.params = params;
    this.files = files;
    this.cells = cellsOf(params);
    this.parted = {
      candidates: new PartedRows(place, 'candidates', CANDIDATE_COLUMNS, rowsPerPart),
      pairs: new PartedRows(place, 'pairs', PAIR_COLUMNS, rowsPerPart),
      clusters: new PartedRows(place, 'clusters', CLUSTER_COLUMNS, rowsPerPart),
    };
    const list = (name: 'duplicates' | 'skipped') => ({ ...place, file: listName(name, format) });
    this.duplicates = new OpenRows(list('duplicates'), duplicateColumns(params.measure));
    this.skipped = new OpenRows(list('skipped'), SKIPPED_COLUMNS);
    this.listed = new SkippedRows(this.skipped.rows, format, lists);
    const { name, number } = this;
    this.places = new PlaceWriter({ names: files.ids, name, number }, format);
  }

  /** A document that skipped.tsv may list. */
  document({ id, flags }: OrderedDocument): void {
    if ((flags & EMPTY) !== 0) this.listed.add(id, EMPTY_CODE);
    if ((flags & REPAIRED) !== 0) this.listed.add(id, REPAIRED_CODE);
  }

  candidate(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.parted.candidates;
    idCell(rows, a);
    idCell(rows, row.second);
    rows.word(this.cells.agreements[row.agreement]!);
    rows.fraction(row.jaccard);
    rows.word(this.cells.accepted[row.isAccepted ? 1 : 0]!);
    rows.endRow();
    if (row.isAccepted) this.nearPair(a, row);
  }

  private nearPair(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.parted.pairs;
    const agreement = this.cells.agreements[row.agreement]!;
    idCell(rows, a);
    idCell(rows, row.second);
    if (this.params.verify === 'exact') rows.fraction(row.jaccard);
    else rows.word(agreement);
    rows.word(agreement);
    rows.fraction(row.aInB);
    rows.fraction(row.bInA);
    rows.word(this.cells.kinds.near);
    rows.endRow();
  }

  identical(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.parted.pairs;
    const { identical, sameTokens } = this.cells.kinds;
    idCell(rows, a);
    idCell(rows, row.second);
    // Resemblance, agreement, both containments.
    for (let cell = 0; cell < 4; cell++) rows.fraction(1);
    rows.word(row.kindOfPair === IDENTICAL ? identical : sameTokens);
    rows.endRow();
  }

  dropped(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.duplicates;
    idCell(rows, a);
    idCell(rows, row.second);
    rows.fraction(row.similarity);
    this.placeCell(rows, a);
    rows.endRow();
  }

  /** @param cluster its number, from 1 */
  clustered(cluster: number, isMember: boolean, row: OrderedRow): void {
    const { rows } = this.parted.clusters;
    rows.integer(cluster);
    idCell(rows, row.second);
    rows.word(this.cells.roles[isMember ? 1 : 0]!);
    rows.fraction(row.similarity);
    rows.word(this.cells.bases[row.word]!);
    this.placeCell(rows, row.second);
    rows.endRow();
  }

  /** The files in the order of the tables. */
  finish(): readonly WrittenFile[] {
    this.listed.finish();
    const { candidates, pairs, clusters } = this.parted;
    for (const table of [candidates, pairs, clusters]) table.finish();
    const lists = [this.duplicates.finish(), this.skipped.finish()];
    return [...candidates.files, ...pairs.files, ...clusters.files, ...lists];
  }

  /** Removes what is not whole. Never throws. */
  abandon(): void {
    for (const table of Object.values(this.parted)) table.abandon();
    this.duplicates.abandon();
    this.skipped.abandon();
  }

  private placeCell(rows: RowTaker, { file, record }: NamedDocument): void {
    this.name[0] = file;
    this.number[0] = this.files.addressNumber(file, record, 0);
    const { out } = this.places;
    out.clear();
    this.places.append(0);
    rows.text(out.bytes, 0, out.length);
  }
}

function idCell(rows: RowTaker, { id }: NamedDocument): void {
  rows.text(id, 0, id.length);
}
