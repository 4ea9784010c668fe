/**
 * Writes the tables of a result row by row, in the order of documents: the same bytes as src/output/tables writes from columns.
 *
 * Memory holds a piece of each open file, and the skipped places.
 */
import type { ListedPlaces } from '../../../blocks/ids.js';
import { LISTED_BITS, LISTED_FLAGS } from '../../../output/facts.js';
import { listName, type PartFolder, partName } from '../../../output/fileNames.js';
import { AgreementTable } from '../../../output/tables/agreementTable.js';
import { endIdentical, endNear, PAIR_COLUMNS } from '../../../output/tables/pairTable.js';
import { IdCells, OpenRows, type RowPlaces, type RowWriter } from '../../../output/tables/rows.js';
import {
  CANDIDATE_COLUMNS,
  CLUSTER_COLUMNS,
  clusterCells,
  duplicateColumns,
  type EliminatedShingles,
  endCandidate,
  inListOrder,
  millionthsBy,
  ROWS_PER_PART,
  writeEliminated,
  writeSkipped,
} from '../../../output/tables/tables.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { listingOf, sketchFamilyOf } from '../../../sketch/family.js';
import type { ResultParams } from '../../../sketch/params.js';
import { measuredBy } from '../../../sketch/similarity.js';
import type { WrittenFile } from '../../../store/files.js';
import { IDENTICAL } from '../../../tasks/stream/kinds.js';
import { unitMark } from '../../../text/units.js';
import { SkipList } from '../../sketch/corpus.js';
import type { NamedDocument, OrderedDocument, OrderedRow } from './orderedRecords.js';

/** A table in parts of `rowsPerPart` rows; a table without rows has one part without rows. */
class PartedRows {
  readonly files: WrittenFile[] = [];
  private readonly root: string;
  private readonly folder: PartFolder;
  private readonly columns: readonly string[];
  private readonly rowsPerPart: number;
  private open: OpenRows;

  constructor(root: string, folder: PartFolder, columns: readonly string[], rowsPerPart: number) {
    this.root = root;
    this.folder = folder;
    this.columns = columns;
    this.rowsPerPart = rowsPerPart;
    this.open = this.part();
  }

  get rows(): RowWriter {
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
    const file = partName(this.folder, this.files.length);
    return new OpenRows({ root: this.root, file }, this.columns);
  }
}

/** All open tables of a result; `finish` or `abandon` closes them. */
export class StreamedTables {
  private readonly params: ResultParams;
  private readonly files: FileTable;
  private readonly names: IdCells;
  private readonly millionths: (agreement: number) => number;
  private readonly counted: AgreementTable;
  private readonly isListed: ReturnType<typeof listingOf>;
  private readonly parted: { readonly [Folder in Exclude<PartFolder, 'candidates'>]: PartedRows };
  /** Null: no candidate pair is listed. */
  private readonly candidates: PartedRows | null;
  private readonly duplicates: OpenRows;
  private readonly root: string;
  /** Places that skipped.tsv lists beside documents that were read. */
  private readonly lists: readonly ListedPlaces[];
  /** Documents that were read and that skipped.tsv lists. */
  private readonly listed = new SkipList();
  /** Buffers for the place of one row. */
  private readonly name = new Uint32Array(1);
  private readonly number = new Float64Array(1);
  private readonly unit = new Float64Array(1);
  private readonly units: Pick<RowPlaces, 'units'>;

  /** @param lists places that skipped.tsv lists beside documents that were read */
  constructor(
    root: string,
    params: ResultParams,
    files: FileTable,
    lists: readonly ListedPlaces[],
    rowsPerPart = ROWS_PER_PART,
  ) {
    this.params = params;
    const { unit } = params;
    this.units = unit === 'document' ? {} : { units: { mark: unitMark(unit), number: this.unit } };
    this.files = files;
    this.names = new IdCells(files.ids);
    const { units } = sketchFamilyOf(params);
    this.millionths = millionthsBy(units);
    this.counted = new AgreementTable(units);
    this.isListed = listingOf(params);
    this.candidates =
      params.candidates === 'none'
        ? null
        : new PartedRows(root, 'candidates', CANDIDATE_COLUMNS, rowsPerPart);
    this.parted = {
      pairs: new PartedRows(root, 'pairs', PAIR_COLUMNS, rowsPerPart),
      clusters: new PartedRows(root, 'clusters', CLUSTER_COLUMNS, rowsPerPart),
    };
    this.duplicates = new OpenRows({ root, file: listName('duplicates') }, duplicateColumns(params.measure));
    this.root = root;
    this.lists = lists;
  }

  /** A document that skipped.tsv may list. */
  document(document: OrderedDocument): void {
    if ((document.flags & LISTED_BITS) === 0) return;
    for (const { flag, code, ofSets = code } of LISTED_FLAGS)
      if ((document.flags & flag) !== 0)
        this.listed.add(document.id, this.params.sets === undefined ? code : ofSets);
  }

  candidate(a: NamedDocument, row: OrderedRow): void {
    this.counted.add(row.agreement);
    if (
      this.isListed(
        row.isAccepted,
        row.agreement,
        measuredBy(this.params.measure, row.jaccard, row.aInB, row.bInA),
      )
    )
      this.list(a, row);
    if (row.isAccepted) this.nearPair(a, row);
  }

  private list(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.candidates!;
    idCell(rows, a);
    idCell(rows, row.second);
    endCandidate(rows, this.millionths(row.agreement), row.jaccard, row.isAccepted);
  }

  private nearPair(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.parted.pairs;
    idCell(rows, a);
    idCell(rows, row.second);
    endNear(rows, this.millionths(row.agreement), row.jaccard, row.aInB, row.bInA);
  }

  identical(a: NamedDocument, row: OrderedRow): void {
    const { rows } = this.parted.pairs;
    idCell(rows, a);
    idCell(rows, row.second);
    endIdentical(rows, row.kindOfPair === IDENTICAL);
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
    clusterCells(rows, isMember ? 1 : 0, row.similarity, row.word);
    this.placeCell(rows, row.second);
    rows.endRow();
  }

  /**
   * Closes all tables; returns their files in the order of the tables.
   *
   * @param unlisted by number of matching slots: the candidate pairs that have no rows
   * @param eliminated shingles to list; null: they were not looked for
   * @param changed documents that were read, and that skipped.tsv lists for having changed
   */
  finish(
    {
      unlisted,
      eliminated,
    }: { readonly unlisted: Float64Array | null; readonly eliminated: EliminatedShingles | null },
    changed: ListedPlaces,
  ): readonly WrittenFile[] {
    const { pairs, clusters } = this.parted;
    if (unlisted !== null) this.counted.addCounts(unlisted);
    for (const table of [this.candidates, pairs, clusters]) table?.finish();
    const candidates = [...(this.candidates?.files ?? []), this.counted.write(this.root)];
    const all = [...this.lists, changed, inListOrder(this.listed.columns())];
    const skipped = { root: this.root, file: listName('skipped') };
    const lists = [this.duplicates.finish(), writeSkipped(skipped, all)];
    if (eliminated !== null)
      lists.push(writeEliminated({ root: this.root, file: listName('eliminated') }, eliminated));
    return [...candidates, ...pairs.files, ...clusters.files, ...lists];
  }

  /** Removes the files that are not finished. Never throws. */
  abandon(): void {
    this.candidates?.abandon();
    for (const table of Object.values(this.parted)) table.abandon();
    this.duplicates.abandon();
  }

  private placeCell(rows: RowWriter, document: NamedDocument): void {
    const { file, record, unit } = document;
    if (this.params.sets !== undefined) {
      // A set stands in many lines, so its name is its place.
      idCell(rows, document);
      return;
    }
    const { name, number, names, units } = this;
    name[0] = file;
    number[0] = this.files.addressNumber(file, record, 0);
    this.unit[0] = unit;
    rows.place({ names, name, number, ...units }, 0, names, file);
  }
}

function idCell(rows: RowWriter, { idBytes, idFrom, idTo }: NamedDocument): void {
  rows.text(idBytes, idFrom, idTo);
}
