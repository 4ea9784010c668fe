/**
 * Lists the input files of PATHs, with their ids. Files are opened only if their name is not enough for their format.
 */
import { resolve } from 'node:path';
import type { ListedLocations } from '../../blocks/ids.js';
import type { ErrorCode, Problem } from '../../errors.js';
import { PIPED_KINDS } from '../../sketch/formatNames.js';
import type { ResultParams } from '../../sketch/params.js';
import { LoopTurns } from '../../store/turns.js';
import { CODECS } from '../bytes/codecs.js';
import type { ReadParams } from '../documentSink.js';
import { RemoteCopies } from '../remote.js';
import { copiedSource } from './addresses.js';
import { detectFormats } from './contents.js';
import { CODEC_BITS, CODEC_SHIFT, type FileKind, PLAIN_TEXT, UNKNOWN } from './fileList.js';
import { type FileTable, FileTableBuilder } from './fileTable.js';
import { type PathFilter, pathFilter } from './filter.js';
import { fileKind, fileKindOf } from './formats.js';
import { type LinkCounts, leftOutLinks } from './links.js';
import type { Root } from './pathIds.js';
import { binaryOf, byBytes, joinPath, nameOf, rootPrefixes, textOf } from './pathIds.js';
import { type Copies, resolveRoots } from './roots.js';
import { lookUpAllSizes, lookUpSizes } from './sizes.js';
import { realPathOf, type TreeVisitor, walkTree } from './walk.js';

export interface SkippedPlace {
  /** Id of the file or folder, binary string. */
  readonly place: string;
  readonly code: ErrorCode;
}

/** Entries below the PATHs that are not read, and are not in the result. */
export interface LeftOut {
  /** Entries whose name begins with a dot. */
  readonly hidden: number;
  /** Symbolic links, by their targets. */
  readonly links: LinkCounts;
  /** Files, and links to files, that --include or --exclude keeps out. */
  readonly unwanted: number;
  /** Folders with results of ours, except the output folder, in the order of the walk. */
  readonly results: readonly string[];
}

/** A PATH, and the prefix of the locations of its documents. */
export interface RootPlace {
  /** Of a folder the prefix of relative paths, empty for a single PATH; else the location itself. */
  readonly prefix: string;
  /** As typed. */
  readonly path: string;
  readonly kind: 'stdin' | 'folder' | 'file';
  /** A PATH of --against; absent: of no reference. */
  readonly isReference?: true;
}

export interface Inputs {
  /** In the order of their places. */
  readonly files: FileTable;
  /** In the order of their places by bytes. */
  readonly skipped: SkippedPlace[];
  /** Usage errors, and missing programs that decompress: the run must not begin. */
  readonly problems: Problem[];
  /**
   * Absolute paths of the PATHs that are read, each once, in their order by bytes; `-` for standard input.
   */
  readonly roots: string[];
  /** These PATHs in the order as typed. */
  readonly places: readonly RootPlace[];
  readonly leftOut: LeftOut;
  /** The links that `leftOut` counts, in the order of the list of what is skipped. */
  readonly links: ListedLocations;
}

export interface InputParams
  extends ReadParams,
    Pick<ResultParams, 'textFieldGiven' | 'include' | 'exclude' | 'records'>,
    Partial<Pick<ResultParams, 'groups'>> {}

/** The prefix that a run gave to the ids of the files of a PATH. */
export interface CalledRoot {
  /** Binary string. */
  readonly prefix: string;
  /** The PATH is a file with what was standard input then. */
  readonly isPiped: boolean;
}

export interface ListOptions {
  /** As typed: documents of earlier ones come first. */
  readonly paths: readonly string[];
  /** As typed: PATHs of the reference, which do not overlap the others. */
  readonly against?: readonly string[];
  /** By PATH; absent: ids follow from the PATHs. */
  readonly called?: readonly CalledRoot[];
  /** As typed; need not exist yet. */
  readonly outFolder: string | null;
  readonly params: InputParams;
  /** Where the temporary folder for copies is made; undefined: in that of the system. */
  readonly copiesIn?: string | undefined;
}

/**
 * Lists the input files, and looks up the sizes that a plan needs. Addresses and pipes are copied first. An empty folder has no files
 * and is not an error.
 *
 * @throws MinHashError INTERRUPTED; WRITE_FAILED, DISK_FULL for copies
 */
export async function listInputs(options: ListOptions, signal?: AbortSignal): Promise<Inputs> {
  const { params, called, against = [] } = options;
  const output = options.outFolder === null ? null : realPathOf(binaryOf(resolve(options.outFolder)));
  const turns = new LoopTurns(signal);
  const remote = new RemoteCopies(signal, options.copiesIn);
  try {
    const copies = await copiesOf(options, remote);
    const { roots, problems } = resolveRoots(options.paths, output, against, copies);
    const [ofPaths, ofReference] = [filterOf(params), referenceFilter(params)];
    const listing: Listing = {
      params,
      turns,
      filterOf: ({ given }) => (given < against.length ? ofReference : ofPaths),
      files: new FileTableBuilder(),
      links: new FileTableBuilder(),
      skipped: [],
      leftOut: { hidden: 0, unwanted: 0, results: [] },
      closed: new Set(output === null ? [] : [output]),
    };
    const { skipped, leftOut, closed } = listing;
    const prefixes = rootPrefixes(roots.map((root) => root.absolute));
    const places = roots.map((root, i) => ({ root, prefix: called?.[root.given]?.prefix ?? prefixes[i]! }));
    places.sort((a, b) => a.root.given - b.root.given);
    for (const { root, prefix } of places)
      if (called?.[root.given]?.isPiped === true && root.kind === 'file')
        listing.files.addSingle(root.real, prefix, pipedKind(params), root.bytes, UNKNOWN, root.given);
      else await listRoot(root, prefix, output, listing);
    const files = listing.files.finish(against.length, remote.close);
    await detectFormats(files, params, turns);
    // If units are compared, a large text is cut, however many files there are.
    if ((params.unit ?? 'document') === 'document') await lookUpSizes(files, turns);
    else await lookUpAllSizes(files, turns);
    skipped.sort((a, b) => byBytes(a.place, b.place));
    // Only now all possible targets of links are known.
    const walked = { roots, closed, filterOf: listing.filterOf };
    const { links, counts, unwanted } = await leftOutLinks(listing.links.finish(), walked, turns);
    return {
      files,
      skipped,
      problems: [...problems, ...missingDecompressors(files)],
      roots: roots.map((root) => root.absolute),
      places: placesOf(roots, against.length),
      leftOut: { ...leftOut, links: counts, unwanted: leftOut.unwanted + unwanted },
      links,
    };
  } catch (error) {
    remote.close();
    throw error;
  }
}

/** Copies the PATHs that are addresses or pipes. */
async function copiesOf({ paths, against = [], params }: ListOptions, remote: RemoteCopies): Promise<Copies> {
  const copies = new Map<string, Awaited<ReturnType<RemoteCopies['copy']>>>();
  const [ofPaths, ofReference] = [filterOf(params), referenceFilter(params)];
  for (const [i, path] of [...paths, ...against].entries()) {
    const source = copiedSource(path);
    if (source === null || copies.has(source)) continue;
    const filter = i < paths.length ? ofPaths : ofReference;
    copies.set(source, await remote.copy(source, (relative) => filter?.wants(relative) ?? true));
  }
  return copies;
}

function filterOf({ include, exclude }: InputParams): PathFilter | null {
  return include.length > 0 || exclude.length > 0 ? pathFilter(include, exclude) : null;
}

/** The filter of files below the PATHs of a reference; null: all are read. */
function referenceFilter({ groups }: InputParams): PathFilter | null {
  const { include = [] } = groups ?? {};
  return include.length > 0 ? pathFilter(include, []) : null;
}

/** A problem for each codec whose program is missing. */
function missingDecompressors(files: FileTable): Problem[] {
  const counts = CODECS.map(() => 0);
  const firsts = CODECS.map(() => -1);
  for (const index of files.ofKind((kind) => (kind & CODEC_BITS) !== 0)) {
    const number = ((files.kinds[index]! & CODEC_BITS) >> CODEC_SHIFT) - 1;
    if (counts[number]!++ === 0) firsts[number] = index;
  }
  return CODECS.flatMap(({ missing }, number) => {
    const count = counts[number]!;
    const remedy = count === 0 ? null : missing();
    if (remedy === null) return [];
    const others = count === 1 ? '' : `, and ${count - 1} more`;
    return [{ code: 'UNPACKER_MISSING', detail: `${textOf(files.id(firsts[number]!))}${others}`, remedy }];
  });
}

/** The PATHs with their prefixes, in the order as typed; those of a reference come first. */
function placesOf(sorted: readonly Root[], references = 0): RootPlace[] {
  const roots = [...sorted].sort((a, b) => a.given - b.given);
  const prefixes = rootPrefixes(roots.map((root) => root.absolute));
  return roots.map((root, i) => {
    const isFolder = root.kind === 'directory';
    const kind = root.kind === 'stdin' ? 'stdin' : isFolder ? 'folder' : 'file';
    if (kind === 'stdin') return { prefix: '-', path: root.typed, kind };
    const prefix = textOf(isFolder ? prefixes[i]! : placeOf(root, prefixes[i]!));
    return { prefix, path: root.typed, kind, ...(root.given < references && { isReference: true }) };
  });
}

/** The place of a PATH itself. */
function placeOf({ absolute }: Root, prefix: string): string {
  return prefix === '' ? nameOf(absolute) : prefix;
}

interface Listing {
  readonly params: InputParams;
  readonly turns: LoopTurns;
  /** The filter of files below a PATH; null: all are read. */
  filterOf(root: Root): PathFilter | null;
  readonly files: FileTableBuilder;
  /** Links of the folders, as files are. */
  readonly links: FileTableBuilder;
  readonly skipped: SkippedPlace[];
  readonly leftOut: { hidden: number; unwanted: number; readonly results: string[] };
  /** Real paths of folders that are not walked: the output folder, and those with results of ours. */
  readonly closed: Set<string>;
}

function pipedKind({ input }: InputParams, isStdin = false): FileKind {
  return fileKind(PIPED_KINDS.find((kind) => kind === input) ?? PIPED_KINDS[0], null, isStdin);
}

async function listRoot(root: Root, prefix: string, output: string | null, listing: Listing): Promise<void> {
  const { params, files, skipped } = listing;
  const filter = listing.filterOf(root);
  const place = placeOf(root, prefix);
  const name = nameOf(place);
  if (root.kind === 'stdin') files.addSingle('-', '-', pipedKind(params, true), 0, UNKNOWN, root.given);
  else if (root.kind === 'directory') await listFolder(root, prefix, place, output, listing);
  else if (filter !== null && !filter.wants(name)) listing.leftOut.unwanted++;
  else {
    if (root.kind === 'other') skipped.push({ place, code: 'NOT_A_FILE' });
    else {
      const address = root.copy ? root.absolute : null;
      files.addSingle(root.real, place, fileKindOf(name, params), root.bytes, UNKNOWN, root.given, address);
    }
  }
}

async function listFolder(
  root: Root,
  prefix: string,
  place: string,
  output: string | null,
  { params, turns, filterOf, files, links, skipped, leftOut, closed }: Listing,
): Promise<void> {
  const filter = filterOf(root);
  files.addFolder(root.real, prefix, root.given, root.copy ? root.absolute : null);
  for (const [relative, code] of root.copy?.missing ?? [])
    skipped.push({ place: joinPath(prefix, binaryOf(relative)), code });
  links.addFolder(root.real, prefix, root.given);
  const visitor: TreeVisitor = {
    file(folder, name) {
      if (filter === null || filter.wants(joinPath(folder, name))) {
        files.addFile(folder, name, fileKindOf(name, params, folder), UNKNOWN);
      } else leftOut.unwanted++;
    },
    link(folder, name) {
      links.addFile(folder, name, PLAIN_TEXT, UNKNOWN);
    },
    skip(relative, code, directory) {
      // --include applies to files only.
      const unwanted = directory
        ? filter?.excludesFolder(relative)
        : filter !== null && !filter.wants(relative);
      if (unwanted) return;
      skipped.push({ place: relative === '' ? place : joinPath(prefix, relative), code });
    },
    leftOut(relative, why) {
      if (why === 'hidden') {
        leftOut.hidden++;
        return;
      }
      closed.add(joinPath(root.real, relative));
      leftOut.results.push(textOf(relative === '' ? place : joinPath(prefix, relative)));
    },
  };
  await walkTree(root.real, output, visitor, turns);
}
