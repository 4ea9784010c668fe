/**
 * Columns -> rows. A program in memory, words of 32 bits, describes a row:
 *
 *      0 end of the last row written (out)   1 fields   2 address, 3 bytes of the text after each row
 *      4 + 8 f   field f:   0 kind     1 address of its column (entry of row 0)
 *                           2 cells: address of their ends; fractions: address of the empty cell; bytes: how many
 *                           3 cells: address of their bytes; fractions: bytes of the empty cell
 *                           4 address, 5 bytes of the text before it     6, 7 unused
 */
import { copyBytes, millionthsOf, writeInteger, writeMillionths } from './bytes';

const FIELDS: usize = 16;
const FIELD: usize = 32;

const CELLS_8: u32 = 0;
const CELLS_16: u32 = 1;
const CELLS_32: u32 = 2;
const FRACTION: u32 = 3;
const INTEGER: u32 = 4;

function writeCell(to: usize, field: usize, cell: u32): usize {
  const ends = <usize>load<u32>(field, 8) + ((<usize>cell) << 2);
  const start = load<u32>(ends);
  return copyBytes(to, <usize>load<u32>(field, 12) + start, load<u32>(ends, 4) - start);
}

function writeFraction(to: usize, field: usize, value: f64): usize {
  const millionths = millionthsOf(value);
  // False for NaN, the empty cell.
  if (millionths >= 0) return writeMillionths(to, <u32>millionths);
  return copyBytes(to, load<u32>(field, 8), load<u32>(field, 12));
}

function writeField(to: usize, field: usize, row: usize): usize {
  const kind = load<u32>(field);
  const column = <usize>load<u32>(field, 4);
  if (kind === CELLS_32) return writeCell(to, field, load<u32>(column + (row << 2)));
  if (kind === CELLS_16) return writeCell(to, field, <u32>load<u16>(column + (row << 1)));
  if (kind === CELLS_8) return writeCell(to, field, <u32>load<u8>(column + row));
  if (kind === FRACTION) return writeFraction(to, field, load<f64>(column + (row << 3)));
  if (kind === INTEGER) return writeInteger(to, load<u32>(column + (row << 2)));
  const width = <usize>load<u32>(field, 8);
  return copyBytes(to, column + row * width, width);
}

/**
 * Writes the rows [from, end) at `out`, until none remains or one ends at `limit` or beyond; returns the
 * first row not written. Behind `limit` there is room for one row and 16 bytes.
 */
export function formatRows(program: usize, from: u32, end: u32, out: usize, limit: usize): u32 {
  const fields = program + FIELDS;
  const lastField = fields + <usize>load<u32>(program, 4) * FIELD;
  const after = <usize>load<u32>(program, 8);
  const afterLength = <usize>load<u32>(program, 12);
  let row = from;
  while (row < end && out < limit) {
    for (let field = fields; field < lastField; field += FIELD) {
      out = copyBytes(out, load<u32>(field, 16), load<u32>(field, 20));
      out = writeField(out, field, row);
    }
    out = copyBytes(out, after, afterLength);
    row++;
  }
  store<u32>(program, <u32>out);
  return row;
}
