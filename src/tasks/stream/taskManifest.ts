/** The manifest of a job: all inputs of its tasks besides their records and side files. A JSON file, which every task checks. */
import { createHash } from 'node:crypto';
import { MinHashError } from '../../errors.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';
import { StreamedFiles } from './fileColumns.js';

/** Changes whenever the layout of any record does. */
export const RECORD_FORMAT = 22;

/**
 * Where files are split: file f has the splits [begins[f], ends[f]), none if it is refused. A split begins at a byte of its file,
 * and its first line has a number there.
 */
export interface FileSplits {
  readonly begins: readonly number[];
  readonly ends: readonly number[];
  readonly starts: readonly number[];
  readonly firstLines: readonly number[];
}

/** The ranks of two documents, the earlier first, and those of the first members of their classes. */
export interface ToldApart {
  readonly ranks: readonly [earlier: number, later: number];
  readonly firsts: readonly [ofEarlier: number, ofLater: number];
}

/** What the recipe learns during the run and passes to the tasks of later jobs. */
export interface LearntTables {
  /** Null before the first job ends. */
  readonly splits: FileSplits | null;
  /** By file, and behind the last one: how many lines, rows and whole files there are before it; null as long as `splits` is. */
  readonly firsts: readonly number[] | null;
  /** By file, where units are compared: the numbers between two records of it (placesInFiles.ts); null: documents are compared. */
  readonly strides: readonly number[] | null;
  /** Whether two documents may have one id: then the job `names` gives documents their names. */
  readonly areNamed: boolean;
  /** Ranks per range of the output's order: range r begins at rank r * range. */
  readonly range: number;
  /** The suffix of ids that are places, where a record has such an id: "~1"; empty: no id clashes. */
  readonly clashEnd: string;
  /** By range: the first four bytes of its keys, by which an engine brings it to its partition; null: the range's number. */
  readonly routes: readonly number[] | null;
  /** A bucket of at most so many documents pairs all of them; null: the option's value, or with `auto` the least. */
  readonly hotBucket: number | null;
  /** Pairs of documents that decisions tell apart; null: there are none. */
  readonly apart: readonly ToldApart[] | null;
  /** Number of documents with samples, where these are compared; null before it is known. */
  readonly compared: number | null;
  /** Hashes of a range of a set, about: a set with more is split into ranges (largeSets.ts). */
  readonly rangeHashes: number;
  /** Tiles of the earlier documents of pairs, where sets are compared (setPairStages.ts). */
  readonly tiles: number;
  /** File names in the task's folder, by the name of the side file. */
  readonly sides: Readonly<Record<string, string>>;
}

export const NOTHING_LEARNT: LearntTables = {
  ...{ splits: null, firsts: null, strides: null, areNamed: false, range: 1 },
  ...{
    clashEnd: '',
    routes: null,
    hotBucket: null,
    apart: null,
    compared: null,
    rangeHashes: 2 ** 18,
    tiles: 1,
    sides: {},
  },
};

export interface TaskManifest extends LearntTables {
  readonly format: number;
  readonly version: string;
  readonly job: string;
  /** Hash of what all jobs of a run share: parameters, files, version, format. */
  readonly run: string;
  readonly params: ResultParams;
  readonly files: StreamedFiles;
  /** Present: documents have keys in the order of survivors (survivorOrder.ts); absent: their ranks are these keys. */
  readonly hasOrder?: true;
}

export interface SealedManifest extends TaskManifest {
  readonly hash: string;
}

/** The tables of a manifest with an entry a file. The jobs of a run share them, so they are hashed, and may be written, once. */
export type FileTables = Pick<TaskManifest, 'files' | 'splits' | 'firsts' | 'strides'>;

/** A manifest without those tables, and these. */
export function partedManifest<Manifest extends TaskManifest>({
  files,
  splits,
  firsts,
  strides,
  ...own
}: Manifest) {
  return { own, tables: { files, splits, firsts, strides } };
}

const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const hashOf = (value: object): string => hashOfText(JSON.stringify(value));

const TABLE_HASHES = new WeakMap<object, string>();

function tableHash(table: object | null): string | null {
  if (table === null) return null;
  const known = TABLE_HASHES.get(table) ?? hashOf(table);
  TABLE_HASHES.set(table, known);
  return known;
}

/**
 * Parses a table that was written by itself; manifests that have it are checked by the hash of this text.
 *
 * @param from the source of the text, for messages
 * @throws MinHashError TASK_MANIFEST where it is no such table
 */
export function openTable(name: keyof FileTables, text: string, from: string): object {
  const table = tableOf(name, parsed(text, from) as object, from);
  TABLE_HASHES.set(table, hashOfText(text));
  return table;
}

/** A table as tasks use it, of its JSON. */
function tableOf(name: keyof FileTables, json: object, from: string): object {
  if (name !== 'files') return json;
  try {
    return StreamedFiles.from(json as Parameters<typeof StreamedFiles.from>[0]);
  } catch {
    return refuse(from, 'is no table of files');
  }
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return refuse(from, 'is no JSON');
  }
}

function refuse(from: string, why: string): never {
  throw new MinHashError({ code: 'TASK_MANIFEST', detail: `${from}: ${why}` });
}

function manifestHash(manifest: TaskManifest): string {
  const { own, tables } = partedManifest(manifest);
  return hashOf([own, ...Object.values(tables).map(tableHash)]);
}

/** The hash of what all jobs of a run share. */
export function runHash(shared: Pick<TaskManifest, 'format' | 'version' | 'params' | 'files'>): string {
  const { format, version, params, files } = shared;
  return hashOf([format, version, params, tableHash(files)]);
}

export function sealManifest(manifest: TaskManifest): SealedManifest {
  return { ...manifest, hash: manifestHash(manifest) };
}

/**
 * Parses and checks a manifest.
 *
 * @param from the source of the text, for messages
 * @param tables those that the text leaves out
 * @throws MinHashError TASK_MANIFEST where the text is no manifest, is damaged, or is of another version
 */
export function openManifest(
  text: string,
  from: string,
  version: string,
  tables: Partial<FileTables> = {},
): SealedManifest {
  const json = parsed(text, from) as SealedManifest | null;
  if (json === null || typeof json !== 'object') return refuse(from, 'is no manifest');
  const files = tables.files ?? (tableOf('files', json.files, from) as StreamedFiles);
  const found: SealedManifest = { ...json, ...tables, files };
  const { hash, ...manifest } = found;
  if (hash !== manifestHash(manifest)) {
    const what = Object.keys(tables).length > 0 ? 'its content, or a table beside it,' : 'its content';
    return refuse(from, `${what} does not fit its hash`);
  }
  if (manifest.format !== RECORD_FORMAT || manifest.version !== version)
    return refuse(from, `is of version ${manifest.version}, this program is ${version}`);
  return found;
}

/** A bucket of at most so many documents pairs all of them in this job. */
export function hotBucketOfJob({ hotBucket, params }: Pick<TaskManifest, 'hotBucket' | 'params'>): number {
  return hotBucket ?? leastHotBucket(params.hotBucket);
}
