/**
 * Checks a finished result against its manifest: length, SHA-256 and rows of every file, missing files, and
 * unknown files.
 *
 * It only reads, never through a link. No checksum covers manifest.json and stats.json, so only their form and
 * consistency are checked.
 */

import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { MinHashError } from '../errors.js';
import { sketchFamilyOf } from '../sketch/family.js';
import { plainCauseOf, systemCodeOf } from '../store/files.js';
import { isObject, MOST_DOCUMENT, parsePlainJson, readPlainFile } from '../store/plainFile.js';
import {
  entriesIn,
  isPartFolder,
  isTableName,
  MANIFEST_NAME,
  STATS_NAME,
  SUCCESS_NAME,
} from './fileNames.js';
import { canonicalJsonBytes, countFaults, type FileFacts, type Manifest, TOOL } from './manifest.js';
import { manifestProblem } from './readManifest.js';

const PIECE = 1 << 20;
const NO_THROW = { throwIfNoEntry: false } as const;

/** The bytes of a file in pieces, each valid until the next. */
function* piecesOf(path: string): Generator<Buffer> {
  // Without O_NONBLOCK opening a pipe in place of the file would block.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
      yield buffer.subarray(0, read);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks the files whose names begin with `start` before they are used.
 *
 * @throws MinHashError RESULT_DAMAGED about the first file that differs
 */
export async function checkFiles(folder: string, manifest: Manifest, start: string): Promise<void> {
  for (const name of Object.keys(manifest.files).sort()) {
    if (!name.startsWith(start)) continue;
    const facts = manifest.files[name]!;
    const first =
      plainFault(folder, name, facts) ??
      (await checkResultFile(folder, name, facts, () => undefined)).faults[0];
    if (first !== undefined)
      throw new MinHashError({ code: 'RESULT_DAMAGED', detail: faultText(first, folder) });
  }
}

/** The error of a file that is found without reading it, because a file of another size can be arbitrarily large. */
function plainFault(folder: string, name: string, { bytes }: FileFacts): ResultFault | undefined {
  if (name.includes('/') && lstatSync(dirname(join(folder, name)), NO_THROW)?.isDirectory() !== true)
    return fault(name, 'not_a_file', 'a file in a folder of the result');
  const faults: ResultFault[] = [];
  const size = plainFile(folder, name, faults)?.size ?? bytes;
  return size === bytes ? faults[0] : fault(name, 'length', bytes, size);
}

/**
 * Checks one regular file of a result against its entry in the manifest: length, SHA-256 and rows.
 *
 * @param onBytes called after every piece with its number of bytes
 */
async function checkResultFile(
  folder: string,
  file: string,
  facts: FileFacts,
  onBytes: (bytes: number) => void,
): Promise<{ readonly rows: number; readonly faults: readonly ResultFault[] }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  try {
    for (const piece of piecesOf(join(folder, file))) {
      hash.update(piece);
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) lines++;
      bytes += piece.length;
      onBytes(piece.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return { rows: 0, faults: [fault(file, 'unreadable', null, plainCauseOf(code))] };
  }
  // The first line has the column names.
  const rows = Math.max(0, lines - 1);
  const sha256 = hash.digest('hex');
  const faults: ResultFault[] = [];
  if (bytes !== facts.bytes) faults.push(fault(file, 'length', facts.bytes, bytes));
  else if (sha256 !== facts.sha256) faults.push(fault(file, 'sha256', facts.sha256, sha256));
  if (rows !== facts.rows) faults.push(fault(file, 'rows', facts.rows, rows));
  return { rows, faults };
}

const LINE_FEED = 0x0a;

const fault = (
  file: string,
  kind: ResultFaultKind,
  expected: ResultFault['expected'] = null,
  found: ResultFault['found'] = null,
): ResultFault => ({ file, kind, expected, found });

/** An error of a result in words; its file is in `folder`, or without one as in the manifest. */
export function faultText({ file, kind, expected, found }: ResultFault, folder = ''): string {
  const place = join(folder, file);
  if (kind === 'missing') return `${place}: missing`;
  if (kind === 'unknown') return `${place}: not part of the result`;
  if (kind === 'not_a_file') return `${place}: not ${expected ?? 'a regular file'}`;
  if (kind === 'unreadable') return `${place}: cannot be read: ${found}`;
  const name = kind === 'sha256' ? 'SHA-256' : kind;
  const unit = kind === 'length' ? ' bytes' : '';
  return `${place}: ${name}: expected ${expected}${unit}, found ${found}${unit}`;
}

/** Callbacks during the verification of a result. */
export interface VerifyHooks {
  /** Bytes read so far, of all bytes present; called after every piece. */
  onProgress?(done: number, total: number): void;
}

/**
 * Checks a finished result; the errors are in the returned value.
 *
 * @throws MinHashError RESULT_MISSING if there is no folder, or it has neither manifest nor _SUCCESS
 */
export async function verifyResult(folder: string, hooks: VerifyHooks = {}): Promise<Verification> {
  refuseNoResult(folder);
  const faults: ResultFault[] = [];
  const success = plainFile(folder, SUCCESS_NAME, faults);
  if (success !== null && success.size > 0) {
    faults.push(fault(SUCCESS_NAME, 'length', 0, success.size));
  }
  const manifest = readJson(folder, MANIFEST_NAME, faults, manifestFormProblem) as Manifest | null;
  readJson(folder, STATS_NAME, faults, statsProblem);
  const read = { files: 0, rows: 0, bytes: 0 };
  if (manifest !== null) {
    faults.push(...unknownFiles(folder, manifest));
    await checkEachFile(folder, manifest, faults, read, hooks);
    faults.push(...contradictions(manifest));
  }
  faults.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return {
    folder,
    sound: faults.length === 0,
    ...read,
    rule: ruleOf(manifest),
    faults,
  };
}

/** The manifest's rule for accepted pairs, if it is not the threshold. */
function ruleOf(manifest: Manifest | null): string | null {
  if (manifest === null) return null;
  const { agree = null } = manifest.parameters;
  return agree === null
    ? null
    : `at least ${agree} of ${sketchFamilyOf(manifest.parameters).units} slots agree`;
}

function refuseNoResult(folder: string): void {
  try {
    const entries = readdirSync(folder);
    if (entries.includes(MANIFEST_NAME) || entries.includes(SUCCESS_NAME)) return;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const cause =
      code === 'ENOENT' ? 'no such folder' : code === 'ENOTDIR' ? 'not a folder' : plainCauseOf(code);
    throw new MinHashError({ code: 'RESULT_MISSING', detail: `${folder}: ${cause}` }, { cause: error });
  }
  throw new MinHashError({ code: 'RESULT_MISSING', detail: `${folder}: no ${MANIFEST_NAME}` });
}

/** The stats of a regular file in the folder; any other entry of its name is recorded as an error. */
function plainFile(folder: string, name: string, faults: ResultFault[]): Stats | null {
  try {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) return stats;
    faults.push(fault(name, stats === undefined ? 'missing' : 'not_a_file'));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    faults.push(fault(name, 'unreadable', null, plainCauseOf(code)));
  }
  return null;
}

/** A JSON file in canonical form; null if it is missing or `problemOf` finds an error. */
function readJson(
  folder: string,
  name: string,
  faults: ResultFault[],
  problemOf: (value: unknown) => string | null,
): unknown {
  if (plainFile(folder, name, faults) === null) return null;
  const { bytes } = readPlainFile(join(folder, name), MOST_DOCUMENT);
  const value = bytes === null ? undefined : parsePlainJson(bytes);
  const problem = value === undefined ? 'invalid JSON' : problemOf(value);
  if (problem !== null) {
    faults.push(fault(name, 'form', 'the form that mr-minhash writes', problem));
    return null;
  }
  if (Buffer.compare(bytes!, canonicalJsonBytes(value as object)) !== 0)
    faults.push(fault(name, 'form', 'canonical JSON', 'other JSON'));
  return value;
}

function manifestFormProblem(value: unknown): string | null {
  const problem = manifestProblem(value);
  if (problem !== null) return problem;
  const names = Object.keys((value as Manifest).files);
  const strange = names.find((name) => !isTableName(name));
  return strange === undefined ? null : `files: ${strange} is not a result file`;
}

function statsProblem(value: unknown): string | null {
  return isObject(value) && value.tool === TOOL ? null : `tool is not ${TOOL}`;
}

/** Files that are not in the manifest. */
function unknownFiles(folder: string, manifest: Manifest): ResultFault[] {
  const known = [MANIFEST_NAME, STATS_NAME, SUCCESS_NAME];
  return [...entriesIn(folder)].flatMap(({ name, entry }) => {
    if (isPartFolder(name)) return entry.isDirectory() ? [] : [fault(name, 'not_a_file', 'a folder')];
    const isKnown = known.includes(name) || Object.hasOwn(manifest.files, name);
    return isKnown ? [] : [fault(name, 'unknown')];
  });
}

async function checkEachFile(
  folder: string,
  manifest: Manifest,
  faults: ResultFault[],
  read: { files: number; rows: number; bytes: number },
  hooks: VerifyHooks,
): Promise<void> {
  const names = Object.keys(manifest.files).sort();
  const total = names.reduce((sum, name) => sum + (plainFile(folder, name, [])?.size ?? 0), 0);
  for (const name of names) {
    read.files++;
    // Opening a pipe would wait for a writer forever.
    if (plainFile(folder, name, faults) === null) continue;
    const check = await checkResultFile(folder, name, manifest.files[name]!, (bytes) => {
      read.bytes += bytes;
      hooks.onProgress?.(read.bytes, total);
    });
    read.rows += check.rows;
    faults.push(...check.faults);
  }
}

/** Checks the counts of the manifest against each other. */
function contradictions(manifest: Manifest): ResultFault[] {
  const files = Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts }));
  return countFaults(manifest.counts, files, manifest.numbers).map(({ detail }) =>
    fault(MANIFEST_NAME, 'counts', 'counts that balance', detail),
  );
}

/**
 * `missing`, `unknown`: a file that should exist, or should not. `not_a_file`: a link, a folder or a device
 * in its place. `length`, `sha256`, `rows`: the file differs from the manifest. `form`: mr-minhash does not write
 * this form. `counts`: numbers of the manifest that contradict each other.
 */
export type ResultFaultKind =
  | 'missing'
  | 'unknown'
  | 'not_a_file'
  | 'unreadable'
  | 'length'
  | 'sha256'
  | 'rows'
  | 'form'
  | 'counts';

/** One error of a result on disk. */
export interface ResultFault {
  /** Relative to the folder, with `/`; as returned by the system. */
  readonly file: string;
  readonly kind: ResultFaultKind;
  readonly expected: string | number | null;
  readonly found: string | number | null;
}

/** The outcome of `verifyResult`; without errors the files are those of the manifest. */
export interface Verification {
  readonly folder: string;
  /** Whether there are no errors. */
  readonly sound: boolean;
  /** Result files in the manifest, and the number of their rows and bytes that were read. */
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** The manifest's rule for accepted near pairs, if it is not the threshold; else null. */
  readonly rule: string | null;
  /** In the order of the files' names. */
  readonly faults: readonly ResultFault[];
}
