/** Paragraphs and lines taken out of documents: texts, and the text fields of records. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { UnitFates } from '../../../src/coordinator/apply/records/unitFates.js';
import { run } from '../../../src/coordinator/run.js';
import type { MinHashError } from '../../../src/errors.js';
import { checkOptions } from '../../../src/options/check.js';
import { type CutUnit, textWithout } from '../../../src/text/units.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { encode } from '../../data/shingledDocuments.js';
import { type Files, finished, prepared } from '../runs/finished.js';
import { manifestIn } from '../runs/resultFiles.js';

const { params } = checkOptions({ textField: 'a,b' }).resolved;

/** The fates of a file in whose first record these units are dropped. */
function fatesOf(drop: readonly number[], unit: CutUnit, keepsEmpty = false): UnitFates {
  const drops = {
    starts: Uint32Array.of(0, drop.length),
    numbers: new Float64Array(drop.length).fill(1),
    units: Float64Array.from(drop),
    values: new Float64Array(drop.length),
  };
  const refuse = (why: string): never => {
    throw new Error(why);
  };
  return new UnitFates({ drops, file: 0, unit, params, keepsEmpty, holds: 'records', refuse });
}

const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  '\n': ['\\n', '\\u000a', '\\u000A'],
  '\r': ['\\r', '\\u000d'],
  '\t': ['\\t', '\\u0009'],
  '"': ['\\"', '\\u0022'],
  '\\': ['\\\\', '\\u005c'],
  '/': ['/', '\\/'],
  é: ['é', '\\u00e9'],
  '\u3000': ['\u3000', '\\u3000'],
  '\u{1f600}': ['\u{1f600}', '\\ud83d\\ude00'],
};
const character = fc.constantFrom('a', 'b', ' ', '\n', '\n\n', '\r\n', '\n', ...Object.keys(ESCAPES));
/** A text, and how a JSON string may be written that has it. */
const written = fc.array(fc.tuple(character, fc.nat(2)), { maxLength: 25 }).map((parts) => ({
  text: parts.map(([one]) => one).join(''),
  raw: parts
    .map(([some, way]) =>
      Array.from(some, (one) => {
        const ways = ESCAPES[one] ?? [one];
        return ways[way % ways.length];
      }).join(''),
    )
    .join(''),
}));

test('only the bytes of the units are removed from a record, however its strings are escaped', (t) => {
  const units = fc.constantFrom<CutUnit>('paragraph', 'line');
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
  fc.assert(
    fc.property(written, written, units, numbers, (a, b, unit, some) => {
      const drop = [...some].sort((x, y) => x - y);
      const line = `{ "n":1.0, "a" : "${a.raw}","o":[1,  "\\u0041"], "b":["${b.raw}"] }\r\n`;
      const fates = fatesOf(drop, unit, true);
      const found = fates.fateOf(1) === 0 ? null : fates.edited(1, Buffer.from(line));
      // A record without a text has no units.
      if (found === null) return t.true(drop.length === 0);
      const edited = Buffer.from(found).toString();
      const parsed = JSON.parse(edited) as { a: string; b: [string] };
      // What stood between the two strings is in neither.
      t.deepEqual([parsed.a, parsed.b[0]], partsLeft(a.text, b.text, drop, unit));
      t.regex(edited, /^{ "n":1\.0, "a" : "/);
      t.true(edited.includes('","o":[1,  "\\u0041"], "b":["') && edited.endsWith('"] }\r\n'));
      // What stays is written as it was: it is the line less some of its characters.
      let at = 0;
      for (const one of edited) at = line.indexOf(one, at) + 1;
      t.true(at > 0);
      if (drop.length === 0 || fates.dropped === 0) t.is(edited, line);
    }),
    { numRuns: 800, seed: 5 },
  );
});

/** What is left of two strings that make a text with a line feed or two between them, which stand in neither. */
function partsLeft(a: string, b: string, drop: readonly number[], unit: CutUnit): string[] {
  const [first, second] = [encode(a), encode(b)];
  const joint = first.length > 0 && second.length > 0 ? (unit === 'paragraph' ? 2 : 1) : 0;
  const whole = Buffer.concat([first, encode('\n'.repeat(joint)), second]);
  const left = [Buffer.alloc(0), Buffer.alloc(0)];
  const { spans } = textWithout(whole, drop, unit);
  for (let i = 0; i < spans.length; i += 2) {
    for (let at = spans[i]!; at < spans[i + 1]!; at++) {
      if (at >= first.length && at < first.length + joint) continue;
      const part = at < first.length ? 0 : 1;
      left[part] = Buffer.concat([left[part]!, whole.subarray(at, at + 1)]);
    }
  }
  return left.map((bytes) => bytes.toString());
}

const NOTICE =
  'This page belongs to the archive of the town and may be\nread by all who come to the reading room.';

function corpus(): Files {
  const random = randomFrom(23);
  const own = (): string => wordsFrom(random, 14).join(' ');
  const record = (text: unknown, end = '\n'): string => `${JSON.stringify({ n: 1, text })}${end}`;
  return {
    'a.txt': `${own()}\n\n${NOTICE}\n\n\n${own()}\n`,
    'b/c.txt': `\ufeff${own()}\r\n \r\n${NOTICE.replace('\n', '\r\n')}\r\n`,
    'd.txt': `${NOTICE}\n\nshort`,
    'e.txt': NOTICE,
    'f.txt.gz': gzipSync(`${NOTICE}\n\n${own()}`),
    'g.json': record(`${own()}\n\n${NOTICE}`),
    'h.jsonl': [
      record(`${own()}\n\n${NOTICE}`, '\r\n'),
      '\n',
      record(NOTICE),
      record([own(), '', `\n${NOTICE}`]),
    ].join(''),
    'z.csv': `text\n"${own()}"\n`,
  };
}

test('a notice is removed from every document except the first, and no repeated unit remains', async (t) => {
  const { options, folder, inputs } = prepared(t, corpus());
  await run({ ...options, threads: 0, unit: 'paragraph' });
  const to = join(folder, 'clean');
  const report = await applyResult(options.out, { to });
  t.deepEqual(report!.documents, { read: 17, kept: 9, dropped: 8 });
  t.is(report!.unit, 'paragraph');
  const [before, after] = [inputs, to].map(
    (from) => (name: string) => readFileSync(join(from, name)).toString(),
  ) as [(name: string) => string, (name: string) => string];
  t.is(after('a.txt'), before('a.txt'));
  t.is(after('z.csv'), before('z.csv'));
  const notice = NOTICE.replace('\n', '\r\n');
  t.is(after('b/c.txt'), before('b/c.txt').replace(`\r\n \r\n${notice}`, ''));
  t.is(after('d.txt'), 'short');
  t.false(existsSync(join(to, 'e.txt')));
  const decompressed = (from: string): string => gunzipSync(readFileSync(join(from, 'f.txt.gz'))).toString();
  t.is(decompressed(to), decompressed(inputs).slice(NOTICE.length + 2));
  const inJson = `\\n\\n${NOTICE.replace('\n', '\\n')}`;
  t.is(after('g.json'), before('g.json').replace(inJson, ''));
  const lines = before('h.jsonl').split('\n');
  const [first, blank, , last] = lines;
  t.is(
    after('h.jsonl'),
    [first!.replace(inJson, ''), blank, last!.replace(inJson.slice(2), ''), ''].join('\n'),
  );
  const again = join(folder, 'again');
  await run({ paths: [to], out: again, threads: 0, unit: 'paragraph' });
  t.is(manifestIn(again).counts.dropped, 0);
  t.is(manifestIn(again).counts.read, 9);
  const empty = join(folder, 'with-empty');
  await applyResult(options.out, { to: empty, keepEmpty: true });
  t.is(readFileSync(join(empty, 'e.txt')).length, 0);
  t.regex(readFileSync(join(empty, 'h.jsonl')).toString(), /^{"n":1,"text":""}$/m);
});

test('inputs from which units cannot be removed are rejected by name, before anything is written', async (t) => {
  const files = {
    'a.txt': NOTICE,
    'b.csv': `text\n"${NOTICE}"\n`,
    'c.html': `<title>c</title><p>${NOTICE.replace('\n', '<br>\n')}`,
    'd.json': JSON.stringify([{ text: NOTICE }]),
  };
  const { out, folder, inputs } = await finished(t, files, { unit: 'line' });
  const to = join(folder, 'clean');
  const error = await t.throwsAsync(applyResult(out, { to }));
  const named = ['b.csv: lines', 'c.html: .* not their source; --text-format text'].map(
    (name) => new RegExp(name),
  );
  for (const name of named) t.regex(error!.message, name);
  // The same problems are reported before a run with --write.
  const before = {
    paths: [inputs],
    threads: 0,
    unit: 'line',
    out: join(folder, 'unwritten'),
    write: to,
  } as const;
  const early = await t.throwsAsync<MinHashError>(run(before));
  t.is(early!.exitCode, 2);
  for (const name of [...named, /omit --write/]) t.regex(early!.message, name);
  t.false(existsSync(before.out));
  const raw = await run({ ...before, textFormat: 'text', exclude: ['b.csv', 'd.json'] });
  t.deepEqual(raw.applied!.documents, { read: 4, kept: 3, dropped: 1 });
  rmSync(to, { recursive: true });
  const wide = await t.throwsAsync(
    run({ ...before, out: join(folder, 'wide'), exclude: ['b.csv', 'c.html'] }),
  );
  t.regex(
    wide!.message,
    /d\.json: units can be removed from a JSON file with one object, not from an array; convert it to JSON lines/,
  );
  rmSync(to, { recursive: true, force: true });
  for (const options of [{ to, dropped: true }, { to, annotate: true }, { list: 'kept' as const }]) {
    const refused = await t.throwsAsync(applyResult(out, options));
    t.regex(refused!.message, /parts of documents \(--unit\)/);
  }
  // An HTML page without the file extension.
  const page = await finished(t, { 'a.txt': NOTICE, 'b.txt': `<html>${files['c.html']}` }, { unit: 'line' });
  const refused = await t.throwsAsync(applyResult(page.out, { to: join(page.folder, 'clean') }));
  t.regex(refused!.message, /b\.txt: .* not their source/);
  t.false(existsSync(to));
});
