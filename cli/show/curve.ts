/**
 * Draws curves over resemblance as a plot of characters.
 *
 * Pure.
 */

/** A curve over 0..1 with values 0..1. */
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

/** The plot as lines; where curves meet, the first one is visible. */
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

/**
 * S-curves as a picture: one SVG without scripts, fonts or links of its own.
 *
 * Pure; the same curves give the same text on every machine.
 */
interface SvgCurve {
  readonly name: string;
  readonly at: (similarity: number) => number;
}

const WIDTH = 720;
const SVG_HEIGHT = 440;
const LEFT = 60;
const TOP = 40;
const RIGHT = 690;
const BOTTOM = 380;
const STEPS = 200;
/** Colours that colour-blind people can distinguish (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000', '#999999'];
const TEXT = 'font-family="sans-serif" font-size="13" fill="#222"';

/** The most curves that have a colour of their own. */
export const MOST_CURVES: number = COLOURS.length;

function x(similarity: number): string {
  return (LEFT + similarity * (RIGHT - LEFT)).toFixed(2);
}

function y(probability: number): string {
  return (BOTTOM - probability * (BOTTOM - TOP)).toFixed(2);
}

/** The picture of at least one curve, with a line at the threshold (0..1). */
export function curvesAsSvg(curves: readonly SvgCurve[], threshold: number): string {
  const names = curves.map(({ name }) => name).join(', ');
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${SVG_HEIGHT}" width="${WIDTH}" height="${SVG_HEIGHT}" role="img">`,
    `<title>S-curves of banding: ${escaped(names)}</title>`,
    `<desc>Probability that a pair becomes a candidate, over its Jaccard similarity; threshold ${threshold}</desc>`,
    `<rect width="${WIDTH}" height="${SVG_HEIGHT}" fill="#fff"/>`,
    ...grid(),
    `<line x1="${x(threshold)}" y1="${y(0)}" x2="${x(threshold)}" y2="${y(1)}" stroke="#222" stroke-dasharray="5 4"/>`,
    `<text x="${x(threshold)}" y="${TOP - 8}" text-anchor="middle" ${TEXT}>threshold ${threshold}</text>`,
    ...curves.map(({ at }, i) => {
      return `<polyline fill="none" stroke="${COLOURS[i % MOST_CURVES]}" stroke-width="2" points="${pointsOf(at)}"/>`;
    }),
    ...curves.flatMap(({ name }, i) => legend(name, i)),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function pointsOf(at: (similarity: number) => number): string {
  const points = Array.from({ length: STEPS + 1 }, (_, i) => `${x(i / STEPS)},${y(at(i / STEPS))}`);
  return points.join(' ');
}

function grid(): string[] {
  const lines: string[] = [];
  for (let tenth = 0; tenth <= 10; tenth++) {
    const at = tenth / 10;
    const stroke = tenth === 0 ? '#222' : '#ddd';
    lines.push(`<line x1="${x(at)}" y1="${y(0)}" x2="${x(at)}" y2="${y(1)}" stroke="${stroke}"/>`);
    lines.push(`<line x1="${x(0)}" y1="${y(at)}" x2="${x(1)}" y2="${y(at)}" stroke="${stroke}"/>`);
    if (tenth % 2 === 1) continue;
    lines.push(`<text x="${x(at)}" y="${BOTTOM + 18}" text-anchor="middle" ${TEXT}>${at.toFixed(1)}</text>`);
    lines.push(`<text x="${LEFT - 8}" y="${y(at)}" dy="4" text-anchor="end" ${TEXT}>${at.toFixed(1)}</text>`);
  }
  const middle = (TOP + BOTTOM) / 2;
  lines.push(
    `<text x="${x(0.5)}" y="${BOTTOM + 42}" text-anchor="middle" ${TEXT}>Jaccard similarity of a pair</text>`,
  );
  lines.push(
    `<text x="18" y="${middle}" text-anchor="middle" transform="rotate(-90 18 ${middle})" ${TEXT}>` +
      'probability of becoming a candidate</text>',
  );
  return lines;
}

function legend(name: string, i: number): string[] {
  const at = TOP + 18 + 20 * i;
  const colour = COLOURS[i % MOST_CURVES];
  return [
    `<line x1="${LEFT + 14}" y1="${at}" x2="${LEFT + 38}" y2="${at}" stroke="${colour}" stroke-width="3"/>`,
    `<text x="${LEFT + 46}" y="${at + 4}" ${TEXT}>${escaped(name)}</text>`,
  ];
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
