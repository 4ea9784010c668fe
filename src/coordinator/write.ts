/**
 * Writes the tables of a result: columns by document number become rows of labels, and each part of a table is a task.
 *
 * A label is an id and a location. Labels are built only for documents that occur in a row.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteColumn, Uint32Column } from '../arrays/growable.js';
import { type Column, encodeBlock, newBlock, typedColumns } from '../blocks/block.js';
import { ContentDigest } from '../blocks/contentDigest.js';
import { ID_COLUMNS, type ListedLocations } from '../blocks/ids.js';
import { NAMES } from '../blocks/names.js';
import { LISTED_CODES } from '../errors.js';
import { LISTED_BITS, LISTED_FLAGS } from '../result/facts.js';
import { listName, partName } from '../result/fileNames.js';
import { AgreementTable } from '../result/tables/agreementTable.js';
import { IDENTICAL, NEAR, SAME_TOKENS } from '../result/tables/documentRows.js';
import { planPairParts } from '../result/tables/pairTable.js';
import { planParts, ROWS_PER_PART } from '../result/tables/tables.js';
import { listingOf, sketchFamilyOf } from '../sketch/family.js';
import { isScarce } from '../store/budget.js';
import type { WrittenFile } from '../store/files.js';
import type { WriteTableTask } from '../tasks/kinds/tableTasks.js';
import type { Run } from './context.js';
import type { DecidedRun } from './decide.js';
import { type BatchTables, eachFacts, eachTable } from './keepOrder.js';
import type { NumberedDocuments } from './number.js';
import type { ExactSizes } from './verify.js';

/** Ids and locations of documents, by row. */
export interface LabelledDocuments extends BatchTables {
  /** Whether some document has an id that differs from its location. */
  readonly hasIds: boolean;
  appendId(row: number, out: ByteColumn): void;
  appendLocation(row: number, out: ByteColumn): void;
}

/** The tables and counts to write. */
export interface ResultTables {
  readonly documents: LabelledDocuments;
  readonly numbered: Pick<NumberedDocuments, 'numberOf' | 'rowOf' | 'documents'>;
  readonly decided: DecidedRun;
  /** Null outside exact mode. */
  readonly exact: ExactSizes | null;
  /** By number of equal slots: the candidate pairs that were only counted; null: there are none. */
  readonly tally: ArrayLike<number> | null;
  /** Skipped locations and links, in list order. */
  readonly listed: { readonly skipped: ListedLocations; readonly links: ListedLocations };
}

export interface WrittenTables {
  readonly files: readonly WrittenFile[];
  /** Rows of `candidates/`. */
  readonly candidatesListed: number;
  /** The digest of all documents (src/blocks/contentDigest.ts). */
  readonly contentDigest: string;
}

/** A part of a table. Its rows are built just before its task starts. */
interface PlannedPart {
  readonly table: WriteTableTask['table'];
  readonly file: string;
  /** Name of the block of rows. */
  readonly name: string;
  columns(): Record<string, Column>;
}

/** Parts that wait for a worker, each of about 25 MB. If memory is scarce, one part is written at a time. */
const PARTS_AHEAD = 1;

/**
 * Writes all tables below `root`.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export async function writeTables(run: Run, root: string, tables: ResultTables): Promise<WrittenTables> {
  const { documents, decided, tally, listed } = tables;
  const { candidates, drop, clusters, identical } = decided;
  const listing = listedCandidates(run, decided);
  const listedDocuments = notedDocuments(documents, run.params.sets !== undefined);
  const labels = new Labels(tables);
  labels.wantPairs(identical, () => true);
  labels.wantPairs(candidates, (row) => candidates.accepted[row] === 1 || listing.has(row));
  for (const column of [clusters.document, drop.document, drop.kept]) labels.want(column);
  labels.want(listedDocuments.rows.map(labels.numberOf));
  const labelBlocks = labels.put(run);
  const { skipped, links } = listed;
  for (const [name, { places, rows, codes }] of Object.entries({ places: skipped, links }))
    run.put(NAMES.out('skipped', name), encodeBlock('pairs', {}, { ...places, rows, codes }, true));
  const { store } = run.engine;
  const write = async ({ table, file, name, columns }: PlannedPart): Promise<WrittenFile> => {
    run.put(name, encodeBlock('pairs', {}, columns(), true));
    const params = { table, place: { root, file }, rows: name, hasLocations: documents.hasIds };
    const lists = table === 'skipped' ? [NAMES.out('skipped', 'places'), NAMES.out('skipped', 'links')] : [];
    const inputs = [name, ...labelBlocks, ...lists];
    const written = await run.task({ kind: 'writeTable', label: file, params, inputs });
    store.delete(name);
    return written;
  };
  const parts = [
    ...listing.parts.map((part) => candidatePart(tables, part, listing, labels)),
    ...pairParts(tables, labels),
    ...clusterParts(decided, labels),
    dropPart(decided, labels),
    skippedPart(listedDocuments, labels),
  ];
  const writeAll = async (): Promise<WrittenFile[]> => {
    const files: WrittenFile[] = [];
    const progress = { unit: 'files', total: parts.length };
    const ahead = isScarce(run.budget) ? 1 - run.engine.parallelism : PARTS_AHEAD;
    for await (const file of run.each(parts, write, { ahead, progress })) files.push(file);
    return files;
  };
  const writing = writeAll();
  // Reported below. Until then it must not end the process as an unhandled rejection.
  writing.catch(() => {});
  const counted = new AgreementTable(sketchFamilyOf(run.params).units);
  for (let i = 0; i < candidates.count; i++) counted.add(candidates.agreement[i]!);
  if (tally !== null) counted.addCounts(tally);
  // Lets workers start writing after they have the first parts.
  await nextTurn();
  await nextTurn();
  const digest = contentDigest(documents);
  const files = await writing;
  files.splice(listing.parts.length, 0, counted.write(root));
  return { files, candidatesListed: listing.count, contentDigest: digest };
}

/** The labels of the documents that occur in rows. */
class Labels {
  /** By row the number. */
  readonly numberOf: (row: number) => number;
  private readonly documents: LabelledDocuments;
  private readonly rowOf: Uint32Array | null;
  /** By number: 1 if it occurs; later its label + 1. */
  private readonly labels: Uint32Array;

  constructor({ documents, numbered }: Pick<ResultTables, 'documents' | 'numbered'>) {
    const { numberOf, rowOf } = numbered;
    this.documents = documents;
    this.rowOf = rowOf;
    this.numberOf = (row) => (numberOf === null ? row : numberOf[row]!);
    this.labels = new Uint32Array(numbered.documents);
  }

  want(numbers: Uint32Array): void {
    for (const number of numbers) this.labels[number] = 1;
  }

  wantPairs(
    { a, b, count }: { readonly a: Uint32Array; readonly b: Uint32Array; readonly count: number },
    isWanted: (row: number) => boolean,
  ): void {
    for (let i = 0; i < count; i++) {
      if (!isWanted(i)) continue;
      this.labels[a[i]!] = 1;
      this.labels[b[i]!] = 1;
    }
  }

  /** Builds the labels, in the order of numbers, and stores them in blocks; returns the names of the blocks. */
  put(run: Run): string[] {
    const { documents, labels } = this;
    let count = 0;
    for (let number = 0; number < labels.length; number++) if (labels[number] !== 0) labels[number] = ++count;
    const names = [this.putTexts(run, 'ids', count, (row, out) => documents.appendId(row, out))];
    if (documents.hasIds)
      names.push(this.putTexts(run, 'locations', count, (row, out) => documents.appendLocation(row, out)));
    return names;
  }

  /** Stores one text per label in a block of the exact size: texts of all documents take a large part of memory. */
  private putTexts(
    run: Run,
    name: string,
    count: number,
    append: (row: number, out: ByteColumn) => void,
  ): string {
    const { labels, rowOf } = this;
    const text = new ByteColumn();
    const each = (take: (label: number) => void): void => {
      for (let number = 0; number < labels.length; number++) {
        if (labels[number] === 0) continue;
        text.truncate(0);
        append(rowOf === null ? number : rowOf[number]!, text);
        take(labels[number]! - 1);
      }
    };
    let size = 0;
    each(() => {
      size += text.length;
    });
    const layout = { offsets: ['u32', count + 1], bytes: ['u8', size] } as const;
    const block = newBlock('pairs', {}, layout, true);
    const { offsets, bytes } = typedColumns(block, ID_COLUMNS);
    each((label) => {
      bytes.set(text.view, offsets[label]!);
      offsets[label + 1] = offsets[label]! + text.length;
    });
    run.put(NAMES.out(name), block);
    return NAMES.out(name);
  }

  labelOf(number: number): number {
    return this.labels[number]! - 1;
  }

  /** The labels of documents that occur in rows. */
  of(numbers: Uint32Array): Uint32Array {
    return numbers.map((number) => this.labels[number]! - 1);
  }
}

/** A part of the listed candidates: candidates from `first` to `end` contain `rows` listed ones. */
interface ListedPart {
  readonly part: number;
  readonly rows: number;
  readonly first: number;
  readonly end: number;
}

interface Listing {
  readonly count: number;
  readonly parts: readonly ListedPart[];
  /** Whether a candidate is listed. */
  has(row: number): boolean;
}

function listedCandidates({ params }: Run, { candidates }: DecidedRun): Listing {
  if (params.candidates === 'none') return { count: 0, parts: [], has: () => false };
  const isListed = listingOf(params);
  const { accepted, agreement, similarityOf } = candidates;
  const has = (row: number): boolean => isListed(accepted[row] === 1, agreement[row]!, similarityOf(row));
  const cuts = [0];
  let count = 0;
  for (let row = 0; row < candidates.count; row++) {
    if (!has(row)) continue;
    if (count > 0 && count % ROWS_PER_PART === 0) cuts.push(row);
    count++;
  }
  const parts = planParts(count).map(({ part, from, to }) => {
    return { part, rows: to - from, first: cuts[part]!, end: cuts[part + 1] ?? candidates.count };
  });
  return { count, parts, has };
}

/** The columns of some pairs: labels, agreement and, in exact mode, sizes of sets. */
function pairColumns(
  { decided, exact }: ResultTables,
  rows: Uint32Array,
  labels: Labels,
): Record<string, Column> {
  const { a, b, agreement } = decided.candidates;
  const [first, second] = [rows.map((row) => a[row]!), rows.map((row) => b[row]!)];
  const columns = {
    a: labels.of(first),
    b: labels.of(second),
    agreement: Uint16Array.from(rows, (row) => agreement[row]!),
  };
  if (exact === null) return columns;
  const sizesOf = (numbers: Uint32Array): Uint32Array => numbers.map((number) => exact.sizes[number]!);
  const common = rows.map((row) => exact.common[row]!);
  return { ...columns, common, sizeA: sizesOf(first), sizeB: sizesOf(second) };
}

function candidatePart(
  tables: ResultTables,
  { part, rows, first, end }: ListedPart,
  listing: Listing,
  labels: Labels,
): PlannedPart {
  return {
    table: 'candidates',
    file: partName('candidates', part),
    name: NAMES.out('candidates', part),
    columns() {
      const chosen = new Uint32Array(rows);
      for (let row = first, i = 0; row < end; row++) if (listing.has(row)) chosen[i++] = row;
      const { accepted } = tables.decided.candidates;
      return {
        ...pairColumns(tables, chosen, labels),
        accepted: Uint8Array.from(chosen, (row) => accepted[row]!),
      };
    },
  };
}

/** Near pairs and pairs of identical documents, merged in the order of (a, b). */
function pairParts(tables: ResultTables, labels: Labels): PlannedPart[] {
  const { candidates, identical, near: count } = tables.decided;
  const rows = new Uint32Array(count);
  for (let row = 0, i = 0; i < count; row++) if (candidates.accepted[row] === 1) rows[i++] = row;
  const near = { count, a: rows.map((row) => candidates.a[row]!), b: rows.map((row) => candidates.b[row]!) };
  const parts = planPairParts(near, identical);
  return parts.map(({ part, rows: size, near: nearFrom, identical: identicalFrom }): PlannedPart => {
    const nearTo = parts[part + 1]?.near ?? count;
    return {
      table: 'pairs',
      file: partName('pairs', part),
      name: NAMES.out('pairs', part),
      columns() {
        const ofNear = pairColumns(tables, rows.subarray(nearFrom, nearTo), labels);
        const columns: Record<string, Column> = { kind: new Uint8Array(size) };
        for (const [name, column] of Object.entries(ofNear)) columns[name] = emptyLike(column, size);
        let [row, i, k] = [0, nearFrom, identicalFrom];
        for (; row < size; row++) {
          const isNear =
            i < nearTo &&
            (k === identical.count ||
              near.a[i]! < identical.a[k]! ||
              (near.a[i] === identical.a[k] && near.b[i]! < identical.b[k]!));
          if (isNear) {
            for (const name of Object.keys(ofNear)) columns[name]![row] = ofNear[name]![i - nearFrom]!;
            columns.kind![row] = NEAR;
            i++;
            continue;
          }
          columns.a![row] = labels.labelOf(identical.a[k]!);
          columns.b![row] = labels.labelOf(identical.b[k]!);
          columns.kind![row] = identical.isSame[k] === 1 ? IDENTICAL : SAME_TOKENS;
          k++;
        }
        return columns;
      },
    };
  });
}

function emptyLike(column: Column, length: number): Column {
  if (column instanceof Uint16Array) return new Uint16Array(length);
  return column instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length);
}

function clusterParts({ clusters }: DecidedRun, labels: Labels): PlannedPart[] {
  const { cluster, document, role, similarity, basis } = clusters;
  return planParts(document.length).map(({ part, from, to }): PlannedPart => {
    return {
      table: 'clusters',
      file: partName('clusters', part),
      name: NAMES.out('clusters', part),
      columns: () => ({
        cluster: cluster.subarray(from, to),
        document: labels.of(document.subarray(from, to)),
        role: role.subarray(from, to),
        similarity: similarity.subarray(from, to),
        basis: basis.subarray(from, to),
      }),
    };
  });
}

function dropPart({ drop }: DecidedRun, labels: Labels): PlannedPart {
  return {
    table: 'duplicates',
    file: listName('duplicates'),
    name: NAMES.out('duplicates'),
    columns: () => ({
      document: labels.of(drop.document),
      kept: labels.of(drop.kept),
      jaccard: drop.jaccard,
    }),
  };
}

/** Documents that are listed in skipped.tsv although they were read, by row, with indices into LISTED_CODES. */
interface NotedDocuments {
  readonly rows: Uint32Array;
  readonly codes: Uint8Array;
}

function skippedPart({ rows, codes }: NotedDocuments, labels: Labels): PlannedPart {
  return {
    table: 'skipped',
    file: listName('skipped'),
    name: NAMES.out('skipped'),
    columns: () => ({ labels: labels.of(rows.map(labels.numberOf)), codes }),
  };
}

function notedDocuments(documents: BatchTables, areSets: boolean): NotedDocuments {
  const listedDocuments = LISTED_FLAGS.map(({ flag, code, ofSets = code }) => {
    return { flag, code: LISTED_CODES.indexOf(areSets ? ofSets : code) };
  });
  const [rows, codes] = [new Uint32Column(), new ByteColumn()];
  eachFacts(documents, ({ flags }, first) => {
    for (let i = 0; i < flags.length; i++) {
      if ((flags[i]! & LISTED_BITS) === 0) continue;
      for (const { flag, code } of listedDocuments) {
        if ((flags[i]! & flag) === 0) continue;
        rows.push(first + i);
        codes.push(code);
      }
    }
  });
  return { rows: rows.view, codes: codes.view };
}

function contentDigest(documents: LabelledDocuments): string {
  const digest = new ContentDigest();
  eachTable(documents, ({ columns: { contentKey } }) => {
    digest.add(contentKey!);
  });
  return digest.text();
}
