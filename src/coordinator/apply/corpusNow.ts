/**
 * The files of a finished run as they are now: where statistics say that they were, or where `--corpus` says that they are; refused
 * by name where they are not what the run read.
 *
 *      without --corpus   the same files, with the sizes and times that the run saw
 *      with --corpus      the same files below other PATHs, with the same sizes; times are not looked at, since a copy has its own
 */
import { resolve } from 'node:path';
import { type Block, typedColumns } from '../../blocks/block.js';
import { type Fault, MinHashError } from '../../errors.js';
import { shellPath } from '../../options/shellWord.js';
import { STATS_NAME } from '../../output/fileNames.js';
import type { Manifest, Stats } from '../../output/manifest.js';
import { readStats } from '../../output/readManifest.js';
import { InputsRecord, inputsIn } from '../../readers/inputsRecord.js';
import { tellContents } from '../../readers/list/contents.js';
import { STDIN } from '../../readers/list/fileList.js';
import { FileTable } from '../../readers/list/fileTable.js';
import { fileKind, fileKindOf } from '../../readers/list/formats.js';
import { type InputParams, listInputs, type RootPlace } from '../../readers/list/inputs.js';
import { binaryOf, binaryOfBytes, nameOf, textOf } from '../../readers/list/pathIds.js';
import { findRemote } from '../../readers/list/remoteRoots.js';
import { lookAt } from '../../readers/list/sizes.js';
import { realPathOf } from '../../readers/list/walk.js';
import { PIPED_KINDS } from '../../sketch/params.js';
import { absolutePath } from '../start/noted.js';

/** Differences that are named; more are counted. */
const MOST_NAMED = 5;

/** The inputs of a finished run. */
export interface CorpusNow {
  readonly files: FileTable;
  /** Sizes as the run saw them; UNKNOWN where nobody looked. */
  readonly sizes: Float64Array;
  /** Real paths of PATHs, binary strings; none of standard input. */
  readonly roots: readonly string[];
  /** Whether content may be another although nothing says so. */
  readonly isElsewhere: boolean;
}

const NOTED_COLUMNS = { idOffsets: 'u32', idBytes: 'u8', root: 'u32' } as const;
type NotedRoot = readonly [path: string, prefix: string];

/**
 * Finds the inputs.
 *
 * @param corpus PATHs in the order in which those of the run were given; null: where the run found them
 * @throws MinHashError INPUT_CHANGED naming files, PATH_MISSING, APPLY_REFUSED where the run read what cannot be read again
 */
export async function corpusNow(
  folder: string,
  { parameters }: Manifest,
  corpus: readonly string[] | null,
): Promise<CorpusNow> {
  const stats = readStats(folder);
  const noted = notedFiles(folder, stats);
  const paths = (corpus ?? stats.inputs.paths).map((path) =>
    absolutePath(path, corpus === null ? stats.inputs.directory : ''),
  );
  if (parameters.sql !== null && parameters.sql !== undefined) throw refused(`${folder}: ${queried(folder)}`);
  if (paths.includes('-')) throw refused(`${folder}: ${PIPED}`);
  const { against: reference = [], directory } = stats.inputs;
  const against = reference.map((path) => absolutePath(path, directory));
  await findRemote([...paths, ...against]);
  const inputs = listInputs({ paths, against, outFolder: folder, params: parameters });
  if (inputs.faults.length > 0) throw new MinHashError(inputs.faults.map((fault) => whereNow(fault, corpus)));
  const roots = inputs.roots.map((root) => realPathOf(root) ?? root);
  const sizes = noted.columns.sizes as Float64Array;
  if (corpus === null) {
    const { named, count } = new InputsRecord(inputs.files).differencesFrom(noted, [], MOST_NAMED);
    if (count > 0) throw changed(named, count);
    return { files: inputs.files, sizes, roots, isElsewhere: false };
  }
  const files = movedFiles(noted, rootsNow(noted, stats, paths), parameters);
  refuseOthers(files, sizes, inputs.files);
  return { files, sizes, roots, isElsewhere: true };
}

const queried = (folder: string): string =>
  `its documents are rows of a query (--sql): there is no file to write again; mr-minhash apply ${shellPath(folder)} --list dropped names them`;
const PIPED =
  'it read standard input (-), which cannot be read again: save it in a file and name that with --corpus, or list with --list dropped';

/** Details say what to do. */
export function refused(detail: string): MinHashError {
  return new MinHashError({ code: 'APPLY_REFUSED', detail, remedy: '' });
}

/** A PATH of the run that is not there has been moved, most likely. */
function whereNow(fault: Fault, corpus: readonly string[] | null): Fault {
  if (fault.code !== 'PATH_MISSING' || corpus !== null) return fault;
  return { ...fault, remedy: MOVED };
}

const MOVED =
  'say where the corpus is now: --corpus PATH, once for each PATH of the run and in their order; then names and sizes count';

const CHANGED =
  'run again, and apply what that finds; of a corpus that was moved or copied as it was, --corpus PATH says where it is';

function notedFiles(folder: string, { inputs }: Stats): Block {
  const block = inputs.files === undefined ? null : inputsIn(inputs.files);
  if (block !== null) return block;
  const detail = `${folder}: its ${STATS_NAME} does not say what its inputs were (a result of an earlier version?); run again`;
  throw new MinHashError({ code: 'RESULT_MISSING', detail });
}

function changed(named: readonly string[], count: number): MinHashError {
  const details = count > named.length ? [...named, `${count - named.length} more`] : named;
  return new MinHashError(details.map((detail) => ({ code: 'INPUT_CHANGED', detail, remedy: CHANGED })));
}

/** A root of the run where it lies now: a binary string, that of a folder with its slash. */
interface RootNow {
  readonly path: string;
  readonly isReference: boolean;
}

/** Where the roots of the run lie now; a reference stays where it was. */
function rootsNow(noted: Block, stats: Stats, paths: readonly string[]): RootNow[] {
  const typed = givenInOrder(stats);
  if (typed.length !== paths.length) {
    const detail = `--corpus: expected ${typed.length} (${typed.map(({ path }) => path).join(', ')}), in this order; --corpus is repeated, once for each; got ${paths.length}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
  return (noted.meta.roots as readonly NotedRoot[]).map(([, prefix], at, all) => {
    const place =
      all.length === 1 ? typed[0] : stats.places.find((one) => binaryOf(placePrefix(one)) === prefix);
    const isReference = place?.isReference === true;
    const i = place === undefined ? at : typed.indexOf(place);
    const path = isReference ? absolutePath(place.path, stats.inputs.directory) : paths[i]!;
    const real = realPathOf(binaryOf(path)) ?? binaryOf(path);
    return { path: place?.kind === 'folder' ? `${real}/` : real, isReference };
  });
}

function placePrefix({ prefix, kind }: RootPlace): string {
  return kind === 'folder' && prefix !== '' ? `${prefix}/` : prefix;
}

/** The PATHs that the run read, as they were given, but for a reference: one that lies in another is none. */
function givenInOrder({ places, inputs }: Stats): RootPlace[] {
  const order = (place: RootPlace): number => inputs.paths.indexOf(place.path);
  return places.filter(({ isReference }) => isReference !== true).sort((a, b) => order(a) - order(b));
}

/** The files of the run below other roots. What they hold is told as the run told it. */
function movedFiles({ columns, meta }: Block, rootsNow: readonly RootNow[], params: InputParams): FileTable {
  const noted = meta.roots as readonly NotedRoot[];
  const { idOffsets, idBytes, root } = typedColumns({ columns, kind: 'inputs' }, NOTED_COLUMNS);
  const ids = { offsets: idOffsets, bytes: idBytes };
  const roots = noted.map(([, prefix], i) => {
    const { path, isReference } = rootsNow[i]!;
    return { path, pathBytes: Buffer.from(path, 'latin1'), prefix, given: isReference ? 0 : i + 1 };
  });
  const length = root.length;
  const kinds = Uint16Array.from({ length }, (_, i) => {
    const id = binaryOfBytes(idBytes.subarray(idOffsets[i]!, idOffsets[i + 1]!));
    const isPiped = noted[root[i]!]![0] === '-';
    const piped = PIPED_KINDS.find((kind) => kind === params.input) ?? PIPED_KINDS[0];
    return isPiped ? fileKind(piped, null) : fileKindOf(nameOf(id), params);
  });
  const unknown = (): Float64Array => new Float64Array(length).fill(-1);
  const files = new FileTable({ ids, root, kinds, sizes: unknown(), times: unknown() }, roots, 1);
  tellContents(files, params);
  return files;
}

/** Refuses files that are gone or have other sizes, and those that the run did not read. */
function refuseOthers(files: FileTable, sizes: Float64Array, there: FileTable): void {
  const named: string[] = [];
  let count = 0;
  const tell = (path: string, what: string): void => {
    if (++count <= MOST_NAMED) named.push(`${textOf(path)}: ${what}`);
  };
  for (let i = 0; i < files.length; i++) {
    const { size, time } = lookAt(files, i);
    const wasPiped = (files.kinds[i]! & STDIN) !== 0 || files.id(i) === '-';
    if (time < 0 && sizes[i]! >= 0) tell(files.path(i), 'gone');
    else if (!wasPiped && sizes[i]! >= 0 && size !== sizes[i])
      tell(files.path(i), `${sizes[i]} bytes, now ${size}`);
    files.sizes[i] = size;
    files.times[i] = time;
  }
  if (there.length !== files.length) {
    const known = new Set(Array.from({ length: files.length }, (_, i) => files.path(i)));
    for (let i = 0; i < there.length; i++) if (!known.has(there.path(i))) tell(there.path(i), 'new');
  }
  if (count > 0) throw changed(named, count);
}

/** The PATH of an output as far as it is there, links resolved; binary string. */
export function realPlaceOf(path: string): string {
  const absolute = binaryOf(resolve(path));
  for (let at = absolute.length; at > 0; at = absolute.lastIndexOf('/', at - 1)) {
    const real = realPathOf(absolute.slice(0, at));
    if (real !== null) return real === '/' ? absolute.slice(at) : real + absolute.slice(at);
  }
  return absolute;
}
