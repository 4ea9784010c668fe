/**
 * Two texts side by side: rows with their differences marked, equal rows far from a difference folded. `view` fetches the rows part by
 * part; the saved page has all of them.
 */

import { runText, type WholeRow, wholeRows } from '../analysis/result/excerpts.js';
import type { ResultSource } from '../analysis/result/pairTexts.js';
import { elementsOfPair, isStill, readAgain, streamedRunsOf } from '../analysis/result/pairTexts.js';
import { mostMarkedBytes, type StreamedRuns, type TextPiece } from '../analysis/result/sharedRuns.js';
import { ByteColumn } from '../arrays/growable.js';
import type { Inputs } from '../readers/list/inputs.js';
import type { Manifest } from '../result/manifest.js';
import type { PairRow } from '../result/readResult.js';
import { resemblanceOf } from '../sketch/similarity.js';
import { countText, escaped, idMarkup, type Markup, numberText } from './markup.js';

/** The two documents of a request: their locations as binary strings, and their texts if the store of `view` has them. */
export interface RequestedPair {
  readonly a: string;
  readonly b: string;
  readonly texts: readonly [Uint8Array, Uint8Array] | null;
  /** The row of the pair; null if the documents are not an accepted pair. */
  readonly row: PairRow | null;
}

/** Rows that are shown together. */
interface TextPart {
  /** The end of the part's markup in the bytes of the markup of all parts. */
  readonly end: number;
  readonly rows: number;
  /** Number of its rows in which the texts differ. */
  readonly differences: number;
  readonly isFolded: boolean;
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
    }
  | { readonly state: 'message'; readonly markup: Markup };

/** The parts of two texts with their markup. */
type PartsOfTexts = Pick<Extract<ShownTexts, { state: 'texts' }>, 'parts' | 'markup'>;

const PART_ROWS = 40;
const PART_LENGTH = 6000;
/** Equal rows shown before and after a difference; the fewest rows that are folded. */
const CONTEXT = 3;
const LEAST_FOLDED = 6;

const isDifferent = ({ a, b }: WholeRow): boolean => [...a, ...b].some(({ kind }) => kind !== 'shared');
const lengthOf = (pieces: WholeRow['a']): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

/** Rows with the state in which they are shown. At most the rows that may still be context are in memory. */
function* foldedRows(
  rows: Iterable<WholeRow>,
): Generator<{ readonly row: WholeRow; readonly isFolded: boolean }> {
  // Equal rows that wait: the last CONTEXT of them are shown if a difference follows.
  let waiting: WholeRow[] = [];
  let [sinceDifference, folded] = [0, 0];
  for (const row of rows) {
    if (isDifferent(row)) {
      const isShort = folded === 0 && waiting.length < CONTEXT + LEAST_FOLDED;
      const shown = isShort ? 0 : Math.max(0, waiting.length - CONTEXT);
      for (const [i, own] of waiting.entries()) yield { row: own, isFolded: i < shown };
      yield { row, isFolded: false };
      waiting = [];
      [sinceDifference, folded] = [0, 0];
      continue;
    }
    if (sinceDifference++ < CONTEXT) {
      yield { row, isFolded: false };
      continue;
    }
    waiting.push(row);
    if (waiting.length <= CONTEXT + LEAST_FOLDED) continue;
    folded++;
    yield { row: waiting.shift()!, isFolded: true };
  }
  const isShort = folded === 0 && waiting.length < LEAST_FOLDED;
  for (const row of waiting) yield { row, isFolded: !isShort };
}

function partsOf(rows: Iterable<WholeRow>): PartsOfTexts {
  const parts: TextPart[] = [];
  const markup = new ByteColumn();
  let open: WholeRow[] = [];
  let [length, isOpenFolded] = [0, false];
  const end = (): void => {
    if (open.length === 0) return;
    markup.append(Buffer.from(open.map(rowMarkup).join('\n')));
    const differences = open.filter(isDifferent).length;
    parts.push({ end: markup.length, rows: open.length, differences, isFolded: isOpenFolded });
    open = [];
    length = 0;
  };
  for (const { row, isFolded } of foldedRows(rows)) {
    if (isFolded !== isOpenFolded) end();
    isOpenFolded = isFolded;
    open.push(row);
    length += Math.max(lengthOf(row.a), lengthOf(row.b));
    if (open.length >= PART_ROWS || length >= PART_LENGTH) end();
  }
  end();
  return { parts, markup: markup.view.slice() };
}

const KIND_CLASSES = { own: '', moved: ' class="moved"', rewritten: ' class="rewritten"' } as const;

/** The marked parts of a piece: words with the blanks between them; in `rewritten` pieces each word separately. */
const MARKED = { own: /\S+(?:[ \t]+\S+)*/g, moved: /\S+(?:[ \t]+\S+)*/g, rewritten: /\S+/g } as const;

function piecesMarkup(pieces: readonly TextPiece[]): Markup {
  return pieces
    .map(({ text, kind }) => {
      if (kind === 'shared') return escaped(text);
      let markup = '';
      let at = 0;
      for (const { 0: run, index } of text.matchAll(MARKED[kind])) {
        markup += `${escaped(text.slice(at, index))}<mark${KIND_CLASSES[kind]}>${escaped(run)}</mark>`;
        at = index + run.length;
      }
      return markup + escaped(text.slice(at));
    })
    .join('');
}

/** Pieces without the line end of their row, which the border of the cell replaces. */
function withoutLastEnd(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const last = pieces.at(-1);
  return last === undefined
    ? pieces
    : [...pieces.slice(0, -1), { ...last, text: last.text.replace(/\r?\n$/, '') }];
}

function rowMarkup(row: WholeRow): Markup {
  const [a, b] = [withoutLastEnd(row.a), withoutLastEnd(row.b)];
  const blank = [...a, ...b].every(({ text }) => text.trim() === '') ? ' blank' : '';
  const mark = isDifferent(row) ? ' different' : '';
  return `<div class="a${blank}${mark}">${piecesMarkup(a)}</div><div class="b${blank}">${piecesMarkup(b)}</div>`;
}

/** Reads two documents again and lays them out. */
export async function shownTexts(
  result: ResultSource,
  { a, b, texts: stored, row }: RequestedPair,
  listed: () => Promise<Inputs>,
): Promise<ShownTexts> {
  if (stored !== null) return comparedTexts(result.manifest, ...stored, row);
  const { texts, sets } = await readAgain(result, [a, b], { inputs: await listed() });
  return result.manifest.parameters.sets === undefined
    ? comparedTexts(result.manifest, texts.get(a), texts.get(b), row)
    : comparedSets(sets.get(a), sets.get(b));
}

const messageOf = (text: string): ShownTexts => ({ state: 'message', markup: `<p>${escaped(text)}</p>` });

/** The elements of two sets. */
export function comparedSets(a: readonly string[] | undefined, b: readonly string[] | undefined): ShownTexts {
  if (a === undefined || b === undefined) return messageOf('At least one of the two sets no longer exists.');
  const lists = Object.entries(elementsOfPair(a, b)).map(([title, elements]) =>
    elementsMarkup(title, elements),
  );
  return { state: 'message', markup: lists.join('\n') };
}

/** Lays out two texts. @param row their row in the result; null if they are not an accepted pair */
export function comparedTexts(
  manifest: Manifest,
  textA: Uint8Array | undefined,
  textB: Uint8Array | undefined,
  row: Pick<PairRow, 'jaccard'> | null,
): ShownTexts {
  if (textA === undefined || textB === undefined)
    return messageOf('At least one of the two texts no longer exists.');
  const shown = laidOut(streamedRunsOf(manifest, textA, textB));
  const { cut, shingles } = shown.runs;
  const { a: inA, b: inB, both } = shingles;
  // Checking texts that are longer than the compared beginnings would double the memory.
  const isChecked = row !== null && manifest.parameters.measure === 'resemblance' && !cut;
  const isChanged = isChecked && !isStill(manifest, row, () => resemblanceOf(both, inA, inB));
  return { ...shown, isChanged };
}

/** The rows of two texts that belong to no result. */
export function laidOut({ stretches, ...runs }: StreamedRuns): Extract<ShownTexts, { state: 'texts' }> {
  const { parts, markup } = partsOf(wholeRows(stretches));
  const differences = parts.reduce((sum, part) => sum + part.differences, 0);
  return { state: 'texts', runs, parts, markup, differences, isChanged: false };
}

/** The markup of a part; empty if there is no such part. */
export function partMarkup({ parts, markup }: PartsOfTexts, part: number): Markup {
  const from = parts[part - 1]?.end ?? 0;
  return Buffer.from(markup.subarray(from, parts[part]?.end ?? from)).toString();
}

/** Pixels of a line, as in the style. */
const LINE_HEIGHT = 20;

/** The rows of a part, or a placeholder. */
type PartContent = (part: number) => Markup;

/** Folded parts, each run of them behind one line, and the others unchanged. */
function foldsMarkup({ parts }: PartsOfTexts, contentOf: PartContent): Markup {
  let markup = '';
  for (let i = 0; i < parts.length; ) {
    if (!parts[i]!.isFolded) {
      markup += contentOf(i++);
      continue;
    }
    let [rows, inside] = [0, ''];
    for (; i < parts.length && parts[i]!.isFolded; i++) {
      rows += parts[i]!.rows;
      inside += contentOf(i);
    }
    markup += `<details class="fold"><summary>${countText(rows, 'equal row')}</summary>${inside}</details>`;
  }
  return markup;
}

/** Parts of two texts that a page of `view` has at first. */
const FILLED = 3;

/** All parts for a page of `view`: the first ones with their texts, the others as empty space for texts that it fetches from `address`. */
function fetchedParts(shown: PartsOfTexts, address: string): Markup {
  let filled = 0;
  const rows = foldsMarkup(shown, (i) => {
    const { rows, differences, isFolded } = shown.parts[i]!;
    const marks = `class="texts" data-part="${i}" data-differences="${differences}"`;
    return !isFolded && filled++ < FILLED
      ? `<div ${marks}>${partMarkup(shown, i)}</div>`
      : `<div ${marks} data-later style="height:${rows * LINE_HEIGHT}px"></div>`;
  });
  return `<div class="whole" data-parts="${escaped(address)}">${rows}</div>`;
}

/** Most bytes of markup of a pair in the saved page. */
const MOST_SAVED = 40_000;

/** As many parts as fit into a saved page; those with differences first. */
function savedParts(shown: PartsOfTexts): Markup {
  const { parts } = shown;
  const bytesOf = (i: number): number => parts[i]!.end - (parts[i - 1]?.end ?? 0);
  let room = MOST_SAVED;
  const saved = new Set<number>();
  const order = parts
    .map((_, i) => i)
    .sort((x, y) => Number(parts[x]!.isFolded) - Number(parts[y]!.isFolded) || x - y);
  for (const i of order) {
    if (bytesOf(i) > room) break;
    room -= bytesOf(i);
    saved.add(i);
  }
  const rows = foldsMarkup(shown, (i) =>
    saved.has(i)
      ? `<div class="texts">${partMarkup(shown, i)}</div>`
      : saved.has(i - 1) || i === 0
        ? '<p class="gap">… more rows are omitted here</p>'
        : '',
  );
  return `<div class="whole">${rows}</div>`;
}

/** The explanation of the similarity by the numbers of shingles. */
function explanation(
  { shingles: { a, b, both }, unit, size }: Omit<StreamedRuns, 'stretches'>,
  byContainment: boolean,
): string {
  const union = a + b - both;
  const share = (of: number): string => (of === 0 ? '–' : (both / of).toFixed(6));
  const value = byContainment
    ? `: ${share(a)} of a is in b, ${share(b)} of b is in a`
    : union === 0
      ? ''
      : `: ${numberText(both)} of ${numberText(union)} in all is ${(both / union).toFixed(6)}`;
  return `a has ${numberText(a)} different ${runText(unit, size)}, b has ${numberText(b)}, and ${numberText(both)} are in both${value}.`;
}

const LEGEND = `<ul class="legend"><li><mark class="a">in a alone</mark></li><li><mark class="b">in b alone</mark></li><li><mark class="moved">elsewhere in the other</mark></li><li><mark class="rewritten">the same words, written differently</mark></li></ul>`;

/** Most elements of a set that are shown. */
const MOST_ELEMENTS = 200;

function elementsMarkup(title: string, elements: readonly string[]): Markup {
  const shown = elements.slice(0, MOST_ELEMENTS).map((element) => `<li>${idMarkup(element)}</li>`);
  const more =
    elements.length > shown.length ? `<li>… and ${numberText(elements.length - shown.length)} more</li>` : '';
  return `<h4>${countText(elements.length, 'element')} ${escaped(title)}</h4><ul class="elements">${shown.join('')}${more}</ul>`;
}

/** A document above its text. @param fate a badge: kept or dropped */
export function headMarkup(side: 'a' | 'b', document: Markup, fate: Markup = ''): Markup {
  return `<div class="head ${side}"><b>${side}</b> ${document}${fate}</div>`;
}

/**
 * Two texts below their heads.
 *
 * @param heads the head of each (see headMarkup)
 * @param address where a page of `view` fetches parts; null if the page has all of them
 */
export function textsMarkup(
  shown: ShownTexts,
  heads: readonly [Markup, Markup],
  address: string | null,
  byContainment: boolean,
): Markup {
  const above = `<div class="texts heads">${heads.join('')}</div>`;
  if (shown.state === 'message') return `${above}${shown.markup}`;
  const { runs, differences, isChanged } = shown;
  const cut = runs.cut
    ? `<p>Only the first ${mostMarkedBytes(runs.unit) / 1e6} MB of a text are compared and shown; whether the texts have changed since the run is not checked.</p>`
    : '';
  const changed = isChanged
    ? '<p class="error" role="alert">At least one of the two texts has changed since the run.</p>'
    : '';
  const keys = address === null ? '' : ' (j, k)';
  const rows = address === null ? savedParts(shown) : fetchedParts(shown, address);
  return `${changed}<p class="dim">${escaped(explanation(runs, byContainment))} <span class="differences" data-count="${differences}">${countText(differences, 'row')} with differences${keys}.</span></p>${LEGEND}${cut}${above}${rows}`;
}
