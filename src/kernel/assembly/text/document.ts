/**
 * Sketches a whole document in one call: text -> its row of the signature matrix, its keys and its counts.
 *
 * The overhead per document matters here: a million records of half a kilobyte are a million calls. Therefore there are no callbacks,
 * and all addresses are in a plan that the glue (src/kernel/text/wasmDocuments.ts) writes once:
 *
 *       0 state      4 unit        8 scheme    12 slots     16 stride    20 constants of the scheme
 *      24 folded    28 hashes    32 column    36 tokens    40 occurrences (results, with those in the state)
 *
 * unit: 0 words, 1 characters, 2 bytes. scheme: 0 fss, 1 classic; stride 0: none, only shingles are computed. `hashes` is preceded by as
 * many zeros as a shingle has tokens: the window before the first token, which is never written.
 *
 * The results of small texts are columns, which the glue reads once for hundreds of texts. Their struct:
 *
 *       0 count      4 most      8 address and 12 end of the room for signatures     16 least tokens
 *      20 file u32  24 tokens u32  28 occurrences f64  32 bytes f64  36 flags u8  40 content keys  44 keys of texts, 16 bytes each
 *      48 end of the row's id in the ids u32  52 ids     56 bytes of ids     60 room for ids in bytes
 */
import {
  FLAGS,
  HAS_ID,
  ID,
  ID_LENGTH,
  KIND,
  RECORD,
  ROW,
  TEXT,
  TEXT_LENGTH,
  TEXT_REPAIRED,
} from '../json/state';
import { classicUpdate } from '../sketch/classic';
import { fssUpdate } from '../sketch/fss';
import { textAllCharacters, textCharacterValues, textRollBytes, textRollCharacters } from './cyclic';
import { textFoldCharacters } from './foldCharacters';
import { textFoldWords } from './foldWords';
import { textKeyAt, textKeyBegin, textKeyEnd, textKeyPush } from './key';
import { textAllTokens, textFinishKey, textKeyBytes, textRollTokens } from './rolling';
import { CONTENT_KEY, REPAIRED, ROLLING, SIZE, SOURCE, TEXT_KEY, textBegin } from './state';
import { textTokens } from './tokens';

const STATE: usize = 0;
const UNIT: usize = 4;
const SCHEME: usize = 8;
const SLOTS: usize = 12;
const STRIDE: usize = 16;
const CONSTANTS: usize = 20;
const FOLDED: usize = 24;
const HASHES: usize = 28;
const COLUMN: usize = 32;
const TOKENS: usize = 36;
const OCCURRENCES: usize = 40;

const COUNT: usize = 0;
const MOST: usize = 4;
const ROOM: usize = 8;
const ROOM_END: usize = 12;
const LEAST: usize = 16;
const ROW_FILE: usize = 20;
const ROW_TOKENS: usize = 24;
const ROW_OCCURRENCES: usize = 28;
const ROW_BYTES: usize = 32;
const ROW_FLAGS: usize = 36;
const ROW_CONTENT_KEY: usize = 40;
const ROW_TEXT_KEY: usize = 44;
const ROW_ID_END: usize = 48;
const IDS: usize = 52;
const ID_BYTES: usize = 56;
const ID_ROOM: usize = 60;

/** Flags of a row, those of src/blocks/documents.ts. */
const WITH_ID: u32 = 1;
const IS_EMPTY: u32 = 2;
const IS_REPAIRED: u32 = 4;

/** The results of `textRow`, as in src/text/shingles.ts. */
const TAKEN: u32 = 0;
const FULL: u32 = 1;
const DOUBTFUL: u32 = 2;
const TOO_SHORT: u32 = 3;
const DECLINED: u32 = 4;

const CHARACTERS: u32 = 1;
const BYTES: u32 = 2;
const CLASSIC: u32 = 1;

/** The position where the text begins: after a byte order mark, if there is one. */
function textStart(source: usize, end: usize): usize {
  return end - source >= 3 && (load<u32>(source) & 0xffffff) === 0xbfbbef ? source + 3 : source;
}

/** The number of shingles of a document: one, of all its tokens, if it has fewer tokens than a shingle. */
function shinglesOf(tokens: u32, size: u32): u32 {
  return tokens < size ? u32(tokens > 0) : tokens - size + 1;
}

/** Hashes the words of [from, end); false if only the glue can normalise a segment. */
function wordsOf(plan: usize, state: usize, from: usize, end: usize): bool {
  const folded = <usize>load<u32>(plan, FOLDED);
  const hashes = <usize>load<u32>(plan, HASHES);
  const column = <usize>load<u32>(plan, COLUMN);
  const to = textFoldWords(state, from, end, folded);
  if (<usize>load<u32>(state, SOURCE) !== end) return false;
  const tokens = textTokens(state, folded, to, hashes);
  const size = load<u32>(state, SIZE);
  textRollTokens(state, hashes, tokens, min<u32>(tokens, size - 1), column);
  textFinishKey(state, 0);
  if (tokens < size) textAllTokens(state, ROLLING, column);
  store<u32>(plan, tokens, TOKENS);
  store<u32>(plan, shinglesOf(tokens, size), OCCURRENCES);
  return true;
}

/** Whether no byte of [at, end) is beyond ASCII. */
function isAscii(at: usize, end: usize): bool {
  for (; end - at >= 16; at += 16) {
    if (i8x16.bitmask(v128.load(at)) !== 0) return false;
  }
  return (<u32>i8x16.bitmask(v128.load(at)) & ((1 << (<u32>(end - at))) - 1)) === 0;
}

/** Writes the shingles and the key of the characters [from, end): single bytes, or any valid UTF-8. */
function shinglesOfCharacters(plan: usize, state: usize, from: usize, end: usize, bytes: bool): void {
  const column = <usize>load<u32>(plan, COLUMN);
  const size = load<u32>(state, SIZE);
  let tokens = <u32>(end - from);
  textKeyBytes(state, from, end);
  textFinishKey(state, 1);
  if (bytes) {
    textRollBytes(state, from, end, column);
  } else {
    const values = <usize>load<u32>(plan, HASHES);
    tokens = textCharacterValues(state, from, end, values);
    textRollCharacters(state, values, tokens, min<u32>(tokens, size - 1), column);
  }
  if (tokens < size) textAllCharacters(state, tokens, column);
  store<u32>(plan, tokens, TOKENS);
  store<u32>(plan, shinglesOf(tokens, size), OCCURRENCES);
}

/** Hashes the characters of [from, end); false if only the glue can normalise a segment. */
function charactersOf(plan: usize, state: usize, from: usize, end: usize): bool {
  const folded = <usize>load<u32>(plan, FOLDED);
  let to = textFoldCharacters(state, from, end, folded);
  if (<usize>load<u32>(state, SOURCE) !== end) return false;
  // A blank at the end is trimmed.
  if (to > folded && load<u8>(to - 1) === 0x20) to--;
  shinglesOfCharacters(plan, state, folded, to, isAscii(folded, to));
  return true;
}

function fillWords(at: usize, end: usize, value: u32): void {
  for (; at < end; at += 4) store<u32>(at, value);
}

/** Writes the finished signature of the `count` shingles in the column to `row`; padding slots become 0xffffffff. */
function sketchRow(plan: usize, row: usize, count: u32): void {
  const scheme = load<u32>(plan, SCHEME);
  const slots = load<u32>(plan, SLOTS);
  const stride = load<u32>(plan, STRIDE);
  const column = <usize>load<u32>(plan, COLUMN);
  const constants = <usize>load<u32>(plan, CONSTANTS);
  const end = row + ((<usize>stride) << 2);
  const padding = row + ((<usize>slots) << 2);
  const empty = i32x4.splat(-1);
  for (let at = row; at < end; at += 64) {
    v128.store(at, empty);
    v128.store(at, empty, 16);
    v128.store(at, empty, 32);
    v128.store(at, empty, 48);
  }
  if (scheme === CLASSIC) {
    classicUpdate(row, stride, column, count, constants);
  } else {
    // Padding slots must never count as open.
    fillWords(padding, end, 0);
    fssUpdate(row, slots, column, count, constants);
  }
  fillWords(padding, end, 0xffffffff);
}

/** Computes the key of the text [from, end) in the struct `key`. */
function textKeyOf(key: usize, from: usize, end: usize): void {
  textKeyBegin(key);
  textKeyPush(key, from, end);
  textKeyEnd(key);
}

/**
 * Writes the shingles of the document of `length` bytes (at most a block) at `source` to the column. Returns
 * 1, or 0 if the document needs the glue: then no result is valid.
 */
function textShingles(plan: usize, source: usize, length: u32): u32 {
  const state = <usize>load<u32>(plan, STATE);
  const unit = load<u32>(plan, UNIT);
  const end = source + <usize>length;
  textBegin(state, u32(unit === CHARACTERS));
  textKeyOf(state + TEXT_KEY, source, end);
  if (unit === BYTES) {
    shinglesOfCharacters(plan, state, source, end, true);
    return 1;
  }
  const from = textStart(source, end);
  return u32(unit === CHARACTERS ? charactersOf(plan, state, from, end) : wordsOf(plan, state, from, end));
}

/** The same; if the plan has a scheme, the shingles are sketched into `row`. */
export function textDocument(plan: usize, source: usize, length: u32, row: usize): u32 {
  const done = textShingles(plan, source, length);
  if (done === 0 || load<u32>(plan, STRIDE) === 0) return done;
  sketchRow(plan, row, load<u32>(plan, OCCURRENCES));
  return 1;
}

/** Whether some byte of [at, end) is 0. */
function hasNul(at: usize, end: usize): bool {
  const zero = i8x16.splat(0);
  for (; end - at >= 16; at += 16) {
    if (v128.any_true(i8x16.eq(v128.load(at), zero))) return true;
  }
  return (<u32>i8x16.bitmask(i8x16.eq(v128.load(at), zero)) & ((1 << (<u32>(end - at))) - 1)) !== 0;
}

/** Whether a text may be an HTML page: begins with `<` after white space. */
function mayBePage(at: usize, end: usize): bool {
  for (at = textStart(at, end); at < end; at++) {
    const byte = load<u8>(at);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte === 0x3c;
  }
  return false;
}

function rowAt(rows: usize, column: usize, row: u32, shift: usize): usize {
  return <usize>load<u32>(rows + column) + ((<usize>row) << shift);
}

/** Whether there is no room in `rows` for another row with a signature of `size` bytes. */
function isFull(rows: usize, size: u32): bool {
  if (load<u32>(rows, COUNT) === load<u32>(rows, MOST)) return true;
  return <usize>load<u32>(rows, ROOM) + <usize>size > <usize>load<u32>(rows, ROOM_END);
}

/**
 * Sketches the document of `length` bytes at `source` into the room of `rows`, or only computes its shingles, and appends its row: TAKEN,
 * DECLINED or TOO_SHORT. `flags`: further flags of the row.
 */
function appendRow(plan: usize, source: usize, length: u32, file: u32, flags: u32, rows: usize): u32 {
  const row = load<u32>(rows, COUNT);
  const room = load<u32>(rows, ROOM);
  if (textDocument(plan, source, length, <usize>room) === 0) return DECLINED;
  const state = <usize>load<u32>(plan, STATE);
  const tokens = load<u32>(plan, TOKENS);
  if (tokens > 0 && tokens < load<u32>(rows, LEAST)) return TOO_SHORT;
  store<u32>(rows, room + (load<u32>(plan, STRIDE) << 2), ROOM);
  store<u32>(rowAt(rows, ROW_FILE, row, 2), file);
  store<u32>(rowAt(rows, ROW_TOKENS, row, 2), tokens);
  store<f64>(rowAt(rows, ROW_OCCURRENCES, row, 3), <f64>load<u32>(plan, OCCURRENCES));
  store<f64>(rowAt(rows, ROW_BYTES, row, 3), <f64>length);
  if (tokens === 0) flags |= IS_EMPTY;
  if (load<u32>(state, REPAIRED) !== 0) flags |= IS_REPAIRED;
  store<u8>(rowAt(rows, ROW_FLAGS, row, 0), <u8>flags);
  v128.store(rowAt(rows, ROW_CONTENT_KEY, row, 4), v128.load(state + CONTENT_KEY));
  v128.store(rowAt(rows, ROW_TEXT_KEY, row, 4), v128.load(textKeyAt(state + TEXT_KEY)));
  store<u32>(rowAt(rows, ROW_ID_END, row, 2), load<u32>(rows, ID_BYTES));
  store<u32>(rows, row + 1, COUNT);
  return TAKEN;
}

/**
 * Appends the row of the document of `length` bytes at `source`. No row is appended if the result is FULL (there is no room), DOUBTFUL
 * (one of the first `probed` bytes is 0, or it may be an HTML page), DECLINED (it needs the glue), or TOO_SHORT (it has tokens, but fewer
 * than the minimum).
 */
export function textRow(plan: usize, source: usize, length: u32, file: u32, probed: u32, rows: usize): u32 {
  if (isFull(rows, load<u32>(plan, STRIDE) << 2)) return FULL;
  const head = source + <usize>min(length, probed);
  if (hasNul(source, head) || mayBePage(source, head)) return DOUBTFUL;
  return appendRow(plan, source, length, file, 0, rows);
}

/**
 * Appends the rows of records, whose places a scan of JSON lines wrote to [line, end); returns their number. It stops before a line that
 * is not a record, has more than `longest` bytes of text, has an id without room, may be an HTML page (unless `pages` is 0), or gets no row.
 */
export function textLines(
  plan: usize,
  line: usize,
  end: usize,
  file: u32,
  longest: u32,
  pages: u32,
  rows: usize,
): u32 {
  const size = load<u32>(plan, STRIDE) << 2;
  const first = line;
  for (; line < end && load<u32>(line, KIND) === RECORD && !isFull(rows, size); line += ROW) {
    const length = load<u32>(line, TEXT_LENGTH);
    if (length > longest) break;
    const source = <usize>load<u32>(line, TEXT);
    if (pages !== 0 && mayBePage(source, source + <usize>length)) break;
    const found = load<u32>(line, FLAGS);
    let flags = (found & TEXT_REPAIRED) !== 0 ? IS_REPAIRED : 0;
    const idLength = (found & HAS_ID) !== 0 ? load<u32>(line, ID_LENGTH) : 0;
    const ids = load<u32>(rows, ID_BYTES);
    if (idLength > load<u32>(rows, ID_ROOM) - ids) break;
    if (idLength > 0) {
      flags |= WITH_ID;
      memory.copy(<usize>load<u32>(rows, IDS) + <usize>ids, <usize>load<u32>(line, ID), idLength);
      store<u32>(rows, ids + idLength, ID_BYTES);
    }
    if (appendRow(plan, source, length, file, flags, rows) !== TAKEN) {
      store<u32>(rows, ids, ID_BYTES);
      break;
    }
  }
  return <u32>((line - first) / ROW);
}
