/**
 * A finished result against its manifest: every file's length, SHA-256 and rows, what is missing, and what is there
 * that should not be.
 *
 * Floor 2. Reads only, never through a link. What nothing vouches for are the manifest's own numbers and
 * stats.json: of those only form and agreement with each other can be told.
 */
import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { agreementUnits } from '../../sketch/sketchKind.js';
import { plainCauseOf, systemCodeOf } from './atomicFile.js';
import { canonicalJsonBytes } from './canonicalJson.js';
import { checkResultFile } from './checkFiles.js';
import { countFaults, type Manifest } from './manifest.js';
import { halfReplacedText } from './outputState.js';
import { manifestProblem } from './readManifest.js';
import { replacementIn } from './replacement.js';
import type { ResultFault, ResultFaultKind, Verification } from './resultFaults.js';
import {
  isLockFile,
  isPartFolder,
  MANIFEST_NAME,
  MARKER_NAME,
  NEW_NAME,
  STATS_NAME,
  SUCCESS_NAME,
  WORK_NAME,
} from './resultNames.js';
import { columnsOf } from './rowCheck.js';

/** A manifest names some dozen files for each million rows; what is larger is none of ours. */
const MOST_JSON_BYTES = 256 << 20;

const fault = (
  file: string,
  kind: ResultFaultKind,
  expected: ResultFault['expected'] = null,
  found: ResultFault['found'] = null,
  offset: number | null = null,
): ResultFault => ({ file, kind, offset, row: null, expected, found });

/** What a program may hear of while a result is verified. */
export interface VerifyHooks {
  /** Bytes read so far of those there are; called after every piece. */
  onProgress?(done: number, total: number): void;
}

/**
 * Checks a finished result; what is wrong is in the answer.
 *
 * @throws MinHashError RESULT_MISSING where the folder is none or has neither manifest nor _SUCCESS
 */
export async function verifyResult(folder: string, hooks: VerifyHooks = {}): Promise<Verification> {
  const entries = entriesOf(folder);
  const halfReplaced = halfReplacedText(folder);
  if (halfReplaced !== null) throw new MinHashError({ code: 'RESULT_MISSING', detail: halfReplaced });
  const faults: ResultFault[] = [];
  const success = plainFile(folder, SUCCESS_NAME, faults);
  if (success !== null && success.size > 0) {
    faults.push(fault(SUCCESS_NAME, 'length', 0, success.size, 0));
  }
  const manifest = readJson(folder, MANIFEST_NAME, faults, manifestFormProblem) as Manifest | null;
  readJson(folder, STATS_NAME, faults, statsProblem);
  const read = { files: 0, rows: 0, bytes: 0 };
  if (manifest !== null) {
    faults.push(...unknownFiles(folder, entries, manifest));
    await checkEachFile(folder, manifest, faults, read, hooks);
    faults.push(...contradictions(manifest));
  }
  faults.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return {
    folder,
    sound: faults.length === 0,
    ...read,
    rule: ruleOf(manifest),
    replacement: replacementIn(folder),
    faults,
  };
}

/** The rule of the manifest for accepted pairs, where it is another than the threshold. */
function ruleOf(manifest: Manifest | null): string | null {
  if (manifest === null) return null;
  const { agree = null } = manifest.parameters;
  return agree === null ? null : `at least ${agree} of ${agreementUnits(manifest.parameters)} slots agree`;
}

function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder);
    if (entries.includes(MANIFEST_NAME) || entries.includes(SUCCESS_NAME)) return entries;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const cause =
      code === 'ENOENT' ? 'no such folder' : code === 'ENOTDIR' ? 'no folder' : plainCauseOf(code);
    throw new MinHashError({ code: 'RESULT_MISSING', detail: `${folder}: ${cause}` }, { cause: error });
  }
  throw new MinHashError({ code: 'RESULT_MISSING', detail: `${folder}: no ${MANIFEST_NAME}` });
}

/** What a name of the folder stands for, if that is a plain file; else the fault is noted. */
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

/** A JSON file in the one spelling that we write; null where it is not there or `problemOf` finds something. */
function readJson(
  folder: string,
  name: string,
  faults: ResultFault[],
  problemOf: (value: unknown) => string | null,
): unknown {
  const stats = plainFile(folder, name, faults);
  if (stats === null) return null;
  const bytes = stats.size > MOST_JSON_BYTES ? null : bytesOf(folder, name);
  const value = bytes === null ? undefined : parsed(bytes);
  const problem = value === undefined ? 'no JSON that can be read' : problemOf(value);
  if (problem !== null) {
    faults.push(fault(name, 'form', 'what mr-minhash writes', problem));
    return null;
  }
  const offset = firstDifference(bytes!, canonicalJsonBytes(value as object));
  if (offset >= 0) faults.push(fault(name, 'form', 'the spelling of mr-minhash', 'another', offset));
  return value;
}

function bytesOf(folder: string, name: string): Buffer | null {
  try {
    return readFileSync(join(folder, name));
  } catch {
    return null;
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Where two byte strings part, or -1. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) if (a[i] !== b[i]) return i;
  return a.length === b.length ? -1 : shorter;
}

function manifestFormProblem(value: unknown): string | null {
  const problem = manifestProblem(value);
  if (problem !== null) return problem;
  const names = Object.keys((value as Manifest).files);
  const strange = names.find((name) => columnsOf(name) === null || !isOwnPlace(name));
  return strange === undefined ? null : `files: ${strange} is no result file`;
}

function isOwnPlace(name: string): boolean {
  const parts = name.split('/');
  return parts.length === 1 || (parts.length === 2 && isPartFolder(parts[0]!));
}

function statsProblem(value: unknown): string | null {
  const tool = typeof value === 'object' && value !== null ? (value as { tool?: unknown }).tool : undefined;
  return tool === 'mr-minhash' ? null : 'tool is not mr-minhash';
}

/** What the manifest does not name. `.work` stays where a run was told to keep it; a lock, where one was killed. */
function unknownFiles(folder: string, entries: readonly string[], manifest: Manifest): ResultFault[] {
  const known = [MANIFEST_NAME, STATS_NAME, SUCCESS_NAME, MARKER_NAME, WORK_NAME, NEW_NAME];
  const faults: ResultFault[] = [];
  for (const name of entries) {
    if (known.includes(name) || isLockFile(name) || Object.hasOwn(manifest.files, name)) continue;
    if (!isPartFolder(name)) faults.push(fault(name, 'unknown'));
    else faults.push(...unknownParts(folder, name, manifest));
  }
  return faults;
}

function unknownParts(folder: string, name: string, manifest: Manifest): ResultFault[] {
  const path = join(folder, name);
  if (!lstatSync(path).isDirectory()) return [fault(name, 'not_a_file', 'a folder')];
  const parts = readdirSync(path).map((part) => `${name}/${part}`);
  return parts.filter((part) => !Object.hasOwn(manifest.files, part)).map((part) => fault(part, 'unknown'));
}

async function checkEachFile(
  folder: string,
  manifest: Manifest,
  faults: ResultFault[],
  read: { files: number; rows: number; bytes: number },
  hooks: VerifyHooks,
): Promise<void> {
  const names = Object.keys(manifest.files).sort();
  const total = names.reduce((sum, name) => sum + sizeOf(folder, name), 0);
  for (const name of names) {
    read.files++;
    if (plainFile(folder, name, faults) === null) continue;
    const found = await checkResultFile(folder, name, manifest, (bytes) => {
      read.bytes += bytes;
      hooks.onProgress?.(read.bytes, total);
    });
    read.rows += found.rows;
    faults.push(...found.faults);
  }
}

function sizeOf(folder: string, name: string): number {
  try {
    return statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** Counts of the manifest against each other. */
function contradictions(manifest: Manifest): ResultFault[] {
  const files = Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts }));
  return countFaults(manifest.counts, files).map(({ detail }) =>
    fault(MANIFEST_NAME, 'counts', 'counts that balance', detail),
  );
}
