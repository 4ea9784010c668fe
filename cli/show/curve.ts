/** Draws curves over similarity as a plot of characters. Pure. */

/** A curve from 0..1 to 0..1. */
interface PlotCurve {
  /** One character. */
  readonly mark: string;
  readonly at: (similarity: number) => number;
}

interface PlotStyle {
  /** Number of available columns; the plot takes 24 to 76 of them. */
  readonly columns: number;
  /** Whether lines and dots of Unicode may be drawn. */
  readonly utf8: boolean;
  /** The position of a vertical line, 0..1. */
  readonly threshold: number;
}

/** Number of rows of the plot; every second row has a label. */
const HEIGHT = 11;
const LABELS = 4;
const LEAST_COLUMNS = 24;
const MOST_COLUMNS = 76;

/** The character of a single curve. */
export function curveMark(utf8: boolean): string {
  return utf8 ? '•' : '*';
}

/** The plot as lines; the first of several overlapping curves is visible. */
export function plotLines(curves: readonly PlotCurve[], style: PlotStyle): string[] {
  const drawn = style.utf8
    ? { tick: '┤', axis: '│', corner: '└', floor: '─', place: '┬', threshold: '┊' }
    : { tick: '+', axis: '|', corner: '+', floor: '-', place: '+', threshold: ':' };
  const width = Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, style.columns)) - LABELS - 1;
  const cells = Array.from({ length: HEIGHT }, () => new Array<string>(width).fill(' '));
  const column = Math.round(style.threshold * (width - 1));
  for (const row of cells) row[column] = drawn.threshold;
  // The first curve is drawn last, over the others.
  for (const curve of [...curves].reverse()) draw(curve, cells, width);
  const lines = cells.map((row, i) => {
    const label = i % 2 === 0 ? (1 - i / (HEIGHT - 1)).toFixed(1) : '';
    return `${label.padStart(LABELS - 1)} ${label === '' ? drawn.axis : drawn.tick}${row.join('')}`.trimEnd();
  });
  const places = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const floor = new Array<string>(width).fill(drawn.floor);
  const under = new Array<string>(LABELS + 1 + width + 2).fill(' ');
  for (const place of places) {
    const at = Math.round(place * (width - 1));
    floor[at] = drawn.place;
    const text = place.toFixed(1);
    const from = Math.min(LABELS + at, LABELS + 1 + width - text.length);
    for (let i = 0; i < text.length; i++) under[from + i] = text[i]!;
  }
  const axis = `${' '.repeat(LABELS)}${drawn.corner}${floor.join('')}`;
  return [...lines, axis, under.join('').trimEnd()];
}

/** Marks every column, and the rows between neighbouring columns, so that a steep curve has no gaps. */
function draw(curve: PlotCurve, cells: string[][], width: number): void {
  let before = -1;
  for (let x = 0; x < width; x++) {
    const value = Math.min(1, Math.max(0, curve.at(x / (width - 1))));
    const row = Math.round((1 - value) * (HEIGHT - 1));
    cells[row]![x] = curve.mark;
    for (let y = row + 1; before >= 0 && y < before; y++) cells[y]![x] = curve.mark;
    before = row;
  }
}
