/**
 * Where the documents of a finished result may be opened: below PATHs that were typed (--corpus), or that the result itself names, where
 * nobody but its user can have written it. Whoever opens a document of a result asks here, and lists what it gets: a walk from a real path
 * that follows no link. No id, place or path of a result is ever opened by itself.
 */
import { join } from 'node:path';
import { type Fault, MinHashError } from '../errors.js';
import { isPath, shownValue } from '../options/values.js';
import { STATS_NAME } from '../output/fileNames.js';
import type { Stats } from '../output/manifest.js';
import { inputsIn } from '../readers/inputsRecord.js';
import type { CalledRoot, ListOptions, RootPlace } from '../readers/list/inputs.js';
import { binaryOf, bytesOf } from '../readers/list/pathIds.js';
import { realPathOf } from '../readers/list/walk.js';
import { whyNotOurs } from '../store/ownership.js';
import { absolutePath } from './start/noted.js';

/** PATHs to list, and what the ids of their files begin with where that does not follow from the PATHs. */
export type ResultPaths = Pick<ListOptions, 'paths' | 'against' | 'called'>;

/** What the PATHs of a result are named by: in the order of those of the run. */
export interface CorpusOption {
  /**
   * Where the inputs of the run are now, a path for each of its paths in their order; a file in the place of `-` that holds what was
   * piped. Default: where they were, if the result belongs to the user who asks and nobody else may write to it.
   */
  readonly corpus?: readonly string[];
}

const TYPED = 'say where the corpus is: --corpus PATH, once for each PATH of the run, in their order';

/** What is wrong with the option. */
export function corpusFaults({ corpus }: CorpusOption): Fault[] {
  if (corpus === undefined) return [];
  const arePaths =
    Array.isArray(corpus) && corpus.length > 0 && corpus.every((path) => isPath(path) && path !== '-');
  const detail = `--corpus ${shownValue(corpus)}: expected the path of a file or folder`;
  return arePaths ? [] : [{ code: 'OPTION_INVALID', detail }];
}

/** Why the inputs that a result names are not opened; null: nobody else can have named them. */
export function whyUntrusted(folder: string): string | null {
  const real = realPathOf(binaryOf(folder));
  if (real === null) return `${folder} is not there`;
  const path = bytesOf(real).toString();
  return whyNotOurs(path) ?? whyNotOurs(join(path, STATS_NAME));
}

/**
 * The PATHs of a result.
 *
 * @throws MinHashError RESULT_UNTRUSTED where others may have named them, OPTION_INVALID for another number of PATHs than the run had
 */
export function resultPaths(folder: string, stats: Stats, corpus: readonly string[] | null): ResultPaths {
  const { paths, against = [], directory } = stats.inputs;
  if (corpus !== null) {
    // A reference is no part of the corpus, and nobody has said where it is.
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

/** What the run called what is now at other PATHs. */
function calledBefore(stats: Stats, corpus: readonly string[]): CalledRoot[] {
  const typed = givenInOrder(stats);
  if (typed.length !== corpus.length) {
    const detail = `--corpus: expected ${typed.length} (${typed.map(({ path }) => path).join(', ')}), in this order; --corpus is repeated, once for each; got ${corpus.length}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
  const block = stats.inputs.files === undefined ? null : inputsIn(stats.inputs.files);
  const noted = (block?.meta.roots ?? []) as readonly (readonly [path: string, prefix: string])[];
  return typed.map((place) => {
    // Statistics are text, and a prefix need not be.
    const prefix = binaryOf(placePrefix(place));
    const [, own] =
      (noted.length === 1 && typed.length === 1 ? noted[0] : noted.find(([, one]) => one === prefix)) ?? [];
    return { prefix: (own ?? prefix).replace(/\/$/, ''), isPiped: place.kind === 'stdin' };
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
