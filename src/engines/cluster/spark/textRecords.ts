/** Records as lines of text, hex of the key TAB base64 of the value: the form of datasets that this process writes or reads. */
import { MinHashError } from '../../../errors.js';
import type { DatasetRecord } from '../../job.js';

const CHUNK = 1 << 18;

export async function* recordLines(
  records: AsyncIterable<DatasetRecord> | Iterable<DatasetRecord>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let lines: string[] = [];
  let held = 0;
  for await (const [key, value] of records) {
    const line = `${Buffer.from(key).toString('hex')}\t${Buffer.from(value).toString('base64')}\n`;
    lines.push(line);
    held += line.length;
    if (held < CHUNK) continue;
    yield Buffer.from(lines.join(''), 'latin1');
    lines = [];
    held = 0;
  }
  yield Buffer.from(lines.join(''), 'latin1');
}

/**
 * The records of a file; each owns its memory.
 *
 * @param from name of the file, for messages
 * @throws MinHashError TASK_RECORD with the number of the line
 */
export async function* recordsOfLines(
  chunks: AsyncIterable<Uint8Array>,
  from: string,
): AsyncGenerator<DatasetRecord, void, undefined> {
  let pieces: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      pieces.push(chunk.subarray(at, end));
      at = end + 1;
      yield recordOf(Buffer.concat(pieces).toString('latin1'), from, ++count);
      pieces = [];
    }
    if (at < chunk.length) pieces.push(chunk.slice(at));
  }
  if (pieces.length > 0) refuse(from, count + 1, 'the file ends within it');
}

function recordOf(line: string, from: string, number: number): DatasetRecord {
  const tab = line.indexOf('\t');
  const hex = line.slice(0, Math.max(tab, 0));
  const base64 = line.slice(tab + 1);
  const key = Buffer.from(hex, 'hex');
  const value = Buffer.from(base64, 'base64');
  // Both decoders skip unknown characters.
  const isWhole = 2 * key.length === hex.length && 4 * Math.ceil(value.length / 3) === base64.length;
  if (!isWhole || key.length === 0 || value.length === 0)
    refuse(from, number, 'expected a key in hex, TAB and a value in base64');
  return [key, value];
}

function refuse(from: string, line: number, why: string): never {
  throw new MinHashError({ code: 'TASK_RECORD', detail: `${from}, line ${line}: ${why}` });
}
