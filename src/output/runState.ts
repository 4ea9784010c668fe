/**
 * The state of a run in `.work` from which it can be resumed: its parameters and version, and the files it read.
 *
 *      .work/inputs.block   the files, with sizes and times (inputsRecord.ts); written first
 *      .work/run.json       the rest, and the checksum of the inputs: with it the run can be resumed
 *
 * Both are written to a temporary name, synced and renamed, and have a checksum: damage is reported and the
 * file ignored. The other files in `.work` begin with the run's `fingerprint`.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { hexOf } from '../arrays/checksum.js';
import { type Block, checkBlock, sealBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { checkInputs } from '../readers/inputsRecord.js';
import type { LogDamage } from '../store/blockLog.js';
import { checksumOf } from '../store/blockPlace.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
import { makeFolders, writeErrorOf, writeFileAtomic } from '../store/files.js';
import { MOST_NOTE, parsePlainJson, readPlainFile } from '../store/plainFile.js';
import { WORK_NAME } from './fileNames.js';
import {
  canonicalJson,
  canonicalJsonBytes,
  isSourceOrder,
  type ManifestParameters,
  type SourceOrder,
  TOOL,
} from './manifest.js';
import { isObject, type JsonObject, plainBytes } from './replacement.js';

const RUN_NAME = 'run.json';
const INPUTS_NAME = 'inputs.block';

/** The most bytes of a file that can be read whole. */
const MOST_INPUTS = 2 ** 31 - 1;

/** Changes with the format of these two files. */
const FORM = 1;

/** JSON. */
export interface RunState {
  readonly tool: typeof TOOL;
  readonly form: typeof FORM;
  readonly version: string;
  /** Version of the Unicode tables. */
  readonly unicode: string;
  /** Unique for each run; attempts at one run share it. */
  readonly key: string;
  readonly parameters: ManifestParameters;
  /** Present where there are several PATHs. */
  readonly sources?: SourceOrder;
  /** CRC-32 of the inputs, hexadecimal. */
  readonly inputs: string;
}

/** The record of an earlier attempt in `.work`. */
type FoundRun =
  /** No record, or an attempt that ended before it had recorded its inputs. */
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly damage: LogDamage }
  | { readonly kind: 'found'; readonly state: RunState; readonly inputs: Block };

/** The prefix of every durable block of a run: blocks of another run are ignored. */
export function fingerprintOf(state: Pick<RunState, 'version' | 'unicode' | 'key' | 'parameters'>): string {
  const { version, unicode, key, parameters } = state;
  return createHash('sha256')
    .update(canonicalJson({ form: FORM, version, unicode, key, parameters }))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Writes both files into the folder `.work` of an output folder.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export function writeRunState(
  out: string,
  state: Omit<RunState, 'inputs' | 'tool' | 'form'>,
  inputs: Block,
  door: FileDoor = NODE_FILES,
): void {
  const root = join(out, WORK_NAME);
  sealBlock(inputs);
  const bytes = new Uint8Array(inputs.buffer);
  const body = { ...state, tool: TOOL, form: FORM, inputs: hexOf(checksumOf(bytes)) } as const;
  const whole = { ...body, checksum: stateChecksum(body) };
  try {
    makeFolders(root);
    writeFileAtomic(root, INPUTS_NAME, [bytes], door);
    writeFileAtomic(root, RUN_NAME, [canonicalJsonBytes(whole)], door);
    door.syncFolder(root);
  } catch (error) {
    throw writeErrorOf(error, `${WORK_NAME}/${RUN_NAME}`);
  }
}

function stateChecksum(body: object): string {
  return hexOf(checksumOf(canonicalJsonBytes(body)));
}

/** The record in an output folder of an unfinished run. Never throws for its content. */
export function findRun(out: string): FoundRun {
  const state = readState(join(out, WORK_NAME, RUN_NAME));
  if (state === null) return { kind: 'none' };
  if ('expected' in state) return { kind: 'damaged', damage: state };
  const path = join(out, WORK_NAME, INPUTS_NAME);
  const file = readPlainFile(path, MOST_INPUTS);
  const { bytes } = file;
  const found = bytes === null ? (file.why ?? 'no file') : hexOf(checksumOf(bytes));
  if (bytes === null || found !== state.inputs) {
    return { kind: 'damaged', damage: { path, offset: 0, expected: `CRC ${state.inputs}`, found } };
  }
  try {
    return { kind: 'found', state, inputs: checkInputs(checkBlock(ownBuffer(bytes), 'inputs', path)) };
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    return { kind: 'damaged', damage: { path, offset: 0, expected: 'a block of inputs', found: error.code } };
  }
}

/** Whether an unfinished run in `out` recorded enough to be resumed; reads no inputs. */
export function isNoted(out: string): boolean {
  const state = readState(join(out, WORK_NAME, RUN_NAME));
  return state !== null && !('expected' in state) && plainBytes(join(out, WORK_NAME, INPUTS_NAME)) > 0;
}

/** The content of run.json; null if there is none. */
export function readState(file: string): RunState | LogDamage | null {
  const found = readPlainFile(file, MOST_NOTE);
  const damaged = (expected: string, is: string): LogDamage => ({
    path: file,
    offset: 0,
    expected,
    found: is,
  });
  if (found.bytes === null) return found.why === null ? null : damaged('a regular file', found.why);
  const value = parsePlainJson(found.bytes);
  if (value === undefined) return damaged('JSON', `${found.bytes.length} bytes that are none`);
  if (!isObject(value) || !('checksum' in value)) {
    return damaged('an object with a checksum', 'another JSON value');
  }
  const { checksum, ...body } = value;
  const is = stateChecksum(body);
  if (is !== checksum) return damaged(`CRC ${String(checksum)}`, is);
  if (body.tool !== TOOL || body.form !== FORM) return damaged(`form ${FORM}`, `form ${String(body.form)}`);
  return isRunState(body) ? body : damaged('the state of a run', 'another object');
}

function isRunState(body: object): body is RunState {
  const { version, unicode, key, inputs, parameters, sources }: JsonObject = { ...body };
  return (
    [version, unicode, key, inputs].every((text) => typeof text === 'string') &&
    isObject(parameters) &&
    isObject(parameters.shingle) &&
    isSourceOrder(sources) &&
    // Only a `LogDamage` has this field.
    !('expected' in body)
  );
}

/** A small file may be read into a shared pool, but a block must begin where its buffer begins. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
