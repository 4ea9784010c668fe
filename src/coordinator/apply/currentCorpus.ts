/**
 * The current files of a finished run: at their recorded paths, or where `--corpus` has them. Files that differ from
 * what the run read are rejected and listed.
 *
 *      without --corpus   the same files, with the sizes and times at the time of the run
 *      with --corpus      files of the same names and sizes below other PATHs; those with dropped documents must have the same texts
 *                         in the same order; times are not compared, because copies have their own
 *
 * The files come from listing the PATHs. The recorded inputs of a result are only compared with them; no recorded path
 * is opened.
 */
import type { Block } from '../../blocks/block.js';
import { MinHashError, type Problem } from '../../errors.js';
import { shellPath, shellQuoted } from '../../options/shellWord.js';
import { eachDocument, type MetDocument } from '../../readers/find.js';
import {
  differencesFrom,
  differencesOf,
  type InputDifferences,
  inputsIn,
  RecordDigests,
  type RecordedFile,
  recordedFiles,
} from '../../readers/inputsRecord.js';
import { UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { listInputs } from '../../readers/list/inputs.js';
import { binaryOf, textOf } from '../../readers/list/pathIds.js';
import { realPathOf } from '../../readers/list/walk.js';
import { STATS_NAME } from '../../result/fileNames.js';
import type { Manifest, Stats } from '../../result/manifest.js';
import { readStats } from '../../result/readManifest.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { resultPaths } from '../resultPaths.js';

/** Differences that are listed; more are counted. */
const MOST_NAMED = 5;

/** The inputs of a finished run. */
export interface CurrentCorpus {
  /** With --corpus: without the reference. */
  readonly files: FileTable;
  /** Sizes that the run recorded; UNKNOWN if it did not; with --corpus the current sizes. */
  readonly sizes: Float64Array;
  /** Real paths of PATHs, binary strings; standard input has none. */
  readonly roots: readonly string[];
  /** Whether contents may differ although sizes and times do not. */
  readonly isElsewhere: boolean;
  /** By file of a moved corpus: the digest of its texts when the run read them; UNKNOWN: the run has none. */
  readonly digests: Float64Array | null;
  /** The command that runs again without these locations, binary strings. */
  readonly rerun: (locations: readonly string[]) => string;
}

/**
 * Lists the inputs.
 *
 * @param corpus PATHs in the order of the run's PATHs; null: the paths of the run
 * @throws MinHashError RESULT_UNTRUSTED, INPUT_CHANGED with the files, PATH_MISSING, APPLY_REFUSED if the run read an
 * input that cannot be read again
 */
export async function currentCorpus(
  folder: string,
  { parameters }: Manifest,
  corpus: readonly string[] | null,
  signal: AbortSignal | undefined,
): Promise<CurrentCorpus> {
  const stats = readStats(folder);
  const recorded = notedFiles(folder, stats);
  if (corpus === null && stats.inputs.paths.includes('-')) throw refused(`${folder}: ${PIPED}`);
  const listed = resultPaths(folder, stats, corpus);
  const inputs = await listInputs({ ...listed, outFolder: folder, params: parameters }, signal);
  if (inputs.problems.length > 0)
    throw new MinHashError(inputs.problems.map((problem) => whereNow(problem, corpus)));
  const rerun = rerunOf(folder, stats);
  const unreadable = inputs.skipped.flatMap(({ place, code }) => (code === 'UNREADABLE' ? [place] : []));
  if (unreadable.length > 0) throw new MinHashError(unreadableProblems(unreadable, rerun));
  const roots = inputs.roots.map((root) => realPathOf(root) ?? root);
  const { files } = inputs;
  const isElsewhere = corpus !== null;
  const digests = isElsewhere ? new Float64Array(files.length).fill(UNKNOWN) : null;
  const { named: differing, count } = digests
    ? differencesElsewhere(files, recorded, stats, digests)
    : differencesFrom(files, recorded, MOST_NAMED);
  if (count > 0) throw changed(differing, count);
  const sizes = isElsewhere ? files.sizes : (recorded.columns.sizes as Float64Array);
  return { files, sizes, roots, isElsewhere, digests, rerun };
}

/**
 * Reads the files of a moved corpus that have dropped documents, and compares their texts with those that the run read.
 *
 * @throws MinHashError INPUT_CHANGED with the files whose texts or their order differ
 */
export async function refuseOtherTexts(
  { files, digests }: CurrentCorpus,
  { parameters }: Manifest,
  { starts }: { readonly starts: Uint32Array },
): Promise<void> {
  if (digests === null) return;
  // The key of a text does not depend on stop words, which a manifest does not have.
  const stream = (await kernelHere()).shingleStream({ ...parameters.shingle, stopWords: [] }, () => {});
  const now = new RecordDigests(files.length);
  const isWanted = (file: number): boolean => digests[file] !== UNKNOWN && starts[file + 1]! > starts[file]!;
  const take = (text: Uint8Array, { file }: MetDocument): void => {
    stream.whole(text);
    if (stream.tokens >= parameters.minTokens) now.add(file, stream.textKey);
  };
  await eachDocument({ files }, parameters, take, { isWanted });
  const differing: string[] = [];
  let count = 0;
  for (let file = 0; file < files.length; file++) {
    if (!isWanted(file) || now.files[file] === digests[file]) continue;
    if (++count <= MOST_NAMED)
      differing.push(`${textOf(files.source(file))}: different texts, or a different order`);
  }
  if (count > 0) throw changed(differing, count);
}

/** Characters of a location in an error, and of locations in a command. */
const MOST_SHOWN = 100;
const MOST_TYPED = 1000;

/**
 * Files and folders that cannot be read, and would be missing in the corpus.
 *
 * @param locations binary strings
 */
export function unreadableProblems(locations: readonly string[], rerun: CurrentCorpus['rerun']): Problem[] {
  const remedy = `make it readable (chmod u+rX), or leave it out: ${rerun(locations)}, and apply the new result`;
  const of = (detail: string): Problem => ({ code: 'APPLY_REFUSED', detail, remedy });
  const problems = locations.slice(0, MOST_NAMED).map((location) => {
    const text = textOf(location);
    const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
    return of(`${shown}: it cannot be read, and would be missing`);
  });
  const more = locations.length - problems.length;
  return more > 0 ? [...problems, of(`${more} more files and folders`)] : problems;
}

/** The command that runs again without files and folders. */
function rerunOf(folder: string, { places, inputs }: Stats): CurrentCorpus['rerun'] {
  const own = places.filter(({ isReference }) => isReference !== true);
  return (locations) => {
    const globs = locations.map((location) => {
      const text = textOf(location);
      const root = own.find(({ prefix }) => prefix !== '' && text.startsWith(`${prefix}/`));
      const below = root === undefined ? text : text.slice(root.prefix.length + 1);
      return `--exclude ${shellQuoted(`/${below.replace(/[\\*?[\]{}!]/g, '\\$&')}`)}`;
    });
    const typed = globs.join(' ');
    const exclude = typed.length > MOST_TYPED ? '--exclude GLOB' : typed;
    const paths = inputs.paths.map(shellPath).join(' ');
    return `mr-minhash run ${paths} ${exclude} --out ${shellPath(folder)} --force (with the other options of that run)`;
  };
}

const PIPED =
  'it read standard input (-), which cannot be read again: save it in a file and pass that with --corpus, or use --list dropped';

/** The details contain the advice. */
export function refused(detail: string): MinHashError {
  return new MinHashError({ code: 'APPLY_REFUSED', detail, remedy: '' });
}

/** The advice for a missing PATH of the run, which has probably been moved. */
function whereNow(problem: Problem, corpus: readonly string[] | null): Problem {
  if (problem.code !== 'PATH_MISSING' || corpus !== null) return problem;
  return { ...problem, remedy: MOVED };
}

const MOVED =
  'pass its current paths: --corpus PATH, once for each PATH of the run, in the same order; names and sizes are compared';

const CHANGED =
  'run again, and apply the new result; if the corpus was moved or copied unchanged, pass its path: --corpus PATH';

function notedFiles(folder: string, { inputs }: Stats): Block {
  const block = inputs.files === undefined ? null : inputsIn(inputs.files);
  if (block !== null) return block;
  const detail = `${folder}: its ${STATS_NAME} does not list its inputs; run again`;
  throw new MinHashError({ code: 'RESULT_MISSING', detail });
}

function changed(differing: readonly string[], count: number): MinHashError {
  const details = count > differing.length ? [...differing, `${count - differing.length} more`] : differing;
  return new MinHashError(details.map((detail) => ({ code: 'INPUT_CHANGED', detail, remedy: CHANGED })));
}

/**
 * How files of a moved corpus differ from those of the run, by the names and sizes of the run; a reference is not
 * compared.
 */
function differencesElsewhere(
  files: FileTable,
  recorded: Block,
  stats: Stats,
  digests: Float64Array,
): InputDifferences {
  const references = stats.places.flatMap(({ isReference, prefix }) =>
    isReference ? [binaryOf(prefix)] : [],
  );
  const before = new Map(
    Array.from(recordedFiles(recorded), (file) => [file.id, file] as const).filter(
      ([, { prefix }]) => !references.includes(prefix.replace(/\/$/, '')),
    ),
  );
  files.lookUpRest();
  const changeOf = (old: RecordedFile, _: FileTable, index: number): string | null => {
    digests[index] = old.digest;
    const size = files.sizes[index]!;
    const isSame = old.source === '-' || old.size < 0 || old.size === size;
    return isSame ? null : `${old.size} bytes, now ${size}`;
  };
  return differencesOf(files, before, (index) => files.id(index), changeOf, MOST_NAMED);
}
