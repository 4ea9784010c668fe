/** Two documents side by side in `view`: whole texts, of which the page holds the parts near the window. */

import { sketchOf } from '../analysis/measures.js';
import { type WholeRow, wholeRows } from '../analysis/result/excerpts.js';
import type { AskedResult } from '../analysis/result/pairTexts.js';
import { isStill, readAgain, streamedRunsOf } from '../analysis/result/pairTexts.js';
import type { StreamedRuns } from '../analysis/result/sharedRuns.js';
import { ByteColumn } from '../arrays/growable.js';
import type { Inputs } from '../readers/list/inputs.js';
import type { Manifest } from '../result/manifest.js';
import type { PairRow } from '../result/readResult.js';
import { resemblanceOf } from '../sketch/similarity.js';
import { escaped, type Markup, numberText } from './markup.js';
import { rowMarkup, setsMarkup } from './pairSection.js';

/** The two documents of a request: ids and places as binary strings. */
export interface AskedPair {
  readonly a: string;
  readonly b: string;
  readonly places: readonly string[];
  /** The row of the pair; null: the documents are no accepted pair. */
  readonly row: PairRow | null;
}

/** Rows that are shown together. */
interface TextPart {
  /** Where the markup of the part ends in the bytes of the markup of all parts. */
  readonly end: number;
  /** About how many lines the part takes. */
  readonly lines: number;
  /** Number of its rows in which the texts differ. */
  readonly differences: number;
}

/** Two texts, or a message in their place. */
export type ShownTexts =
  | {
      readonly state: 'texts';
      readonly runs: Omit<StreamedRuns, 'stretches'>;
      readonly parts: readonly TextPart[];
      /** The markup of all parts in UTF-8: bytes, because it can be large and moves between threads. */
      readonly markup: Uint8Array<ArrayBuffer>;
      readonly differences: number;
      readonly isChanged: boolean;
      /** By band, whether both signatures are equal in its rows; null: the run had no bands, or they cannot be made again. */
      readonly bands: readonly boolean[] | null;
    }
  | { readonly state: 'said'; readonly markup: Markup };

/** The parts of two texts with their markup. */
type PartsOfTexts = Pick<Extract<ShownTexts, { state: 'texts' }>, 'parts' | 'markup'>;

const PART_ROWS = 40;
const PART_LENGTH = 6000;
/** Characters of a line of a cell in a wide window. */
const LINE = 62;

const isDifferent = ({ a, b }: WholeRow): boolean => [...a, ...b].some(({ kind }) => kind !== 'shared');
const lengthOf = (pieces: WholeRow['a']): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

/** About how many lines a cell takes. */
function linesOf(pieces: WholeRow['a']): number {
  return pieces
    .map(({ text }) => text)
    .join('')
    .replace(/\n$/, '')
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0);
}

function partsOf(rows: Iterable<WholeRow>): PartsOfTexts {
  const parts: TextPart[] = [];
  const markup = new ByteColumn();
  let open: WholeRow[] = [];
  let length = 0;
  const end = (): void => {
    if (open.length === 0) return;
    const lines = open.reduce((sum, { a, b }) => sum + Math.max(linesOf(a), linesOf(b)), 0);
    const rowsOfPart = open.map((row) => rowMarkup(row, isDifferent(row) ? ' different' : ''));
    markup.append(Buffer.from(rowsOfPart.join('\n')));
    parts.push({ end: markup.length, lines, differences: open.filter(isDifferent).length });
    open = [];
    length = 0;
  };
  for (const row of rows) {
    open.push(row);
    length += Math.max(lengthOf(row.a), lengthOf(row.b));
    if (open.length >= PART_ROWS || length >= PART_LENGTH) end();
  }
  end();
  return { parts, markup: markup.view.slice() };
}

/** Reads two documents again and lays them out. */
export async function shownTexts(
  result: AskedResult,
  { a, b, places, row }: AskedPair,
  inputs: Inputs,
): Promise<ShownTexts> {
  const { manifest } = result;
  const said = (text: string): ShownTexts => ({ state: 'said', markup: `<p>${escaped(text)}</p>` });
  const { texts, sets } = await readAgain(result, [a, b], { places, inputs });
  if (manifest.parameters.sets !== undefined) {
    const [setA, setB] = [sets.get(a), sets.get(b)];
    if (setA === undefined || setB === undefined)
      return said('At least one of the two sets is not there any more.');
    return { state: 'said', markup: setsMarkup(setA, setB) };
  }
  const [textA, textB] = [texts.get(a), texts.get(b)];
  if (textA === undefined || textB === undefined)
    return said('At least one of the two texts is not there any more.');
  const bands = bandsOf(manifest, textA, textB);
  const { stretches, ...runs } = streamedRunsOf(manifest, textA, textB);
  const { a: inA, b: inB, both } = runs.shingles;
  // Checking texts that are longer than the compared beginnings would take as much memory again.
  const isChecked = row !== null && manifest.parameters.measure === 'resemblance' && !runs.cut;
  const isChanged = isChecked && !isStill(manifest, row, () => resemblanceOf(both, inA, inB));
  const { parts, markup } = partsOf(wholeRows(stretches));
  const differences = parts.reduce((sum, part) => sum + part.differences, 0);
  return { state: 'texts', runs, parts, markup, differences, isChanged, bands };
}

/** Most bytes of a text whose bands are made again. */
const MOST_SKETCHED = 4_000_000;

/** By band, whether two texts are equal in it, and so became a candidate pair. */
function bandsOf({ parameters }: Manifest, a: Uint8Array, b: Uint8Array): readonly boolean[] | null {
  const { shingle, sketch, banding, exactDuplicates } = parameters;
  const { unit, size, bag, normalize, stopWords } = shingle;
  // The manifest does not hold the stop words.
  if (exactDuplicates || stopWords !== null) return null;
  if (a.length > MOST_SKETCHED || b.length > MOST_SKETCHED) return null;
  const options = { unit, size, bag, ...(normalize && { normalize }), ...sketch };
  const [x, y] = [sketchOf(a, options).slots, sketchOf(b, options).slots];
  const { bands, rows } = banding;
  return Array.from({ length: bands }, (_, band) => {
    const from = band * rows;
    return x.subarray(from, from + rows).every((slot, i) => slot === y[from + i]);
  });
}

/** Bands as squares, the equal ones filled. */
export function bandsMarkup(bands: readonly boolean[]): Markup {
  const equal = bands.filter((isEqual) => isEqual).length;
  const squares = bands
    .map((isEqual, i) => `<i${isEqual ? ' class="yes"' : ''} title="band ${i + 1}"></i>`)
    .join('');
  const text = `${numberText(equal)} of ${numberText(bands.length)} bands are equal`;
  return `${escaped(text)} <span class="bands" aria-hidden="true">${squares}</span>`;
}

/** The markup of a part; empty where there is no such part. */
export function partMarkup({ parts, markup }: PartsOfTexts, part: number): Markup {
  const from = parts[part - 1]?.end ?? 0;
  return Buffer.from(markup.subarray(from, parts[part]?.end ?? from)).toString();
}

/** Pixels of a line; the style has the same number. */
const LINE_HEIGHT = 20;

/** All parts: the first `filled` ones with their texts, the others as room for the texts that the page fetches from `address`. */
export function partsMarkup(shown: PartsOfTexts, address: string, filled: number): Markup {
  const markup = shown.parts.map((part, i) => {
    const marks = `data-part="${i}" data-differences="${part.differences}"`;
    return i < filled
      ? `<div class="texts" ${marks}>${partMarkup(shown, i)}</div>`
      : `<div class="texts" ${marks} data-later style="height:${part.lines * LINE_HEIGHT}px"></div>`;
  });
  return `<div class="whole" data-parts="${escaped(address)}">${markup.join('\n')}</div>`;
}
