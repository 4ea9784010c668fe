/**
 * `npm run docs:terminal`: docs/images/terminal.svg, the commands of the quick start with their output. `--check`
 * compares it with the current output, and exits with 1 if it differs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FILE = join(ROOT, 'docs/images/terminal.svg');
const WIDTH = 92;
/** Each command with the number of lines shown; further lines are omitted. */
const COMMANDS = [
  ['run node_modules/spdx-license-list/licenses --text-field licenseText --out found', 8],
  ['inspect found --pair CC-BY-1.0.json CC-BY-SA-1.0.json', 16],
  ['apply found --to found-clean', 3],
];

/** The output of the commands, without times. */
function session() {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-terminal-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return COMMANDS.map(([command, most]) => {
      const printed = execFileSync(
        process.execPath,
        [join(ROOT, 'dist/package/cli.js'), ...command.split(' ')],
        {
          ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
          env: { ...process.env, COLUMNS: String(WIDTH), NO_COLOR: '1' },
        },
      );
      const lines = printed.trimEnd().split('\n');
      const shown = lines.slice(0, most).map((line) => line.replace(/, \d[\d.]* s$/, ''));
      return { command: `mr-minhash ${command}`, lines: lines.length > most ? [...shown, '…'] : shown };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [CHARACTER, LINE, LEFT, TOP] = [8.4, 20, 24, 56];
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Classes of highlighted parts. */
const MARKS = [
  [/\[-.*?-\](?!-)/g, 'a'],
  [/\{\+.*?\+\}/g, 'b'],
  [/^\d+ of \d+ documents can be dropped/g, 'answer'],
  [/ # .*$/g, 'dim'],
];

/** A line as spans, each at its column, so that columns are aligned in every font. */
function lineMarkup(text, y, kind = '') {
  const marks = MARKS.flatMap(([pattern, name]) =>
    [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length, name]),
  ).sort(([x], [z]) => x - z);
  const spans = [];
  let at = 0;
  const add = (to, name) => {
    for (const { 0: run, index } of text.slice(at, to).matchAll(/\S+(?: \S+)*/g)) {
      const x = (LEFT + (at + index) * CHARACTER).toFixed(1);
      const own = name === '' ? '' : ` class="${name}"`;
      spans.push(
        `<tspan x="${x}" textLength="${(run.length * CHARACTER).toFixed(1)}"${own}>${escaped(run)}</tspan>`,
      );
    }
    at = to;
  };
  for (const [from, to, name] of marks) {
    if (from < at) continue;
    add(from, kind);
    add(to, name);
  }
  add(text.length, kind);
  return `<text y="${y}">${spans.join('')}</text>`;
}

function picture(commands) {
  const longest = Math.max(...commands.flatMap(({ lines }) => lines.map(({ length }) => length)));
  const rows = [];
  let y = TOP;
  for (const { command, lines } of commands) {
    rows.push(lineMarkup(`$ ${command}`, y, 'command'));
    for (const line of lines) {
      y += LINE;
      rows.push(lineMarkup(line, y));
    }
    y += 2 * LINE;
  }
  const [width, height] = [Math.ceil(2 * LEFT + longest * CHARACTER), y - LINE];
  const title = 'A terminal: mr-minhash run, inspect and apply over the SPDX licence list';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dde4}.command{fill:#fff;font-weight:600}.answer{fill:#6cb8f0;font-weight:600}.dim{fill:#8e99a6}.a{fill:#ff9d8f}.b{fill:#8fe0a5}</style>
<rect width="100%" height="100%" rx="10" fill="#14181d"/>
<g fill="#3a444f"><circle cx="24" cy="20" r="6"/><circle cx="44" cy="20" r="6"/><circle cx="64" cy="20" r="6"/></g>
${rows.join('\n')}
</svg>
`;
}

const made = picture(session());
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
else if (readFileSync(FILE, 'utf8') !== made) {
  console.error('docs/images/terminal.svg differs from what the commands print: npm run docs:terminal');
  process.exitCode = 1;
}
