/**
 * The counts and numbers of a result, counted while its rows come in the order of documents.
 *
 * Memory: 8 bytes a file beside those of `DocumentNumbers`, and the facts of all tasks.
 */
import { higherThresholds } from '../../../../reducers/dropList.js';
import { CODE } from '../../../blocks/documents.js';
import type { DropsAtThreshold, ReportedNumbers } from '../../../output/wording/reportedNumbers.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { listingOf } from '../../../sketch/family.js';
import type { ResultParams } from '../../../sketch/params.js';
import { measuredBy } from '../../../sketch/similarity.js';
import { IDENTICAL, type TaskFact } from '../../../tasks/stream/kinds.js';
import { DocumentNumbers } from '../../finish/numbers.js';
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

/** The counts that rows are added to, at 0; all other counts come from documents, tasks and inputs. */
const NOTHING = {
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
};

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
  readonly ofDocuments: DocumentNumbers;
  /** Dropped documents among those that were decided to go. */
  droppedToGo = 0;
  private readonly toGo: ReadonlySet<number>;
  private readonly params: ResultParams;
  private readonly isListed: ReturnType<typeof listingOf>;
  private readonly files: FileTable;
  /** What the rows of the current document say: why it is dropped, null where it is kept, and whether a class begins with it. */
  private reason: number | null = null;
  private isClass = false;

  /**
   * @param found by file: the documents in it
   * @param toGo the ranks of documents that were decided to go
   */
  constructor(
    params: ResultParams,
    files: FileTable,
    found: Uint32Array,
    toGo: ReadonlySet<number> = new Set(),
  ) {
    this.toGo = toGo;
    this.params = params;
    this.isListed = listingOf(params);
    this.files = files;
    this.documents = new Uint32Array(files.length);
    this.ofDocuments = new DocumentNumbers(params, files, found.slice());
  }

  begin(): void {
    this.reason = null;
    this.isClass = false;
  }

  /** The document is a member of a class, but not the first one. */
  member(): void {
    this.counts.identical_documents++;
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
  drop({ rank }: OrderedDocument, { word }: OrderedRow): void {
    if (this.reason !== null)
      throw new Error(`the document of rank ${rank} is dropped twice: our own defect`);
    this.reason = word;
    if (this.toGo.has(rank)) this.droppedToGo++;
  }

  clustered(isMember: boolean, { similarity }: OrderedRow): void {
    const { counts } = this;
    counts.clustered_documents++;
    if (!isMember) counts.clusters++;
    else if (!(similarity >= this.params.threshold)) counts.members_below_threshold++;
  }

  /** Called when all rows of the document have been added. */
  end(document: OrderedDocument): void {
    this.documents[document.file]!++;
    this.ofDocuments.add(document, this.reason);
  }

  /** @param drops the sums of the job that made the drop list */
  numbers(drops: Readonly<Record<string, number>>): ReportedNumbers {
    return this.ofDocuments.numbers(this.thresholds(drops));
  }

  private thresholds(drops: Readonly<Record<string, number>>): DropsAtThreshold[] {
    const { threshold, verify } = this.params;
    if (verify === 'none') return [];
    const higher = higherThresholds(threshold).map((step) => {
      return { threshold: step, dropped: drops[`dropped at ${step}`] ?? 0 };
    });
    return [...higher, { threshold, dropped: this.ofDocuments.counts.dropped }];
  }
}
