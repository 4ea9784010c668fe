/** Bar charts (SVG) that are readable on light and dark pages. */
export interface Bar {
  readonly title: string;
  /** Above 0. */
  readonly value: number;
  readonly ours: boolean;
}

const WIDTH = 760;
const TITLES = 250;
const VALUES = 70;
const ROW = 26;
const TOP = 40;
const BOTTOM = 28;
/** From this ratio of the largest to the least value on, lengths are logarithmic. */
const LOGARITHMIC = 20;

const STYLE =
  'text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.tick{font-size:11px;fill:#59636e}' +
  '.bar{fill:#8c959f}.ours{fill:#0969da}.line{stroke:#d1d9e0}' +
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.tick{fill:#9198a1}.bar{fill:#656c76}' +
  '.ours{fill:#4493f8}.line{stroke:#3d444d}}';

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function shown(value: number): string {
  return value < 100 ? String(Number(value.toPrecision(2))) : String(Math.round(value));
}

/** Ticks and positions of an axis from 0, or from a power of ten if values differ much. */
function axisOf(values: readonly number[]): { ticks: number[]; place: (value: number) => number } {
  const most = Math.max(...values);
  const least = Math.min(...values);
  const length = WIDTH - TITLES - VALUES;
  if (most / least < LOGARITHMIC) {
    const power = 10 ** Math.floor(Math.log10(most));
    const step = most < 4 * power ? power / 5 : power;
    const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
    return { ticks, place: (value) => (length * value) / most };
  }
  const from = Math.floor(Math.log10(least) - 1e-9);
  const to = Math.ceil(Math.log10(most));
  const ticks = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
  return { ticks, place: (value) => (length * (Math.log10(value) - from)) / (to - from) };
}

/** A chart of horizontal bars, in the order of the list; no bar for a missing value. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const height = TOP + ROW * bars.length + BOTTOM;
  const { ticks, place } = axisOf(bars.length === 0 ? [1] : bars.map(({ value }) => value));
  const grid = ticks.map((tick) => {
    const x = (TITLES + place(tick)).toFixed(1);
    return (
      `<line class="line" x1="${x}" x2="${x}" y1="${TOP}" y2="${height - BOTTOM}"/>` +
      `<text class="tick" x="${x}" y="${height - 10}" text-anchor="middle">${shown(tick)}</text>`
    );
  });
  const rows = bars.map(({ title: name, value, ours }, i) => {
    const y = TOP + ROW * i;
    const length = Math.max(1, place(value));
    return (
      `<text x="${TITLES - 8}" y="${y + 17}" text-anchor="end">${escaped(name)}</text>` +
      `<rect class="${ours ? 'ours' : 'bar'}" x="${TITLES}" y="${y + 4}" ` +
      `width="${length.toFixed(1)}" height="${ROW - 8}"/>` +
      `<text x="${(TITLES + length + 6).toFixed(1)}" y="${y + 17}">${shown(value)}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<text class="head" x="8" y="22">${escaped(title)}</text>`,
    ...grid,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
