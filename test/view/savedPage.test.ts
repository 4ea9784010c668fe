/** The saved page of a result: its contents for all kinds of results, where `view --save` writes it, and what it never replaces. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type RunOptions, reportHtml, run } from '../../src/index.js';
import { similarityChart } from '../../src/view/charts.js';
import { programHere } from '../cli/programHere.js';
import { sharedFolder } from '../data/temporaryFolder.js';

const WORDS = Array.from({ length: 50 }, (_, i) => `w${i}`).join(' ');
const EVIL = '</script><script>alert(1)</script> & "q" \u202e\u0000';
const IDS = ['<b>bold</b>', 'tab\tline\n', '"quoted"', 'é'.repeat(3000)];
const folder = sharedFolder({
  'x.jsonl': IDS.map((id, i) => `${JSON.stringify({ id, text: `${WORDS} end${i} ${EVIL}` })}\n`).join(''),
  'one.txt': 'alone here',
  'sets.tsv': Array.from({ length: 40 }, (_, i) => `u${i % 4}\titem${Math.floor(i / 4) + (i % 2)}\n`).join(
    '',
  ),
});

async function pageOf(name: string, options: Partial<RunOptions>): Promise<string> {
  const out = join(folder, name);
  await run({ paths: [join(folder, 'x.jsonl')], threshold: 0.6, out, threads: 0, ...options });
  return reportHtml(out);
}

/** Cells of the table with a caption, row by row. */
function cellsOf(page: string, caption: string): string[][] {
  const table = page.slice(page.indexOf(`<caption>${caption}</caption>`)).split('</table>')[0]!;
  const rows = [...table.split('<tbody>')[1]!.matchAll(/<tr>(.*?)<\/tr>/gs)];
  return rows.map(([, row]) => [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell!));
}

test.serial('the page has ids and texts as text, fetches nothing, and is the same every time', async (t) => {
  const page = await pageOf('plain', {});
  t.true(page.startsWith('<!doctype html>\n'));
  t.regex(page, /Content-Security-Policy" content="default-src 'none'/);
  t.notRegex(page, /<script|<img|<b>bold|https?:|@import|[\u202e\0]/);
  t.true(page.includes('&lt;b&gt;bold&lt;/b&gt;') && page.includes('alert(1)') && page.includes('\\u202e'));
  t.is(page, await reportHtml(join(folder, 'plain')));
  t.true(page.length < 100_000);
  // Every tag that is opened is closed.
  const open: string[] = [];
  for (const [, slash, name] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(?<!\/)>/g)) {
    if (slash === '/') t.is(open.pop(), name);
    else if (!['meta', 'link'].includes(name!)) open.push(name!);
  }
  t.deepEqual(open, []);
});

test.serial('the tables have the numbers of the manifest', async (t) => {
  const page = await pageOf('numbers', {});
  const { counts } = JSON.parse(readFileSync(join(folder, 'numbers/manifest.json'), 'utf8'));
  t.regex(
    page,
    new RegExp(`<strong class="main">${counts.dropped}</strong> of <strong>4</strong> documents`),
  );
  const bins = cellsOf(page, 'Candidate pairs by similarity').flatMap((row) => row.slice(1).map(Number));
  t.is(
    bins.reduce((sum, count) => sum + count, 0),
    counts.candidate_pairs,
  );
  t.deepEqual(cellsOf(page, 'Clusters by size')[0]!.slice(1, 3), [
    String(counts.clusters),
    String(counts.clustered_documents),
  ]);
});

test.serial('the largest clusters have documents and pairs, with links to their texts', async (t) => {
  const page = await pageOf('clickable', {});
  t.regex(page, /<a href="#cluster-1">1<\/a>/);
  const inside = page.slice(page.indexOf('id="cluster-1"')).split('</details>')[0]!;
  t.is(cellsOf(inside, 'Documents of cluster 1').length, 4);
  const link = /<a href="#(pair-\d+-\d+)">0\.\d{3}<\/a>/.exec(inside)![1];
  t.regex(page, new RegExp(`<div class="body" id="${link}">`));
  // What the page has no place for leads nowhere.
  for (const [, place] of page.matchAll(/href="#([^"]+)"/g)) t.true(page.includes(`id="${place}"`), place);
});

test.serial('numbers by source and reason are those of the manifest', async (t) => {
  await pageOf('counted', {});
  const file = join(folder, 'counted/manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const amount = (documents: number) => ({ documents, bytes: 1500 * documents, tokens: 10 * documents });
  const sources = Array.from({ length: 40 }, (_, i) => ({
    source: `<s${i}>`,
    kept: amount(3),
    dropped: amount(i === 0 ? 1 : 0),
  }));
  const numbers = {
    ...{ kept: amount(1), dropped: amount(3), other_sources: 0, median_shingles: 50 },
    reasons: { identical: amount(1), same_tokens: amount(2), near: amount(0) },
    sources: [...sources, { source: null, kept: amount(5), dropped: amount(2) }],
    thresholds: [
      { threshold: 0.7, dropped: 2 },
      { threshold: 0.6, dropped: 3 },
    ],
  };
  writeFileSync(file, JSON.stringify({ ...manifest, numbers }));
  const page = await reportHtml(join(folder, 'counted'));
  const rows = cellsOf(page, 'The bar is the share of the source that is dropped').map((row) =>
    row.slice(0, 4),
  );
  t.is(rows.length, 31);
  t.deepEqual(rows[0]!.slice(1), ['4', '1', '25 %']);
  t.true(rows[0]![0]!.includes('&lt;s0&gt;'));
  t.deepEqual(rows[30], ['all others', '37', '2', '5.4 %']);
  const thresholds = cellsOf(page, 'The outcome of runs with other thresholds, from the pairs of this run');
  t.deepEqual(
    thresholds.map(([at, , dropped]) => [at, dropped]),
    [
      ['0.70', '2'],
      ['0.60', '3'],
    ],
  );
});

test.serial('pages report what a result lacks', async (t) => {
  t.regex(
    await pageOf('nothing', { paths: [join(folder, 'one.txt')] }),
    /There are no candidate pairs\.[\s\S]*There are no clusters\.[\s\S]*There are no near pairs\./,
  );
  t.regex(
    await pageOf('sets', { paths: [join(folder, 'sets.tsv')], input: 'sets' }),
    /elements? in both<\/h4>/,
  );
  t.regex(await pageOf('unverified', { verify: 'none' }), /class="badge">not verified</);
  t.regex(await pageOf('estimates', { verify: 'signature' }), /class="badge">estimate</);
  const gone = join(folder, 'gone.jsonl');
  writeFileSync(gone, readFileSync(join(folder, 'x.jsonl')));
  await pageOf('of-gone', { paths: [gone] });
  writeFileSync(gone, readFileSync(gone, 'utf8').replace('w7', 'changed'));
  t.regex(
    await reportHtml(join(folder, 'of-gone')),
    /At least one of the two texts has changed since the run/,
  );
  rmSync(gone);
  t.regex(await reportHtml(join(folder, 'of-gone')), /no longer exists/);
});

test('bars of one step are side by side, each from the axis', (t) => {
  const parts = [
    { count: 1000, kind: 'accepted' },
    { count: 1, kind: 'rejected' },
    { count: 0, kind: 'estimated' },
  ];
  const frame = { width: 300, height: 200, title: '', xTitle: '', yTitle: '' };
  const columns = [{ title: '', parts }];
  const chart = similarityChart({ columns, threshold: 0.8, curve: null }, frame);
  const bars = [...chart.matchAll(/<rect class="(\w+)" x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/g)];
  t.deepEqual(
    bars.map(([, kind]) => kind),
    ['accepted', 'rejected'],
  );
  const [large, small] = bars.map((bar) => bar.slice(2).map(Number)) as [number[], number[]];
  for (const [, y, , height] of [large, small]) t.is(y! + height!, 150);
  t.true(large[3]! > small[3]! && small[3]! > 5);
  t.is(large[0]! + large[2]!, small[0]);
});

test.serial('a reference and the keep order are reported', async (t) => {
  const records = (mark: string) =>
    Array.from(
      { length: 2 },
      (_, i) => `${JSON.stringify({ id: `${mark}${i}`, text: `${WORDS} ${mark}${i}` })}\n`,
    ).join('');
  mkdirSync(join(folder, 'ref'));
  writeFileSync(join(folder, 'ref/r.jsonl'), records('r'));
  writeFileSync(join(folder, 'new.jsonl'), `${records('n')}{"id":"other","text":"nothing like that"}\n`);
  const paths = [join(folder, 'new.jsonl')];
  const page = await pageOf('across', { paths, against: [join(folder, 'ref')], keep: 'longest' });
  t.regex(page, /<strong>1<\/strong><span>new document is kept</);
  t.regex(page, /the longest copy/);
  t.regex(page, /of the reference \(--against\): not kept/);
  t.notRegex(page, /Other counts|\[[a-z ]+\|/);
});

test.serial('view --save writes a page, replaces earlier pages only, and reports all problems', async (t) => {
  await pageOf('result', {});
  const save = (...words: string[]) => programHere(folder, ['view', 'result', '--save', ...words]);
  t.regex((await save('page.html')).stdout, /^page\.html: \d+ KB, a page for any browser\n$/);
  t.is((await save('page.html')).code, 0);
  const refusals: readonly (readonly [file: string, why: RegExp])[] = [
    ['x.jsonl', /^error: --save x\.jsonl: the file exists and is not a saved page/],
    ['result/page.html', /is inside the result/],
    ['.', /a folder, expected the name of a file/],
    ['no/such/x.html', /^error: --save no\/such\/x\.html: there is no folder .*such; make it first/],
  ];
  for (const [file, why] of refusals) {
    const { code, stderr } = await save(file);
    t.is(code, 2);
    t.regex(stderr, why);
  }
  t.regex(readFileSync(join(folder, 'x.jsonl'), 'utf8'), /^\{/);
  t.true((await save('-')).stdout.startsWith('<!doctype html>'));
  t.false(existsSync(join(folder, '-')));
  const removed = await programHere(folder, ['report', 'result']);
  t.is(removed.code, 2);
  t.regex(removed.stderr, /hint: mr-minhash view RESULT --save FILE writes the page/);
});
