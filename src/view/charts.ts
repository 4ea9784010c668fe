/**
 * Charts as SVG in a page, with colours of the page's style, so that they fit light and dark screens and paper; and S-curves in a
 * separate file.
 *
 * The functions are pure. A chart is made for a width in pixels, because text in a picture that is scaled down cannot be read.
 */
import { escaped, type Markup, numberText } from './markup.js';

/** A column of a chart, made of bars side by side. */
export interface ChartColumn {
  /** The text shown while a pointer is over it. */
  readonly title: string;
  /** The bars, from left to right; bars of count 0 take no space. */
  readonly parts: readonly { readonly count: number; readonly kind: string }[];
}

/** The size of a chart, and its axes. */
interface ChartFrame {
  readonly width: number;
  readonly height: number;
  /** A sentence that describes the picture. */
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
}

const TOP = 30;
const BOTTOM = 50;
const LEFT = 62;
/** Largest ratio of the highest to the lowest bar on a linear scale: beyond it low bars would be invisible. */
const LINEAR_RANGE = 40;

/** The vertical scale of a chart. */
interface Scale {
  readonly ticks: readonly number[];
  readonly isLogarithmic: boolean;
  heightOf(count: number): number;
}

/** A linear scale with ticks at round steps up to the largest count. */
function linearScale(most: number): Scale {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((size) => most / size <= 5)!);
  const top = Math.max(1, Math.ceil(most / step)) * step;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  return { ticks, isLogarithmic: false, heightOf: (count) => count / top };
}

/** A logarithmic scale: 0 is at the axis, 1 slightly above it, and powers of ten follow at equal distances. */
function logarithmicScale(most: number): Scale {
  const powers = Math.max(1, Math.ceil(Math.log10(most)));
  const heightOf = (count: number): number => (count <= 0 ? 0 : (Math.log10(count) + 0.4) / (powers + 0.4));
  const step = Math.ceil(powers / 5);
  const ticks = Array.from({ length: Math.floor(powers / step) + 1 }, (_, i) => 10 ** (i * step));
  return { ticks: [0, ...ticks], isLogarithmic: true, heightOf };
}

function scaleOf(columns: readonly ChartColumn[]): Scale {
  const counts = columns.flatMap(({ parts }) => parts.map(({ count }) => count));
  const heights = counts.filter((count) => count > 0);
  const most = Math.max(1, ...heights);
  return most > LINEAR_RANGE * Math.min(most, ...heights) ? logarithmicScale(most) : linearScale(most);
}

const px = (value: number): string => String(Number(value.toFixed(1)));

function svg({ width, height, title }: ChartFrame, kind: string, content: readonly Markup[]): Markup {
  return `<svg class="chart ${kind}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">\n${content.join('\n')}\n</svg>`;
}

/** The label of a tick: large counts are shortened, because `1,000,000` is too wide for an axis. */
function tickText(count: number): string {
  if (count >= 1e9) return `${Number((count / 1e9).toPrecision(3))} G`;
  return count >= 1e6 ? `${Number((count / 1e6).toPrecision(3))} M` : numberText(count);
}

/** Lines and labels of the left axis, and its title above it. */
function leftAxis({ width, height, yTitle }: ChartFrame, right: number, scale: Scale): Markup[] {
  const bottom = height - BOTTOM;
  const lines = scale.ticks.map((count) => {
    const y = px(bottom - scale.heightOf(count) * (bottom - TOP));
    const kind = count === 0 ? 'axis' : 'grid';
    return `<line class="${kind}" x1="${LEFT}" x2="${width - right}" y1="${y}" y2="${y}"/><text x="${LEFT - 8}" y="${y}" dy="4" text-anchor="end">${tickText(count)}</text>`;
  });
  const title = `${yTitle}${scale.isLogarithmic ? ', log scale' : ''}`;
  return [...lines, `<text class="title" x="4" y="14">${escaped(title)}</text>`];
}

/**
 * A column from `x` on, with one bar per part, side by side. Stacked bars would have no meaning on a logarithmic scale.
 */
function columnMarkup(
  { parts, title }: ChartColumn,
  x: number,
  width: number,
  frame: ChartFrame,
  scale: Scale,
): Markup {
  const filled = parts.filter(({ count }) => count > 0);
  if (filled.length === 0) return '';
  const bottom = frame.height - BOTTOM;
  const own = width / filled.length;
  const rects = filled.map(({ count, kind }, i) => {
    const height = Math.max(0.8, scale.heightOf(count) * (bottom - TOP));
    return `<rect class="${kind}" x="${px(x + i * own)}" y="${px(bottom - height)}" width="${px(own)}" height="${px(height)}"/>`;
  });
  return `<g><title>${escaped(title)}</title>${rects.join('')}</g>`;
}

/** A histogram over 0..1 with a threshold, and a curve of probabilities with its own axis. */
export interface SimilarityChart {
  readonly columns: readonly ChartColumn[];
  readonly threshold: number;
  /** Null if the chart has no curve. */
  readonly curve: ((similarity: number) => number) | null;
}

const CURVE_STEPS = 100;
const LABELLED = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** A curve of probabilities over similarities. */
function curveMarkup(
  { width, height }: ChartFrame,
  right: number,
  at: (similarity: number) => number,
  colour = '',
): Markup {
  const bottom = height - BOTTOM;
  const points = Array.from({ length: CURVE_STEPS + 1 }, (_, i) => {
    const similarity = i / CURVE_STEPS;
    return `${px(LEFT + similarity * (width - LEFT - right))},${px(bottom - at(similarity) * (bottom - TOP))}`;
  });
  return `<polyline class="curve"${colour} points="${points.join(' ')}"/>`;
}

/** The labels of the right axis, of probabilities. */
function rightAxis({ width, height }: ChartFrame, right: number): Markup[] {
  const bottom = height - BOTTOM;
  return [0, 0.5, 1].map(
    (share) =>
      `<text class="title" x="${width - right + 8}" y="${px(bottom - share * (bottom - TOP))}" dy="4">${100 * share} %</text>`,
  );
}

/** The threshold over a chart, and the axis of similarities below it. */
function similarityAxis({ width, height, xTitle }: ChartFrame, right: number, threshold: number): Markup[] {
  const [bottom, inner] = [height - BOTTOM, width - LEFT - right];
  const ticks = LABELLED.map(
    (at) =>
      `<line class="axis" x1="${px(LEFT + at * inner)}" x2="${px(LEFT + at * inner)}" y1="${bottom}" y2="${bottom + 5}"/><text x="${px(LEFT + at * inner)}" y="${bottom + 19}" text-anchor="middle">${at.toFixed(1)}</text>`,
  );
  const at = px(LEFT + threshold * inner);
  const anchor = threshold > 0.75 ? 'end' : threshold < 0.2 ? 'start' : 'middle';
  const mark = `<line class="threshold" x1="${at}" x2="${at}" y1="${TOP - 6}" y2="${bottom}"/><text class="threshold-text" x="${at}" y="${TOP - 10}" text-anchor="${anchor}">threshold ${Number(threshold.toFixed(4))}</text>`;
  const title = `<text class="title" x="${px(LEFT + inner / 2)}" y="${height - 8}" text-anchor="middle">${escaped(xTitle)}</text>`;
  return [mark, ...ticks, title];
}

/** The histogram of similarities. */
export function similarityChart({ columns, threshold, curve }: SimilarityChart, frame: ChartFrame): Markup {
  const right = curve === null ? 16 : 52;
  const scale = scaleOf(columns);
  const step = (frame.width - LEFT - right) / columns.length;
  const bars = columns.map((column, i) =>
    columnMarkup(column, LEFT + i * step + 0.5, Math.max(1, step - 1), frame, scale),
  );
  return svg(frame, 'similarities', [
    ...leftAxis(frame, right, scale),
    ...bars.filter((bar) => bar !== ''),
    ...(curve === null ? [] : [curveMarkup(frame, right, curve), ...rightAxis(frame, right)]),
    ...similarityAxis(frame, right, threshold),
  ]);
}

/** The style of a picture outside a page. */
const OWN_STYLE =
  'text{font:13px sans-serif;fill:#222}.grid{stroke:#ddd}.axis{stroke:#222}.threshold{stroke:#222;stroke-dasharray:5 4}.curve{fill:none;stroke-width:2}';
/** Colours that colour-blind people can distinguish (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000', '#999999'];
/** The number of curves with distinct colours. */
export const MOST_CURVES: number = COLOURS.length;

/** The picture of at least one S-curve, with a line at the threshold (0..1), as a complete SVG file. */
export function curvesAsSvg(
  curves: readonly { readonly name: string; readonly at: (similarity: number) => number }[],
  threshold: number,
): string {
  const frame = {
    ...{
      width: 720,
      height: 440,
      title: `S-curves of banding: ${curves.map(({ name }) => name).join(', ')}`,
    },
    xTitle: 'Jaccard similarity of a pair',
    yTitle: 'probability of becoming a candidate',
  };
  const right = 16;
  const scale: Scale = { ticks: LABELLED, isLogarithmic: false, heightOf: (share) => share };
  const colour = (i: number): string => ` stroke="${COLOURS[i % MOST_CURVES]}"`;
  const picture = svg(frame, 'curves', [
    `<style>${OWN_STYLE}</style>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...leftAxis(frame, right, scale),
    ...curves.map(({ at }, i) => curveMarkup(frame, right, at, colour(i))),
    ...similarityAxis(frame, right, threshold),
    ...curves.map(({ name }, i) => {
      const y = TOP + 18 + 20 * i;
      return `<line x1="${LEFT + 14}" y1="${y}" x2="${LEFT + 38}" y2="${y}" stroke-width="3"${colour(i)}/><text x="${LEFT + 46}" y="${y + 4}">${escaped(name)}</text>`;
    }),
  ]);
  return `${picture.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')}\n`;
}
