/**
 * Writes the tables of a result: columns by document number become rows of labels, and each part of a table is a task.
 *
 * A label is an id and a location. Labels are built only for documents that occur in a row.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdenticalPairs } from '../../reducers/groupPairs.js';
import { ByteColumn } from '../arrays/growable.js';
import {
  type Block,
  type Column,
  encodeBlock,
  type Layout,
  newBlock,
  typedColumns,
} from '../blocks/block.js';
import { ContentDigest } from '../blocks/contentDigest.js';
import { ID_COLUMNS } from '../blocks/ids.js';
import { NAMES } from '../blocks/names.js';
import type { Pairs } from '../blocks/pairs.js';
import { LISTED_CODES } from '../errors.js';
import { LISTED_BITS, LISTED_FLAGS } from '../result/facts.js';
import { listName, partName } from '../result/fileNames.js';
import { IDENTICAL, NEAR, SAME_TOKENS } from '../result/tables/documentRows.js';
import { comesBefore } from '../result/tables/pairTable.js';
import { planParts, ROWS_PER_PART, type SkippedPlaces, writeAgreements } from '../result/tables/tables.js';
import { listingOf, sketchFamilyOf } from '../sketch/family.js';
import { isScarce } from '../store/budget.js';
import type { WrittenFile } from '../store/files.js';
import type { WriteTableTask } from '../tasks/kinds/tableTasks.js';
import type { Run } from './context.js';
import type { CandidatePart, DecidedRun } from './decide.js';
import { type BatchTables, eachFacts, eachTable } from './documentList.js';
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
  /** Locations of skipped.tsv that are not documents, as lists. */
  readonly listed: readonly SkippedPlaces[];
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
  const { documents, decided, tally } = tables;
  const { candidates, drop, clusters, identical } = decided;
  const listing = listedCandidates(run, decided);
  const labels = new Labels(tables);
  labels.addPairs(identical, () => true);
  for (const part of candidates.parts())
    labels.addPairs(part, (i) => candidates.accepted[part.first + i] === 1 || listing.has(part, i));
  for (const column of [clusters.document, drop.document, drop.kept]) labels.add(column);
  const labelBlocks = labels.put(run);
  const { store } = run.engine;
  const lists = putSkipped(run, tables);
  const write = async ({ table, file, columns }: PlannedPart): Promise<WrittenFile> => {
    const name = NAMES.out(file);
    run.put(name, encodeBlock('pairs', {}, columns(), true));
    const params = { table, place: { root, file }, rows: name, hasLocations: documents.hasIds, lists };
    const inputs = [name, ...(table === 'skipped' ? lists : labelBlocks)];
    const written = await run.task({ kind: 'writeTable', label: file, params, inputs });
    store.delete(name);
    return written;
  };
  const parts: PlannedPart[] = [
    ...candidateParts(tables, listing, labels),
    ...pairParts(tables, labels),
    ...clusterParts(decided, labels),
    dropPart(decided, labels),
    { table: 'skipped', file: listName('skipped'), columns: () => ({}) },
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
  const agreements = new Float64Array(sketchFamilyOf(run.params).units + 1);
  for (const { agreement, count } of candidates.parts())
    for (let i = 0; i < count; i++) agreements[agreement[i]!]!++;
  for (let slots = 0; slots < (tally?.length ?? 0); slots++) agreements[slots]! += tally![slots]!;
  // Lets workers start writing after they have the first parts.
  await nextTurn();
  await nextTurn();
  const digest = contentDigest(documents);
  const files = await writing;
  files.splice(listing.parts.length, 0, writeAgreements(root, agreements));
  return { files, candidatesListed: listing.count, contentDigest: digest };
}

/** The labels of the documents that occur in rows. */
class Labels {
  private readonly documents: LabelledDocuments;
  private readonly rowOf: Uint32Array | null;
  /** By number: 1 if it occurs; later its label + 1. */
  private readonly labels: Uint32Array;

  constructor({ documents, numbered }: Pick<ResultTables, 'documents' | 'numbered'>) {
    this.documents = documents;
    this.rowOf = numbered.rowOf;
    this.labels = new Uint32Array(numbered.documents);
  }

  add(numbers: Uint32Array): void {
    for (const number of numbers) this.labels[number] = 1;
  }

  addPairs({ a, b, count }: Pairs, occurs: (row: number) => boolean): void {
    for (let i = 0; i < count; i++) {
      if (!occurs(i)) continue;
      this.labels[a[i]!] = 1;
      this.labels[b[i]!] = 1;
    }
  }

  /** Builds the labels, in the order of numbers, and stores them in blocks; returns the names of the blocks. */
  put(run: Run): string[] {
    const { documents, labels, rowOf } = this;
    let count = 0;
    for (let number = 0; number < labels.length; number++) if (labels[number] !== 0) labels[number] = ++count;
    const each = (take: (row: number) => void): void => {
      for (let number = 0; number < labels.length; number++)
        if (labels[number] !== 0) take(rowOf === null ? number : rowOf[number]!);
    };
    const ids = NAMES.out('ids');
    run.put(
      ids,
      textBlock(count, each, (row, out) => documents.appendId(row, out)),
    );
    if (!documents.hasIds) return [ids];
    const locations = NAMES.out('locations');
    run.put(
      locations,
      textBlock(count, each, (row, out) => documents.appendLocation(row, out)),
    );
    return [ids, locations];
  }

  /** The labels of documents that occur in rows. */
  of(numbers: Uint32Array): Uint32Array {
    return numbers.map((number) => this.labels[number]! - 1);
  }
}

/** The listed candidates: part p has `rows` of those from candidate `first` on. */
interface Listing {
  readonly count: number;
  readonly parts: readonly { readonly part: number; readonly rows: number; readonly first: number }[];
  /** Whether candidate `i` of a part is listed. */
  has(part: CandidatePart, i: number): boolean;
}

function listedCandidates({ params }: Run, { candidates }: DecidedRun): Listing {
  if (params.candidates === 'none') return { count: 0, parts: [], has: () => false };
  const isListed = listingOf(params);
  const { accepted } = candidates;
  const has = ({ first, agreement, similarityOf }: CandidatePart, i: number): boolean =>
    isListed(accepted[first + i] === 1, agreement[i]!, similarityOf(i));
  const firsts = [0];
  let count = 0;
  for (const part of candidates.parts())
    for (let i = 0; i < part.count; i++) {
      if (!has(part, i)) continue;
      if (count > 0 && count % ROWS_PER_PART === 0) firsts.push(part.first + i);
      count++;
    }
  const parts = planParts(count).map(({ part, from, to }) => ({
    part,
    rows: to - from,
    first: firsts[part]!,
  }));
  return { count, parts, has };
}

function candidateParts(tables: ResultTables, { parts, has }: Listing, labels: Labels): PlannedPart[] {
  const { candidates } = tables.decided;
  return parts.map(({ part, rows, first }) => ({
    table: 'candidates',
    file: partName('candidates', part),
    columns() {
      const columns = new PairColumns(rows);
      const accepted = new Uint8Array(rows);
      for (const listed of candidates.parts(first))
        for (let i = Math.max(0, first - listed.first); i < listed.count && columns.count < rows; i++) {
          if (!has(listed, i)) continue;
          accepted[columns.count] = candidates.accepted[listed.first + i]!;
          columns.add(listed, i);
        }
      return { ...columns.columns(tables, labels), accepted };
    },
  }));
}

/** The columns of pairs of documents: labels, agreement and, in exact mode, sizes of sets. */
class PairColumns {
  count = 0;
  private readonly a: Uint32Array;
  private readonly b: Uint32Array;
  private readonly agreement: Uint16Array;
  private readonly common: Uint32Array;

  constructor(rows: number) {
    this.a = new Uint32Array(rows);
    this.b = new Uint32Array(rows);
    this.agreement = new Uint16Array(rows);
    this.common = new Uint32Array(rows);
  }

  /** Adds pair `i`. Identical pairs are not candidates, so their agreement and common elements are 0. */
  add(pairs: Pairs & Partial<CandidatePart>, i: number): void {
    const row = this.count++;
    this.a[row] = pairs.a[i]!;
    this.b[row] = pairs.b[i]!;
    this.agreement[row] = pairs.agreement?.[i] ?? 0;
    this.common[row] = pairs.common?.[i] ?? 0;
  }

  columns({ exact }: ResultTables, labels: Labels): Record<string, Column> {
    const { a, b, agreement, common } = this;
    const columns = { a: labels.of(a), b: labels.of(b), agreement };
    if (exact === null) return columns;
    const sizesOf = (numbers: Uint32Array): Uint32Array => numbers.map((number) => exact.sizes[number]!);
    return { ...columns, common, sizeA: sizesOf(a), sizeB: sizesOf(b) };
  }
}

/** Near pairs and pairs of identical documents, merged in the order of (a, b). */
function pairParts(tables: ResultTables, labels: Labels): PlannedPart[] {
  const { candidates, identical, near } = tables.decided;
  /** Visits the merged pairs from a candidate and an identical pair on, until `visit` returns false. */
  const merge = (
    from: number,
    firstIdentical: number,
    visit: (
      pairs: CandidatePart | IdenticalPairs,
      i: number,
      row: number,
      identicalBefore: number,
    ) => boolean,
  ): void => {
    let k = firstIdentical;
    let row = from;
    for (const part of candidates.parts(from))
      for (let i = row - part.first; i < part.count; i++, row++) {
        if (candidates.accepted[row] === 0) continue;
        for (; k < identical.count && comesBefore(identical, k, part, i); k++)
          if (!visit(identical, k, row, k)) return;
        if (!visit(part, i, row, k)) return;
      }
    for (; k < identical.count; k++) if (!visit(identical, k, row, k)) return;
  };
  const starts: { readonly candidate: number; readonly identical: number }[] = [];
  const planned = planParts(near + identical.count);
  if (planned.length > 1) {
    let rows = 0;
    merge(0, 0, (_pairs, _i, candidate, identical) => {
      if (rows++ % ROWS_PER_PART === 0) starts.push({ candidate, identical });
      return true;
    });
  }
  return planned.map(({ part, from, to }) => ({
    table: 'pairs',
    file: partName('pairs', part),
    columns() {
      const size = to - from;
      const columns = new PairColumns(size);
      const kind = new Uint8Array(size);
      const start = starts[part] ?? { candidate: 0, identical: 0 };
      merge(start.candidate, start.identical, (pairs, i) => {
        if (columns.count === size) return false;
        kind[columns.count] = !('isSame' in pairs) ? NEAR : pairs.isSame[i] === 1 ? IDENTICAL : SAME_TOKENS;
        columns.add(pairs, i);
        return true;
      });
      return { kind, ...columns.columns(tables, labels) };
    },
  }));
}

function clusterParts({ clusters }: DecidedRun, labels: Labels): PlannedPart[] {
  const { cluster, document, role, similarity, basis } = clusters;
  return planParts(document.length).map(({ part, from, to }) => ({
    table: 'clusters',
    file: partName('clusters', part),
    columns: () => ({
      cluster: cluster.subarray(from, to),
      document: labels.of(document.subarray(from, to)),
      role: role.subarray(from, to),
      similarity: similarity.subarray(from, to),
      basis: basis.subarray(from, to),
    }),
  }));
}

function dropPart({ drop: { document, kept, jaccard } }: DecidedRun, labels: Labels): PlannedPart {
  return {
    table: 'duplicates',
    file: listName('duplicates'),
    columns: () => ({ document: labels.of(document), kept: labels.of(kept), jaccard }),
  };
}

/** Stores the lists of skipped.tsv: what is not a document, and documents that are listed although they were read. Returns their names. */
function putSkipped(run: Run, { documents, listed }: ResultTables): string[] {
  const names = listed.map(({ places, codes }, i) => {
    const name = NAMES.out('skipped', String(i));
    run.put(name, encodeBlock('pairs', {}, { ...places, codes }, true));
    return name;
  });
  const areSets = run.params.sets !== undefined;
  const notes = LISTED_FLAGS.map(({ flag, code, ofSets = code }) => {
    return { flag, code: LISTED_CODES.indexOf(areSets ? ofSets : code) };
  });
  const each = (take: (row: number, code: number) => void): void =>
    eachFacts(documents, ({ flags }, first) => {
      for (let i = 0; i < flags.length; i++) {
        if ((flags[i]! & LISTED_BITS) === 0) continue;
        for (const { flag, code } of notes) if ((flags[i]! & flag) !== 0) take(first + i, code);
      }
    });
  let count = 0;
  each(() => count++);
  const block = textBlock(count, each, (row, out) => documents.appendLocation(row, out), {
    codes: ['u8', count],
  });
  let at = 0;
  each((_, code) => {
    block.columns.codes![at++] = code;
  });
  run.put(NAMES.out('skipped', 'documents'), block);
  return [...names, NAMES.out('skipped', 'documents')];
}

/**
 * The texts of `count` documents in a block of the exact size, because texts of all documents take a large part of memory.
 *
 * @param each visits the rows of the documents, in order
 * @param others further columns, which the caller fills
 */
function textBlock(
  count: number,
  each: (take: (row: number) => void) => void,
  append: (row: number, out: ByteColumn) => void,
  others: Layout = {},
): Block {
  const text = new ByteColumn();
  const eachText = (take: () => void): void =>
    each((row) => {
      text.truncate(0);
      append(row, text);
      take();
    });
  let size = 0;
  eachText(() => {
    size += text.length;
  });
  const layout = { offsets: ['u32', count + 1], bytes: ['u8', size], ...others } as const;
  const block = newBlock('pairs', {}, layout, true);
  const { offsets, bytes } = typedColumns(block, ID_COLUMNS);
  let at = 0;
  eachText(() => {
    bytes.set(text.view, offsets[at]!);
    offsets[at + 1] = offsets[at]! + text.length;
    at++;
  });
  return block;
}

function contentDigest(documents: LabelledDocuments): string {
  const digest = new ContentDigest();
  eachTable(documents, ({ columns: { contentKey } }) => {
    digest.add(contentKey!);
  });
  return digest.text();
}
