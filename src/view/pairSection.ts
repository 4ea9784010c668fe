/** The section of pairs with their texts side by side, each behind a line that opens it; and the marks of texts. */

import { amountOfText, excerptRows, runText } from '../analysis/result/excerpts.js';
import { elementsOfPair, type FoundDocuments, givesAgain, runsOf } from '../analysis/result/pairTexts.js';
import type { SharedRuns, TextPiece } from '../analysis/result/sharedRuns.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { Manifest } from '../result/manifest.js';
import { countText, escaped, idMarkup, type Markup, numberText } from './markup.js';
import type { ShownPair } from './pageFacts.js';
import { section } from './sections.js';

/** Most UTF-16 units of each text of a pair: nobody reads more on a page. */
const MOST_TEXT = 10_000;
/** Most elements of a set that are shown. */
const MOST_ELEMENTS = 200;
/** Most bytes of all texts of a page: further pairs are shown without texts. */
const MOST_BYTES = 1_400_000;

const KIND_CLASSES = { own: '', moved: ' class="moved"', rewritten: ' class="rewritten"' } as const;

/** The marked parts of a piece: words with the blanks between them; in `rewritten` pieces each word by itself. */
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

/** Pieces without the line end of their row, whose place the border of the cell takes. */
function withoutLastEnd(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const last = pieces.at(-1);
  return last === undefined
    ? pieces
    : [...pieces.slice(0, -1), { ...last, text: last.text.replace(/\r?\n$/, '') }];
}

/** A row of two texts. @param mark further classes of its first cell */
export function rowMarkup(row: Readonly<Record<'a' | 'b', readonly TextPiece[]>>, mark = ''): Markup {
  const [a, b] = [withoutLastEnd(row.a), withoutLastEnd(row.b)];
  const blank = [...a, ...b].every(({ text }) => text.trim() === '') ? ' blank' : '';
  return `<div class="a${blank}${mark}">${piecesMarkup(a)}</div><div class="b${blank}">${piecesMarkup(b)}</div>`;
}

/** Pieces cut to at most `room` UTF-16 units, and their length. */
function cutPieces(pieces: readonly TextPiece[], room: number): readonly [TextPiece[], number] {
  const shown: TextPiece[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (length >= room) break;
    const text = piece.text.length <= room - length ? piece.text : `${piece.text.slice(0, room - length)}…`;
    shown.push({ ...piece, text });
    length += text.length;
  }
  return [shown, length];
}

/** Two texts in columns. */
function textsMarkup({ stretches, cut }: SharedRuns): Markup {
  const cells: Markup[] = [];
  let [roomA, roomB] = [MOST_TEXT, MOST_TEXT];
  for (const row of excerptRows(stretches)) {
    if (roomA <= 0 || roomB <= 0) {
      cells.push('<div class="gap">… and more, which is left out here</div>');
      return cells.join('\n');
    }
    if (row.state === 'hidden') {
      const [text, whose] =
        row.b === ''
          ? [row.a, 'of a alone']
          : row.a === ''
            ? [row.b, 'of b alone']
            : [row.a, 'that both have'];
      const { count, unit } = amountOfText(text);
      cells.push(`<div class="gap">… ${countText(count, unit)} ${whose} …</div>`);
      continue;
    }
    const [a, lengthA] = cutPieces(row.a, roomA);
    const [b, lengthB] = cutPieces(row.b, roomB);
    cells.push(rowMarkup({ a, b }));
    roomA -= Math.max(lengthA, 1);
    roomB -= Math.max(lengthB, 1);
  }
  if (cut) cells.push('<div class="gap">… only the beginnings of these long texts were compared</div>');
  return cells.join('\n');
}

/** The explanation of the similarity by the numbers of shingles. */
export function explanation(
  { shingles: { a, b, both }, unit, size }: Omit<SharedRuns, 'stretches'>,
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

/** The meaning of the marks: of those in two texts, or (null) of all. */
export function marksLegend(runs: Pick<SharedRuns, 'stretches'> | null): Markup {
  const kinds: ReadonlySet<string> = new Set(
    runs === null
      ? Object.keys(KIND_CLASSES)
      : runs.stretches.flatMap((stretch) => [...stretch.a, ...stretch.b].map(({ kind }) => kind)),
  );
  const items = [
    ...(kinds.has('own')
      ? ['<li><mark class="a">in a alone</mark></li><li><mark class="b">in b alone</mark></li>']
      : []),
    ...(kinds.has('moved') ? ['<li><mark class="moved">elsewhere in the other</mark></li>'] : []),
    ...(kinds.has('rewritten')
      ? ['<li><mark class="rewritten">the same words, written otherwise</mark></li>']
      : []),
    '<li>not marked: shared</li>',
  ];
  return `<ul class="legend">${items.join('')}</ul>`;
}

function elementsMarkup(title: string, elements: readonly string[]): Markup {
  const shown = elements.slice(0, MOST_ELEMENTS).map((element) => `<li>${idMarkup(element)}</li>`);
  const more =
    elements.length > shown.length ? `<li>… and ${numberText(elements.length - shown.length)} more</li>` : '';
  return `<h4>${countText(elements.length, 'element')} ${escaped(title)}</h4><ul class="elements">${shown.join('')}${more}</ul>`;
}

/** The elements of two sets. */
export function setsMarkup(a: readonly string[], b: readonly string[]): Markup {
  return Object.entries(elementsOfPair(a, b))
    .map(([title, elements]) => elementsMarkup(title, elements))
    .join('\n');
}

/** The details of an open pair. */
function bodyOf(pair: ShownPair, manifest: Manifest, found: FoundDocuments): Markup {
  const gone = (id: string): Markup =>
    `<p>The text of ${idMarkup(idOfBinary(id))} is not there any more.</p>`;
  if (found.untrusted !== null) return '<p>Its texts were not read.</p>';
  const { a, b } = pair;
  if (manifest.parameters.sets !== undefined) {
    for (const id of [a, b]) if (!found.sets.has(id)) return gone(id);
    return setsMarkup(found.sets.get(a)!, found.sets.get(b)!);
  }
  for (const id of [a, b]) if (!found.texts.has(id)) return gone(id);
  const [textA, textB] = [found.texts.get(a)!, found.texts.get(b)!];
  const isChecked = pair.exact && manifest.parameters.measure === 'resemblance';
  if (isChecked && !givesAgain(manifest, { jaccard: pair.value }, textA, textB)) {
    return '<p>At least one of the two texts is no longer the one of this result.</p>';
  }
  const runs = runsOf(manifest, textA, textB);
  const heads = [a, b]
    .map((id, i) => `<div class="head ${'ab'[i]}">${'ab'[i]} ${idMarkup(idOfBinary(id))}</div>`)
    .join('');
  const shares = escaped(explanation(runs, manifest.parameters.measure === 'containment'));
  return `<p>${shares}</p>${marksLegend(runs)}<div class="texts">${heads}${textsMarkup(runs)}</div>`;
}

function summaryOf({ a, b, value, exact, accepted }: ShownPair, { parameters }: Manifest): Markup {
  const outcome = accepted
    ? '<span class="badge yes">accepted</span>'
    : parameters.verify === 'none'
      ? '<span class="badge">not verified</span>'
      : '<span class="badge no">rejected</span>';
  const estimate = exact ? '' : '<span class="badge">estimate</span>';
  return `<summary><strong>${value.toFixed(6)}</strong>${outcome}${estimate}${idMarkup(idOfBinary(a))} <span class="dim">and</span> ${idMarkup(idOfBinary(b))}</summary>`;
}

const GROUPS: readonly (readonly [ShownPair['group'], string])[] = [
  ['alike', 'The most alike'],
  ['above', 'Just above the threshold'],
  ['below', 'Just below the threshold'],
];

/** The section of pairs; `found` has their texts, and `nameOf` gives the target of a link to one. */
export function pairSection(
  pairs: readonly ShownPair[],
  manifest: Manifest,
  found: FoundDocuments,
  nameOf: (pair: ShownPair) => string | null = () => null,
): Markup {
  let room = MOST_BYTES;
  const encoder = new TextEncoder();
  const one = (pair: ShownPair, isOpen: boolean): Markup => {
    const body = room <= 0 ? '' : bodyOf(pair, manifest, found);
    const bytes = encoder.encode(body).length;
    const shown =
      bytes > 0 && bytes <= room ? body : '<p>Its texts are left out, so that this page stays small.</p>';
    room -= bytes <= room ? bytes : 0;
    // The name is inside the details, because a link to it opens them.
    const name = nameOf(pair);
    const id = name === null ? '' : ` id="${escaped(name)}"`;
    return `<details class="pair"${isOpen ? ' open' : ''}>${summaryOf(pair, manifest)}<div class="body"${id}>${shown}</div></details>`;
  };
  const content = GROUPS.flatMap(([group, title]) => {
    const own = pairs.filter((pair) => pair.group === group);
    if (own.length === 0) return [];
    return [`<h3>${title}</h3>`, ...own.map((pair, i) => one(pair, i === 0 && pair === pairs[0]))];
  });
  const text =
    content.length === 0
      ? ['<p>There are no near pairs.</p>']
      : [
          found.untrusted === null
            ? '<p>Open a pair to see its two texts side by side, as they are written, with the differences marked.</p>'
            : `<p>Texts are not shown: others may have written the result that says where they are (${escaped(found.untrusted)}). With <code>--corpus PATH</code> they are read there.</p>`,
          ...content,
        ];
  return section('pairs', 'Pairs side by side', text);
}
