/** Writes the tables of the result of a run on an engine that sorts from documents and rows, in one pass and bounded memory. */
import type { CountsWithoutRow } from '../../../blocks/documents.js';
import type { SortingEngine } from '../../../engines/job.js';
import { MinHashError } from '../../../errors.js';
import { StreamedDigest } from '../../../output/tables/digest.js';
import { inListOrder } from '../../../output/tables/tables.js';
import type { LinesHead } from '../../../readers/ahead/firstRecords.js';
import { hasScheme } from '../../../readers/bytes/remote/addresses.js';
import type { Inputs } from '../../../readers/list/inputs.js';
import { sketchFamilyOf } from '../../../sketch/family.js';
import type { ResultParams } from '../../../sketch/params.js';
import type { WrittenFile } from '../../../store/files.js';
import { LoopTurns } from '../../../store/turns.js';
import { KINDS, ORDER, TABLES } from '../../../tasks/stream/kinds.js';
import { PlacesInFiles } from '../../../tasks/stream/placesInFiles.js';
import { type RecordSource, u64At } from '../../../tasks/stream/records.js';
import { isFact } from '../../../tasks/stream/runTask.js';
import { UNICODE_VERSION } from '../../../text/unicode/codePoints.js';
import type { FoundResult } from '../../finish/finishResult.js';
import { streamedCounts } from '../../finish/makeFacts.js';
import { codeCounts, SkipList } from '../../sketch/corpus.js';
import { nothingRead, refuseNothing } from '../../sketch/nothingRead.js';
import type { ClusterOutcome } from '../clusterRecipe.js';
import { OrderedDocument, OrderedRow } from './orderedRecords.js';
import { JobFactTable, type JobSums, StreamedNumbers } from './streamedNumbers.js';
import { StreamedTables } from './streamedTables.js';

export interface StreamedRun {
  readonly engine: Pick<SortingEngine, 'read'>;
  readonly params: ResultParams;
  readonly outcome: ClusterOutcome;
  /** `files` in the order of the manifests of jobs: the index is the number of a file. `skipped`: places that no job read. */
  readonly inputs: Inputs;
  /** The first lines of standard input; null or absent: there are none. */
  readonly piped?: LinesHead | null;
  /** The folder of the tables; it has the folders of parts. */
  readonly root: string;
  /** Rows of a part; for tests. */
  readonly rowsPerPart?: number;
  /** Called now and then with the number of documents written. */
  onDocuments?(written: number): void;
  /** When it fires, the writing ends with INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
}

export interface StreamedResult extends FoundResult {
  /** By job: the counts of its tasks. */
  readonly jobs: ReadonlyMap<string, JobSums>;
}

/**
 * Writes the tables, and counts their rows.
 *
 * @throws MinHashError INTERRUPTED; WRITE_FAILED, DISK_FULL; NOTHING_READ, TEXT_FIELD_MISSING where no document, or no record, was read
 */
export async function streamedResult(run: StreamedRun): Promise<StreamedResult> {
  const { params, outcome, inputs, root, rowsPerPart } = run;
  const { corpus } = outcome;
  const unread = new SkipList();
  for (const { place, code } of inputs.skipped) unread.addBinary(place, code);
  const changed = new SkipList();
  const skips: Skips = {
    counts: (isWanted) =>
      [corpus.skipped, unread, changed].map((list) => list.counts(isWanted)).reduce(summed),
  };
  const lists = [inListOrder(corpus.skipped.columns()), inListOrder(unread.columns()), inputs.links];
  const tables = new StreamedTables(root, params, inputs.files, lists, rowsPerPart);
  const pass = new ResultPass(
    tables,
    new StreamedNumbers(params, inputs.files, corpus.documentsByFile, outcome.decided?.toGo),
    changed,
    run,
  );
  const files = await filesOf(run, pass, tables, changed, skips);
  const { numbers, jobs, digest } = pass;
  const told = numbers.numbers(outcome.drops.sums);
  const places = { skipped: skips.counts(), leftOut: codeCounts(inputs.links.codes) };
  const counts = streamedCounts(params, numbers, outcome, jobs, places);
  const recall = outcome.hot?.recall ?? null;
  return {
    facts: {
      unicode: UNICODE_VERSION,
      parameters: params,
      contentDigest: digest.finish(),
      ...sketchFamilyOf(params).promise(),
      ...(recall !== null && { recall }),
      ...{ counts, numbers: told, files },
    },
    readAs: numbers.ofDocuments.readAs(corpus.leftOutRecords),
    textBytes: params.sets === undefined ? numbers.ofDocuments.textBytes : jobs.sum('rows', 'text bytes'),
    hasNamedIds: corpus.namedDocuments > 0,
    valuesMissing: corpus.valuesMissing,
    jobs: jobs.jobs,
  };
}

/** Counts of skipped places by reason, of all places or of some. */
type Skips = Pick<SkipList, 'counts'>;

/** Writes the tables from all records; removes them where an error interrupts the writing. */
async function filesOf(
  run: StreamedRun,
  pass: ResultPass,
  tables: StreamedTables,
  changed: SkipList,
  skips: Skips,
): Promise<readonly WrittenFile[]> {
  const turns = new LoopTurns(run.signal);
  const corpus = corpusRecords(run);
  /** Opens the next documents; false: there are none. */
  const opened = async (): Promise<boolean> => {
    // The next record takes the memory of this one.
    pass.takeAll();
    const { value } = await corpus.next();
    if (value === undefined) return false;
    pass.open(value);
    await turns.give();
    return true;
  };
  try {
    for await (const records of run.engine.read(run.outcome.result)) {
      while (records.next())
        while (!pass.take(records.key, records.value))
          if (!(await opened()))
            throw new Error(`no document of rank ${rankIn(records.key)}, which has rows: our own defect`);
      await turns.give();
    }
    while (await opened());
    pass.end();
    await turns.give();
    refuseWithout(pass.numbers.documents, run, skips, run.outcome.corpus);
    return tables.finish(run.outcome, inListOrder(changed.columns()));
  } catch (error) {
    tables.abandon();
    throw error;
  }
}

/** The records with documents that are not among the ordered ones, each valid until the next. */
async function* corpusRecords({
  engine,
  outcome: { documents },
}: StreamedRun): AsyncGenerator<RecordSource, void, undefined> {
  if (documents === null) return;
  for await (const records of engine.read(documents.dataset, KINDS.read))
    while (records.next()) yield records;
}

const rankIn = (key: Uint8Array): number => u64At(key, ORDER.rankAt);

/**
 * Ends, with the errors of a run on threads, a run that read no document, or whose records lack the text field.
 *
 * @param documents by file: those that are compared
 */
export function refuseWithout(
  documents: Uint32Array,
  { params, inputs, piped = null }: Pick<StreamedRun, 'params' | 'inputs' | 'piped'>,
  skips: Skips,
  { tooShort, cut }: CountsWithoutRow,
): void {
  const { files } = inputs;
  // This machine cannot open files that only the engine reads, so no message names the fields that exist.
  if (params.groups?.by !== 'against' && files.length > 0 && hasScheme(files.path(0))) {
    if (documents.every((count) => count === 0) && tooShort + cut === 0)
      throw new MinHashError(nothingRead({ params, inputs }, skips.counts()));
    return;
  }
  const file = Uint32Array.from(documents.keys()).filter((index) => documents[index]! > 0);
  const columns = { file, record: new Float64Array(file.length) };
  // One document stands for all documents of its file.
  const withdrawn = new Uint8Array(file.length);
  const group = file.map((index) => (files.isReference(index) ? 0 : 1));
  const corpus = { tables: [{ columns }], withoutRow: { tooShort, cut }, group };
  refuseNothing({ params, inputs }, { corpus, outcome: { withdrawn } }, skips, piped);
}

function summed(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...one };
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Documents between two reports of progress. */
const TOLD = 1 << 14;

class ResultPass {
  readonly numbers: StreamedNumbers;
  readonly jobs = new JobFactTable();
  readonly digest = new StreamedDigest();
  private readonly tables: StreamedTables;
  private readonly changed: SkipList;
  private readonly run: Pick<StreamedRun, 'onDocuments' | 'outcome'>;
  private readonly document: OrderedDocument;
  private readonly row: OrderedRow;
  private isOpen = false;
  private written = 0;

  constructor(
    tables: StreamedTables,
    numbers: StreamedNumbers,
    changed: SkipList,
    run: Pick<StreamedRun, 'onDocuments' | 'outcome'>,
  ) {
    const numbered = new PlacesInFiles(run.outcome.corpus.strides);
    this.document = new OrderedDocument(numbered, run.outcome.documents);
    this.row = new OrderedRow(numbered);
    this.tables = tables;
    this.numbers = numbers;
    this.changed = changed;
    this.run = run;
  }

  /** Takes an ordered record; false: the document of a row is in a record that must be opened before. */
  take(key: Uint8Array, value: Uint8Array): boolean {
    const { document, numbers } = this;
    if (isFact(key)) this.jobs.add(key, value);
    // Rows of its documents follow, in blocks behind that of the record.
    else if (key[ORDER.whatAt] === ORDER.document) this.open({ key: key.slice(), value: value.slice() });
    else {
      const rank = rankIn(key);
      this.takeUpTo(rank);
      if (rank !== document.rank) return false;
      if (key[ORDER.whatAt] !== ORDER.member) this.takeRow(key, value);
      else {
        document.first = u64At(value, 0);
        numbers.member();
      }
    }
    return true;
  }

  /** Opens a record of documents behind those that were opened before; it is read from until the next one is opened. */
  open(record: Parameters<OrderedDocument['open']>[0]): void {
    this.takeAll();
    this.document.open(record);
  }

  end(): void {
    this.takeAll();
    this.endDocument();
  }

  /** Takes the documents that are left in the record that is open. */
  takeAll(): void {
    this.takeUpTo(Number.POSITIVE_INFINITY);
  }

  /** Takes the documents up to a rank, as far as the record that is open has them. */
  private takeUpTo(rank: number): void {
    while (this.document.rank < rank && this.takeDocument());
  }

  private endDocument(): void {
    if (this.isOpen) this.numbers.end(this.document);
    this.isOpen = false;
  }

  /** False: none is left. @throws Error for a document whose rank is not greater than that of the document before: our own defect */
  private takeDocument(): boolean {
    const { document, numbers } = this;
    const before = document.rank;
    this.endDocument();
    if (!document.next()) return false;
    if (document.rank <= before)
      throw new Error(`rank ${document.rank} comes after ${before}: our own defect`);
    if (this.run.outcome.withdrawn.has(document.rank)) {
      this.changed.add(document.id, 'CHANGED');
      numbers.ofDocuments.withdraw(document);
      return true;
    }
    this.isOpen = true;
    numbers.begin();
    document.addTo(this.digest);
    this.tables.document(document);
    if (++this.written % TOLD === 0) this.run.onDocuments?.(this.written);
    return true;
  }

  private takeRow(key: Uint8Array, value: Uint8Array): void {
    const { document, row, numbers, tables } = this;
    row.read(key, value);
    if (row.table === TABLES.candidates) {
      numbers.candidate(row);
      tables.candidate(document, row);
    } else if (row.table === TABLES.identical) {
      numbers.identical(document, row);
      tables.identical(document, row);
    } else if (row.table === TABLES.dropped) {
      numbers.drop(document, row);
      tables.dropped(document, row);
    } else {
      const isMember = row.b !== document.rank;
      numbers.clustered(isMember, row);
      tables.clustered(numbers.counts.clusters, isMember, row);
    }
  }
}
