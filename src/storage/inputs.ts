/**
 * From PATHs to the list of input files with their ids. Floor 2; must never read a file's content (but the
 * manifest by which a folder is known as a result of ours).
 */
import { resolve } from 'node:path';
import type { ErrorCode, Fault } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { lookUpSizes } from './fileSizes.js';
import { type FileTable, FileTableBuilder, UNKNOWN } from './fileTable.js';
import { fileKind, fileKindOf } from './formats.js';
import { binaryOf, joinPath, nameOf, rootPrefixes } from './ids.js';
import { realPathOf, walkTree } from './walk.js';
import { type PathFilter, pathFilter } from './walkFilter.js';
import { type Root, resolveRoots } from './walkRoots.js';

export type { InputFile } from './fileTable.js';

export interface SkippedPlace {
  /** Id of the file or folder, binary string. */
  readonly place: string;
  readonly code: ErrorCode;
}

export interface Inputs {
  /** In the order of their ids by bytes; of equal ids the one whose path is first comes first. */
  readonly files: FileTable;
  /** In the order of their places by bytes. */
  readonly skipped: SkippedPlace[];
  /** Wrong use: NO_INPUT, PATH_MISSING. Where there is one, the run must not begin. */
  readonly faults: Fault[];
  /**
   * Absolute paths of the PATHs that are read, each once, in their order by bytes; `-` for standard input.
   */
  readonly roots: string[];
}

export type InputParams = Pick<ResultParams, 'input' | 'textFieldGiven' | 'include' | 'exclude'>;

export interface ListOptions {
  /** As typed, in any order. */
  readonly paths: readonly string[];
  /** As typed; need not exist yet. */
  readonly outFolder: string | null;
  readonly params: InputParams;
}

/**
 * Lists the input files of a run, synchronously, and looks up the sizes that a plan needs. The answer depends on the
 * files and on what the PATHs name, not on their order. An empty folder gives no files and no fault.
 */
export function listInputs(options: ListOptions): Inputs {
  const output = options.outFolder === null ? null : realPathOf(binaryOf(resolve(options.outFolder)));
  const { roots, faults } = resolveRoots(options.paths, output);
  const prefixes = rootPrefixes(roots.map((root) => root.absolute));
  const { params } = options;
  const filters = params.include.length > 0 || params.exclude.length > 0;
  const listing: Listing = {
    params,
    filter: filters ? pathFilter(params.include, params.exclude) : null,
    files: new FileTableBuilder(),
    skipped: [],
  };
  // The order of the ids, where no prefix begins another one: then nothing is left to sort.
  const places = roots.map((root, i) => ({ root, prefix: prefixes[i]! }));
  places.sort((a, b) => order(sortKey(a), sortKey(b)));
  for (const { root, prefix } of places) listRoot(root, prefix, output, listing);
  const files = listing.files.finish();
  lookUpSizes(files);
  const { skipped } = listing;
  skipped.sort((a, b) => order(a.place, b.place));
  return { files, skipped, faults, roots: roots.map((root) => root.absolute) };
}

interface Listing {
  readonly params: InputParams;
  /** Null: everything is wanted. */
  readonly filter: PathFilter | null;
  readonly files: FileTableBuilder;
  readonly skipped: SkippedPlace[];
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function sortKey({ root, prefix }: { readonly root: Root; readonly prefix: string }): string {
  return root.kind === 'directory' ? `${prefix}/` : prefix;
}

function listRoot(root: Root, prefix: string, output: string | null, listing: Listing): void {
  const { params, filter, files, skipped } = listing;
  const name = nameOf(root.absolute);
  const place = prefix === '' ? name : prefix;
  const piped = params.input === 'sets' ? 'sets' : 'jsonl';
  if (root.kind === 'stdin') files.addSingle('-', '-', fileKind(piped, false, true), 0);
  else if (root.kind === 'directory') listFolder(root, prefix, place, output, listing);
  else if (filter === null || filter.wants(name)) {
    if (root.kind === 'other') skipped.push({ place, code: 'NOT_A_FILE' });
    else files.addSingle(root.real, place, fileKindOf(name, params), root.bytes);
  }
}

function listFolder(
  root: Root,
  prefix: string,
  place: string,
  output: string | null,
  { params, filter, files, skipped }: Listing,
): void {
  files.addFolder(root.real, prefix);
  walkTree(root.real, output, {
    file(folder, name, bytes) {
      if (filter !== null && !filter.wants(joinPath(folder, name))) return;
      files.addFile(folder, name, fileKindOf(name, params), bytes ?? UNKNOWN);
    },
    skip(relative, code, directory) {
      // A folder is no file, so --include says nothing about it.
      const unwanted = directory ? filter?.excludes(relative) : filter !== null && !filter.wants(relative);
      if (unwanted) return;
      skipped.push({ place: relative === '' ? place : joinPath(prefix, relative), code });
    },
  });
}
