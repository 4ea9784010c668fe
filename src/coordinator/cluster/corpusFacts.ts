/** What the recipe learns of the corpus before documents are compared: splits, what was skipped, and ids that repeat. */
import { REASONS_LEFT_OUT } from '../../blocks/documents.js';
import type { DatasetRecord } from '../../engines/job.js';
import { MinHashError, SKIP_CODES } from '../../errors.js';
import { WITHOUT } from '../../tasks/stages/documents/classStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KIND, KINDS, REFUSED, SPLIT, WHOLE_RECORD } from '../../tasks/stream/kinds.js';
import { f64At, u32At, u64At } from '../../tasks/stream/records.js';
import { refuseSkipped, SkipList } from '../sketch/corpus.js';
import type { MissingLookup } from '../sketch/documentFields.js';
import type { JobDone, Jobs } from './jobs.js';

/** What is known of the corpus before its documents have names. */
export interface FoundCorpus {
  /** Documents read, without those that are left out. */
  readonly documents: number;
  readonly tooShort: number;
  readonly skipped: SkipList;
  /** Records that were left out, by REASONS_LEFT_OUT. */
  readonly leftOutRecords: readonly number[];
}

export interface NamedCorpus extends FoundCorpus {
  /** Of those read: named by their place, because another record has the same id. */
  readonly repeatedIds: number;
  /** Of those read: their record names an id, be it that of another. */
  readonly namedDocuments: number;
  /** How many have no value in a field that the run asks for. */
  readonly valuesMissing: MissingLookup;
  /** Where a field says the groups: how many there are, and pairs of two documents of one. Else null. */
  readonly groups: { readonly count: number; readonly pairsWithin: number } | null;
}

/** Documents of a range of the order, about; and how many ranges there are at least and at most. */
const RANGE_DOCUMENTS = 250_000;
const LEAST_RANGES = 4;
const MOST_RANGES = 4096;

interface FoundSplit {
  readonly start: number;
  readonly lines: number;
  readonly documents: number;
  readonly bytes: number;
}

/** Takes the records of the stage `facts`, which come in the order of their keys. */
class FactsReading {
  readonly skipped = new SkipList();
  readonly leftOutRecords: number[] = REASONS_LEFT_OUT.map(() => 0);
  private readonly jobs: Jobs;
  private readonly found: FoundSplit[][];
  private readonly begins: number[] = [];
  /** Whole files that are named, each with why. */
  private readonly named = new Set<string>();
  private total = 0;
  private splits: (readonly (readonly [number, number])[])[] | null = null;
  private files: CorpusFiles;

  constructor(jobs: Jobs) {
    this.jobs = jobs;
    this.found = jobs.shared.files.map(() => []);
    this.files = new CorpusFiles({ ...jobs.shared, splits: null, firsts: null });
  }

  add([key, value]: DatasetRecord): void {
    if (key[0] === KINDS.fact) return;
    if (key[0] === KINDS.split) this.split(u32At(key, KIND), key, value);
    else if (key[0] === KINDS.skipped) this.skip(u32At(key, KIND), key, value);
    else if (key[0] === KINDS.passed) {
      for (let why = 0; why < this.leftOutRecords.length; why++)
        this.leftOutRecords[why]! += f64At(value, 8 * why);
    }
  }

  /** The first line of every split; of files that are refused there is none. */
  get firstLines(): readonly (readonly (readonly [number, number])[])[] {
    this.numbered();
    return this.splits!;
  }

  get documents(): number {
    const splits = this.firstLines;
    let sum = 0;
    this.found.forEach((ofFile, file) => {
      if (splits[file]!.length > 0) for (const { documents } of ofFile) sum += documents;
    });
    return sum;
  }

  /** By file: how many lines, rows and whole files there are before it; and at the end in all. */
  get firsts(): { readonly byFile: readonly number[]; readonly total: number } {
    this.numbered();
    return { byFile: this.begins, total: this.total };
  }

  private split(file: number, key: Uint8Array, value: Uint8Array): void {
    if (this.splits !== null) throw new Error('facts are not in the order of their keys: our own defect');
    const start = u64At(key, KIND + 4);
    const [lines, documents, bytes] = [u64At(value, 0), u64At(value, 8), u64At(value, 16)];
    this.found[file]!.push({ start, lines, documents, bytes });
  }

  private skip(file: number, key: Uint8Array, value: Uint8Array): void {
    this.numbered();
    const record = this.files.recordOf(file, u64At(key, KIND + 4), u32At(key, KIND + SPLIT));
    // Lines of a file that is refused: tasks that read later splits of it do not know.
    if (record < 0) return;
    const code = SKIP_CODES[value[0]!]!;
    if (record === WHOLE_RECORD) {
      // A file that cannot be read says so in each of its splits.
      const name = `${file} ${code}`;
      if (this.named.has(name)) return;
      this.named.add(name);
    }
    if (value[1] === 1) this.skipped.add(value.subarray(2), code);
    else this.skipped.add(this.files.place(file, record), code);
    if (value[1] !== REFUSED) return;
    if (code === 'BINARY UTF16LE' || code === 'BINARY UTF16BE') this.refuseEncoding(file);
    this.splits![file] = [];
  }

  /** All splits are known: lines get their numbers. */
  private numbered(): void {
    if (this.splits !== null) return;
    const splits = this.found.map((ofFile, file) => {
      ofFile.sort((one, other) => one.start - other.start);
      if (this.jobs.engine.countsSplits !== true) this.check(file, ofFile);
      this.begins.push(this.total);
      this.total += this.files.isWhole(file) ? 1 : ofFile.reduce((sum, { lines }) => sum + lines, 0);
      if (this.files.formOf(file) === 'rows') return ofFile.length > 0 ? [[0, 0] as const] : [];
      let next = 0;
      return ofFile.map(({ start, lines }) => {
        const first = next;
        next += lines;
        return [start, first] as const;
      });
    });
    this.splits = splits;
    this.files = new CorpusFiles({ ...this.jobs.shared, splits, firsts: null });
  }

  /** @throws MinHashError JOB_COUNTS where splits of a file came twice, or some did not come */
  private check(file: number, ofFile: readonly FoundSplit[]): void {
    const { id, bytes } = this.jobs.shared.files[file]!;
    const lost = (detail: string): never => {
      throw new MinHashError({ code: 'JOB_COUNTS', detail: `${id}: ${detail}` });
    };
    ofFile.forEach(({ start }, i) => {
      if (start === ofFile[i - 1]?.start) lost(`the split at ${start} was read twice`);
    });
    const form = this.files.formOf(file);
    const isWhole = form === 'whole';
    if (ofFile.length === 0) {
      // Of a file that is nothing but a mark there is no line.
      if (bytes > (isWhole ? 0 : MARK_BYTES) && (isWhole || this.isPlain(file)))
        lost(`nothing of its ${bytes} bytes was read`);
      return;
    }
    if (form === 'rows') {
      checkRows(ofFile, lost);
      if (ofFile.every(({ documents }) => documents === 0)) refuseRows(id);
      return;
    }
    if (ofFile[0]!.start > 0) lost('its beginning was not read');
    if (isWhole || !this.isPlain(file) || bytes <= 0) return;
    const read = ofFile.reduce((sum, split) => sum + split.bytes, 0);
    const lines = ofFile.reduce((sum, split) => sum + split.lines, 0);
    // The last line may lack its LF; engines may leave the mark at the beginning out, and a CR before LFs.
    if (read > bytes + 1 || read + lines + MARK_BYTES < bytes) lost(`${read} of ${bytes} bytes were read`);
  }

  private isPlain(file: number): boolean {
    return this.files.file(file).packing === null;
  }

  private refuseEncoding(file: number): never {
    const { id } = this.jobs.shared.files[file]!;
    const detail = `${id} is UTF-16; expected UTF-8, the only encoding that engines cut lines of; convert it (iconv -f UTF-16 -t UTF-8)`;
    throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
  }
}

/** @throws what `lost` throws where rows of a file are not read, or read twice: each run of rows follows the one before */
function checkRows(runs: readonly FoundSplit[], lost: (detail: string) => never): void {
  let next = 0;
  for (const { start, lines } of runs) {
    if (start < next) lost(`row ${start} was read twice`);
    if (start > next) lost(`rows ${next} to ${start - 1} were not read`);
    next = start + lines;
  }
}

/** Engines give nothing for a column that a file lacks, which worker threads name. */
function refuseRows(id: string): never {
  const detail = `${id}: no row has a text that is read: engines do not tell whether the file lacks the column of --text-field; leave it out with --exclude`;
  throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
}

/** Of the byte order mark of UTF-8. */
const MARK_BYTES = 3;

/**
 * Reads the output of the stage `facts` over that of `sketch`; later jobs know the splits, and the ranks of documents.
 *
 * @throws MinHashError INPUT_REFUSED with --on-error fail; JOB_COUNTS where a part of a file was not read, or twice
 */
export async function gatherFacts(jobs: Jobs, sketched: JobDone): Promise<FoundCorpus> {
  const facts = await jobs.run('facts', [sketched.name], { reducers: 'one' });
  const reading = new FactsReading(jobs);
  for await (const record of jobs.engine.read(facts.name)) reading.add(record);
  const { skipped, leftOutRecords, firstLines: splits, documents, firsts } = reading;
  refuseSkipped(jobs.shared.params, skipped);
  const ranges = Math.min(MOST_RANGES, Math.max(LEAST_RANGES, Math.ceil(documents / RANGE_DOCUMENTS)));
  const range = Math.max(1, Math.ceil(firsts.total / ranges));
  jobs.learn({ splits, firsts: firsts.byFile, range, routes: jobs.engine.routes?.(ranges) ?? null });
  return { documents, tooShort: sketched.sums['left out'] ?? 0, skipped, leftOutRecords };
}

/** The job that found classes, and what is known of the corpus now. */
export interface ClassedCorpus extends JobDone {
  readonly corpus: NamedCorpus;
}

/**
 * Gives documents their names, where records name ids, and finds those with the same tokens.
 *
 * @throws MinHashError JOB_COUNTS where there are more or fewer documents than were read
 */
export async function classedCorpus(
  jobs: Jobs,
  sketched: JobDone,
  corpus: FoundCorpus,
): Promise<ClassedCorpus> {
  const areNamed = (sketched.sums['named documents'] ?? 0) > 0;
  const named = areNamed
    ? await namedDocuments(jobs, sketched.name, corpus)
    : { datasets: [], repeatedIds: 0 };
  jobs.learn({ areNamed });
  const isByField = jobs.shared.params.groups?.by === 'field';
  const groups = isByField ? await jobs.run('groups', [sketched.name]) : null;
  const inputs = [sketched.name, ...named.datasets, ...(groups === null ? [] : [groups.name])];
  const classes = counted(await jobs.run('classes', inputs), corpus);
  const { repeatedIds } = named;
  const valuesMissing: MissingLookup = (field) => classes.sums[WITHOUT + field] ?? 0;
  const withIds = classes.sums['named documents'] ?? 0;
  const facts = {
    ...{ ...corpus, repeatedIds, namedDocuments: withIds, valuesMissing },
    groups: groups && {
      count: groups.sums.groups ?? 0,
      pairsWithin: groups.sums['pairs within groups'] ?? 0,
    },
  };
  return { ...classes, corpus: facts };
}

/** The datasets that have documents under their names. */
async function namedDocuments(
  jobs: Jobs,
  sketched: string,
  corpus: FoundCorpus,
): Promise<{ readonly datasets: readonly string[]; readonly repeatedIds: number }> {
  const { name, sums } = counted(await jobs.run('names', [sketched]), corpus);
  const repeatedIds = sums['repeated ids'] ?? 0;
  if (repeatedIds === 0) return { datasets: [name], repeatedIds };
  const clashes = await jobs.run('clashes', [name]);
  if ((clashes.sums.clashes ?? 0) > 0) {
    const most = corpus.documents + repeatedIds + 2;
    jobs.learn({ clashEnd: `~${await freeNumber(jobs, clashes.name, most)}` });
  }
  return { datasets: [name, clashes.name], repeatedIds };
}

function counted(done: JobDone, { documents }: FoundCorpus): JobDone {
  const found = done.sums.documents ?? 0;
  if (found === documents) return done;
  const detail = `${done.name}: ${found} documents came, expected ${documents}`;
  throw new MinHashError({ code: 'JOB_COUNTS', detail });
}

/**
 * The least number from 1 that no id ends with behind a `~`, as `namedRows` finds it: `most` is the length of its two tables of
 * ids, and longer numbers are not looked at. A bit a number is held.
 */
async function freeNumber(jobs: Jobs, clashes: string, most: number): Promise<number> {
  const used = new Uint8Array(Math.ceil((most + 1) / 8));
  for await (const [key] of jobs.engine.read(clashes)) {
    if (key[0] !== KINDS.ending) continue;
    const [number, digits] = [u64At(key, KIND), key[KIND + 8]!];
    if (number > most || 10 ** (digits - 1) > 10 * most) continue;
    used[number >>> 3] = used[number >>> 3]! | (1 << (number & 7));
  }
  let number = 1;
  while (((used[number >>> 3]! >>> (number & 7)) & 1) === 1) number++;
  return number;
}
