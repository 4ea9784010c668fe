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
import { canonicalJsonBytes, countProblems, type FileFacts, type Manifest, TOOL } from './manifest.js';
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
      plainProblem(folder, name, facts) ??
      (await checkResultFile(folder, name, facts, () => undefined)).problems[0];
    if (first !== undefined)
      throw new MinHashError({ code: 'RESULT_DAMAGED', detail: problemText(first, folder) });
  }
}

/** The error of a file that is found without reading it, because a file of another size can be arbitrarily large. */
function plainProblem(folder: string, name: string, { bytes }: FileFacts): ResultProblem | undefined {
  if (name.includes('/') && lstatSync(dirname(join(folder, name)), NO_THROW)?.isDirectory() !== true)
    return problem(name, 'not_a_file', 'a file in a folder of the result');
  const problems: ResultProblem[] = [];
  const size = plainFile(folder, name, problems)?.size ?? bytes;
  return size === bytes ? problems[0] : problem(name, 'length', bytes, size);
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
): Promise<{ readonly rows: number; readonly problems: readonly ResultProblem[] }> {
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
    return { rows: 0, problems: [problem(file, 'unreadable', null, plainCauseOf(code))] };
  }
  // The first line has the column names.
  const rows = Math.max(0, lines - 1);
  const sha256 = hash.digest('hex');
  const problems: ResultProblem[] = [];
  if (bytes !== facts.bytes) problems.push(problem(file, 'length', facts.bytes, bytes));
  else if (sha256 !== facts.sha256) problems.push(problem(file, 'sha256', facts.sha256, sha256));
  if (rows !== facts.rows) problems.push(problem(file, 'rows', facts.rows, rows));
  return { rows, problems };
}

const LINE_FEED = 0x0a;

const problem = (
  file: string,
  kind: ResultProblemKind,
  expected: ResultProblem['expected'] = null,
  found: ResultProblem['found'] = null,
): ResultProblem => ({ file, kind, expected, found });

/** An error of a result in words; its file is in `folder`, or without one as in the manifest. */
export function problemText({ file, kind, expected, found }: ResultProblem, folder = ''): string {
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
  const problems: ResultProblem[] = [];
  const success = plainFile(folder, SUCCESS_NAME, problems);
  if (success !== null && success.size > 0) {
    problems.push(problem(SUCCESS_NAME, 'length', 0, success.size));
  }
  const manifest = readJson(folder, MANIFEST_NAME, problems, manifestFormProblem) as Manifest | null;
  readJson(folder, STATS_NAME, problems, statsProblem);
  const read = { files: 0, rows: 0, bytes: 0 };
  if (manifest !== null) {
    problems.push(...unknownFiles(folder, manifest));
    await checkEachFile(folder, manifest, problems, read, hooks);
    problems.push(...contradictions(manifest));
  }
  problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return {
    folder,
    sound: problems.length === 0,
    ...read,
    rule: ruleOf(manifest),
    problems,
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
function plainFile(folder: string, name: string, problems: ResultProblem[]): Stats | null {
  try {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) return stats;
    problems.push(problem(name, stats === undefined ? 'missing' : 'not_a_file'));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    problems.push(problem(name, 'unreadable', null, plainCauseOf(code)));
  }
  return null;
}

/** A JSON file in canonical form; null if it is missing or `problemOf` finds an error. */
function readJson(
  folder: string,
  name: string,
  problems: ResultProblem[],
  problemOf: (value: unknown) => string | null,
): unknown {
  if (plainFile(folder, name, problems) === null) return null;
  const { bytes } = readPlainFile(join(folder, name), MOST_DOCUMENT);
  const value = bytes === null ? undefined : parsePlainJson(bytes);
  const violation = value === undefined ? 'invalid JSON' : problemOf(value);
  if (violation !== null) {
    problems.push(problem(name, 'form', 'the form that mr-minhash writes', violation));
    return null;
  }
  if (Buffer.compare(bytes!, canonicalJsonBytes(value as object)) !== 0)
    problems.push(problem(name, 'form', 'canonical JSON', 'other JSON'));
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
function unknownFiles(folder: string, manifest: Manifest): ResultProblem[] {
  const known = [MANIFEST_NAME, STATS_NAME, SUCCESS_NAME];
  return [...entriesIn(folder)].flatMap(({ name, entry }) => {
    if (isPartFolder(name)) return entry.isDirectory() ? [] : [problem(name, 'not_a_file', 'a folder')];
    const isKnown = known.includes(name) || Object.hasOwn(manifest.files, name);
    return isKnown ? [] : [problem(name, 'unknown')];
  });
}

async function checkEachFile(
  folder: string,
  manifest: Manifest,
  problems: ResultProblem[],
  read: { files: number; rows: number; bytes: number },
  hooks: VerifyHooks,
): Promise<void> {
  const names = Object.keys(manifest.files).sort();
  const total = names.reduce((sum, name) => sum + (plainFile(folder, name, [])?.size ?? 0), 0);
  for (const name of names) {
    read.files++;
    // Opening a pipe would wait for a writer forever.
    if (plainFile(folder, name, problems) === null) continue;
    const check = await checkResultFile(folder, name, manifest.files[name]!, (bytes) => {
      read.bytes += bytes;
      hooks.onProgress?.(read.bytes, total);
    });
    read.rows += check.rows;
    problems.push(...check.problems);
  }
}

/** Checks the counts of the manifest against each other. */
function contradictions(manifest: Manifest): ResultProblem[] {
  const files = Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts }));
  return countProblems(manifest.counts, files, manifest.numbers).map(({ detail }) =>
    problem(MANIFEST_NAME, 'counts', 'counts that balance', detail),
  );
}

/**
 * `missing`, `unknown`: a file that should exist, or should not. `not_a_file`: a link, a folder or a device
 * in its place. `length`, `sha256`, `rows`: the file differs from the manifest. `form`: mr-minhash does not write
 * this form. `counts`: numbers of the manifest that contradict each other.
 */
export type ResultProblemKind =
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
export interface ResultProblem {
  /** Relative to the folder, with `/`; as returned by the system. */
  readonly file: string;
  readonly kind: ResultProblemKind;
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
  readonly problems: readonly ResultProblem[];
}
