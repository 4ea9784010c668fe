/**
 * From PATHs to the list of input files with their ids. Floor 2; must never read a file's content (but the
 * manifest by which a folder is known as a result of ours).
 */
import { resolve } from 'node:path';
import type { ErrorCode, Fault } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { formatOf, type InputFormat } from './formats.js';
import { binaryOf, joinPath, nameOf, rootPrefixes } from './ids.js';
import { realPathOf, walkTree } from './walk.js';
import { type PathFilter, pathFilter } from './walkFilter.js';
import { type Root, resolveRoots } from './walkRoots.js';

/** One input file. JSON-safe; paths and ids are binary strings. */
export interface InputFile {
  /** Absolute path to open; `-` for standard input. */
  readonly path: string;
  /** Id of the file: of the document where the file is one, else what goes before `#`. */
  readonly id: string;
  /** Size when listed; 0 for standard input. */
  readonly bytes: number;
  readonly format: InputFormat;
  readonly gzip: boolean;
  readonly stdin: boolean;
}

export interface SkippedPlace {
  /** Id of the file or folder, binary string. */
  readonly place: string;
  readonly code: ErrorCode;
}

export interface Inputs {
  /** In the order of their ids by bytes; of equal ids the one whose path is first comes first. */
  readonly files: InputFile[];
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
 * Lists the input files of a run, synchronously. The answer depends on the files and on what the PATHs name,
 * not on their order. An empty folder gives no files and no fault.
 */
export function listInputs(options: ListOptions): Inputs {
  const output = options.outFolder === null ? null : realPathOf(binaryOf(resolve(options.outFolder)));
  const { roots, faults } = resolveRoots(options.paths, output);
  const prefixes = rootPrefixes(roots.map((root) => root.absolute));
  const filter = pathFilter(options.params.include, options.params.exclude);
  const files: InputFile[] = [];
  const skipped: SkippedPlace[] = [];
  roots.forEach((root, i) => {
    listRoot(root, prefixes[i]!, output, { params: options.params, filter, files, skipped });
  });
  files.sort((a, b) => order(a.id, b.id) || order(a.path, b.path));
  skipped.sort((a, b) => order(a.place, b.place));
  return { files, skipped, faults, roots: roots.map((root) => root.absolute) };
}

interface Listing {
  readonly params: InputParams;
  readonly filter: PathFilter;
  readonly files: InputFile[];
  readonly skipped: SkippedPlace[];
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function listRoot(root: Root, prefix: string, output: string | null, listing: Listing): void {
  const { params, filter, files, skipped } = listing;
  const name = nameOf(root.absolute);
  const place = prefix === '' ? name : prefix;
  if (root.kind === 'stdin') {
    files.push({ path: '-', id: '-', bytes: 0, format: 'jsonl', gzip: false, stdin: true });
  } else if (root.kind === 'directory') {
    walkTree(root.real, output, {
      file(relative, bytes) {
        if (!filter.wants(relative)) return;
        const path = joinPath(root.real, relative);
        const id = joinPath(prefix, relative);
        files.push({ path, id, bytes, ...formatOf(relative, params), stdin: false });
      },
      skip(relative, code, directory) {
        // A folder is no file, so --include says nothing about it.
        if (directory ? filter.excludes(relative) : !filter.wants(relative)) return;
        skipped.push({ place: relative === '' ? place : joinPath(prefix, relative), code });
      },
    });
  } else if (filter.wants(name)) {
    if (root.kind === 'other') skipped.push({ place, code: 'NOT_A_FILE' });
    else {
      const format = formatOf(name, params);
      files.push({ path: root.real, id: place, bytes: root.bytes, ...format, stdin: false });
    }
  }
}
