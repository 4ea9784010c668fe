/**
 * The numbers of a run for reports: documents, bytes and tokens that are kept and dropped, by reason and by source.
 */

import { medianOfPositive } from '../../arrays/median.js';
import { lowerBound } from '../../arrays/search.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import {
  COUNTS_OF_DOCUMENTS,
  type DocumentColumn,
  type DocumentCounts,
  type ManifestCounts,
  MEDIANS_OF_DOCUMENTS,
  type Medians,
} from '../../output/facts.js';
import type { Amount, ReportedNumbers, SourceNumbers } from '../../output/wording/reportedNumbers.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Outcome } from './clusters.js';
import { documentsByFile, FileSources } from './fileSources.js';

/** Sources that have a row of their own. */
const MOST_SOURCES = 100;

/** Amounts by row, in columns. */
export class AmountTable {
  readonly documents: Float64Array;
  private readonly bytes: Float64Array;
  private readonly tokens: Float64Array;
  /** Sets have no text. */
  private readonly hasBytes: boolean;

  constructor(rows: number, hasBytes: boolean) {
    this.documents = new Float64Array(rows);
    this.bytes = new Float64Array(rows);
    this.tokens = new Float64Array(rows);
    this.hasBytes = hasBytes;
  }

  /** Adds a document to a row, or subtracts it. */
  add(row: number, bytes: number, tokens: number, sign: 1 | -1 = 1): void {
    this.documents[row]! += sign;
    this.bytes[row]! += sign * bytes;
    this.tokens[row]! += sign * tokens;
  }

  /** Adds all documents, table after table: in the order of their numbers every one could miss the cache. */
  addAll(tables: Corpus['tables'], rowOfFile: Uint32Array): void {
    const { documents, bytes, tokens } = this;
    for (const { columns } of tables) {
      for (let column = 0; column < columns.file.length; column++) {
        const row = rowOfFile[columns.file[column]!]!;
        documents[row]!++;
        bytes[row]! += columns.textBytes![column]!;
        tokens[row]! += columns.tokens[column]!;
      }
    }
  }

  subtract(other: AmountTable): void {
    for (let row = 0; row < this.documents.length; row++) {
      this.documents[row]! -= other.documents[row]!;
      this.bytes[row]! -= other.bytes[row]!;
      this.tokens[row]! -= other.tokens[row]!;
    }
  }

  of(row: number): Amount {
    const bytes = this.hasBytes ? { bytes: this.bytes[row]! } : {};
    return { documents: this.documents[row]!, ...bytes, tokens: this.tokens[row]! };
  }

  sum(isWanted: (row: number) => boolean = () => true): Amount {
    return this.folded(1, (row) => (isWanted(row) ? 0 : null)).of(0);
  }

  /** A table of so many rows, each the sum of the rows that `rowOf` maps to it. */
  folded(rows: number, rowOf: (row: number) => number | null): AmountTable {
    const sums = new AmountTable(rows, this.hasBytes);
    for (let row = 0; row < this.documents.length; row++) {
      const into = rowOf(row);
      if (into === null) continue;
      sums.documents[into]! += this.documents[row]!;
      sums.bytes[into]! += this.bytes[row]!;
      sums.tokens[into]! += this.tokens[row]!;
    }
    return sums;
  }
}

function addDocument(amounts: AmountTable, row: number, corpus: Corpus, d: number, sign: 1 | -1 = 1): void {
  const { textBytes, tokens } = corpus.tables[corpus.blockOf[d]!]!.columns;
  const column = corpus.columnOf[d]!;
  amounts.add(row, textBytes?.[column] ?? 0, tokens[column]!, sign);
}

/**
 * The numbers of a run over files, without documents that changed while they were read. Their memory is an entry a file and a
 * source.
 */
export function* numbersOf(
  { corpus, outcome }: { readonly corpus: Corpus; readonly outcome: Outcome },
  files: FileTable,
): Stepwise<ReportedNumbers> {
  // A set may stand in lines of several files.
  const sources =
    corpus.textKeys === null ? null : new FileSources(files, documentsByFile(files.length, corpus.tables));
  const [kept, dropped] = amountsBySource(corpus, outcome, sources);
  yield;
  const reasons = droppedByReason(corpus, outcome);
  yield;
  return {
    kept: kept.sum(),
    dropped: dropped.sum(),
    reasons,
    ...(sources === null ? { sources: [], other_sources: 0 } : toldSources(kept, dropped, sources)),
    thresholds: outcome.thresholds,
    ...mediansOf(corpus, outcome, files),
  };
}

export function amountsOf(corpus: Corpus, outcome: Outcome): Pick<ReportedNumbers, 'kept' | 'dropped'> {
  const [kept, dropped] = amountsBySource(corpus, outcome, null);
  return { kept: kept.sum(), dropped: dropped.sum() };
}

/** The counts of these amounts that are bytes; none for sets. */
export function byteCounts({
  kept,
  dropped,
}: Pick<ReportedNumbers, 'kept' | 'dropped'>): Pick<ManifestCounts, 'kept_bytes' | 'dropped_bytes'> {
  if (kept.bytes === undefined || dropped.bytes === undefined) return {};
  return { kept_bytes: kept.bytes, dropped_bytes: dropped.bytes };
}

/** Kept and dropped amounts by source, or in one row where there are no sources. */
function amountsBySource(
  corpus: Corpus,
  { drop, withdrawn }: Outcome,
  sources: FileSources | null,
): [kept: AmountTable, dropped: AmountTable] {
  const rowOf = (d: number): number => {
    const { file } = corpus.tables[corpus.blockOf[d]!]!.columns;
    return sources?.ofFile[file[corpus.columnOf[d]!]!] ?? 0;
  };
  const hasBytes = corpus.textKeys !== null;
  const kept = new AmountTable(sources?.length ?? 1, hasBytes);
  const dropped = new AmountTable(sources?.length ?? 1, hasBytes);
  if (sources === null) for (let d = 0; d < corpus.documents; d++) addDocument(kept, 0, corpus, d);
  else kept.addAll(corpus.tables, sources.ofFile);
  for (const d of gone({ withdrawn })) addDocument(kept, rowOf(d), corpus, d, -1);
  for (const d of drop.document) addDocument(dropped, rowOf(d), corpus, d);
  kept.subtract(dropped);
  return [kept, dropped];
}

/** The sources with the most dropped documents, and all others as one row behind them. */
export function toldSources(
  kept: AmountTable,
  dropped: AmountTable,
  sources: FileSources,
): Pick<ReportedNumbers, 'sources' | 'other_sources'> {
  const hasAny = (row: number): boolean => kept.documents[row]! + dropped.documents[row]! > 0;
  const told: number[] = [];
  let some = 0;
  for (let row = 0; row < sources.length; row++) {
    if (!hasAny(row)) continue;
    some++;
    const count = dropped.documents[row]!;
    // Among equal ones the earlier stays ahead.
    let at = told.length;
    while (at > 0 && dropped.documents[told[at - 1]!]! < count) at--;
    if (at === MOST_SOURCES) continue;
    told.splice(at, 0, row);
    if (told.length > MOST_SOURCES) told.pop();
  }
  const rows: SourceNumbers[] = told.map((row) => {
    return { source: sources.name(row), kept: kept.of(row), dropped: dropped.of(row) };
  });
  const others = some - told.length;
  if (others === 0) return { sources: rows, other_sources: 0 };
  const isTold = new Set(told);
  const isOther = (row: number): boolean => !isTold.has(row);
  const rest = { source: null, kept: kept.sum(isOther), dropped: dropped.sum(isOther) };
  return { sources: [...rows, rest], other_sources: others };
}

const IDENTICAL = 0;
const SAME_TOKENS = 1;
const NEAR = 2;
export const REASONS = 3;

export function reasonsTold(amounts: AmountTable): ReportedNumbers['reasons'] {
  return {
    identical: amounts.of(IDENTICAL),
    same_tokens: amounts.of(SAME_TOKENS),
    near: amounts.of(NEAR),
  };
}

/** Dropped documents by their resemblance to the kept ones that are named for them. */
function droppedByReason(corpus: Corpus, outcome: Outcome): ReportedNumbers['reasons'] {
  const reasons = reasonsOf(outcome);
  const amounts = new AmountTable(REASONS, corpus.textKeys !== null);
  outcome.drop.document.forEach((d, row) => {
    addDocument(amounts, reasons[row]!, corpus, d);
  });
  return reasonsTold(amounts);
}

/** By row of the drop list. */
function reasonsOf({ classes, drop }: Pick<Outcome, 'classes' | 'drop'>): Uint8Array {
  const reasons = new Uint8Array(drop.document.length).fill(NEAR);
  const { firsts, offsets, members, texts } = classes.members;
  for (let c = 0; c < firsts.length; c++) {
    const [from, to] = [offsets[c]!, offsets[c + 1]!];
    for (let m = from, row = 0; m < to; m++) {
      row = lowerBound(drop.document, row, reasons.length, members[m]!);
      const kept = drop.keptDocument[row];
      if (drop.document[row] !== members[m] || classes.first[kept!] !== firsts[c]) continue;
      const isSame = texts[lowerBound(members, from, to, kept!)] === texts[m];
      reasons[row] = isSame ? IDENTICAL : SAME_TOKENS;
    }
  }
  return reasons;
}

/** Documents that changed while they were read: no fact counts them. */
export function gone({ withdrawn }: Pick<Outcome, 'withdrawn'>): number[] {
  const documents: number[] = [];
  for (let d = withdrawn.indexOf(1); d >= 0; d = withdrawn.indexOf(1, d + 1)) documents.push(d);
  return documents;
}

/** A column of the documents, table after table: in the order of their numbers every one could miss the cache. */
function columnsOf(
  { documents, blockOf, columnOf, tables }: Corpus,
  column: DocumentColumn,
): ArrayLike<number>[] {
  const columns = tables.map((table) => table.columns[column] ?? []);
  const rows = tables.reduce((sum, table) => sum + table.columns.file.length, 0);
  if (rows === documents) return columns;
  // Sets that are too large have a row and are no documents.
  return [Float64Array.from({ length: documents }, (_, d) => columns[blockOf[d]!]![columnOf[d]!] ?? 0)];
}

function goneValues(
  { blockOf, columnOf, tables }: Corpus,
  outcome: Outcome,
  column: DocumentColumn,
): Float64Array {
  return Float64Array.from(gone(outcome), (d) => tables[blockOf[d]!]!.columns[column]?.[columnOf[d]!] ?? 0);
}

function presentOf(corpus: Corpus, { withdrawn }: Outcome, column: DocumentColumn): ArrayLike<number>[] {
  if (!withdrawn.includes(1)) return columnsOf(corpus, column);
  const { blockOf, columnOf, tables } = corpus;
  const numberOf = (d: number): number => tables[blockOf[d]!]!.columns[column]?.[columnOf[d]!] ?? 0;
  return [Float64Array.from(blockOf, (_, d) => (withdrawn[d] === 1 ? 0 : numberOf(d)))];
}

/** The counts of the table of facts that are made of documents one by one. */
export function documentCounts(corpus: Corpus, outcome: Outcome): DocumentCounts {
  const made = COUNTS_OF_DOCUMENTS.map((row) => {
    let count = 0;
    for (const values of presentOf(corpus, outcome, row.column))
      for (let i = 0; i < values.length; i++) count = row.with(count, values[i]!);
    return [row.name, count] as const;
  });
  return Object.fromEntries(made) as DocumentCounts;
}

/** The medians of the table of facts, over documents that are not empty; where there is a reference, over the others alone. */
function mediansOf(corpus: Corpus, outcome: Outcome, { hasReference }: FileTable): Medians {
  const { blockOf, columnOf, tables, group } = corpus;
  // The reference is group 0, and 0 is passed over.
  const isNew = (d: number): boolean => group?.[d] !== 0 && outcome.withdrawn[d] === 0;
  const made = MEDIANS_OF_DOCUMENTS.map(({ name, column }) => {
    if (!hasReference)
      return [
        name,
        medianOfPositive(columnsOf(corpus, column), goneValues(corpus, outcome, column)),
      ] as const;
    const ofNew = (d: number): number => tables[blockOf[d]!]!.columns[column]?.[columnOf[d]!] ?? 0;
    return [
      name,
      medianOfPositive([Float64Array.from(blockOf, (_, d) => (isNew(d) ? ofNew(d) : 0))]),
    ] as const;
  });
  return Object.fromEntries(made) as Medians;
}
