/** Line charts (SVG) that are readable on light and dark pages: both axes logarithmic, panels side by side. */
interface Line {
  readonly title: string;
  /** Sizes and values, above 0. */
  readonly points: readonly (readonly [size: number, value: number])[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const WIDTH = 380;
const HEIGHT = 260;
const LEFT = 52;
const TOP = 44;
const RIGHT = 34;
const BOTTOM = 34;

const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.tick{font-size:11px;fill:#59636e}' +
  'path{fill:none;stroke-width:2}.grid{stroke:#d1d9e0}.l0{stroke:#0969da}.l1{stroke:#bc4c00}.p0{fill:#0969da}.p1{fill:#bc4c00}' +
  '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.tick{fill:#9198a1}.grid{stroke:#3d444d}' +
  '.l0{stroke:#4493f8}.l1{stroke:#f0883e}.p0{fill:#4493f8}.p1{fill:#f0883e}}';

function shown(value: number): string {
  if (value >= 1e6) return `${value / 1e6} million`;
  return value >= 1000 ? `${value / 1000},000` : String(value);
}

/** Powers of ten around the values. */
function powers(values: readonly number[]): readonly [number, number] {
  const logs = values.map(Math.log10);
  return [Math.floor(Math.min(...logs) + 1e-9), Math.ceil(Math.max(...logs) - 1e-9)];
}

function drawn({ title, lines }: Panel, left: number): string[] {
  const points = lines.flatMap((line) => line.points);
  const [fromX, toX] = powers(points.map(([size]) => size));
  const [fromY, toY] = powers(points.map(([, value]) => value));
  const [width, height] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const x = (size: number): string =>
    (left + LEFT + (width * (Math.log10(size) - fromX)) / Math.max(1, toX - fromX)).toFixed(1);
  const y = (value: number): string =>
    (TOP + height - (height * (Math.log10(value) - fromY)) / Math.max(1, toY - fromY)).toFixed(1);
  const parts = [`<text class="head" x="${left + 8}" y="18">${title}</text>`];
  for (let power = fromY; power <= toY; power++) {
    const at = y(10 ** power);
    parts.push(
      `<line class="grid" x1="${left + LEFT}" x2="${left + WIDTH - RIGHT}" y1="${at}" y2="${at}"/>`,
      `<text class="tick" x="${left + LEFT - 6}" y="${at}" dy="4" text-anchor="end">${shown(10 ** power)}</text>`,
    );
  }
  for (let power = fromX; power <= toX; power++) {
    const at = x(10 ** power);
    parts.push(
      `<line class="grid" x1="${at}" x2="${at}" y1="${TOP}" y2="${TOP + height}"/>`,
      `<text class="tick" x="${at}" y="${HEIGHT - 12}" text-anchor="middle">${shown(10 ** power)}</text>`,
    );
  }
  lines.forEach((line, i) => {
    const path = line.points.map(([size, value], p) => `${p === 0 ? 'M' : 'L'}${x(size)} ${y(value)}`);
    parts.push(`<path class="l${i}" d="${path.join('')}"/>`);
    for (const [size, value] of line.points)
      parts.push(`<circle class="p${i}" cx="${x(size)}" cy="${y(value)}" r="3"/>`);
    parts.push(
      `<circle class="p${i}" cx="${left + 14 + 170 * i}" cy="32" r="4"/>`,
      `<text x="${left + 22 + 170 * i}" y="36">${line.title}</text>`,
    );
  });
  return parts;
}

/** Panels of at most two lines each. */
export function lineChart(title: string, panels: readonly Panel[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * panels.length} ${HEIGHT}" role="img">`,
    `<title>${title}</title><style>${STYLE}</style>`,
    ...panels.flatMap((panel, i) => drawn(panel, WIDTH * i)),
    '</svg>\n',
  ].join('\n');
}
