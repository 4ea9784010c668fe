/**
 * The counts and numbers of a result, counted while its rows come in the order of documents.
 *
 * Memory: 52 bytes a file, an entry for each different number of shingles or tokens, and the facts of all tasks.
 */
import { higherThresholds } from '../../../../reducers/dropList.js';
import { CountedMedian } from '../../../arrays/median.js';
import { CODE } from '../../../blocks/documents.js';
import {
  COUNTS_OF_DOCUMENTS,
  type DocumentCounts,
  MEDIANS_OF_DOCUMENTS,
  type Medians,
} from '../../../output/facts.js';
import type { DropsAtThreshold, ReportedNumbers } from '../../../output/wording/reportedNumbers.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { listingOf } from '../../../sketch/family.js';
import type { ResultParams } from '../../../sketch/params.js';
import { measuredBy } from '../../../sketch/similarity.js';
import { IDENTICAL, type TaskFact } from '../../../tasks/stream/kinds.js';
import { FileSources } from '../../finish/fileSources.js';
import { FormatCounts } from '../../finish/formatCounts.js';
import { AmountTable, REASONS, reasonsTold, toldSources } from '../../finish/numbers.js';
import { sourcesOf } from '../../finish/precedence.js';
import { groupsOfFiles } from '../../pair/documentGroups.js';
import type { NamedCorpus } from '../corpusFacts.js';
import type { OrderedDocument, OrderedRow } from './orderedRecords.js';

/** The number of tasks of a job, and their counts: sums, and greatest values. */
export interface JobSums {
  tasks: number;
  readonly sums: Record<string, number>;
  readonly most: Record<string, number>;
}

const NAME_OF_JOB = /^\d+-([^-]+)/;

export class JobFactTable {
  readonly jobs = new Map<string, JobSums>();
  private readonly seen = new Set<string>();

  add(key: Uint8Array, value: Uint8Array): void {
    const name = Buffer.from(key).toString('latin1');
    if (this.seen.has(name)) return;
    this.seen.add(name);
    const { job, sums, most } = JSON.parse(Buffer.from(value).toString('utf8')) as TaskFact;
    const found = this.jobs.get(job) ?? { tasks: 0, sums: {}, most: {} };
    this.jobs.set(job, found);
    found.tasks++;
    for (const [what, count] of Object.entries(sums)) found.sums[what] = (found.sums[what] ?? 0) + count;
    for (const [what, value] of Object.entries(most)) {
      found.most[what] = Math.max(found.most[what] ?? 0, value);
    }
  }

  has(stage: string): boolean {
    return this.of(stage).length > 0;
  }

  sum(stage: string, what: string): number {
    return this.of(stage).reduce((sum, { sums }) => sum + (sums[what] ?? 0), 0);
  }

  most(stage: string, what: string): number {
    return this.of(stage).reduce((most, found) => Math.max(most, found.most[what] ?? 0), 0);
  }

  private of(stage: string): JobSums[] {
    return [...this.jobs].filter(([job]) => NAME_OF_JOB.exec(job)?.[1] === stage).map(([, found]) => found);
  }
}

/** The counts that rows are added to, at 0; all other counts come from tasks and inputs. */
const NOTHING = {
  read: 0,
  identity_classes: 0,
  identical_documents: 0,
  candidate_pairs: 0,
  candidates_listed: 0,
  verified_pairs: 0,
  identical_pairs: 0,
  same_tokens_pairs: 0,
  same_tokens_pairs_of_code: 0,
  clusters: 0,
  clustered_documents: 0,
  members_below_threshold: 0,
  kept: 0,
  dropped: 0,
  ...(Object.fromEntries(COUNTS_OF_DOCUMENTS.map(({ name }) => [name, 0])) as DocumentCounts),
};

/** Whether documents are texts: a set has no bytes, and may stand in lines of several files. */
const hasTexts = ({ sets }: ResultParams): boolean => sets === undefined;

const isCode = (flags: number): boolean => (flags & CODE) !== 0;

/** Counts documents one after the other; the rows of a document come between its `begin` and `end`. */
export class StreamedNumbers {
  readonly counts = { ...NOTHING };

  /** Whether some documents are never dropped. */
  get protects(): boolean {
    return sourcesOf(this.params, this.files).isProtected !== null;
  }

  /** Number of documents of the reference; null: there is no reference. */
  get referenceDocuments(): number | null {
    const { documents, files } = this;
    if (!files.hasReference) return null;
    return documents.reduce((sum, count, file) => sum + (files.isReference(file) ? count : 0), 0);
  }

  /** Number of groups that have documents, and of pairs within groups; null: groups do not follow from files. */
  get groupsOfFiles(): NamedCorpus['groups'] {
    const { groups } = this.params;
    if (groups === null || groups.by === 'field') return null;
    const sizes = new Map<number, number>();
    let pairsWithin = 0;
    groupsOfFiles(groups, this.files).forEach((group, file) => {
      const [own, before] = [this.documents[file]!, sizes.get(group) ?? 0];
      pairsWithin += own * before + (own * (own - 1)) / 2;
      if (own > 0) sizes.set(group, before + own);
    });
    return { count: sizes.size, pairsWithin };
  }

  /** By file: its number of documents. */
  readonly documents: Uint32Array;
  readonly formats: FormatCounts;
  textBytes = 0;
  /** Dropped documents among those that were decided to go. */
  droppedToGo = 0;
  private readonly toGo: ReadonlySet<number>;
  private readonly params: ResultParams;
  private readonly isListed: ReturnType<typeof listingOf>;
  private readonly files: FileTable;
  private readonly kept: AmountTable;
  private readonly dropped: AmountTable;
  private readonly reasons: AmountTable;
  private readonly medians = MEDIANS_OF_DOCUMENTS.map((row) => ({ ...row, counted: new CountedMedian() }));
  /** Whether the rows of the current document say that it is dropped, and that it is the first member of a class. */
  private isDropped = false;
  private isClass = false;
  /** The place of the document before. */
  private lastFile = -1;
  private lastRecord = Number.NaN;

  /** @param toGo the ranks of documents that were decided to go */
  constructor(params: ResultParams, files: FileTable, toGo: ReadonlySet<number> = new Set()) {
    this.toGo = toGo;
    this.params = params;
    this.isListed = listingOf(params);
    this.files = files;
    this.documents = new Uint32Array(files.length);
    this.formats = new FormatCounts(files, params);
    this.kept = new AmountTable(files.length, hasTexts(params));
    this.dropped = new AmountTable(files.length, hasTexts(params));
    this.reasons = new AmountTable(REASONS, hasTexts(params));
  }

  begin(document: OrderedDocument): void {
    const { counts } = this;
    const { first, rank, textBytes, file } = document;
    this.isDropped = false;
    this.isClass = false;
    counts.read++;
    for (const row of COUNTS_OF_DOCUMENTS)
      counts[row.name] = row.with(counts[row.name], document[row.column]);
    if (first !== rank) counts.identical_documents++;
    this.textBytes += textBytes;
    this.documents[file]!++;
    if (!hasTexts(this.params)) this.formats.sets(counts.read);
    else this.countFormat(document);
    // Medians leave out documents of the reference.
    if (this.files.isReference(file)) return;
    for (const { column, counted } of this.medians) counted.add(document[column]);
  }

  /** Takes a document that changed: no count has it. A unit that changed does not take away its document. */
  withdraw(document: OrderedDocument): void {
    if (this.params.unit !== 'document') this.countFormat(document);
  }

  /** Units count as their document. */
  private countFormat({ file, record, flags }: OrderedDocument): void {
    if (file !== this.lastFile || record !== this.lastRecord) this.formats.document(file, flags);
    this.lastFile = file;
    this.lastRecord = record;
  }

  candidate(row: OrderedRow): void {
    const { isAccepted, agreement } = row;
    this.counts.candidate_pairs++;
    if (
      this.isListed(isAccepted, agreement, measuredBy(this.params.measure, row.jaccard, row.aInB, row.bInA))
    )
      this.counts.candidates_listed++;
    if (isAccepted) this.counts.verified_pairs++;
  }

  identical({ first, rank, flags }: OrderedDocument, { kindOfPair, second }: OrderedRow): void {
    const { counts } = this;
    if (first === rank && !this.isClass) {
      this.isClass = true;
      counts.identity_classes++;
      counts.identical_documents++;
    }
    if (kindOfPair === IDENTICAL) counts.identical_pairs++;
    else {
      counts.same_tokens_pairs++;
      if (isCode(flags) && isCode(second.flags)) counts.same_tokens_pairs_of_code++;
    }
  }

  /** @throws Error for a second row of one document: our own defect */
  drop({ rank, textBytes, tokens }: OrderedDocument, { word }: OrderedRow): void {
    if (this.isDropped) throw new Error(`the document of rank ${rank} is dropped twice: our own defect`);
    this.isDropped = true;
    if (this.toGo.has(rank)) this.droppedToGo++;
    this.reasons.add(word, textBytes, tokens);
  }

  clustered(isMember: boolean, { similarity }: OrderedRow): void {
    const { counts } = this;
    counts.clustered_documents++;
    if (!isMember) counts.clusters++;
    else if (!(similarity >= this.params.threshold)) counts.members_below_threshold++;
  }

  /** Called when all rows of the document have been added. */
  end({ file, textBytes, tokens }: OrderedDocument): void {
    const { counts } = this;
    (this.isDropped ? this.dropped : this.kept).add(file, textBytes, tokens);
    if (this.isDropped) counts.dropped++;
    else counts.kept++;
  }

  /** @param drops the sums of the job that made the drop list */
  numbers(drops: Readonly<Record<string, number>>): ReportedNumbers {
    const sources = hasTexts(this.params) ? new FileSources(this.files, this.documents.slice()) : null;
    const bySource = (amounts: AmountTable): AmountTable =>
      amounts.folded(sources!.length, (file) => sources!.ofFile[file]!);
    return {
      kept: this.kept.sum(),
      dropped: this.dropped.sum(),
      reasons: reasonsTold(this.reasons),
      ...(sources === null
        ? { sources: [], other_sources: 0 }
        : toldSources(bySource(this.kept), bySource(this.dropped), sources)),
      thresholds: this.thresholds(drops),
      ...(Object.fromEntries(this.medians.map(({ name, counted }) => [name, counted.value])) as Medians),
    };
  }

  private thresholds(drops: Readonly<Record<string, number>>): DropsAtThreshold[] {
    const { threshold, verify } = this.params;
    if (verify === 'none') return [];
    const higher = higherThresholds(threshold).map((step) => {
      return { threshold: step, dropped: drops[`dropped at ${step}`] ?? 0 };
    });
    return [...higher, { threshold, dropped: this.counts.dropped }];
  }
}
