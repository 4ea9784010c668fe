/**
 * The PATHs below which documents of a finished result may be opened: PATHs of --corpus, or those recorded in the
 * result if only its user can have written it. Code that opens documents of a result gets the PATHs here and lists
 * their files without following links. It never opens an id or location of a result directly.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { MinHashError, type Problem } from '../errors.js';
import { shellPath, shellQuoted } from '../options/shellWord.js';
import { isPath, shownValue } from '../options/values.js';
import { inputsIn } from '../readers/inputsRecord.js';
import { addressOf, shownPath } from '../readers/list/addresses.js';
import type { CalledRoot, ListOptions, RootPlace } from '../readers/list/inputs.js';
import { binaryOf, bytesOf } from '../readers/list/pathIds.js';
import { realPathOf } from '../readers/list/walk.js';
import { STATS_NAME } from '../result/fileNames.js';
import type { Stats } from '../result/manifest.js';
import { whyNotOurs } from '../store/ownership.js';

/** PATHs to list, and the prefixes of ids of their files if these do not follow from the PATHs. */
export type ResultPaths = Pick<ListOptions, 'paths' | 'against' | 'called'>;

/** The option that sets the PATHs of a result, in the order of the PATHs of the run. */
export interface CorpusOption {
  /**
   * The current paths of the inputs of the run, one for each of its paths, in the same order; for `-` a file with the
   * content of standard input. Default: the paths of the run, if the result belongs to the user of this process and
   * nobody else may write to it.
   */
  readonly corpus?: readonly string[];
}

const TYPED = 'pass the paths of the corpus: --corpus PATH, once for each PATH of the run, in the same order';

/** The problems of the option; empty if it is valid. */
export function corpusProblems({ corpus }: CorpusOption): Problem[] {
  if (corpus === undefined) return [];
  const arePaths =
    Array.isArray(corpus) && corpus.length > 0 && corpus.every((path) => isPath(path) && path !== '-');
  const detail = `--corpus ${shownValue(corpus)}: expected the path of a file or folder`;
  return arePaths ? [] : [{ code: 'OPTION_INVALID', detail }];
}

/**
 * Why inputs recorded in a result must not be opened; null: only the user of this process can have written the result.
 */
export function whyUntrusted(folder: string): string | null {
  const real = realPathOf(binaryOf(folder));
  if (real === null) return `${folder} does not exist`;
  const path = bytesOf(real).toString();
  return whyNotOurs(path) ?? whyNotOurs(join(path, STATS_NAME));
}

/**
 * The PATHs of a result.
 *
 * @throws MinHashError RESULT_UNTRUSTED if others may have written the result; OPTION_INVALID if `corpus` does not have
 * as many PATHs as the run
 */
export function resultPaths(folder: string, stats: Stats, corpus: readonly string[] | null): ResultPaths {
  const { paths, against = [], directory } = stats.inputs;
  if (corpus !== null) {
    // A reference is not part of the corpus, and --corpus does not give its current path.
    return {
      paths: corpus.map((path) => absolutePath(path)),
      against: [],
      called: calledBefore(stats, corpus),
    };
  }
  const why = whyUntrusted(folder);
  if (why !== null) throw new MinHashError({ code: 'RESULT_UNTRUSTED', detail: why, remedy: TYPED });
  const absolute = (path: string): string => absolutePath(path, directory);
  return { paths: paths.map(absolute), against: against.map(absolute) };
}

/** The prefixes of ids that the run gave to files of its PATHs, for the current PATHs. */
function calledBefore(stats: Stats, corpus: readonly string[]): CalledRoot[] {
  const typed = rootsInOrder(stats);
  if (typed.length !== corpus.length) {
    const detail = `--corpus: expected ${typed.length} (${typed.map(({ path }) => path).join(', ')}), in this order; --corpus is repeated, once for each; got ${corpus.length}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
  const problems = typed.flatMap((place, i) => kindProblem(place, corpus[i]!));
  if (problems.length > 0) throw new MinHashError(problems);
  const block = stats.inputs.files === undefined ? null : inputsIn(stats.inputs.files);
  const recorded = (block?.meta.roots ?? []) as readonly (readonly [path: string, prefix: string])[];
  return typed.map((place) => {
    // Statistics are text, but a prefix may have any bytes: the recorded inputs have them.
    const prefix = binaryOf(placePrefix(place));
    const [, own] =
      (recorded.length === 1 && typed.length === 1
        ? recorded[0]
        : recorded.find(([, root]) => root === prefix)) ?? [];
    return { prefix: (own ?? prefix).replace(/\/$/, ''), isPiped: place.kind === 'stdin' };
  });
}

/** The problem of a folder in place of a file of the run, or of a file in place of a folder. */
function kindProblem({ kind, path }: RootPlace, now: string): Problem[] {
  const stats = addressOf(now) === null ? statSync(now, { throwIfNoEntry: false }) : undefined;
  if (stats === undefined || stats.isDirectory() === (kind === 'folder')) return [];
  const what = kind === 'folder' ? 'folder' : 'file';
  const inside = join(now, basename(path));
  const isInside = kind === 'file' && existsSync(inside);
  return [
    {
      code: 'OPTION_INVALID',
      detail: `--corpus ${shownValue(now)}: expected a ${what}, because the run read the ${what} ${path}`,
      remedy: isInside
        ? `pass the file in it: --corpus ${shellPath(inside)}`
        : `pass the current path of that ${what}`,
    },
  ];
}

function placePrefix({ prefix, kind }: RootPlace): string {
  return kind === 'folder' && prefix !== '' ? `${prefix}/` : prefix;
}

/** The PATHs of the run as typed, without the reference and without PATHs below other PATHs. */
function rootsInOrder({ places, inputs }: Stats): RootPlace[] {
  const order = (place: RootPlace): number => inputs.paths.indexOf(place.path);
  return places.filter(({ isReference }) => isReference !== true).sort((a, b) => order(a) - order(b));
}

/** A PATH that is valid in any directory: an absolute path, `-`, or an address without secrets. */
export function absolutePath(path: string, folder = ''): string {
  if (path === '-') return path;
  return addressOf(path) === null ? resolve(folder, path) : shownPath(path);
}

/** How to make a reference of documents from a result. */
export function applyText(folder: string): string {
  return `write them by "mr-minhash apply ${shellQuoted(folder)} --to CLEAN", and name CLEAN instead`;
}
