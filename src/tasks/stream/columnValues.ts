/**
 * The values of one row of columns (whether it has a text, its id, its text), as an engine that reads the columns itself passes
 * them to a task:
 *
 *      1 or 0, an ASCII digit   whether it has a text
 *      8 hexadecimal digits     bytes of its id; none or an empty one: 0
 *      the id, the text         as bytes
 *
 * Id and text pass as bytes, UTF-8 or not. In a block, each row follows its length, u32 little-endian.
 */
import type { TextSink } from '../../blocks/documents.js';
import type { ReadParams } from '../../readers/documentSink.js';
import { RecordGiver } from '../../readers/formats/recordGiver.js';

/** Bytes of the length before each row of a block. */
export const ROW_LENGTH = 4;

const HEAD = 9;
const HAS_TEXT = 0x31;
const HAS_NONE = 0x30;

/** Appends a row to a block at `at`; returns where the row ends. */
export function putRow(row: Uint8Array, into: Uint8Array, at: number): number {
  new DataView(into.buffer, into.byteOffset).setUint32(at, row.length, true);
  into.set(row, at + ROW_LENGTH);
  return at + ROW_LENGTH + row.length;
}

/**
 * Gives the rows of a block to the sink, numbered from 0; returns how many rows there are.
 *
 * @throws Error where a row is cut or has another form: a defect of our own, for our own code wrote the block
 */
export function readRows(block: Uint8Array, file: number, params: ReadParams, sink: TextSink): number {
  const giver = new RecordGiver(params, sink, 'JSON_NO_TEXT');
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  let count = 0;
  for (let at = 0; at < block.length; count++) {
    const from = at + ROW_LENGTH;
    at = from + view.getUint32(at, true);
    const row = block.subarray(from, at);
    const textAt = HEAD + idLength(row);
    const [hasText] = row;
    if ((hasText !== HAS_TEXT && hasText !== HAS_NONE) || !(textAt <= row.length))
      throw new Error(`row ${count} of a block has ${row.length} bytes that are no values of columns`);
    const id = textAt === HEAD ? null : giver.id(row, HEAD, textAt);
    const text = { bytes: row, from: textAt, to: row.length, escaped: false };
    giver.give(file, count, id, hasText === HAS_TEXT ? [text] : null, null);
  }
  return count;
}

/** The length of the id; NaN where the row has no eight hexadecimal digits. */
function idLength(row: Uint8Array): number {
  let length = row.length < HEAD ? Number.NaN : 0;
  for (let i = 1; i < HEAD; i++) length = 16 * length + digitOf(row[i]!);
  return length;
}

function digitOf(letter: number): number {
  if (letter >= 0x30 && letter <= 0x39) return letter - 0x30;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : Number.NaN;
}
