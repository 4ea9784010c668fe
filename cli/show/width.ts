/**
 * Measures how many terminal columns a text takes, and cuts it to fit.
 *
 * The Unicode tables of the running Node are good enough, because widths are for display only.
 */

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** First and last code points of characters that take two columns (East Asian wide and full width, emoji). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Columns of a text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/**
 * The longest beginning of a text that fits into `columns` columns; at least one character, unless the text is empty.
 */
export function beginningOfWidth(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns && end > 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The text, or its beginning and `…` if it is wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 2 ? '' : `${beginningOfWidth(text, columns - 1)}…`;
}

/** The text, padded with blanks to `columns` columns. */
export function paddedToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Words in lines of at most `columns` columns; a longer word is cut. No words: no lines. */
export function wrappedWords(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of words) {
    for (let rest = word; rest !== ''; ) {
      const piece = beginningOfWidth(rest, columns);
      const pieceWidth = textWidth(piece);
      rest = rest.slice(piece.length);
      if (line !== '' && width + 1 + pieceWidth <= columns) {
        line += ` ${piece}`;
        width += 1 + pieceWidth;
        continue;
      }
      if (line !== '') lines.push(line);
      line = piece;
      width = pieceWidth;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Lines of a table: columns are right-aligned, except the last. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
