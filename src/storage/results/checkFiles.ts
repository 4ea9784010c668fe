/**
 * Are the files of a result the ones its manifest describes?
 *
 * Floor 2.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { ResultFormat } from '../../sketch/params.js';
import { plainCauseOf, systemCodeOf } from './atomicFile.js';
import type { FileFacts, Manifest } from './manifest.js';
import type { ResultFault } from './resultFaults.js';
import { columnsOf, RowCheck, RowCounter } from './rowCheck.js';

const PIECE = 1 << 20;

function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(PIECE);
  const descriptor = openSync(path, 'r');
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

/** What is wrong with a file, or null. */
function problemOf(path: string, facts: FileFacts): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'it is missing';
  // Opening a pipe would wait for a writer for ever.
  if (!stats.isFile()) return 'it is no regular file';
  if (stats.size !== facts.bytes) return `expected ${facts.bytes} bytes, found ${stats.size}`;
  return sha256Of(path) === facts.sha256 ? null : 'its SHA-256 is another';
}

/**
 * Checks size and SHA-256 of the files whose names begin with `start`.
 *
 * @throws MinHashError RESULT_DAMAGED naming the first that differs
 */
export function checkFiles(folder: string, manifest: Manifest, start: string): void {
  for (const name of Object.keys(manifest.files).sort()) {
    if (!name.startsWith(start)) continue;
    const problem = problemOf(join(folder, name), manifest.files[name]!);
    if (problem !== null) {
      throw new MinHashError({ code: 'RESULT_DAMAGED', detail: `${join(folder, name)}: ${problem}` });
    }
  }
}

/**
 * One file of a result, a regular one, against what the manifest says of it: length, SHA-256 and rows. Where it differs,
 * it is read a second time for the first row that is known to be wrong.
 *
 * @param onBytes told after every piece how many bytes it had
 */
export async function checkResultFile(
  folder: string,
  file: string,
  manifest: Manifest,
  onBytes: (bytes: number) => void,
): Promise<{ readonly rows: number; readonly faults: readonly ResultFault[] }> {
  const facts = manifest.files[file]!;
  const { format } = manifest.parameters;
  const hash = createHash('sha256');
  const prefix = createHash('sha256');
  const counter = new RowCounter(format);
  let bytes = 0;
  try {
    for await (const piece of piecesOf(join(folder, file))) {
      hash.update(piece);
      // Of a file that is too long: whether it begins as it should.
      prefix.update(piece.subarray(0, Math.max(0, facts.bytes - bytes)));
      counter.push(piece);
      bytes += piece.length;
      onBytes(piece.length);
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return { rows: 0, faults: [{ ...NOWHERE, file, kind: 'unreadable', found: plainCauseOf(code) }] };
  }
  const rows = Math.max(0, counter.records - (format === 'jsonl' ? 0 : 1));
  const sha256 = hash.digest('hex');
  if (bytes === facts.bytes && sha256 === facts.sha256) {
    // The bytes are as written, so it is the number in the manifest that is wrong.
    if (rows === facts.rows) return { rows, faults: [] };
    return { rows, faults: [{ ...NOWHERE, file, kind: 'rows', expected: facts.rows, found: rows }] };
  }
  const appended = bytes > facts.bytes && prefix.digest('hex') === facts.sha256;
  const row = appended
    ? null
    : await firstBadRow(join(folder, file), format, columnsOf(file, manifest.parameters.measure) ?? []);
  const place = { offset: appended ? facts.bytes : row === null && bytes < facts.bytes ? bytes : null, row };
  const faults: ResultFault[] = [];
  if (bytes !== facts.bytes)
    faults.push({ file, kind: 'length', ...place, expected: facts.bytes, found: bytes });
  else faults.push({ file, kind: 'sha256', ...place, expected: facts.sha256, found: sha256 });
  if (rows !== facts.rows) faults.push({ ...NOWHERE, file, kind: 'rows', expected: facts.rows, found: rows });
  return { rows, faults };
}

const NOWHERE = { offset: null, row: null, expected: null, found: null } as const;

async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  // Without O_NONBLOCK a pipe that takes the file's place would be waited for.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Where the first row begins that mr-minhash would not have written, or null. */
async function firstBadRow(
  path: string,
  format: ResultFormat,
  columns: readonly string[],
): Promise<number | null> {
  const check = new RowCheck(format, columns);
  for await (const piece of piecesOf(path)) {
    check.push(piece);
    if (check.offset !== null) return check.offset;
  }
  check.end();
  return check.offset;
}
