import test from 'ava';
import fc from 'fast-check';
import { showWritten } from '../../../cli/show/result/writtenTexts.js';
import { textWidth } from '../../../cli/show/width.js';
import { sharedRuns } from '../../../src/analysis/result/sharedRuns.js';
import { type CaptureOptions, capturedTerminal } from '../capturedTerminal.js';

const encoder = new TextEncoder();

/** The rows below the legend. */
function rowsOf(a: string, b: string, capture: CaptureOptions = {}): string[] {
  const { terminal, stdout } = capturedTerminal(capture);
  const params = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 1 } as const;
  showWritten(sharedRuns(encoder.encode(a), encoder.encode(b), params), false, terminal);
  return stdout().split('\n\n').slice(1).join('\n\n').trimEnd().split('\n');
}

const MANY = Array.from({ length: 400 }, (_, i) => `word${i}`);

test('long shared stretches are replaced by their number of words, in texts of many lines and of one', (t) => {
  const lines = MANY.join('\n');
  const rows = rowsOf(`X\n${lines}\nold end\n`, `Y\n${lines}\nnew end\n`);
  t.is(rows.filter((row) => /^ +… 396 words …$/.test(row)).length, 1, rows.join('\n'));
  t.regex(rows[0]!, /^ {2}1 - \[-X-\] +\| {3}1 \+ \{\+Y\+\}$/);
  t.regex(rows.at(-1)!, /^402 - \[-old end-\] +\| 402 \+ \{\+new end\+\}$/);
  const line = MANY.join(' ');
  const inOne = rowsOf(`X ${line} old`, `Y ${line} new`);
  t.true(inOne.length < 20);
  t.is(inOne.filter((row) => /^ +… \d+ words …$/.test(row)).length, 1);
  const han = '天地玄黄宇宙洪荒'.repeat(100);
  t.true(rowsOf(`X ${han} old`, `Y ${han} new`).some((row) => /^ +… \d+ characters …$/.test(row)));
});

test('numbers are those of the lines that begin in a row, also after hidden lines', (t) => {
  const line = fc.constantFrom('', 'one two three', 'four', 'x '.repeat(60), '\tindented', 'same same same');
  const text = fc.array(line, { minLength: 1, maxLength: 40 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 60, max: 160 }), (a, b, columns) => {
      if (a === b) return;
      const rows = rowsOf(a, b, { tty: true, columns, environment: { NO_COLOR: '1' } });
      const lines = [a.split('\n'), b.split('\n')] as const;
      for (const row of rows) {
        t.true(textWidth(row) <= columns, row);
        if (!row.includes(' | ')) continue;
        row.split(/ \| ?/).forEach((cell, side) => {
          const found = /^ *(\d+) [-+=~] +(.*)$/.exec(cell);
          if (found === null) return;
          const first = found[2]!.replace(/\[-|-\]|\{\+|\+\}|\(=|=\)|\(~|~\)/g, '').trim();
          t.true(
            lines[side]![Number(found[1]) - 1]!.trim().startsWith(first),
            `${row} of ${JSON.stringify(lines[side])}`,
          );
        });
      }
    }),
    { seed: 9, numRuns: 200 },
  );
});

test('controls of texts never reach the terminal, and colours replace brackets', (t) => {
  const rows = rowsOf('a b c \x1b[2J\u202e d', 'a b c \x07 e', { tty: true, columns: 100 }).join('\n');
  const plain = rows.replace(/\x1b\[[\d;]*m/g, '');
  t.true(plain.includes('a b c \\x1b[2J\\u202e d'), plain);
  t.notRegex(plain, /\[-|\{\+|\x1b|\x07|\u202e/);
  t.true(rows.includes('\x1b[31m2J\\u202e d\x1b[0m'));
});
