/**
 * Checks a finished result against its manifest: length, SHA-256 and rows of every file, missing files, and
 * unknown files.
 *
 * It only reads, never through a link. No checksum covers manifest.json and stats.json, so only their form and
 * consistency are checked.
 */

import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kindOf, MinHashError } from '../errors.js';
import { isPath } from '../options/values.js';
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

/**
 * `missing`, `unknown`: a file that should exist, or should not. `not_a_file`: a link, a folder or a device
 * in its place. `length`, `sha256`, `rows`: the file differs from the manifest. `form`: mr-minhash does not write
 * this form. `counts`: numbers of the manifest that contradict each other.
 */
export type ResultProblemKind =
  | ('missing' | 'unknown' | 'not_a_file' | 'unreadable')
  | ('length' | 'sha256' | 'rows' | 'form' | 'counts');

/** What is wrong with a file of a result. */
export interface ResultProblem {
  /** Relative to the folder, with `/`; as returned by the system. */
  readonly file: string;
  readonly kind: ResultProblemKind;
  readonly expected: string | number | null;
  readonly found: string | number | null;
}

/** The outcome of `verifyResult`; without problems the files are those of the manifest. */
export interface Verification {
  readonly folder: string;
  /** Whether there are no problems. */
  readonly valid: boolean;
  /** Result files in the manifest, and the number of their rows and bytes that were read. */
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** The manifest's rule for accepted near pairs, if it is not the threshold; else null. */
  readonly rule: string | null;
  /** In the order of the files' names; at most one per file of the manifest. */
  readonly problems: readonly ResultProblem[];
}

/** Callbacks during the verification of a result. */
export interface VerifyHooks {
  /** Bytes read so far, of all bytes of the manifest's files; called after every piece. */
  onProgress?(done: number, total: number): void;
}

const problem = (
  file: string,
  kind: ResultProblemKind,
  expected: ResultProblem['expected'] = null,
  found: ResultProblem['found'] = null,
): ResultProblem => ({ file, kind, expected, found });

/** A problem of a result in words; its file is in `folder`, or without one as in the manifest. */
export function problemText({ file, kind, expected, found }: ResultProblem, folder = ''): string {
  const path = join(folder, file);
  if (kind === 'missing') return `${path}: missing`;
  if (kind === 'unknown') return `${path}: not part of the result`;
  if (kind === 'not_a_file') return `${path}: not ${expected ?? 'a regular file'}`;
  if (kind === 'unreadable') return `${path}: cannot be read: ${found}`;
  const name = kind === 'sha256' ? 'SHA-256' : kind;
  const unit = kind === 'length' ? ' bytes' : '';
  return `${path}: ${name}: expected ${expected}${unit}, found ${found}${unit}`;
}

/**
 * Checks a finished result; the problems are in the returned value.
 *
 * @throws MinHashError RESULT_MISSING if there is no folder, or it has no manifest and no _SUCCESS
 */
export async function verifyResult(folder: string, hooks: VerifyHooks = {}): Promise<Verification> {
  refuseNoResult(folder);
  const success = plainSize(folder, SUCCESS_NAME);
  const json = jsonOf(folder, MANIFEST_NAME, manifestFormProblem);
  const manifest = json.value as Manifest | null;
  const problems = [
    ...(typeof success !== 'number'
      ? [success]
      : success > 0
        ? [problem(SUCCESS_NAME, 'length', 0, success)]
        : []),
    ...json.problems,
    ...jsonOf(folder, STATS_NAME, statsFormProblem).problems,
  ];
  const read = { files: 0, rows: 0, bytes: 0 };
  if (manifest !== null) {
    const files = Object.entries(manifest.files);
    const total = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    for (const [name, facts] of files) {
      const own = await tableProblem(folder, name, facts, (bytes) => {
        read.bytes += bytes;
        hooks.onProgress?.(read.bytes, total);
      });
      read.files++;
      if (own === null) read.rows += facts.rows;
      else problems.push(own);
    }
    problems.push(...unknownFiles(folder, manifest), ...contradictions(manifest));
  }
  problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { folder, valid: problems.length === 0, ...read, rule: ruleOf(manifest), problems };
}

/**
 * Checks the files whose names begin with `start` before they are used.
 *
 * @throws MinHashError RESULT_DAMAGED about the first file that differs
 */
export async function checkFiles(folder: string, manifest: Manifest, start: string): Promise<void> {
  for (const name of Object.keys(manifest.files).sort()) {
    if (!name.startsWith(start)) continue;
    const own = await tableProblem(folder, name, manifest.files[name]!, () => undefined);
    if (own !== null) throw new MinHashError({ code: 'RESULT_DAMAGED', detail: problemText(own, folder) });
  }
}

const PIECE = 1 << 20;
const LINE_FEED = 0x0a;
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
 * What is wrong with a table: its length, else its SHA-256, else its rows; null if it equals its entry in the manifest.
 * A file of another length is not read, because it can be arbitrarily large.
 *
 * @param onBytes called after every piece with its number of bytes
 */
async function tableProblem(
  folder: string,
  file: string,
  facts: FileFacts,
  onBytes: (bytes: number) => void,
): Promise<ResultProblem | null> {
  if (file.includes('/') && lstatSync(dirname(join(folder, file)), NO_THROW)?.isDirectory() !== true)
    return problem(file, 'not_a_file', 'a file in a folder of the result');
  const size = plainSize(folder, file);
  if (typeof size !== 'number') return size;
  if (size !== facts.bytes) return problem(file, 'length', facts.bytes, size);
  const hash = createHash('sha256');
  // The first line has the column names.
  let rows = -1;
  try {
    for (const piece of piecesOf(join(folder, file))) {
      hash.update(piece);
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) rows++;
      onBytes(piece.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    return unreadable(file, error);
  }
  const sha256 = hash.digest('hex');
  if (sha256 !== facts.sha256) return problem(file, 'sha256', facts.sha256, sha256);
  return Math.max(0, rows) === facts.rows ? null : problem(file, 'rows', facts.rows, Math.max(0, rows));
}

/** @throws an error that is not the system's */
function unreadable(file: string, error: unknown): ResultProblem {
  const code = systemCodeOf(error);
  if (code === null) throw error;
  return problem(file, 'unreadable', null, plainCauseOf(code));
}

/** The size of a regular file in the folder; the problem of any other entry. */
function plainSize(folder: string, name: string): number | ResultProblem {
  try {
    const stats = lstatSync(join(folder, name), NO_THROW);
    if (stats?.isFile()) return stats.size;
    return problem(name, stats === undefined ? 'missing' : 'not_a_file');
  } catch (error) {
    return unreadable(name, error);
  }
}

/** The manifest's rule for accepted pairs, if it is not the threshold. */
function ruleOf(manifest: Manifest | null): string | null {
  const { agree = null } = manifest?.parameters ?? {};
  return manifest === null || agree === null
    ? null
    : `at least ${agree} of ${sketchFamilyOf(manifest.parameters).units} slots agree`;
}

function refuseNoResult(folder: string): void {
  if (!isPath(folder)) {
    const detail = `folder: expected the path of a folder, got ${kindOf(folder)}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
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

/** A JSON file in canonical form; `value` is null if it is missing or `problemOf` finds something. */
function jsonOf(
  folder: string,
  name: string,
  problemOf: (value: unknown) => string | null,
): { readonly value: unknown; readonly problems: readonly ResultProblem[] } {
  const size = plainSize(folder, name);
  if (typeof size !== 'number') return { value: null, problems: [size] };
  const { bytes } = readPlainFile(join(folder, name), MOST_DOCUMENT);
  const value = bytes === null ? undefined : parsePlainJson(bytes);
  const why = value === undefined ? 'invalid JSON' : problemOf(value);
  if (why !== null)
    return { value: null, problems: [problem(name, 'form', 'the form that mr-minhash writes', why)] };
  const isCanonical = Buffer.compare(bytes!, canonicalJsonBytes(value as object)) === 0;
  return { value, problems: isCanonical ? [] : [problem(name, 'form', 'canonical JSON', 'other JSON')] };
}

function manifestFormProblem(value: unknown): string | null {
  const why = manifestProblem(value);
  if (why !== null) return why;
  const strange = Object.keys((value as Manifest).files).find((name) => !isTableName(name));
  return strange === undefined ? null : `files: ${strange} is not a result file`;
}

function statsFormProblem(value: unknown): string | null {
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

/** Checks the counts of the manifest against each other. */
function contradictions(manifest: Manifest): ResultProblem[] {
  const files = Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts }));
  return countProblems(manifest.counts, files, manifest.numbers).map(({ detail }) =>
    problem(MANIFEST_NAME, 'counts', 'counts that balance', detail),
  );
}
