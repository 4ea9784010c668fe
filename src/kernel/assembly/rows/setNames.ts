/**
 * Names of sets, numbered in order of appearance; src/arrays/hashTable.ts (NameTable) is the reference.
 *
 * The table is a struct of u32 in memory that the glue allocates (src/kernel/wasmNames.ts), with room for the names of a call:
 *
 *       0 places, address     4 their number less one, times 8     8 names, address     12 their number
 *      16 rests, address     20 bytes of rests
 *
 * A place, 8 bytes: number of a name, counted from 1 (0: free), and the high half of its hash. At most half of the places are used.
 * A name, 32 bytes, so that a comparison reads one line of the cache:
 *
 *       0 its first 16 bytes, padded with 0     16 length     20 position of its other bytes in the rests     24 hash u64
 */
const PLACES: usize = 0;
const MASK: usize = 4;
const NAMES: usize = 8;
const COUNT: usize = 12;
const RESTS: usize = 16;
const REST_BYTES: usize = 20;

const NAME_BYTES: u32 = 32;
const HELD: u32 = 16;

// Of a row, as in rowLines.ts.
const ROW_BYTES: usize = 48;
const SET: usize = 8;
const LENGTH: usize = 12;
const HASH: usize = 24;
const HASH_HIGH: usize = 28;

/** Rows whose places are read before their names, so that cache misses overlap. */
const AHEAD: u32 = 64;

/** 16 bytes of 0xff and 16 of 0: from address `16 - n` on they keep n bytes. */
const KEEPING: usize = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0,
]);

/** The first 16 bytes of a name, padded with 0. */
function headOf(from: usize, length: u32): v128 {
  return v128.and(v128.load(from), v128.load(KEEPING + <usize>(HELD - min<u32>(length, HELD))));
}

function haveEqualRests(name: usize, rests: usize, from: usize, length: u32): bool {
  return memory.compare(rests + <usize>load<u32>(name, 20), from + HELD, <usize>(length - HELD)) === 0;
}

/** Whether the name with this number, counted from 1, is that of the row. */
function isNameOf(table: usize, number: u32, row: usize): bool {
  const name = <usize>load<u32>(table, NAMES) + <usize>((number - 1) * NAME_BYTES);
  const from = <usize>load<u32>(row, SET);
  const length = load<u32>(row, LENGTH);
  if (load<u32>(name, 16) !== length) return false;
  if (!i8x16.all_true(i8x16.eq(v128.load(name), headOf(from, length)))) return false;
  return length <= HELD || haveEqualRests(name, <usize>load<u32>(table, RESTS), from, length);
}

function addName(table: usize, row: usize): u32 {
  const number = load<u32>(table, COUNT);
  const name = <usize>load<u32>(table, NAMES) + <usize>(number * NAME_BYTES);
  const from = <usize>load<u32>(row, SET);
  const length = load<u32>(row, LENGTH);
  const used = load<u32>(table, REST_BYTES);
  v128.store(name, headOf(from, length));
  store<u32>(name, length, 16);
  store<u32>(name, used, 20);
  store<u64>(name, load<u64>(row, HASH), 24);
  if (length > HELD) {
    memory.copy(<usize>(load<u32>(table, RESTS) + used), from + HELD, <usize>(length - HELD));
    store<u32>(table, used + length - HELD, REST_BYTES);
  }
  store<u32>(table, number + 1, COUNT);
  return number + 1;
}

/** The number of the name of a row, counted from 1; a new one is added. */
function numberOf(table: usize, row: usize): u32 {
  const places = <usize>load<u32>(table, PLACES);
  const mask = load<u32>(table, MASK);
  const high = load<u32>(row, HASH_HIGH);
  let place = (load<u32>(row, HASH) << 3) & mask;
  for (;;) {
    const number = load<u32>(places + <usize>place);
    if (number === 0) break;
    if (load<u32>(places + <usize>place, 4) === high && isNameOf(table, number, row)) return number;
    place = (place + 8) & mask;
  }
  const added = addName(table, row);
  store<u32>(places + <usize>place, added);
  store<u32>(places + <usize>place, high, 4);
  return added;
}

/** Writes to each row the probable number of its name, by the hash in its place or the next one; 0 if both differ. */
function readPlaces(table: usize, row: usize, end: usize): void {
  const places = <usize>load<u32>(table, PLACES);
  const mask = load<u32>(table, MASK);
  for (; row < end; row += ROW_BYTES) {
    const place = (load<u32>(row, HASH) << 3) & mask;
    const high = load<u32>(row, HASH_HIGH);
    const first = load<u64>(places + <usize>place);
    const second = load<u64>(places + <usize>((place + 8) & mask));
    const other = <u32>(second >> 32) === high ? <u32>second : 0;
    store<u32>(row, <u32>(first >> 32) === high ? <u32>first : other);
  }
}

/** Numbers the names of rows, from 0, and writes each number in place of the kind of its row. */
export function numberRows(table: usize, row: usize, count: u32): void {
  for (const end = row + <usize>count * ROW_BYTES; row < end; ) {
    const stop = min<usize>(end, row + <usize>AHEAD * ROW_BYTES);
    readPlaces(table, row, stop);
    for (; row < stop; row += ROW_BYTES) {
      const known = load<u32>(row);
      const number = known !== 0 && isNameOf(table, known, row) ? known : numberOf(table, row);
      store<u32>(row, number - 1);
    }
  }
}

/** Adds all names to the places, which must be free. */
export function placeNames(table: usize): void {
  const places = <usize>load<u32>(table, PLACES);
  const mask = load<u32>(table, MASK);
  const count = load<u32>(table, COUNT);
  let name = <usize>load<u32>(table, NAMES);
  for (let number: u32 = 1; number <= count; number++) {
    let place = (load<u32>(name, 24) << 3) & mask;
    while (load<u32>(places + <usize>place) !== 0) place = (place + 8) & mask;
    store<u32>(places + <usize>place, number);
    store<u32>(places + <usize>place, load<u32>(name, 28), 4);
    name += NAME_BYTES;
  }
}
