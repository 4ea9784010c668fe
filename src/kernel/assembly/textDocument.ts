// A whole document in one call: text -> its row of the matrix of signatures, its content key and its counts.
//
// What a document costs besides its bytes counts here: a million records of half a kilobyte are a million calls. So
// nothing is called back, and all addresses stand in a plan that the glue (src/kernel/wasmDocuments.ts) writes once:
//
//       0 state      4 unit        8 scheme    12 slots     16 stride    20 constants of the scheme
//      24 raw (room for a signature)          28 folded     32 hashes    36 column
//      40 tokens    44 occurrences            (results, with what the state has)
//
// unit: 0 words, 1 characters, 2 bytes. scheme: 0 fss, 1 classic, 2 oph. Before `hashes` lie zeros, as many as tokens
// of a shingle: the window before the first token. Nobody else writes there.

import { classicUpdate } from './sketchClassic';
import { fssUpdate } from './sketchFss';
import { ophDensify, ophUpdate } from './sketchOph';
import { textAllCharacters, textByteValues, textCharacterValues, textRollCharacters } from './textCyclic';
import { textFoldCharacters } from './textFoldCharacters';
import { textFoldWords } from './textFoldWords';
import { textAllTokens, textFinishKey, textKeyBytes, textRollTokens } from './textRolling';
import { ROLLING, SIZE, SOURCE, textBegin } from './textState';
import { textTokens } from './textTokens';

const STATE: usize = 0;
const UNIT: usize = 4;
const SCHEME: usize = 8;
const SLOTS: usize = 12;
const STRIDE: usize = 16;
const CONSTANTS: usize = 20;
const RAW: usize = 24;
const FOLDED: usize = 28;
const HASHES: usize = 32;
const COLUMN: usize = 36;
const TOKENS: usize = 40;
const OCCURRENCES: usize = 44;

const CHARACTERS: u32 = 1;
const BYTES: u32 = 2;
const CLASSIC: u32 = 1;
const OPH: u32 = 2;

/** Where the text begins: after a byte order mark. */
function textStart(source: usize, end: usize): usize {
  return end - source >= 3 && (load<u32>(source) & 0xffffff) === 0xbfbbef ? source + 3 : source;
}

/** Shingles of `tokens` tokens of which `full` have a whole window. */
function shinglesOf(tokens: u32, full: u32): u32 {
  return full === 0 ? u32(tokens > 0) : full;
}

/** The words of [from, end); false where a segment is left to the glue. */
function wordsOf(plan: usize, state: usize, from: usize, end: usize): bool {
  const folded = <usize>load<u32>(plan, FOLDED);
  const hashes = <usize>load<u32>(plan, HASHES);
  const column = <usize>load<u32>(plan, COLUMN);
  const to = textFoldWords(state, from, end, folded);
  if (<usize>load<u32>(state, SOURCE) !== end) return false;
  const tokens = textTokens(state, folded, to, hashes);
  const skip = min<u32>(tokens, load<u32>(state, SIZE) - 1);
  textRollTokens(state, hashes, tokens, skip, column);
  textFinishKey(state, 0);
  if (tokens === skip && tokens > 0) textAllTokens(state, ROLLING, column);
  store<u32>(plan, tokens, TOKENS);
  store<u32>(plan, shinglesOf(tokens, tokens - skip), OCCURRENCES);
  return true;
}

/** The characters of [from, end), or its bytes; false where a segment is left to the glue. */
function charactersOf(plan: usize, state: usize, from: usize, end: usize, bytes: bool): bool {
  const hashes = <usize>load<u32>(plan, HASHES);
  const column = <usize>load<u32>(plan, COLUMN);
  let tokens: u32;
  if (bytes) {
    textKeyBytes(state, from, end);
    tokens = textByteValues(state, from, end, hashes);
  } else {
    const folded = <usize>load<u32>(plan, FOLDED);
    let to = textFoldCharacters(state, from, end, folded);
    if (<usize>load<u32>(state, SOURCE) !== end) return false;
    if (to > folded && load<u8>(to - 1) === 0x20) to--;
    textKeyBytes(state, folded, to);
    tokens = textCharacterValues(state, folded, to, hashes);
  }
  const skip = min<u32>(tokens, load<u32>(state, SIZE) - 1);
  textRollCharacters(state, hashes, tokens, skip, column);
  textFinishKey(state, 1);
  if (tokens === skip && tokens > 0) textAllCharacters(state, tokens, column);
  store<u32>(plan, tokens, TOKENS);
  store<u32>(plan, shinglesOf(tokens, tokens - skip), OCCURRENCES);
  return true;
}

function fillWords(at: usize, end: usize, value: u32): void {
  for (; at < end; at += 4) store<u32>(at, value);
}

/** Makes `row` the finished signature of the shingles in the column; padding slots become 0xffffffff. */
function sketchRow(plan: usize, row: usize): void {
  const scheme = load<u32>(plan, SCHEME);
  const slots = load<u32>(plan, SLOTS);
  const stride = load<u32>(plan, STRIDE);
  const column = <usize>load<u32>(plan, COLUMN);
  const constants = <usize>load<u32>(plan, CONSTANTS);
  const count = load<u32>(plan, OCCURRENCES);
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
  } else if (scheme === OPH) {
    ophUpdate(row, slots, column, count);
    ophDensify(row, slots, constants, <usize>load<u32>(plan, RAW));
  } else {
    // Padding must never look open.
    fillWords(padding, end, 0);
    fssUpdate(row, slots, column, count, constants);
  }
  fillWords(padding, end, 0xffffffff);
}

/**
 * Sketches the document of `length` bytes (at most a block) at `source` into `row`. 1, or 0 where the document needs
 * the glue: then nothing of the result is valid.
 */
export function textDocument(plan: usize, source: usize, length: u32, row: usize): u32 {
  const state = <usize>load<u32>(plan, STATE);
  const unit = load<u32>(plan, UNIT);
  const end = source + <usize>length;
  textBegin(state, u32(unit === CHARACTERS));
  let done: bool;
  if (unit === BYTES) done = charactersOf(plan, state, source, end, true);
  else if (unit === CHARACTERS) done = charactersOf(plan, state, textStart(source, end), end, false);
  else done = wordsOf(plan, state, textStart(source, end), end);
  if (done) sketchRow(plan, row);
  return u32(done);
}
