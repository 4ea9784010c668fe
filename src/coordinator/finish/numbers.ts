/**
 * The numbers of a run for reports: documents, bytes and tokens that are kept and dropped, by reason and by source. They are
 * counted document by document.
 */

import { CountedMedian } from '../../arrays/median.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import {
  type DocumentColumn,
  type DocumentCounts,
  LISTED_BITS,
  LISTED_FLAGS,
  type ManifestCounts,
  MEDIANS_OF_DOCUMENTS,
  type Medians,
  SUMS_OF_DOCUMENTS,
} from '../../result/facts.js';
import type { ReadAs } from '../../result/manifest.js';
import type {
  Amount,
  DropsAtThreshold,
  ReportedNumbers,
  SourceNumbers,
} from '../../result/wording/reportedNumbers.js';
import type { ResultParams } from '../../sketch/params.js';
import type { DecidedRun } from '../decide.js';
import type { NumberedDocuments } from '../number.js';
import type { PipelineResult } from '../pipeline.js';
import { documentsByFile, FileSources } from './fileSources.js';
import { FormatCounts } from './formatCounts.js';

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

  add(
    row: number,
    { textBytes, tokens }: Pick<CountedDocument, 'textBytes' | 'tokens'>,
    documents = 1,
  ): void {
    this.documents[row]! += documents;
    this.bytes[row]! += textBytes;
    this.tokens[row]! += tokens;
  }

  of(row: number): Amount {
    const bytes = this.hasBytes ? { bytes: this.bytes[row]! } : {};
    return { documents: this.documents[row]!, ...bytes, tokens: this.tokens[row]! };
  }

  sum(isWanted: (row: number) => boolean = () => true): Amount {
    const sum = new AmountTable(1, this.hasBytes);
    for (let row = 0; row < this.documents.length; row++) {
      if (!isWanted(row)) continue;
      sum.documents[0]! += this.documents[row]!;
      sum.bytes[0]! += this.bytes[row]!;
      sum.tokens[0]! += this.tokens[row]!;
    }
    return sum.of(0);
  }
}

/** A document, its file and record by number; of sets `textBytes` is 0. */
export interface CountedDocument extends Readonly<Record<DocumentColumn, number>> {
  readonly file: number;
  readonly record: number;
}

/** The reason of a dropped document: one of REASONS. */
const IDENTICAL = 0;
const SAME_TOKENS = 1;
const NEAR = 2;
const KEPT = 3;
const REASONS = 3;

/**
 * Counts documents one after the other, in the order of their numbers. Memory: 5 bytes a file, 48 a source, and an entry for each
 * different number of shingles or tokens.
 */
export class DocumentNumbers {
  textBytes = 0;
  private readonly params: ResultParams;
  /** Null: documents came from memory. */
  private readonly files: FileTable | null;
  private readonly formats: FormatCounts | null;
  /** Null: documents came from memory, or are sets, each of which may stand in lines of several files. */
  private readonly sources: FileSources | null;
  private readonly kept: AmountTable;
  private readonly dropped: AmountTable;
  private readonly reasons: AmountTable;
  private readonly medians = MEDIANS_OF_DOCUMENTS.map((row) => ({ ...row, counted: new CountedMedian() }));
  private readonly sums = new Float64Array(SUMS_OF_DOCUMENTS.length);
  private readonly flagged = new Float64Array(LISTED_FLAGS.length);
  private read = 0;
  /** The place of the document before. */
  private lastFile = -1;
  private lastRecord = Number.NaN;

  /** @param documents by file, to know which have more than one; its memory is used */
  constructor(params: ResultParams, files: FileTable | null, documents: Uint32Array) {
    const hasTexts = params.sets === undefined;
    this.params = params;
    this.files = files;
    this.formats = files && new FormatCounts(files, params);
    this.sources = files !== null && hasTexts ? new FileSources(files, documents) : null;
    const rows = this.sources?.length ?? 1;
    this.kept = new AmountTable(rows, hasTexts);
    this.dropped = new AmountTable(rows, hasTexts);
    this.reasons = new AmountTable(REASONS, hasTexts);
  }

  /** @param reason why it is dropped; null: it is kept */
  add(document: CountedDocument, reason: number | null): void {
    const { file, flags, textBytes } = document;
    this.read++;
    this.textBytes += textBytes;
    for (let i = 0; i < this.sums.length; i++) this.sums[i]! += document[SUMS_OF_DOCUMENTS[i]!.column];
    if ((flags & LISTED_BITS) !== 0)
      for (const [i, { flag }] of LISTED_FLAGS.entries()) if ((flags & flag) !== 0) this.flagged[i]!++;
    const source = this.sources?.ofFile[file] ?? 0;
    if (reason === null) this.kept.add(source, document);
    else {
      this.dropped.add(source, document);
      this.reasons.add(reason, document);
    }
    if (this.params.sets !== undefined) this.formats?.sets(this.read);
    else this.countFormat(document);
    // Medians leave out documents of the reference.
    if (this.files?.isReference(file) === true) return;
    for (const { column, counted } of this.medians) counted.add(document[column]);
  }

  /** Units count as their document. */
  private countFormat({ file, record, flags }: CountedDocument): void {
    if (file !== this.lastFile || record !== this.lastRecord) this.formats?.document(file, flags);
    this.lastFile = file;
    this.lastRecord = record;
  }

  get counts(): DocumentCounts &
    Pick<ManifestCounts, 'read' | 'kept' | 'dropped' | 'kept_bytes' | 'dropped_bytes'> {
    const sums = SUMS_OF_DOCUMENTS.map(({ name }, i) => [name, this.sums[i]!]);
    const flagged = LISTED_FLAGS.map(({ name }, i) => [name, this.flagged[i]!]);
    const [kept, dropped] = [this.kept.sum(), this.dropped.sum()];
    const { bytes: keptBytes, documents: ofKept } = kept;
    const { bytes: droppedBytes, documents: ofDropped } = dropped;
    return {
      ...(Object.fromEntries([...sums, ...flagged]) as DocumentCounts),
      ...{ read: this.read, kept: ofKept, dropped: ofDropped },
      ...(keptBytes !== undefined && { kept_bytes: keptBytes }),
      ...(droppedBytes !== undefined && { dropped_bytes: droppedBytes }),
    };
  }

  numbers(thresholds: readonly DropsAtThreshold[]): ReportedNumbers {
    const { kept, dropped, reasons, sources } = this;
    return {
      kept: kept.sum(),
      dropped: dropped.sum(),
      reasons: {
        identical: reasons.of(IDENTICAL),
        same_tokens: reasons.of(SAME_TOKENS),
        near: reasons.of(NEAR),
      },
      ...(sources === null ? { sources: [], other_sources: 0 } : sourceRows(kept, dropped, sources)),
      thresholds,
      ...(Object.fromEntries(this.medians.map(({ name, counted }) => [name, counted.value])) as Medians),
    };
  }

  /** Documents and files by format, and records that were left out, by REASONS_LEFT_OUT; null: documents came from memory. */
  readAs(leftOutRecords: readonly number[]): ReadAs | null {
    return this.formats?.told(leftOutRecords) ?? null;
  }
}

/** Counts the documents of a run. `files`: null where documents came from memory. */
export function documentNumbers(
  params: ResultParams,
  { sketched: { documents }, numbered, decided }: Pick<PipelineResult, 'sketched' | 'numbered' | 'decided'>,
  files: FileTable | null,
): DocumentNumbers {
  const { facts, starts } = documents;
  const numbers = new DocumentNumbers(params, files, documentsByFile(files?.length ?? 0, facts));
  const reasons = reasonsOf(numbered, decided);
  const { numberOf } = numbered;
  const document = { file: 0, record: 0, flags: 0, occurrences: 0, tokens: 0, textBytes: 0 };
  for (const [batch, { file, record, flags, occurrences, tokens, textBytes }] of facts.entries()) {
    for (let i = 0, row = starts[batch]!; i < flags.length; i++, row++) {
      document.file = file[i]!;
      document.record = record[i]!;
      document.flags = flags[i]!;
      document.occurrences = occurrences[i]!;
      document.tokens = tokens[i]!;
      document.textBytes = textBytes?.[i] ?? 0;
      const reason = reasons[numberOf === null ? row : numberOf[row]!]!;
      numbers.add(document, reason === KEPT ? null : reason);
    }
  }
  return numbers;
}

/** The sources with the most dropped documents, and all others as one row behind them. */
export function sourceRows(
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

/** By document number: why it is dropped, or KEPT. */
function reasonsOf(
  { documents, groups: { firstOf, members, texts } }: NumberedDocuments,
  { drop }: DecidedRun,
): Uint8Array {
  const reasons = new Uint8Array(documents).fill(KEPT);
  const textOf = new Map<number, number>();
  for (const [i, member] of members.entries()) textOf.set(member, texts[i]!);
  for (let i = 0; i < drop.document.length; i++) {
    const [document, kept] = [drop.document[i]!, drop.kept[i]!];
    if (firstOf[document] !== firstOf[kept]) reasons[document] = NEAR;
    else reasons[document] = textOf.get(document) === textOf.get(kept) ? IDENTICAL : SAME_TOKENS;
  }
  return reasons;
}
