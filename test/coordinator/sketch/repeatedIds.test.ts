/**
 * Ids that repeat, in every kind of input: all documents are compared, ids are printed as they are, and each document is found by its
 * location. Locations are read here by rules of this file's own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { openResult } from '../../../src/analysis/inspect.js';
import { resemblance } from '../../../src/analysis/measures.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { programHere } from '../../cli/programHere.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type Files, finished, resultOf } from '../runs/finished.js';

const random = randomFrom(77);
const PAGES = Array.from({ length: 6 }, () => wordsFrom(random, 90));
const nearCopy = (): string => {
  return edited(random, PAGES[Math.floor(random() * 6)]!, Math.floor(random() * 4)).join(' ');
};
/** Few ids for many records, some of them places of others, some none. */
const IDS = ['x', 'y', 'b.jsonl#2', 'c.txt', 'e.json#1', 'f.jsonl.gz#3', null, null];
const anyRecord = (): string => {
  const id = IDS[Math.floor(random() * IDS.length)];
  return JSON.stringify({ ...(id === null ? {} : { id }), text: nearCopy() });
};
const records = (count: number): string[] => Array.from({ length: count }, anyRecord);
const lines = (count: number): string => `${records(count).join('\n\n')}\n`;

const FILES: Files = {
  'a.jsonl': lines(12),
  'a.jsonl#3': nearCopy(),
  'b.jsonl': lines(12),
  'c.txt': nearCopy(),
  'd.json': JSON.stringify({ id: 'x', text: nearCopy() }),
  'e.json': `[${records(9).join(', ')}]`,
  'f.jsonl.gz': gzipSync(lines(8)),
  'g/x': nearCopy(),
};
const DOCUMENTS = 12 + 1 + 12 + 1 + 1 + 9 + 8 + 1;

/** The text in a place: `path`, `path#record`, and `path#` for a whole file. */
function textIn(files: Files, place: string): string {
  const [, path, number] = /^(.*)#(\d*)$/.exec(place) ?? [place, place, ''];
  const whole = files[path!] ?? files[place];
  if (whole === undefined) throw new Error(`nothing is in ${place}`);
  const content = path!.endsWith('.gz') ? gunzipSync(whole).toString() : whole.toString();
  if (number === '') return path!.endsWith('.json') ? JSON.parse(content).text : content;
  if (path!.endsWith('.json')) return JSON.parse(content)[Number(number) - 1].text;
  return JSON.parse(content.split('\n')[Number(number) - 1]!).text;
}

/** The id of the document in a location: the location if it has none. */
function idIn(files: Files, place: string): string {
  const [, path, number] = /^(.*)#(\d*)$/.exec(place) ?? [place, place, ''];
  const whole = files[path!];
  if (whole === undefined || !/\.jsonl?(\.gz)?$/.test(path!)) return place;
  const content = path!.endsWith('.gz') ? gunzipSync(whole).toString() : whole.toString();
  const lines = path!.endsWith('.json') ? [JSON.parse(content)].flat() : content.split('\n');
  const one = lines[number === '' ? 0 : Number(number) - 1];
  return (typeof one === 'string' ? JSON.parse(one) : one).id ?? place;
}

const MODES: readonly (readonly [string, RunOptions])[] = [
  ['exact', { threshold: 0.5 }],
  ['signature', { threshold: 0.5, verify: 'signature' }],
  ['shards', { threshold: 0.5, shards: 3, threads: 1 }],
  ['exact duplicates', { exactDuplicates: true }],
];

for (const [mode, options] of MODES) {
  test(`documents of repeated ids are printed with them, and found by their locations: ${mode}`, async (t) => {
    const { manifest, clusters, dropped, skipped, pairs } = await finished(t, FILES, options);
    t.deepEqual(skipped, []);
    const { counts } = manifest;
    t.deepEqual(
      [counts.documents, counts.read, counts.kept + counts.dropped],
      [DOCUMENTS, DOCUMENTS, DOCUMENTS],
    );
    t.true(counts.ids_repeated > 20);
    t.is(new Set(clusters.map(({ place }) => place)).size, clusters.length);
    for (const { document, place } of clusters) t.is(document!, idIn(FILES, place!));
    t.true(mode === 'exact duplicates' || dropped.length > 20);
    for (const { document, kept, jaccard, place, kept_place: keptPlace } of dropped) {
      t.deepEqual([document!, kept!], [idIn(FILES, place!), idIn(FILES, keptPlace!)]);
      const found = resemblance(textIn(FILES, place!), textIn(FILES, keptPlace!));
      // Five standard errors of an estimate over 128 slots: 5 * 0.5 / sqrt(128) = 0.22.
      const error = mode === 'signature' ? 0.22 : 1e-6;
      t.true(Math.abs(found - Number(jaccard)) < error, place);
    }
    if (mode !== 'exact') return;
    // Brute force: no two that stay are alike, and every pair told is.
    const gone = new Set(dropped.map(({ place }) => place));
    const stay = clusters.flatMap(({ place }) => (gone.has(place) ? [] : [place!]));
    const alike = stay.filter((a) =>
      stay.some((b) => a < b && resemblance(textIn(FILES, a), textIn(FILES, b)) >= 0.5),
    );
    t.deepEqual(alike, []);
    for (const { a_location: a, b_location: b } of pairs)
      t.true(resemblance(textIn(FILES, a!), textIn(FILES, b!)) >= 0.5, `${a} ${b}`);
  });
}

test('texts of a result are found by locations, and a repeated id is ambiguous', async (t) => {
  const { out, clusters } = await finished(t, FILES, { threshold: 0.5 });
  const result = await openResult(out);
  const [first, ...others] = clusters.filter((_, i) => i % 3 === 0);
  for (const { place } of others) {
    const texts = await result.texts(place!, first!.place!);
    t.is(texts.state, 'found', place);
    if (texts.state === 'found') t.deepEqual(texts.a, textIn(FILES, place!).split(' '), place);
  }
  const error = await t.throwsAsync(result.document('x', 5), { instanceOf: MinHashError });
  t.is(error?.problems[0]?.code, 'DOCUMENT_AMBIGUOUS');
  // A location goes before the id of another document.
  t.is((await result.document('c.txt', 5)).place, 'c.txt');
});

test.serial('the command at the end of the summary outputs the kept lines', async (t) => {
  const source = lines(40);
  const folder = temporaryFolder(t, { 'all of it.jsonl': source });
  const { stdout } = await programHere(folder, [
    'run',
    'all of it.jsonl',
    '--threshold',
    '0.5',
    '--out',
    'res',
    '--threads',
    '0',
  ]);
  t.regex(stdout, /^ +mr-minhash apply res --to res-clean {3}# /m);
  await programHere(folder, ['apply', 'res', '--to', 'res-clean']);
  const kept = readFileSync(join(folder, 'res-clean/all of it.jsonl'), 'utf8');
  const { dropped, manifest } = resultOf(join(folder, 'res'));
  const gone = new Set(dropped.map(({ place }) => Number(place!.slice('all of it.jsonl#'.length))));
  t.is(
    kept,
    source
      .split('\n')
      .slice(0, -1)
      .filter((_, i) => !gone.has(i + 1))
      .map((line) => `${line}\n`)
      .join(''),
  );
  t.is(gone.size, manifest.counts.dropped);
  const bytesOf = (text: string): number =>
    text
      .split('\n')
      .reduce((sum, line) => (line === '' ? sum : sum + Buffer.byteLength(JSON.parse(line).text)), 0);
  t.is(manifest.counts.kept_bytes, bytesOf(kept));
  t.is(manifest.counts.kept_bytes! + manifest.counts.dropped_bytes!, bytesOf(source));
  t.regex(stdout, /^warning: \d+ documents have the id of an earlier one/m);
});

test.serial('locations of standard input, and of files below several PATHs', async (t) => {
  const source = lines(20);
  const folder = temporaryFolder(t, { 'one/in/a.jsonl': source, 'two/in/a.jsonl': source });
  const words = ['--threshold', '0.5', '--threads', '0', '--quiet'];
  await programHere(folder, ['run', '-', '--out', 'piped', ...words], source);
  for (const { place } of resultOf(join(folder, 'piped')).dropped) t.regex(place!, /^-#\d+$/);
  await programHere(folder, ['run', 'two/in', 'one/in', '--out', 'both', ...words]);
  const statsIn = (out: string) => JSON.parse(readFileSync(join(folder, out, 'stats.json'), 'utf8'));
  t.deepEqual(statsIn('both').places, [
    { prefix: 'two/in', path: 'two/in', kind: 'folder' },
    { prefix: 'one/in', path: 'one/in', kind: 'folder' },
  ]);
  t.false('places' in resultOf(join(folder, 'both')).manifest);
  const { clusters, manifest } = resultOf(join(folder, 'both'));
  t.is(manifest.counts.read, 40);
  for (const { document, place } of clusters) {
    const [path, line] = place!.split('#');
    const { id, text } = JSON.parse(readFileSync(join(folder, path!), 'utf8').split('\n')[Number(line) - 1]!);
    t.true(text.length > 0);
    t.is(document!, id ?? place!);
  }
});

test('the location of a file whose name ends in # has one more', async (t) => {
  const page = nearCopy();
  const names = ['b.txt#', 'c.jsonl#', 'c.jsonl##', 'd#5', 'e#/f', 'g.json#'];
  const files = Object.fromEntries(names.map((name) => [name, page]));
  const places = ['b.txt##', 'c.jsonl##', 'c.jsonl###', 'd#5', 'e#/f', 'g.json##'];
  // Without ids of records and with one.
  for (const more of [{}, { 'c.jsonl': JSON.stringify({ id: 'x', text: page }) }]) {
    const { clusters } = await finished(t, { ...files, ...more });
    const told = clusters.map(({ place }) => place!).filter((place) => place !== 'c.jsonl#1');
    t.deepEqual(told.sort(), [...places].sort());
    const byRule = clusters.filter(({ place }) => place !== 'd#5');
    for (const { place } of byRule) t.is(textIn({ ...files, ...more }, place!), page);
  }
});
