/**
 * The manifest of a job: everything that its tasks are told besides their records. A file of JSON that every task checks.
 */
import { createHash } from 'node:crypto';
import { MinHashError } from '../../errors.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';

/** Changes with the layout of any record. */
export const RECORD_FORMAT = 6;

/** An input file as tasks know it; its index in the list is its number. */
export interface StreamedFile {
  /** As the engine names it: what CorpusRow.file is. */
  readonly uri: string;
  /** Its id, a binary string: one character a byte. */
  readonly id: string;
  readonly bytes: number;
  /** Its format and packing as a number (readers/list/formats.ts), where they are not those that its id says; absent: they are. */
  readonly kind?: number;
  /** In the order of survivors, where that is not the order of places: lower ones first. */
  readonly tier?: number;
  /** Its documents are never dropped. */
  readonly isProtected?: true;
  /** The group of its documents, where there are groups. */
  readonly group?: number;
  /** When it was modified, in milliseconds, where --keep goes by it. */
  readonly time?: number;
}

/** What the recipe learns while it runs, and tasks of later jobs are told. */
export interface LearntTables {
  /** By file: where its splits begin, and the number of the first line of each; known after the first job. */
  readonly splits: readonly (readonly (readonly [start: number, firstLine: number])[])[] | null;
  /** By file: how many lines, rows and whole files there are before it; known with the splits. */
  readonly firsts: readonly number[] | null;
  /** Some record names an id: documents have their names from the job `names`. */
  readonly areNamed: boolean;
  /** Ranks of a range of the order: range r begins with r times as many. */
  readonly range: number;
  /** What ids that are places get behind them where a record has the same: "~1"; empty: nothing clashes. */
  readonly clashEnd: string;
  /** By range: the four bytes that keys of it begin with, so that an engine puts it where it belongs; null: its number. */
  readonly routes: readonly number[] | null;
  /** Documents of a bucket that is paired all with all, at most; null: what was given, or by `auto` the least. */
  readonly hotBucket: number | null;
  /** Side files by name: what they are called in the task's folder. */
  readonly sides: Readonly<Record<string, string>>;
}

/** Before anything is known. */
export const NOTHING_LEARNT: LearntTables = {
  ...{ splits: null, firsts: null, areNamed: false, range: 1 },
  ...{ clashEnd: '', routes: null, hotBucket: null, sides: {} },
};

export interface TaskManifest extends LearntTables {
  readonly format: number;
  /** Of the program. */
  readonly version: string;
  readonly job: string;
  /** Hash of what is the same in all jobs of a run: parameters, files, version, format. */
  readonly run: string;
  readonly params: ResultParams;
  readonly files: readonly StreamedFile[];
  /** Documents have keys by which they survive (survivorOrder.ts); absent: their ranks are these. */
  readonly hasOrder?: true;
}

/** A manifest with the hash of its content. */
export interface SealedManifest extends TaskManifest {
  readonly hash: string;
}

const hashOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** The hash of what all jobs of a run share. */
export function runHash(shared: Pick<TaskManifest, 'format' | 'version' | 'params' | 'files'>): string {
  const { format, version, params, files } = shared;
  return hashOf({ format, version, params, files });
}

export function sealManifest(manifest: TaskManifest): SealedManifest {
  return { ...manifest, hash: hashOf(manifest) };
}

/**
 * The manifest that a text is.
 *
 * @param from what it came from, for messages
 * @throws MinHashError TASK_MANIFEST where it is none, is damaged, or is of another version
 */
export function openManifest(text: string, from: string, version: string): SealedManifest {
  const refuse = (why: string): never => {
    throw new MinHashError({ code: 'TASK_MANIFEST', detail: `${from}: ${why}` });
  };
  let found: SealedManifest;
  try {
    found = JSON.parse(text) as SealedManifest;
  } catch {
    return refuse('is no JSON');
  }
  if (found === null || typeof found !== 'object') return refuse('is no manifest');
  const { hash, ...manifest } = found;
  if (hash !== hashOf(manifest)) return refuse('its content does not fit its hash');
  if (manifest.format !== RECORD_FORMAT || manifest.version !== version)
    return refuse(`is of version ${manifest.version}, this program is ${version}`);
  return found;
}

/** Documents of a bucket that tasks of a job pair all with all, at most. */
export function hotBucketOfJob({ hotBucket, params }: Pick<TaskManifest, 'hotBucket' | 'params'>): number {
  return hotBucket ?? leastHotBucket(params.hotBucket);
}
