/** The fate of every input file, and the problems that prevent apply, determined before anything is written. */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { numbersBelow } from '../../arrays/growable.js';
import { WHOLE_FILE } from '../../blocks/documents.js';
import { ERRORS, MinHashError, type Problem } from '../../errors.js';
import { codecNamed, codecOfKind } from '../../readers/bytes/codecs.js';
import { tableFacts } from '../../readers/formats/parquet.js';
import { formatNamed, formatOfKind, hasRows, hasValues } from '../../readers/list/formats.js';
import { bytesOf, nameOf, textOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import { rescueOf } from '../../result/warnings.js';
import { loadDuckDb } from '../../store/duckdb.js';
import type { CutUnit } from '../../text/units.js';
import { type ApplyMode, type ApplyOptions, modeOf } from './applyOptions.js';
import { type CurrentCorpus, refused, unreadableProblems } from './currentCorpus.js';
import type { ClusterFacts, DocumentValues } from './dropList.js';
import { statementFor, whyNamesStay } from './files/parquetRewriting.js';
import { codecNow, type FileNow, isWide } from './files/rewriteFile.js';
import { ADDED_FIELDS, AnnotatedLines, FileAnnotations, type Singles } from './records/annotating.js';
import { ListedFates, type RecordFates } from './records/fates.js';
import { type FileUnits, UnitFates } from './records/unitFates.js';
import { OF_ARRAYS, OF_UTF16, whyKindUncut, whyRecordsUncut } from './records/unitForms.js';

export const LEAVE_OUT = 0;
export const AS_IT_IS = 1;
export const WRITE_ANEW = 2;
export type FileFate = typeof LEAVE_OUT | typeof AS_IT_IS | typeof WRITE_ANEW;

/** The dropped documents of a result, with clusters. */
export interface Decisions {
  readonly drops: DocumentValues;
  /** Null unless fields are added. */
  readonly clusters: ClusterFacts | null;
}

/** Problems that are listed; more are counted. */
const MOST_NAMED = 5;

interface FileFates extends RecordFates {
  /** Set if fields are added. */
  readonly annotations?: FileAnnotations;
}

export class ApplyPlan {
  readonly mode: ApplyMode;
  readonly options: ApplyOptions;
  /** Parameters of the run. */
  readonly parameters: Manifest['parameters'];
  readonly #corpus: CurrentCorpus;
  readonly #decisions: Decisions;
  /** Files without the reference (--against), which is not a part of the corpus. */
  readonly #own: Uint32Array;

  constructor(corpus: CurrentCorpus, { parameters }: Manifest, decisions: Decisions, options: ApplyOptions) {
    this.#corpus = corpus;
    this.parameters = parameters;
    this.#decisions = decisions;
    this.options = options;
    this.mode = modeOf(options);
    const { files } = corpus;
    this.#own = numbersBelow(files.length).filter((index) => !files.isReference(index));
  }

  get files(): number {
    return this.#own.length;
  }

  /** Bytes of all files. */
  get bytes(): number {
    let sum = 0;
    for (const i of this.#own) sum += Math.max(0, this.#sizeOf(i));
    return sum;
  }

  /** The number of dropped documents in a file. */
  droppedIn(file: number): number {
    const { starts } = this.#decisions.drops;
    return starts[file + 1]! - starts[file]!;
  }

  #isDropped(file: number): boolean {
    const { starts, numbers } = this.#decisions.drops;
    return this.droppedIn(file) > 0 && numbers[starts[file]!] === WHOLE_FILE;
  }

  fateOf(file: number): FileFate {
    if (this.parameters.unit !== 'document') return this.droppedIn(file) === 0 ? AS_IT_IS : WRITE_ANEW;
    if (this.mode === 'annotated') return WRITE_ANEW;
    const isKept = this.mode === 'kept';
    if (this.droppedIn(file) === 0) {
      if (isKept) return AS_IT_IS;
      const hasRecords = formatOfKind(this.#corpus.files.kinds[file]!).holds === 'records';
      return this.options.keepEmpty === true && hasRecords ? WRITE_ANEW : LEAVE_OUT;
    }
    if (this.#isDropped(file)) return isKept ? LEAVE_OUT : AS_IT_IS;
    return WRITE_ANEW;
  }

  /** The fates of the records of a file that is rewritten. @param singles shared by the files of one pass */
  recordFates(file: number, singles: Singles): FileFates {
    const { drops, clusters } = this.#decisions;
    if (this.parameters.unit !== 'document') return new UnitFates(this.#unitsOf(file, this.parameters.unit));
    if (clusters !== null)
      return new AnnotatedLines(
        this.#corpus.files.id(file),
        new FileAnnotations(file, drops, clusters, singles),
      );
    const numbers = drops.numbers.subarray(drops.starts[file]!, drops.starts[file + 1]!);
    return new ListedFates(numbers, this.mode === 'dropped');
  }

  #unitsOf(file: number, unit: CutUnit): FileUnits {
    const { holds } = formatOfKind(this.#corpus.files.kinds[file]!);
    return {
      drops: this.#decisions.drops,
      file,
      unit,
      params: this.parameters,
      keepsEmpty: this.options.keepEmpty === true,
      holds: holds === 'text' || holds === 'either' ? holds : 'records',
      refuse: (why) => {
        throw refused(`${textOf(this.#corpus.files.id(file))}: ${why}`);
      },
    };
  }

  /** The files in order, each with the path to read it from. */
  *inTurn(): Generator<readonly [index: number, file: FileNow]> {
    for (const i of this.#own) yield [i, this.now(i)];
  }

  now(file: number): FileNow {
    const { files } = this.#corpus;
    const kind = files.kinds[file]!;
    return {
      path: files.path(file),
      id: this.nameOf(file),
      format: formatOfKind(kind).name,
      codec: codecOfKind(kind),
      size: this.#sizeOf(file),
    };
  }

  /** The name of a file in the new corpus. Standard input gets the name of the file that has its content now. */
  nameOf(file: number): string {
    const { files } = this.#corpus;
    const id = files.id(file);
    const plain = id === '-' ? nameOf(files.path(file)) : id;
    // The id of a PATH at the root of the file system begins with a slash.
    const parts = plain.split('/').filter((part) => part !== '' && part !== '.');
    return parts.map((part) => (part === '..' ? '%2e%2e' : part)).join('/');
  }

  #sizeOf(file: number): number {
    return this.#corpus.sizes[file]!;
  }

  /**
   * @param result the folder of the result, as typed
   * @param cutShort by id of a damaged compressed file: the code of its damage
   * @throws MinHashError APPLY_REFUSED with every file that prevents apply; DUCKDB_UNAVAILABLE
   */
  async refuse(out: string, result: string, cutShort: ReadonlyMap<string, string>): Promise<void> {
    const problems: Problem[] = [];
    const parquet = this.#firstParquet();
    if (parquet !== null) expectDuckDb(parquet.id, statementFor(result, parquet.id));
    const unreadable: string[] = [];
    let count = 0;
    const tell = (file: FileNow, why: string): void => {
      if (++count <= MOST_NAMED)
        problems.push({ code: 'APPLY_REFUSED', detail: `${textOf(file.id)}: ${why}`, remedy: '' });
    };
    for (const i of this.#own) {
      if (this.options.link === true && this.fateOf(i) === AS_IT_IS) {
        const why = this.#whyNotLinked(i, out);
        if (why !== null) tell(this.now(i), why);
      }
      if (this.fateOf(i) === LEAVE_OUT) continue;
      const file = this.now(i);
      if (!isReadable(file.path)) {
        unreadable.push(this.#corpus.files.id(i));
        continue;
      }
      if (this.fateOf(i) !== WRITE_ANEW) continue;
      const code = cutShort.get(this.#corpus.files.id(i));
      const early =
        code === undefined
          ? null
          : `it is damaged, ends early, or has other bytes at its end: decompress what can be read (${rescueOf(code, textOf(file.path))}), delete or move the damaged file, and run again`;
      const cut = this.parameters.unit === 'document' ? null : this.#whyUnitsUncut(i);
      const why = early ?? cut ?? (await this.#whyNotAnew(file));
      if (why !== null) tell(file, why);
    }
    if (count > problems.length)
      problems.push({ code: 'APPLY_REFUSED', detail: `${count - problems.length} more files`, remedy: '' });
    problems.push(...unreadableProblems(unreadable, this.#corpus.rerun));
    if (problems.length > 0) throw new MinHashError(problems);
  }

  #firstParquet(): FileNow | null {
    for (const i of this.#own) {
      if (this.fateOf(i) === WRITE_ANEW && hasRows(formatOfKind(this.#corpus.files.kinds[i]!)))
        return this.now(i);
    }
    return null;
  }

  #whyUnitsUncut(file: number): string | null {
    const { starts, numbers } = this.#decisions.drops;
    const kind = this.#corpus.files.kinds[file]!;
    const isArray = hasValues(formatOfKind(kind));
    // The drop list refers to elements of an array.
    if (isArray && numbers[starts[file]!] !== WHOLE_FILE) return OF_ARRAYS;
    return whyKindUncut(kind, this.parameters);
  }

  async #whyNotAnew(file: FileNow): Promise<string | null> {
    const { parameters } = this;
    const { encoding } = new TextDecoder(parameters.encoding);
    const format = formatNamed(file.format);
    if (this.mode === 'annotated') {
      if (format.applied?.annotates !== true) return '--annotate adds fields to JSON lines and Parquet only';
      if (!hasRows(format) && encoding !== 'utf-8')
        return `--annotate adds fields in UTF-8, this is ${encoding}`;
    }
    const uncut = whyRecordsUncut(format, parameters);
    if (uncut !== null) return uncut;
    if (hasRows(format)) {
      const columns = columnsOf(file.path);
      const taken = columns.find((name) => ADDED_FIELDS.includes(name.toLowerCase()));
      if (this.mode === 'annotated' && taken !== undefined)
        return `--annotate: it has a column ${taken} already`;
      return whyNamesStay(columns);
    }
    if (await isWide(file, parameters)) return OF_UTF16;
    const codec = await codecNow(file, parameters);
    return codec === null ? null : codecNamed(codec).missing();
  }

  #device: number | null = null;

  #whyNotLinked(file: number, out: string): string | null {
    const { files } = this.#corpus;
    if (files.isRemote(file)) return '--link: a file of a server has no hard links';
    this.#device ??= deviceAbove(out);
    const { dev } = statSync(bytesOf(files.path(file)));
    return dev === this.#device
      ? null
      : '--link: the file and the folder for the corpus are on different file systems';
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(bytesOf(path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws MinHashError DUCKDB_UNAVAILABLE, with an alternative */
function expectDuckDb(id: string, remedy: string): void {
  try {
    loadDuckDb(textOf(id));
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    const [problem] = error.problems;
    const advice = `${ERRORS.DUCKDB_UNAVAILABLE.remedy}; ${remedy}`;
    throw new MinHashError({ ...problem!, remedy: advice }, { cause: error });
  }
}

function deviceAbove(path: string): number {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats !== undefined) return stats.dev;
  }
}

/** The columns of a Parquet file; empty if it cannot be read, which its writer reports. */
function columnsOf(path: string): readonly string[] {
  return tableFacts(bytesOf(path))?.names ?? [];
}
