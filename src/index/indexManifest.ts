/** The manifest of an index, the only file that is replaced. It is checked when it is read, and replaced by rename. */
import { existsSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { hexOf } from '../arrays/checksum.js';
import { MinHashError } from '../errors.js';
import { OPTIONS } from '../options/table.js';
import { checkValue, isPath } from '../options/values.js';
import type { ResultParams } from '../sketch/params.js';
import { type FileSystem, NODE_FILES } from '../store/fileSystem.js';
import { guardWrite, writeFileAtomic } from '../store/files.js';
import { VERSION } from '../store/packageFiles.js';
import { MOST_DOCUMENT, parsePlainJson, readPlainFile } from '../store/plainFile.js';
import { checksumOf } from '../store/platformCrc.js';
import { UNICODE_VERSION } from '../text/unicode/codePoints.js';
import {
  damaged,
  dayOfDate,
  INDEX_ABOUT,
  INDEX_FORMAT,
  INDEX_MANIFEST,
  INDEX_PROCEDURE,
  SEGMENT_FILES,
  type SegmentFile,
} from './format.js';

/** The parameters that are fixed when an index is created, because they decide which documents are found. */
const PINNED = [
  ...(['threshold', 'agree', 'shingle', 'sketch', 'banding', 'hotBucket', 'unit', 'minTokens'] as const),
];
export type PinnedParams = Pick<ResultParams, (typeof PINNED)[number]>;

/** How the sources of a portion are read, beside what is pinned. */
const READING = [
  ...(['textField', 'idField', 'input', 'encoding', 'maxDocument', 'textFormat'] as const),
  ...(['separator', 'quote', 'include', 'exclude', 'records'] as const),
];

/** Where the documents of a portion are read again. */
export interface PortionSources {
  /** Absolute paths, and what the locations of the documents in them begin with. */
  readonly roots: readonly { readonly path: string; readonly prefix: string }[];
  readonly reading: Pick<ResultParams, (typeof READING)[number] | 'textFieldGiven'>;
}

/** A portion: documents that were added together under one name. */
export interface PortionEntry {
  readonly number: number;
  readonly name: string;
  /** YYYY-MM-DD, in UTC. */
  readonly added: string;
  /** Number of added documents, of which some may have been removed. */
  readonly documents: number;
  /** Only in an index without sets. */
  readonly sources?: PortionSources;
}

/** A file outside the segments that belongs to one of them. */
export interface SideFile {
  readonly file: string;
  /** Number of removed rows, or of rows with a separate day. */
  readonly count: number;
}

export interface SegmentEntry {
  readonly name: string;
  readonly rows: number;
  readonly bytes: Readonly<Record<SegmentFile, number>>;
  /** Null if no row is removed. */
  readonly removed: SideFile | null;
  /** Null: each row was last seen when its portion was added. */
  readonly seen: SideFile | null;
}

export interface IndexManifest {
  readonly tool: 'mr-minhash';
  readonly kind: 'index';
  readonly format: number;
  readonly procedure: number;
  readonly unicode: string;
  /** Version of the program that wrote it. */
  readonly version: string;
  readonly parameters: PinnedParams;
  readonly sets: boolean;
  /** Number of the next segment, portion or side file. */
  readonly next: number;
  readonly portions: readonly PortionEntry[];
  /** In the order of adding. */
  readonly segments: readonly SegmentEntry[];
}

export function pinnedOf(params: ResultParams): PinnedParams {
  const { threshold, agree, shingle, sketch, banding, hotBucket, unit, minTokens } = params;
  return { threshold, agree, shingle, sketch, banding, hotBucket, unit, minTokens };
}

export function newManifest(parameters: PinnedParams, sets: boolean): IndexManifest {
  return {
    ...{ tool: 'mr-minhash', kind: 'index', format: INDEX_FORMAT, procedure: INDEX_PROCEDURE },
    ...{ unicode: UNICODE_VERSION, version: VERSION, parameters, sets, next: 1, portions: [], segments: [] },
  };
}

/** Fields that differ, as `name: A in the index, B here`; empty if the parameters are equal. */
export function differences(index: PinnedParams, here: PinnedParams): string[] {
  const lines: string[] = [];
  const compare = (a: unknown, b: unknown, path: string): void => {
    const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
    if (x === y) return;
    if (isRecord(a) && isRecord(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(a[key], b[key], `${path}.${key}`);
    } else lines.push(`${path}: ${shortened(x)} in the index, ${shortened(y)} here`);
  };
  for (const name of PINNED) compare(index[name], here[name], name);
  return lines;
}

const shortened = (text: string | undefined): string =>
  text === undefined ? 'nothing' : text.length > 60 ? `${text.slice(0, 57)}...` : text;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The canonical text of a manifest without the checksum, and its checksum. */
function sealed(manifest: IndexManifest): { readonly text: string; readonly checksum: string } {
  const text = JSON.stringify(manifest);
  return { text, checksum: hexOf(checksumOf(Buffer.from(text))) };
}

/**
 * The manifest of the index in a folder.
 *
 * @throws MinHashError INDEX_MISSING, INDEX_DAMAGED; INDEX_MISMATCH if it is of another format or procedure
 */
export function readIndexManifest(folder: string): IndexManifest {
  const path = join(folder, INDEX_MANIFEST);
  const file = readPlainFile(path, MOST_DOCUMENT);
  if (file.bytes === null && file.why !== null && existsSync(join(folder, INDEX_ABOUT)))
    throw damaged(`${path}: ${file.why}`);
  if (file.bytes === null) {
    const why = file.why === null ? `no ${INDEX_MANIFEST}` : `${INDEX_MANIFEST}: ${file.why}`;
    throw new MinHashError({ code: 'INDEX_MISSING', detail: `${folder}: ${why}` });
  }
  const value = parsePlainJson(file.bytes);
  if (!isRecord(value)) throw damaged(`${path}: not JSON`);
  if (value.tool !== 'mr-minhash' || value.kind !== 'index')
    throw new MinHashError({ code: 'INDEX_MISSING', detail: `${path}: not the manifest of an index` });
  const expected = { format: INDEX_FORMAT, procedure: INDEX_PROCEDURE, unicode: UNICODE_VERSION };
  const others = Object.entries(expected).filter(([name, here]) => value[name] !== here);
  if (others.length > 0) {
    const lines = others.map(
      ([name, here]) => `${name}: ${String(value[name])} in the index, ${here} in this version`,
    );
    throw new MinHashError({ code: 'INDEX_MISMATCH', detail: `${folder}: ${lines.join('; ')}` });
  }
  const { checksum, ...rest } = value;
  const manifest = rest as unknown;
  if (!isManifest(manifest)) throw damaged(`${path}: a field is missing or of another type`);
  if (sealed(manifest).checksum !== checksum) throw damaged(`${path}: its checksum differs`);
  return manifest;
}

/** Whether a folder is an index, possibly damaged: it has the manifest of an index. */
export function isIndex(folder: string): boolean {
  if (!existsSync(join(folder, INDEX_MANIFEST))) return false;
  try {
    readIndexManifest(folder);
    return true;
  } catch (error) {
    return !(error instanceof MinHashError) || error.code !== 'INDEX_MISSING';
  }
}

function areSources(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.roots) || !isRecord(value.reading)) return false;
  const { reading } = value;
  return (
    typeof reading.textFieldGiven === 'boolean' &&
    Array.isArray(reading.include) &&
    Array.isArray(reading.exclude) &&
    value.roots.every(
      (root: unknown) =>
        isRecord(root) && isPath(root.path) && isAbsolute(root.path) && typeof root.prefix === 'string',
    ) &&
    READING.every((name) => {
      const { kind, default: usual } = OPTIONS[name];
      return (usual === null && (reading[name] ?? null) === null) || checkValue(kind, reading[name]).ok;
    })
  );
}

function isManifest(value: unknown): value is IndexManifest {
  if (!isRecord(value)) return false;
  const { parameters, sets, next, portions, segments } = value;
  const isSide = (side: unknown): boolean =>
    side === null ||
    (isRecord(side) && /^(removed|seen)-\d+$/.test(String(side.file)) && isCount(side.count));
  return (
    isRecord(parameters) &&
    isRecord(parameters.banding) &&
    isRecord(parameters.sketch) &&
    isRecord(parameters.shingle) &&
    typeof parameters.threshold === 'number' &&
    typeof sets === 'boolean' &&
    isCount(next) &&
    Array.isArray(portions) &&
    Array.isArray(segments) &&
    portions.every(
      (portion: unknown) =>
        isRecord(portion) &&
        isCount(portion.number) &&
        typeof portion.name === 'string' &&
        dayOfDate(String(portion.added)) !== null &&
        (portion.sources === undefined || areSources(portion.sources)),
    ) &&
    segments.every((segment: unknown) => {
      if (!isRecord(segment)) return false;
      const { bytes } = segment;
      return (
        /^segment-\d+$/.test(String(segment.name)) &&
        isCount(segment.rows) &&
        isRecord(bytes) &&
        SEGMENT_FILES.every((name) => isCount(bytes[name])) &&
        isSide(segment.removed) &&
        isSide(segment.seen)
      );
    })
  );
}

/** Replaces the manifest. @throws MinHashError WRITE_FAILED, DISK_FULL; then the index is unchanged */
export function writeIndexManifest(
  folder: string,
  manifest: IndexManifest,
  system: FileSystem = NODE_FILES,
): void {
  const { text, checksum } = sealed({ ...manifest, version: VERSION });
  const bytes = Buffer.from(`${text.slice(0, -1)},"checksum":"${checksum}"}\n`);
  // The temporary file of a writer that was killed.
  guardWrite(folder, () => rmSync(join(folder, `${INDEX_MANIFEST}.tmp`), { force: true }));
  writeFileAtomic('', join(folder, INDEX_MANIFEST), [bytes], system);
  guardWrite(folder, () => system.syncFolder(folder));
}
