/**
 * S-curves as a picture: one SVG without scripts, fonts or links of its own.
 *
 * Floor 5. Pure; the same curves give the same text on every machine.
 */
export interface SvgCurve {
  readonly name: string;
  readonly at: (similarity: number) => number;
}

const WIDTH = 720;
const HEIGHT = 440;
const LEFT = 60;
const TOP = 40;
const RIGHT = 690;
const BOTTOM = 380;
const STEPS = 200;
/** Told apart by eyes that see few colours (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#000000', '#999999'];
const TEXT = 'font-family="sans-serif" font-size="13" fill="#222"';

/** How many curves have a colour of their own. */
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
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>S-curves of banding: ${escaped(names)}</title>`,
    `<desc>Probability that a pair becomes a candidate, over its resemblance; threshold ${threshold}</desc>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
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
    `<text x="${x(0.5)}" y="${BOTTOM + 42}" text-anchor="middle" ${TEXT}>resemblance of a pair</text>`,
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
