/** Facts of the corpus before documents are compared: splits, skipped records, and repeated ids. */
import { FreeNumber } from '../../../reducers/documentNames.js';
import { type CountsWithoutRow, REASONS_LEFT_OUT } from '../../blocks/documents.js';
import { type ErrorCode, MinHashError, SKIP_CODES } from '../../errors.js';
import { WITHOUT } from '../../tasks/stages/documents/classStages.js';
import { EQUAL_HASHES } from '../../tasks/stages/documents/namingStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KIND, KINDS, REFUSED, SPLIT, WHOLE_RECORD } from '../../tasks/stream/kinds.js';
import { PlacesInFiles, strideOf } from '../../tasks/stream/placesInFiles.js';
import { f64At, u32At, u64At } from '../../tasks/stream/records.js';
import type { FileSplits } from '../../tasks/stream/taskManifest.js';
import { refuseSkipped, SkipList } from '../sketch/corpus.js';
import type { MissingLookup } from '../sketch/documentFields.js';
import { type JobDone, type Jobs, sumOf } from './jobs.js';

/** Facts of the corpus before its documents have names. */
export interface FoundCorpus extends CountsWithoutRow {
  /** Number of documents, or units, read, without those that are left out. */
  readonly documents: number;
  readonly skipped: SkipList;
  /** By file: its documents or units; of lines of sets 0. */
  readonly documentsByFile: Uint32Array;
  /** By file, how its units are numbered (placesInFiles.ts); null: documents are compared. */
  readonly strides: readonly number[] | null;
  /** Number of records that were left out, in the order of REASONS_LEFT_OUT. */
  readonly leftOutRecords: readonly number[];
}

export interface NamedCorpus extends FoundCorpus {
  /** Documents that are named by their place, because another record has the same id. */
  readonly repeatedIds: number;
  /** Documents whose record names an id, even the id of another record. */
  readonly namedDocuments: number;
  /** By field: how many documents have no value in it. */
  readonly valuesMissing: MissingLookup;
  /** Where a field decides the groups: their number, and the number of pairs within groups; else null. */
  readonly groups: { readonly count: number; readonly pairsWithin: number } | null;
}

/** About how many documents a range of the order has, and the least and greatest number of ranges. */
const RANGE_DOCUMENTS = 250_000;
const LEAST_RANGES = 4;
const MOST_RANGES = 4096;

/** The splits of all files, by number: where each begins, its lines, documents and bytes, and the greatest number of a unit. */
class FoundSplits {
  /** File f has those from `begins[f]` to `ends[f]`; none if it is refused. */
  readonly begins: number[];
  readonly ends: number[];
  readonly starts: number[] = [];
  readonly lines: number[] = [];
  readonly documents: number[] = [];
  readonly bytes: number[] = [];
  readonly units: number[] = [];
  private last = -1;

  constructor(files: number) {
    this.begins = new Array<number>(files).fill(0);
    this.ends = new Array<number>(files).fill(0);
  }

  /** @throws Error for a split before the one that was added last: our own defect */
  add(file: number, start: number, value: Uint8Array): void {
    const { begins, ends, starts, last } = this;
    if (file < last || (file === last && start < starts.at(-1)!))
      throw new Error('facts are not in the order of their keys: our own defect');
    if (file > last) begins[file] = starts.length;
    this.last = file;
    starts.push(start);
    this.lines.push(u64At(value, 0));
    this.documents.push(u64At(value, 8));
    this.bytes.push(u64At(value, 16));
    this.units.push(u64At(value, 24));
    ends[file] = starts.length;
  }

  /** The sum of a column over the splits of a file. */
  sum(file: number, column: readonly number[]): number {
    let sum = 0;
    for (let split = this.begins[file]!; split < this.ends[file]!; split++) sum += column[split]!;
    return sum;
  }

  /** The greatest number of a unit in a file; 0: there is none. */
  greatestUnit(file: number): number {
    let greatest = 0;
    for (let split = this.begins[file]!; split < this.ends[file]!; split++)
      greatest = Math.max(greatest, this.units[split]!);
    return greatest;
  }
}

/** Takes the records of the stage `facts`, which come in the order of their keys. */
class FactsReading {
  readonly skipped = new SkipList();
  readonly leftOutRecords: number[] = REASONS_LEFT_OUT.map(() => 0);
  private readonly jobs: Jobs;
  private readonly found: FoundSplits;
  private readonly begins: number[] = [];
  /** Whole files that skips have named so far: number and code. */
  private readonly named = new Set<string>();
  private total = 0;
  private splits: FileSplits | null = null;
  /** By file; null where documents are compared. */
  strides: number[] | null = null;
  private files: CorpusFiles;

  constructor(jobs: Jobs) {
    this.jobs = jobs;
    this.found = new FoundSplits(jobs.manifest.files.length);
    this.files = new CorpusFiles(jobs.manifest);
  }

  add(key: Uint8Array, value: Uint8Array): void {
    if (key[0] === KINDS.fact) return;
    if (key[0] === KINDS.split) this.split(u32At(key, KIND), key, value);
    else if (key[0] === KINDS.skipped) this.skip(u32At(key, KIND), key, value);
    else if (key[0] === KINDS.passed) {
      for (let why = 0; why < this.leftOutRecords.length; why++)
        this.leftOutRecords[why]! += f64At(value, 8 * why);
    }
  }

  /** The splits, without those of refused files. */
  get splitsRead(): FileSplits {
    return this.numbered();
  }

  /** By file: its documents. */
  get documents(): Uint32Array {
    this.numbered();
    const { found } = this;
    return Uint32Array.from(found.ends, (_, file) => found.sum(file, found.documents));
  }

  /** By file: how many numbers of records (lines, rows or whole files), or of units, come before it; and their total. */
  get firsts(): { readonly byFile: readonly number[]; readonly total: number } {
    this.numbered();
    return { byFile: this.begins, total: this.total };
  }

  private split(file: number, key: Uint8Array, value: Uint8Array): void {
    if (this.splits !== null) throw new Error('facts are not in the order of their keys: our own defect');
    this.found.add(file, u64At(key, KIND + 4), value);
  }

  private skip(file: number, key: Uint8Array, value: Uint8Array): void {
    this.numbered();
    const record = this.files.recordOf(file, u64At(key, KIND + 4), u32At(key, KIND + SPLIT));
    // A line of a file that is refused: tasks over later splits of the file cannot know that.
    if (record < 0) return;
    const code = SKIP_CODES[value[0]!]!;
    if (record === WHOLE_RECORD) {
      // Each split of an unreadable file reports it.
      const name = `${file} ${code}`;
      if (this.named.has(name)) return;
      this.named.add(name);
    }
    if (value[1] === 1) this.skipped.add(value.subarray(2), code);
    else this.skipped.add(this.files.place(file, record), code);
    if (value[1] !== REFUSED) return;
    if (code === 'BINARY UTF16LE' || code === 'BINARY UTF16BE') this.refuseEncoding(file);
    if (this.jobs.manifest.params.sets !== undefined) this.refuseRowsOf(file, code);
    this.found.ends[file] = this.found.begins[file]!;
  }

  /** Numbers the lines, once all splits are known. */
  private numbered(): FileSplits {
    if (this.splits !== null) return this.splits;
    const { jobs, found } = this;
    const { begins, ends, starts } = found;
    if (jobs.manifest.params.unit !== 'document')
      this.strides = ends.map((_, file) => strideOf(found.greatestUnit(file)));
    const places = new PlacesInFiles(this.strides);
    const firstLines: number[] = [];
    for (let file = 0; file < ends.length; file++) {
      if (jobs.engine.countsSplits !== true) this.check(file);
      this.begins.push(this.total);
      this.total += places.endOf(file, found.sum(file, found.lines), this.files.isWhole(file));
      let next = 0;
      for (let split = begins[file]!; split < ends[file]!; split++) {
        firstLines.push(next);
        next += found.lines[split]!;
      }
    }
    if (this.total > Number.MAX_SAFE_INTEGER) refuseUnits(jobs.manifest.params.unit);
    this.splits = { begins, ends, starts, firstLines };
    this.files = new CorpusFiles({ ...jobs.manifest, splits: this.splits, strides: this.strides });
    return this.splits;
  }

  /** @throws MinHashError JOB_COUNTS where splits of a file came twice, or some did not come */
  private check(file: number): void {
    const { jobs, found } = this;
    const { files } = jobs.manifest;
    const bytes = files.bytesOf(file);
    const lost = (detail: string): never => {
      throw new MinHashError({ code: 'JOB_COUNTS', detail: `${files.id(file)}: ${detail}` });
    };
    const [from, to] = [found.begins[file]!, found.ends[file]!];
    for (let i = from + 1; i < to; i++)
      if (found.starts[i] === found.starts[i - 1]) lost(`the split at ${found.starts[i]} was read twice`);
    const form = this.files.formOf(file);
    const isWhole = form === 'whole';
    if (from === to) {
      // A file of a byte order mark alone has no line.
      if (bytes > (isWhole ? 0 : MARK_BYTES) && (isWhole || this.isPlain(file)))
        lost(`nothing of its ${bytes} bytes was read`);
      return;
    }
    if (form === 'rows') {
      checkRows(found.starts.slice(from, to), found.lines.slice(from, to), lost);
      if (found.sum(file, found.documents) === 0) refuseRows(files.id(file));
      return;
    }
    if (found.starts[from]! > 0) lost('its beginning was not read');
    if (isWhole || !this.isPlain(file) || bytes <= 0) return;
    const read = found.sum(file, found.bytes);
    // The last line may lack its LF; engines may leave out the byte order mark, and a CR before LFs.
    if (read > bytes + 1 || read + found.sum(file, found.lines) + MARK_BYTES < bytes)
      lost(`${read} of ${bytes} bytes were read`);
  }

  private isPlain(file: number): boolean {
    return this.files.file(file).packing === null;
  }

  /** Rows of its later splits are among those of all sets. */
  private refuseRowsOf(file: number, code: ErrorCode): never {
    const detail = `${this.jobs.manifest.files.id(file)}: ${code}; expected lines of sets: leave it out with --exclude`;
    throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
  }

  private refuseEncoding(file: number): never {
    const detail = `${this.jobs.manifest.files.id(file)} is UTF-16; expected UTF-8, the only encoding that engines cut lines of; convert it (iconv -f UTF-16 -t UTF-8)`;
    throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
  }
}

/**
 * Checks that each run of rows begins where the one before it ends. @throws what `lost` throws where rows are missing
 * or repeated
 */
function checkRows(
  starts: readonly number[],
  lines: readonly number[],
  lost: (detail: string) => never,
): void {
  let next = 0;
  starts.forEach((start, i) => {
    if (start < next) lost(`row ${start} was read twice`);
    if (start > next) lost(`rows ${next} to ${start - 1} were not read`);
    next = start + lines[i]!;
  });
}

/** Refuses a file without texts: engines do not say whether its column is missing, as worker threads do. */
function refuseRows(id: string): never {
  const detail = `${id}: no row has a text that is read: engines do not tell whether the file lacks the column of --text-field; leave it out with --exclude`;
  throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
}

/** Refuses a corpus whose units have no numbers below 2^53: files have numbers for as many units of each record as one has. */
function refuseUnits(unit: string): never {
  const detail = `--unit ${unit}: the records of all files, times the ${unit}s of the longest of each file, are 2^53 or more; cut the longest record, or put it in a file of its own`;
  throw new MinHashError({ code: 'INPUT_REFUSED', detail, remedy: '' });
}

/** Bytes of the byte order mark of UTF-8. */
const MARK_BYTES = 3;

/**
 * Runs the stage `facts` over the output of `sketch` and reads its output; puts the splits, and the numbers that ranks follow from,
 * into the manifests of later jobs.
 *
 * @param rows the job that read lines of sets, which `sketched` gathered; of documents none
 * @throws MinHashError INPUT_REFUSED with --on-error fail; JOB_COUNTS where a part of a file was not read, or twice
 */
export async function gatherFacts(
  jobs: Jobs,
  sketched: JobDone,
  rows: readonly string[] = [],
): Promise<FoundCorpus> {
  const facts = await jobs.run('facts', [sketched.name, ...rows], { reducers: 'one' });
  const reading = new FactsReading(jobs);
  await jobs.each(facts.name, undefined, (key, value) => reading.add(key, value));
  const {
    skipped,
    leftOutRecords,
    splitsRead: splits,
    firsts,
    strides,
    documents: documentsByFile,
  } = reading;
  // Lines of sets are no documents.
  const documents =
    rows.length > 0 ? sumOf(sketched, 'documents') : documentsByFile.reduce((sum, ofFile) => sum + ofFile, 0);
  refuseSkipped(jobs.manifest.params, skipped);
  const ranges = Math.min(MOST_RANGES, Math.max(LEAST_RANGES, Math.ceil(documents / RANGE_DOCUMENTS)));
  const range = Math.max(1, Math.ceil(firsts.total / ranges));
  const routes = jobs.engine.routes?.(ranges) ?? null;
  jobs.learn({ splits, firsts: [...firsts.byFile, firsts.total], strides, range, routes });
  const { 'left out': tooShort = 0, 'documents cut': cut = 0 } = sketched.sums;
  return { documents, documentsByFile, tooShort, cut, skipped, strides, leftOutRecords };
}

/** The job that found identity classes, and the facts of the corpus. */
export interface ClassedCorpus extends JobDone {
  readonly corpus: NamedCorpus;
  /** The datasets of the documents: of the first reading, and of names. */
  readonly documents: readonly [sketched: string, ...names: string[]];
}

/**
 * Gives documents their ids, where records name ids that may repeat, and finds identity classes: documents with the same tokens.
 *
 * @throws MinHashError JOB_COUNTS where there are more or fewer documents than were read
 */
export async function classedCorpus(
  jobs: Jobs,
  sketched: JobDone,
  corpus: FoundCorpus,
): Promise<ClassedCorpus> {
  const areNamed = sumOf(sketched, 'named documents') > 0 && (await mayRepeat(jobs, sketched));
  const named = areNamed ? await namesOf(jobs, sketched.name, corpus) : { datasets: [], repeatedIds: 0 };
  jobs.learn({ areNamed });
  const documents = [sketched.name, ...named.datasets] as const;
  const { groups, ...classes } = await classesOf(jobs, documents, corpus);
  const { repeatedIds } = named;
  const valuesMissing: MissingLookup = (field) => sumOf(classes, WITHOUT + field);
  const namedDocuments = sumOf(classes, 'named documents');
  return {
    ...{ ...classes, documents },
    corpus: { ...corpus, repeatedIds, namedDocuments, valuesMissing, groups },
  };
}

/** The classes and groups once more, without the documents that are withdrawn by now. */
export async function classesAgain(
  jobs: Jobs,
  { corpus, documents }: ClassedCorpus,
  label: string,
): Promise<ClassedCorpus> {
  const { groups, ...classes } = await classesOf(jobs, documents, corpus, { label });
  return { ...{ ...classes, documents }, corpus: { ...corpus, groups } };
}

async function classesOf(
  jobs: Jobs,
  documents: ClassedCorpus['documents'],
  corpus: FoundCorpus,
  form: { readonly label?: string } = {},
): Promise<JobDone & Pick<NamedCorpus, 'groups'>> {
  const isByField = jobs.manifest.params.groups?.by === 'field';
  const groups = isByField ? await jobs.run('groups', [documents[0]], form) : null;
  const inputs = [...documents, ...(groups === null ? [] : [groups.name])];
  return {
    ...counted(await jobs.run('classes', inputs, form), corpus),
    groups: groups && {
      count: sumOf(groups, 'groups'),
      pairsWithin: sumOf(groups, 'pairs within groups'),
    },
  };
}

/** Whether two documents may have one name: the hash of one, at least. */
async function mayRepeat(jobs: Jobs, sketched: JobDone): Promise<boolean> {
  return sumOf(await jobs.run('nameHashes', [sketched.name]), EQUAL_HASHES) > 0;
}

/** The datasets of the names of documents. */
async function namesOf(
  jobs: Jobs,
  sketched: string,
  corpus: FoundCorpus,
): Promise<{ readonly datasets: readonly string[]; readonly repeatedIds: number }> {
  const named = counted(await jobs.run('names', [sketched]), corpus);
  const repeatedIds = sumOf(named, 'repeated ids');
  if (repeatedIds === 0) return { datasets: [named.name], repeatedIds };
  const clashes = await jobs.run('clashes', [named.name]);
  if (sumOf(clashes, 'clashes') > 0) {
    const most = sumOf(named, 'distinct ids') + 2 * sumOf(named, 'documents with repeated ids') + 2;
    jobs.learn({ clashEnd: `~${await freeNumber(jobs, clashes.name, most)}` });
  }
  return { datasets: [named.name, clashes.name], repeatedIds };
}

function counted(done: JobDone, { documents }: FoundCorpus): JobDone {
  const found = sumOf(done, 'documents');
  if (found === documents) return done;
  const detail = `${done.name}: ${found} documents came, expected ${documents}`;
  throw new MinHashError({ code: 'JOB_COUNTS', detail });
}

/** The least number n >= 1 such that no id ends with `~n`. `most`: a bound of the count of ids. */
async function freeNumber(jobs: Jobs, clashes: string, most: number): Promise<number> {
  const free = new FreeNumber(most);
  await jobs.each(clashes, KINDS.ending, (key) => free.add(16 * u64At(key, KIND) + key[KIND + 8]!));
  return free.least;
}
