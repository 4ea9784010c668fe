/** Gzip with an extreme compression ratio, deep JSON, and long or empty ids. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished } from '../runs/finished.js';
import { rowsOf } from '../runs/resultFiles.js';

const PAGE = wordsFrom(randomFrom(23), 400).join(' ');
const LINES = Array.from({ length: 20 }, (_, i) =>
  JSON.stringify({ id: `r${i}`, text: `${PAGE} ${i}` }),
).join('\n');
const BOMB = gzipSync(Buffer.alloc(8e6, 'a '));

test('data with an extreme compression ratio is bounded by --max-document: a text, and each line', async (t) => {
  const { skipped, manifest } = await finished(
    t,
    {
      'line.jsonl.gz': gzipSync(Buffer.alloc(2e6, 'a ')),
      'lines.jsonl.gz': gzipSync(Buffer.concat([Buffer.from(`${LINES}\n`), Buffer.alloc(2e6, '\n')])),
      'text.txt.gz': BOMB,
      // As repetitive, but small: a text like any other.
      'small.txt.gz': gzipSync('a '.repeat(40_000)),
    },
    { maxDocument: 1_000_000 },
  );
  const places = skipped.map(({ document, reason }) => `${document!.replace(/#\d{4,}$/, '#N')} ${reason}`);
  const large = 'TOO_LARGE: the text, or the JSON around it, is larger than --max-document allows';
  t.deepEqual(places, ['line.jsonl.gz#1 JSON_BROKEN: not valid JSON', `text.txt.gz ${large}`]);
  t.is(manifest.counts.read, 21);
});

test('JSON nested 10^5 deep is read, or reported if it is invalid', async (t) => {
  const depth = 100_000;
  const open = '['.repeat(depth);
  const close = ']'.repeat(depth);
  const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const { skipped, manifest, out } = await finished(t, {
    'deep.json': `{"x":${open}${close},"text":"deep one"}`,
    'broken.json': `{"text":"x","y":${open}`,
    'deep.jsonl': `{"x":${open}${close},"text":"deep two"}\n${open}\n${objects}\n${open}${close}\n{"text":"end"}`,
  });
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.replace(/:.*/, '')}`),
    [
      'broken.json JSON_BROKEN',
      'deep.jsonl#2 JSON_BROKEN',
      'deep.jsonl#3 JSON_NO_TEXT',
      'deep.jsonl#4 JSON_NOT_AN_OBJECT',
    ],
  );
  t.is(manifest.counts.read, 3);
  t.true(readFileSync(join(out, 'skipped.tsv')).length < 1000);
});

test('a record with an id of more than 64 KB has its location as id', async (t) => {
  const lineOf = (id: string, more = ''): string => `{"id":"${id}"${more}}`;
  const longest = 'i'.repeat(64 << 10);
  const text = ',"text":"a b c"';
  const escaped = '\\u0069'.repeat(64 << 10);
  const lines = [longest, `${longest}i`, escaped.slice(6), `${escaped}i`, 'x'.repeat(5e6)].map((id) =>
    lineOf(id, text),
  );
  const files = {
    'a.jsonl': [...lines, lineOf(`${longest}i`), lineOf('ok', text)].join('\n'),
    'b.json': lineOf(`${longest}j`, text),
    'c.json': `[${lineOf(`${escaped}j`, text)},${lineOf('c', text)}]`,
  };
  const { skipped, manifest } = await finished(t, files);
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.replace(/:.*/, '')}`),
    ['a.jsonl#6 JSON_NO_TEXT'],
  );
  t.is(manifest.counts.read, 9);
});

test('an empty id counts as missing: the record has its location as id', async (t) => {
  const lineOf = (id: string): string => `{"id":${id},"text":"a b c"}`;
  const lines = [lineOf('""'), lineOf('null'), lineOf('"\\u0061"'), '{"id":""}', lineOf('""')].join('\n');
  const files = { 'a.jsonl': lines, 'b.json': lineOf('""'), 'c.json': `[${lineOf('""')},${lineOf('" "')}]` };
  // Lines in another encoding are scanned by the reference.
  for (const [contents, options] of [
    [files, {}],
    [{ ...files, 'a.jsonl': Buffer.from(lines, 'latin1') }, { encoding: 'latin1' }],
  ] as const) {
    const { skipped, out } = await finished(t, contents, options);
    t.deepEqual(
      skipped.map(({ document }) => document),
      ['a.jsonl#4'],
    );
    const clustered = rowsOf(out, 'clusters').map(({ document }) => document);
    t.deepEqual(clustered, ['a.jsonl#1', 'a.jsonl#2', 'a', 'a.jsonl#5', 'b.json', 'c.json#1', ' ']);
  }
});
