/**
 * Lists the input files of PATHs, with their ids. Files are opened only if their name is not enough for their format.
 */
import { resolve } from 'node:path';
import type { ErrorCode, Problem } from '../../errors.js';
import { PIPED_KINDS } from '../../sketch/formatNames.js';
import type { ResultParams } from '../../sketch/params.js';
import { LoopTurns } from '../../store/turns.js';
import { CODECS, codecOfKind } from '../bytes/codecs.js';
import type { ReadParams } from '../documentSink.js';
import { RemoteCopies } from '../remote.js';
import { copiedSource } from './addresses.js';
import { detectFormats } from './contents.js';
import { type FileTable, FileTableBuilder } from './fileTable.js';
import { type PathFilter, pathFilter } from './filter.js';
import { fileKind, fileKindOf } from './formats.js';
import { binaryOf, byBytes, joinPath, nameOf, rootPrefixes, textOf } from './pathIds.js';
import { type Copies, type LinkCode, linkCodes, type Root, resolveRoots } from './roots.js';
import { lookUpSizes } from './sizes.js';
import { realPathOf, walkTree } from './walk.js';

export interface SkippedPlace {
  /** Id of the file or folder, binary string. */
  readonly place: string;
  readonly code: ErrorCode;
}

/** How many symbolic links are skipped, by their targets. */
export interface LinkCounts {
  /** To a file or folder below the PATHs, or to a PATH. */
  readonly inside: number;
  /** To a file or folder that is not below the PATHs. */
  readonly outside: number;
  /** To no file. */
  readonly broken: number;
}

/** Entries below the PATHs that are not read, and are not in the result. */
export interface LeftOut {
  /** Entries whose name begins with a dot. */
  readonly hidden: number;
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
  readonly skipped: readonly SkippedPlace[];
  /** Symbolic links, which are not followed, in the order of their places by bytes. */
  readonly links: readonly SkippedPlace[];
  /** Usage errors, and missing programs that decompress: the run must not begin. */
  readonly problems: Problem[];
  /**
   * Absolute paths of the PATHs that are read, each once, in their order by bytes; `-` for standard input.
   */
  readonly roots: string[];
  /** These PATHs in the order as typed. */
  readonly places: readonly RootPlace[];
  readonly leftOut: LeftOut;
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
  const { params, called, against = [], paths } = options;
  const output = options.outFolder === null ? null : realPathOf(binaryOf(resolve(options.outFolder)));
  const turns = new LoopTurns(signal);
  const remote = new RemoteCopies(signal, options.copiesIn);
  try {
    const copies = await copiesOf(options, remote);
    const { roots, problems } = resolveRoots(paths, output, against, copies);
    const prefixes = rootPrefixes(roots.map((root) => root.absolute));
    const prefixed = roots
      .map((root, i) => ({ ...root, prefix: called?.[root.number]?.prefix ?? prefixes[i]! }))
      .sort((a, b) => a.number - b.number);
    const listing: Listing = {
      ...{ params, turns, output, linkCode: linkCodes(roots, output) },
      ...{ files: new FileTableBuilder(), skipped: [], links: [], results: [], hidden: 0, unwanted: 0 },
    };
    const [ofPaths, ofReference] = filtersOf(params);
    for (const root of prefixed) {
      const filter = root.number < against.length ? ofReference : ofPaths;
      if (root.kind === 'directory') await listFolder(root, filter, listing);
      else listFile(root, filter, called?.[root.number]?.isPiped === true, listing);
    }
    const files = listing.files.finish(against.length, remote.close);
    await detectFormats(files, params, turns);
    // If units are compared, a large text is cut, however many files there are.
    await lookUpSizes(files, turns, (params.unit ?? 'document') !== 'document');
    const { skipped, links, hidden, unwanted, results } = listing;
    for (const list of [skipped, links]) list.sort((a, b) => byBytes(a.place, b.place));
    const count = (code: LinkCode): number => links.filter((link) => link.code === code).length;
    const counts = {
      inside: count('LINK_INSIDE'),
      outside: count('LINK_OUTSIDE'),
      broken: count('LINK_BROKEN'),
    };
    return {
      files,
      skipped,
      links,
      problems: [...problems, ...missingDecompressors(files)],
      roots: roots.map((root) => root.absolute),
      places: prefixed.map((root) => placeOf(root, root.number < against.length)),
      leftOut: { hidden, links: counts, unwanted, results },
    };
  } catch (error) {
    remote.close();
    throw error;
  }
}

/** Copies the PATHs that are addresses or pipes. */
async function copiesOf({ paths, against = [], params }: ListOptions, remote: RemoteCopies): Promise<Copies> {
  const copies = new Map<string, Awaited<ReturnType<RemoteCopies['copy']>>>();
  const [ofPaths, ofReference] = filtersOf(params);
  for (const [i, path] of [...paths, ...against].entries()) {
    const source = copiedSource(path);
    if (source === null || copies.has(source)) continue;
    const filter = i < paths.length ? ofPaths : ofReference;
    copies.set(source, await remote.copy(source, (relative) => filter?.wants(relative) ?? true));
  }
  return copies;
}

/** The filters of files below the PATHs, and below those of a reference; null: all are read. */
function filtersOf({
  include,
  exclude,
  groups,
}: InputParams): readonly [PathFilter | null, PathFilter | null] {
  const { include: ofReference = [] } = groups ?? {};
  return [
    include.length > 0 || exclude.length > 0 ? pathFilter(include, exclude) : null,
    ofReference.length > 0 ? pathFilter(ofReference, []) : null,
  ];
}

/** A problem for each codec whose program is missing. */
function missingDecompressors(files: FileTable): Problem[] {
  return CODECS.flatMap(({ name, missing }) => {
    const compressed = [...files.ofKind((kind) => codecOfKind(kind) === name)];
    const remedy = compressed.length === 0 ? null : missing();
    if (remedy === null) return [];
    const others = compressed.length === 1 ? '' : `, and ${compressed.length - 1} more`;
    return [{ code: 'UNPACKER_MISSING', detail: `${textOf(files.id(compressed[0]!))}${others}`, remedy }];
  });
}

/** A root with the prefix of the ids of its files. */
type PrefixedRoot = Root & { readonly prefix: string };

function placeOf(root: PrefixedRoot, isReference: boolean): RootPlace {
  const { kind, typed: path } = root;
  if (kind === 'stdin') return { prefix: '-', path, kind };
  const isFolder = kind === 'directory';
  const prefix = textOf(isFolder ? root.prefix : idOf(root));
  return { prefix, path, kind: isFolder ? 'folder' : 'file', ...(isReference && { isReference }) };
}

/** The id of a PATH itself. */
function idOf({ absolute, prefix }: PrefixedRoot): string {
  return prefix === '' ? nameOf(absolute) : prefix;
}

interface Listing {
  readonly params: InputParams;
  readonly turns: LoopTurns;
  /** Real path of the output folder; null: it does not exist. */
  readonly output: string | null;
  readonly linkCode: ReturnType<typeof linkCodes>;
  readonly files: FileTableBuilder;
  readonly skipped: SkippedPlace[];
  readonly links: SkippedPlace[];
  readonly results: string[];
  hidden: number;
  unwanted: number;
}

function listFile(root: PrefixedRoot, filter: PathFilter | null, isPiped: boolean, listing: Listing): void {
  const { files, skipped, params } = listing;
  const { kind, real, number, absolute } = root;
  const piped = PIPED_KINDS.find((name) => name === params.input) ?? PIPED_KINDS[0];
  const id = idOf(root);
  if (kind === 'stdin') files.addSingle('-', '-', fileKind(piped, null, true), number);
  else if (isPiped) files.addSingle(real, root.prefix, fileKind(piped, null), number);
  else if (filter !== null && !filter.wants(nameOf(id))) listing.unwanted++;
  else if (kind === 'other') skipped.push({ place: id, code: 'NOT_A_FILE' });
  else files.addSingle(real, id, fileKindOf(nameOf(id), params), number, root.copy ? absolute : null);
}

async function listFolder(root: PrefixedRoot, filter: PathFilter | null, listing: Listing): Promise<void> {
  const { params, files, skipped, links, results } = listing;
  const { real, prefix, number, copy, absolute } = root;
  const place = (relative: string): string => (relative === '' ? idOf(root) : joinPath(prefix, relative));
  files.addFolder(real, prefix, number, copy ? absolute : null);
  for (const [relative, code] of copy?.missing ?? [])
    skipped.push({ place: place(binaryOf(relative)), code });
  for await (const step of walkTree(real, listing.output, listing.turns)) {
    const { folder } = step;
    if ('isResult' in step) {
      if (step.isResult) results.push(textOf(place(folder)));
      // --include applies to files only.
      else if (filter?.excludesFolder(folder) !== true)
        skipped.push({ place: place(folder), code: 'UNREADABLE' });
      continue;
    }
    for (const name of step.names) {
      // A lookup in an empty map still hashes its key.
      const other = step.others.size === 0 ? undefined : step.others.get(name);
      if (name.startsWith('.')) listing.hidden++;
      else if (filter !== null && !filter.wants(joinPath(folder, name))) listing.unwanted++;
      else if (other === undefined) files.addFile(folder, name, fileKindOf(name, params, folder));
      else {
        const relative = joinPath(folder, name);
        const target = other === 'link' ? realPathOf(joinPath(real, relative)) : null;
        if (other === 'link') links.push({ place: place(relative), code: listing.linkCode(target) });
        else skipped.push({ place: place(relative), code: other });
      }
    }
  }
}
