/**
 * Pieces of HTML. Ids and texts may come from hostile inputs: only strings returned by `escaped`, or by functions that call it, may
 * be placed between tags.
 */

import { bytesText, counted, grouped } from '../result/wording/amounts.js';

/** Complete HTML, made only by functions of src/view. */
export type Markup = string;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Control characters except TAB and line ends; characters that change the direction or order of text, or that browsers drop;
 * unpaired surrogates.
 */
const UNSAFE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu;

/** A text as markup: characters of UNSAFE become `\x1b` or `\u202e`, bytes of ids that are not UTF-8 become `\xff`. */
export function escaped(text: string): Markup {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSAFE, (character) => {
      const code = character.charCodeAt(0);
      const isByte = code >= 0xdc80 && code <= 0xdcff;
      const hex = (isByte ? code - 0xdc00 : code).toString(16);
      return code < 0x100 || isByte ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
    })
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Most UTF-16 units of an id; longer ids are cut in the middle, because their ends are the most useful parts. */
const LONGEST_ID = 200;

/** An id on one line, in the direction of its own script. */
export function idMarkup(id: string): Markup {
  const line = id.replace(/\t/g, '\\t').replace(/\n/g, '\\n');
  const cut =
    line.length <= LONGEST_ID
      ? line
      : `${line.slice(0, LONGEST_ID / 2)}…${line.slice(line.length - LONGEST_ID / 2)}`;
  return `<bdi class="id">${escaped(cut)}</bdi>`;
}

// The functions below convert numbers first, because a forged result may have other values in their place.

/** `1234567` is `1,234,567`; for whole numbers. */
export function numberText(count: number): string {
  return grouped(Number(count));
}

/** `1 pair`, `2,000 pairs`. */
export function countText(count: number, thing: string, things?: string): string {
  return counted(Number(count), thing, things);
}

/** `12.3 %`; a share above 0 is never shown as 0 %, and a share below 1 never as 100 %. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.0005) return 'under 0.1 %';
  if (share < 1 && share > 0.9995) return 'over 99.9 %';
  const percent = 100 * share;
  return `${Number.isInteger(percent) ? percent : percent.toFixed(1)} %`;
}

/** `999 bytes`, `1.5 KB`; 1 KB is 1000 bytes. */
export function sizeMarkup(bytes: number): string {
  return bytesText(Number(bytes));
}

/** The title of a column of a table; a leading `#` marks a column of numbers, which is right-aligned. */
export type ColumnHead = string;

export const isOfNumbers = (head: ColumnHead): boolean => head.startsWith('#');
export const titleOf = (head: ColumnHead): string => head.replace(/^#/, '');

/** A table with a caption; cells are markup. */
export function tableMarkup(
  caption: string,
  heads: readonly ColumnHead[],
  rows: readonly (readonly Markup[])[],
): Markup {
  const classOf = (i: number): string => (isOfNumbers(heads[i]!) ? ' class="n"' : '');
  const head = heads
    .map((title, i) => `<th scope="col"${classOf(i)}>${escaped(titleOf(title))}</th>`)
    .join('');
  const body = rows.map(
    (cells) =>
      `<tr>${cells
        .map((cell, i) =>
          i === 0 ? `<th scope="row"${classOf(0)}>${cell}</th>` : `<td${classOf(i)}>${cell}</td>`,
        )
        .join('')}</tr>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

/** A bar whose width shows a share, 0..1; a share above 0 is visible. */
export function barMarkup(share: number, kind = ''): Markup {
  const width = share <= 0 ? 0 : Math.max(0.5, Math.min(100, 100 * share));
  return `<span class="track" aria-hidden="true"><span class="bar ${kind}" style="width:${Number(width.toFixed(2))}%"></span></span>`;
}
