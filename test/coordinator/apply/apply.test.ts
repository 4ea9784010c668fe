/** A drop list applied to its corpus: every form comes out as it went in, less what was dropped. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import type { ApplyOptions, ApplyReport } from '../../../src/coordinator/apply/applyOptions.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { bytesOf } from '../../../src/readers/list/pathIds.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, prepared } from '../runs/finished.js';
import { manifestIn, rowsOf } from '../runs/resultFiles.js';

/** Texts of sixty words. */
function seededTexts(seed: number, count: number): string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => wordsFrom(random, 60).join(' '));
}

/** Texts of one form, some of them copies: nothing of them resembles those of another. */
function textsOf(seed: number): string[] {
  return seededTexts(seed, 7).flatMap((text, i) => [
    text,
    ...(i % 2 === 0 ? [text] : []),
    ...(i % 3 === 0 ? [text.replace(/^\S+/, 'other')] : []),
  ]);
}

/** Whether the record of a place stays. */
type Stays = (place: string) => boolean;

const jsonLine = (text: string, i: number): string =>
  `{"n": ${i},"text":${JSON.stringify(text)} }${i % 2 === 0 ? '\r\n' : '\n'}`;
const cell = (text: string): string => `"${text.replace(' ', '\n""')}"`;
const warcRecord = (text: string): string =>
  `WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}\r\n\r\n`;
const INFO = 'WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 2\r\n\r\nok\r\n\r\n';

/** A file of every form, of the records that stay. */
function formsOf(stays: Stays): Record<string, string | Uint8Array> {
  const parts = (
    name: string,
    seed: number,
    first: number,
    write: (text: string, i: number) => string,
  ): string[] => textsOf(seed).flatMap((text, i) => (stays(`${name}#${i + first}`) ? [write(text, i)] : []));
  /** The third line is blank. */
  const lines = (name: string, seed: number): string => {
    const all = textsOf(seed).map((text, i) =>
      stays(`${name}#${i + (i < 2 ? 1 : 2)}`) ? jsonLine(text, i) : '',
    );
    return `${all.slice(0, 2).join('')}\n${all.slice(2).join('')}`;
  };
  const array = (name: string, seed: number): string =>
    `[${parts(name, seed, 1, (text) => `\n  ${JSON.stringify({ text, a: [1] })}`).join(',')}\n]\n`;
  const warc = (name: string, seed: number): string[] => [INFO, ...parts(name, seed, 2, warcRecord)];
  const members = (some: readonly string[]): Buffer =>
    Buffer.concat(some.map((part) => gzipSync(part, { level: 1 })));
  const texts = textsOf(12).flatMap((text, i) => (stays(`texts/${i}.txt`) ? [[`texts/${i}.txt`, text]] : []));
  return {
    'a.jsonl': `${lines('a.jsonl', 1)}no json\n{"body":"no text"}\n`,
    'deep/er/b.jsonl.gz': gzipSync(lines('deep/er/b.jsonl.gz', 2)),
    'deep/members.jsonl.gz': members(parts('deep/members.jsonl.gz', 3, 1, jsonLine)),
    'deep/c.jsonl': lines('deep/c.jsonl', 4),
    'arrays/a.json': array('arrays/a.json', 5),
    'arrays/b.json.gz': gzipSync(array('arrays/b.json.gz', 6)),
    'tables/a.csv': `id,text\r\n${parts('tables/a.csv', 7, 1, (text, i) => `r${i},${cell(text)}\r\n`).join('')}`,
    'tables/b.tsv': `n\ttext\n${parts('tables/b.tsv', 8, 1, (text, i) => `${i}\t${text}\n`).join('')}`,
    'web/a.wet': warc('web/a.wet', 9).join(''),
    'web/b.wet.gz': members(warc('web/b.wet.gz', 10)),
    ...Object.fromEntries(texts),
    'tables/b.tsv#1': 'a name that reads as a record',
    'texts/\xff': 'a name that is no text',
    'texts/empty.txt': '',
  };
}

const ALL = formsOf(() => true);
const FIELDS = { textField: 'text' } as const;

/** Everything below a folder, decompressed where it is compressed: by name, binary strings. */
function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string, name: string): void => {
    for (const entry of readdirSync(bytesOf(path), { withFileTypes: true, encoding: 'latin1' })) {
      const [inner, own] = [`${path}/${entry.name}`, `${name}${entry.name}`];
      if (entry.isDirectory()) visit(inner, `${own}/`);
      else {
        const bytes = readFileSync(bytesOf(inner));
        found[own] = (own.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
      }
    }
  };
  visit(folder, '');
  return found;
}

function unpackedFiles(files: Files): Record<string, string> {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = Buffer.from(content as string);
    return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

interface Applied {
  readonly folder: string;
  readonly inputs: string;
  readonly out: string;
  readonly to: string;
}

/** A finished run over files, and a folder to apply it to. */
async function ran(t: ExecutionContext, files: Files, options: Partial<RunOptions> = {}): Promise<Applied> {
  const { folder, inputs, options: places } = prepared(t, files);
  await run({ ...places, threads: 0, ...options });
  return { folder, inputs, out: places.out, to: join(folder, 'to') };
}

async function applied({ out, to }: Applied, options: Partial<ApplyOptions> = {}): Promise<ApplyReport> {
  const report = await applyResult(out, { to, ...options });
  if (report === null) throw new Error('nothing was written');
  return report;
}

async function refusedWith(t: ExecutionContext, work: Promise<unknown>): Promise<string> {
  const error = await t.throwsAsync(work, { instanceOf: MinHashError });
  return error!.problems.map(({ code, detail }) => `${code} ${detail}`).join('\n');
}

function treeHash(folder: string): string {
  const hash = createHash('sha256');
  for (const [name, content] of Object.entries(contentOf(folder)).sort())
    hash.update(`${name}\0${content}\0`, 'latin1');
  return hash.digest('hex');
}

/** Members of gzip: none of these data looks like the beginning of one. */
function membersIn(bytes: Buffer): number {
  return bytes.toString('latin1').split('\x1f\x8b\x08\0').length - 1;
}

/** The places that a result drops. */
function dropsOf(out: string): Set<string> {
  return new Set(rowsOf(out, 'duplicates').map(({ place, document }) => place || document!));
}

/** Holds contents against each other without printing them. */
function same(t: ExecutionContext, found: Record<string, string>, expected: Record<string, string>): void {
  t.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const [name, content] of Object.entries(expected)) t.true(found[name] === content, name);
}

test('every format is preserved without the dropped documents, and a second run finds no pair', async (t) => {
  const made = await ran(t, ALL, FIELDS);
  const before = treeHash(made.inputs);
  const report = await applied(made);
  const { counts } = manifestIn(made.out);
  const drops = dropsOf(made.out);
  // Of seven texts four have a copy, and three one that differs in a word.
  t.is(drops.size, 11 * 7);
  const expected = formsOf((place) => !drops.has(place));
  same(t, contentOf(made.to), unpackedFiles(expected));
  t.deepEqual(report.documents, { read: counts.read, kept: counts.kept, dropped: drops.size });
  const files = Object.keys(ALL).length;
  t.deepEqual(report.files, { read: files, written: files - 7, unchanged: 7 + 3, left_out: 7 });
  t.is(report.records.left_out, 10 * 7);
  t.is(treeHash(made.inputs), before);
  // An archive has a member a record, as it had.
  t.is(membersIn(readFileSync(join(made.to, 'web/b.wet.gz'))), membersIn(expected['web/b.wet.gz'] as Buffer));
  const again = join(made.folder, 'again');
  await run({ paths: [made.to], out: again, threads: 0, ...FIELDS });
  t.deepEqual(rowsOf(again, 'pairs'), []);
});

test('--dropped writes the complement: first lines and brackets are in both', async (t) => {
  const made = await ran(t, ALL, FIELDS);
  const report = await applied(made, { dropped: true });
  const drops = dropsOf(made.out);
  const complement = unpackedFiles(formsOf((place) => drops.has(place)));
  for (const name of ['tables/b.tsv#1', 'texts/\xff', 'texts/empty.txt']) delete complement[name];
  // Lines that are no document, and records about the archive, are none that was dropped.
  complement['a.jsonl'] = complement['a.jsonl']!.replace('no json\n{"body":"no text"}\n', '');
  for (const name of ['a.jsonl', 'deep/c.jsonl', 'deep/er/b.jsonl.gz'])
    complement[name] = complement[name]!.replace('\n\n', '\n');
  for (const name of ['web/a.wet', 'web/b.wet.gz']) complement[name] = complement[name]!.replace(INFO, '');
  same(t, contentOf(made.to), complement);
  t.is(report.records.written + report.files.unchanged, drops.size);
});

test('with --records, elements of the arrays in objects are removed, and objects without one', async (t) => {
  const [one, two, three, four] = seededTexts(21, 4);
  const element = (text: string): string => `{"body":"${text}"}`;
  const file = (first: string, second: string): string =>
    `{"n":1, "data":{"items":[${first}], "x":[]}}\n{"data":{"items":[${second} ]}}\n`;
  const files = {
    'a.jsonl': file([one!, two!, one!].map(element).join(', '), [two!, three!].map(element).join(' ,')),
    'a.ndjson': `${element(one!)}\n${element(four!)}\n`,
    'b.json.gz': gzipSync(`\ufeff{"data":{"items":[${element(three!)}]}}`),
  };
  const made = await ran(t, files, { records: 'data.items', textField: 'body' });
  const { records } = await applied(made);
  t.deepEqual(records, { read: 8, written: 4, left_out: 4 });
  t.deepEqual(contentOf(made.to), {
    'a.jsonl': file([one!, two!].map(element).join(', '), element(three!)),
    'a.ndjson': `\n${element(four!)}\n`,
  });
});

test('a damaged compressed file is not written, and the way out is named before anything is written', async (t) => {
  const lines = textsOf(22).map(jsonLine).join('');
  for (const bytes of [
    Buffer.concat([gzipSync(lines), Buffer.from('other bytes')]),
    gzipSync(lines).subarray(0, -20),
  ]) {
    const made = await ran(t, { 'a.jsonl.gz': bytes });
    t.regex(
      await refusedWith(t, applied(made)),
      /^APPLY_REFUSED a\.jsonl\.gz: .*gzip -dc \/.*\/a\.jsonl\.gz > \/.*\/a\.jsonl\), delete or move/,
    );
    t.false(existsSync(made.to));
  }
});

test('a file that cannot be read is rejected before anything is written', async (t) => {
  const made = await ran(t, { 'a.txt': 'one two', 'b.txt': 'three four' });
  chmodSync(join(made.inputs, 'a.txt'), 0);
  // Root may read anything.
  if (process.getuid?.() !== 0)
    t.regex(await refusedWith(t, applied(made)), /a\.txt: it cannot be read, and would be/);
  else t.is((await applied(made)).files.written, 2);
});

test('files without a remaining record are not written, unless --keep-empty is set', async (t) => {
  const line = `{"text":"${seededTexts(1, 1)[0]}"}\n`;
  const files = {
    'a.jsonl': line,
    'b.jsonl': `${line}\n`,
    'c.jsonl.gz': gzipSync(line),
    'd.csv': `text\n${seededTexts(1, 1)[0]}\n`,
  };
  const made = await ran(t, files);
  const { files: counts } = await applied(made);
  t.deepEqual(Object.keys(contentOf(made.to)), ['a.jsonl']);
  t.deepEqual(counts, { read: 4, written: 1, unchanged: 1, left_out: 3 });
  await applied({ ...made, to: `${made.to}2` }, { keepEmpty: true });
  t.deepEqual(contentOf(`${made.to}2`), {
    'a.jsonl': line,
    'b.jsonl': '\n',
    'c.jsonl.gz': '',
    'd.csv': 'text\n',
  });
});

test('--annotate adds fields to lines that are objects, and changes nothing else', async (t) => {
  const [one, two] = seededTexts(5, 2);
  const lines = [
    `{"text":"${one}"}\r\n`,
    `  {"text":"${two}" , "x":{}  }  \n`,
    '\n',
    'no json\n',
    `\ufeff{"text":"${one}","y":[{"kept":1}]}`,
    '{}',
  ];
  const text = `${lines.slice(0, 5).join('')}\n${lines[5]}`;
  const made = await ran(t, { 'a.jsonl': text, 'b.jsonl.gz': gzipSync(text) });
  await applied(made, { annotate: true });
  const added = (line: string, fields: string): string =>
    line.replace(/\}(\s*)$/, `${line.trim() === '{}' ? '' : ','}${fields}}$1`);
  const KEPT = '"cluster":1,"cluster_size":4,"kept":true,"similarity":1';
  const DROPPED = KEPT.replace('true', 'false');
  const second = (fields: string): string => fields.replace('1', '2').replace('4', '2');
  const single = (n: number): string => `"cluster":${n},"cluster_size":1,"kept":true,"similarity":1`;
  const expect = (first: string, other: string, copy: string, last: string): string =>
    [
      added(lines[0]!, first),
      added(lines[1]!, other),
      ...['\n', 'no json\n'],
      `${added(lines[4]!, copy).replace('\ufeff', '\xef\xbb\xbf')}\n`,
      added('{}', last),
    ].join('');
  const content = contentOf(made.to);
  t.is(content['a.jsonl'], expect(KEPT, second(KEPT), DROPPED, single(3)));
  t.is(content['b.jsonl.gz'], expect(DROPPED, second(DROPPED), DROPPED, single(4)));
  const taken = await ran(t, { 'a.jsonl': `{"text":"${one}"}\n{"text":"${two}","\\u006bept":1}\n` });
  t.is(
    await refusedWith(t, applied(taken, { annotate: true })),
    'APPLY_REFUSED --annotate: a.jsonl#2 has a field kept already',
  );
  t.false(existsSync(taken.to));
  const other = await ran(t, { 'a.txt': one! });
  t.regex(
    await refusedWith(t, applied(other, { annotate: true })),
    /a\.txt: --annotate adds fields to JSON lines and Parquet only/,
  );
});

test('an edited drop list is applied if each listed document has a kept near-duplicate', async (t) => {
  const [one, two, three] = seededTexts(11, 3);
  const near = one!.replace(/^\S+ \S+/, 'another beginning');
  const made = await ran(t, {
    ...{ 'a.txt': one!, 'b.txt': one!, 'c.txt': near, 'd.txt': two!, 'e.txt': two!, 'f.txt': three! },
  });
  const list = join(made.folder, 'list.tsv');
  const left = async (rows: string, options: Partial<ApplyOptions> = {}): Promise<string> => {
    writeFileSync(list, `document\tkept\n${rows}`);
    const report = await applied(made, { dropList: list, ...options });
    const names = Object.keys(contentOf(made.to)).join(' ').replaceAll('.txt', '');
    t.is(report.documents.dropped, 6 - names.split(' ').length);
    rmSync(made.to, { recursive: true });
    return names;
  };
  t.is(await left(''), 'a b c d e f');
  t.is(await left('b.txt\ta.txt\n'), 'a c d e f');
  t.is(await left('a.txt\tb.txt\nc.txt\tb.txt\n'), 'b d e f');
  // The pair of c connects it with a; b has the same text.
  t.is(await left('a.txt\tc.txt\r\nb.txt\t\r\n'), 'c d e f');
  t.is(
    await refusedWith(t, left('a.txt\t\nb.txt\t\nc.txt\t\nf.txt\t\n')),
    [
      ...['a', 'b', 'c'].map(
        (name, i) =>
          `APPLY_REFUSED ${name}.txt is listed (drop list ${list}, line ${i + 2}), but no document that is kept is a near-duplicate of it`,
      ),
      `APPLY_REFUSED f.txt is listed (drop list ${list}, line 5), but the result has no near-duplicate of it`,
    ].join('\n'),
  );
  t.regex(
    await refusedWith(t, left('g.txt\t\n', { force: true })),
    /line 2 names no document of the result: g\.txt/,
  );
  t.is(await left('d.txt\t\ne.txt\t\nf.txt\t\n', { force: true }), 'a b c');
  t.regex(
    await refusedWith(t, left('b.txt\n')),
    /list\.tsv, line 2: expected 2 cells with TABs between them, got 1/,
  );
  t.regex(await refusedWith(t, left('b.txt\t\nb.txt\t\n')), /line 3: b\.txt is listed twice/);
  writeFileSync(list, 'a.txt\n');
  t.regex(
    await refusedWith(t, applied(made, { dropList: list })),
    /line 1: expected the columns of duplicates\.tsv/,
  );
  t.false(existsSync(made.to));
});

test('locations are listed, each ended by a NUL on request', async (t) => {
  const made = await ran(t, ALL, FIELDS);
  const list = async (options: ApplyOptions): Promise<string> => {
    let text = '';
    const report = await applyResult(made.out, options, {
      onList: (lines) => (text += Buffer.from(lines).toString('latin1')),
    });
    t.is(report, null);
    return text;
  };
  const kept = (await list({ list: 'kept' })).split('\n').slice(0, -1);
  const dropped = (await list({ list: 'dropped', null: true })).split('\0').slice(0, -1);
  const { counts } = manifestIn(made.out);
  t.is(kept.length, counts.kept);
  t.is(dropped.length, counts.dropped);
  t.is(new Set([...kept, ...dropped]).size, counts.read);
  t.true(kept.includes('texts/\xff'));
  t.true(kept.includes('tables/b.tsv#1#'));
  t.true(dropped.includes('a.jsonl#2'));
  t.deepEqual(readdirSync(made.folder).sort(), ['in', 'out']);
});

test('records are found by location: ids may repeat, and PATHs may have prefixes', async (t) => {
  const [one, two] = seededTexts(9, 2);
  const lines = `{"id":"x","text":"${one}"}\n{"id":"x","text":"${two}"}\n{"id":"x","text":"${one}"}\n`;
  const { folder } = prepared(t, { 'p/a.jsonl': lines, 'q/a.jsonl': lines, 'q/b.txt': `${two}` });
  const out = join(folder, 'out');
  const paths = [join(folder, 'in/p'), join(folder, 'in/q')];
  await run({ paths, out, threads: 0 });
  const to = join(folder, 'to');
  await applyResult(out, { to });
  t.deepEqual(contentOf(to), { 'p/a.jsonl': `${lines.split('\n').slice(0, 2).join('\n')}\n` });
  // Elsewhere, under other names.
  mkdirSync(join(folder, 'moved'));
  renameSync(paths[0]!, join(folder, 'moved/first'));
  renameSync(paths[1]!, join(folder, 'moved/second'));
  const corpus = ['first', 'second'].map((name) => join(folder, 'moved', name));
  await applyResult(out, { to: `${to}2`, corpus });
  t.is(treeHash(`${to}2`), treeHash(to));
  t.regex(
    await refusedWith(t, applyResult(out, { to: `${to}3`, corpus: corpus.slice(1) })),
    /corpus: expected 2 \(.*\), in this order; corpus is repeated, once for each; got 1/,
  );
});

test('inputs that differ from what the run read are rejected by name, before anything is written', async (t) => {
  const [one, two] = seededTexts(3, 2);
  const files = {
    'a.txt': one!,
    'b.txt': one!,
    'c.txt': two!,
    'd.jsonl': `{"text":"${two}"}\n{"text":"${one}"}\n`,
  };
  const made = await ran(t, files);
  const at = (name: string): string => join(made.inputs, name);
  writeFileSync(at('c.txt'), `${two} more`);
  rmSync(at('b.txt'));
  writeFileSync(at('new.txt'), 'x');
  utimesSync(at('a.txt'), 1, 1);
  const said = await refusedWith(t, applied(made));
  t.regex(said, /INPUT_CHANGED .*\/c\.txt: \d+ bytes, now \d+/);
  t.regex(said, /INPUT_CHANGED .*\/b\.txt: gone/);
  t.regex(said, /INPUT_CHANGED .*\/new\.txt: new/);
  t.regex(said, /INPUT_CHANGED .*\/a\.txt: modified .*, now 1970/);
  t.false(existsSync(made.to));
  // By names and sizes.
  rmSync(at('new.txt'));
  writeFileSync(at('b.txt'), one!);
  writeFileSync(at('c.txt'), two!);
  await applied(made, { corpus: [made.inputs] });
  writeFileSync(at('d.jsonl'), files['d.jsonl'].replace('\n', ' '));
  t.is(
    await refusedWith(t, applied({ ...made, to: `${made.to}2` }, { corpus: [made.inputs] })),
    `INPUT_CHANGED ${at('d.jsonl')}: different texts, or a different order`,
  );
  t.false(existsSync(`${made.to}2`));
});

test('a folder of another program is never written to', async (t) => {
  const made = await ran(t, { 'a.txt': seededTexts(1, 1)[0]!, 'deep/b.txt': 'x' });
  const { folder, inputs, out, to } = made;
  const said = (place: string, options: Partial<ApplyOptions> = {}): Promise<string> =>
    refusedWith(t, applied({ ...made, to: place }, options));
  t.regex(await said(join(inputs, 'deep/to')), /TARGET_REFUSED .* is, or is inside, the input/);
  t.regex(await said(folder), /TARGET_REFUSED the input .* is inside/);
  t.regex(await said(join(out, 'to')), /TARGET_REFUSED .* is, or is inside, the result/);
  mkdirSync(to);
  writeFileSync(join(to, 'mine'), 'x');
  t.regex(await said(to, { force: true }), /OUTPUT_FOREIGN .* was not written by apply/);
});

test('files have the times of their inputs, rewritten or not', async (t) => {
  const [one] = seededTexts(1, 1);
  const line = `{"text":"${one}"}\n`;
  const files = {
    'a.txt': 'x',
    'b.jsonl': `${line}${line}`,
    'c.txt.gz': gzipSync('y'),
    'd.jsonl.gz': gzipSync(line + line),
  };
  const { inputs, options } = prepared(t, files);
  const names = Object.keys(files).filter((name) => name !== 'd.jsonl.gz');
  names.forEach((name, i) => {
    utimesSync(join(inputs, name), 1000 + i, 1000 + i);
  });
  await run({ ...options, threads: 0 });
  const to = `${options.out}-to`;
  await applyResult(options.out, { to });
  t.deepEqual(
    names.map((name) => statSync(join(to, name)).mtimeMs),
    [1_000_000, 1_001_000, 1_002_000],
  );
});

test('a byte order mark is kept before the lines, even if the first is dropped', async (t) => {
  const [one, two] = seededTexts(1, 2);
  const lines = [one, two].map((text) => `{"text":"${text}"}\n`);
  const marked = `\ufeff${lines.join('')}`;
  const made = await ran(t, {
    'a.jsonl': lines[0]!,
    'b.jsonl': marked,
    'c.jsonl.gz': gzipSync(`\ufeff${lines[0]}{}\n`),
  });
  const binary = (text: string): string => Buffer.from(text).toString('latin1');
  await applied(made);
  const expected = {
    'a.jsonl': lines[0]!,
    'b.jsonl': binary(`\ufeff${lines[1]}`),
    'c.jsonl.gz': binary('\ufeff{}\n'),
  };
  t.deepEqual(contentOf(made.to), expected);
  const to = `${made.to}2`;
  await applied({ ...made, to }, { annotate: true });
  t.true(contentOf(to)['b.jsonl']!.startsWith(`${binary('\ufeff')}{"text":"${one}","cluster":1,`));
});

test('links are second names of inputs', async (t) => {
  const [one] = seededTexts(1, 1);
  const made = await ran(t, {
    'a.txt': one!,
    'b.txt': one!,
    'c.jsonl': '{"text":"alone"}\n',
    'd.jsonl': `{"text":"y"}\n{"text":"${one}"}\n`,
  });
  await applied(made, { link: true });
  const node = (name: string): number => statSync(name).ino;
  t.is(node(join(made.to, 'a.txt')), node(join(made.inputs, 'a.txt')));
  t.is(node(join(made.to, 'c.jsonl')), node(join(made.inputs, 'c.jsonl')));
  t.not(node(join(made.to, 'd.jsonl')), node(join(made.inputs, 'd.jsonl')));
  t.is(contentOf(made.to)['d.jsonl'], '{"text":"y"}\n');
  t.is(contentOf(made.inputs)['d.jsonl'], `{"text":"y"}\n{"text":"${one}"}\n`);
  linkSync(join(made.to, 'a.txt'), join(made.folder, 'third'));
});

test('an interrupted apply leaves no file, and starts over', async (t) => {
  const files = Object.fromEntries(Object.entries(ALL).filter(([name]) => !name.startsWith('arrays')));
  const made = await ran(t, files, FIELDS);
  const whole = `${made.to}-whole`;
  await applied({ ...made, to: whole });
  const expected = treeHash(whole);
  const before = readdirSync(made.folder).sort();
  for (const calls of [1, 3, 10, 20]) {
    const to = `${made.to}${calls}`;
    const controller = new AbortController();
    let left = calls;
    const onProgress = (): void => {
      if (--left <= 0) controller.abort();
    };
    // Every call of the clock is a turn.
    const said = await applyResult(made.out, { to }, { signal: controller.signal, onProgress }).then(
      () => 'done',
      (error: unknown) => (error as MinHashError).code,
    );
    t.true(said === 'INTERRUPTED' || said === 'done');
    if (said === 'INTERRUPTED') t.deepEqual(readdirSync(made.folder).sort(), before);
    await applyResult(made.out, { to, force: true });
    t.is(treeHash(to), expected);
    rmSync(to, { recursive: true });
    rmSync(join(made.folder, `.to${calls}.mr-minhash-corpus`));
  }
});

test('results that cannot be applied are rejected with a hint', async (t) => {
  const [one] = seededTexts(1, 1);
  const sets = await ran(t, { 'a.csv': 'a,x\nb,x\n' }, { input: 'sets' });
  t.regex(await refusedWith(t, applied(sets)), /APPLY_REFUSED .*out: it compared sets/);
  const shifted = await ran(
    t,
    { 'a.json': `[{"text":"${one}"},{"text":"${one}"}]` },
    { encoding: 'shift_jis', ...FIELDS },
  );
  t.regex(
    await refusedWith(t, applied(shifted)),
    /a\.json: records of json in shift_jis cannot be cut by their bytes/,
  );
  const wide = await ran(t, {
    'a.jsonl': Buffer.from(`\ufeff{"text":"${one}"}\n{"text":"${one}"}\n`, 'utf16le'),
    'b.jsonl.gz': gzipSync(Buffer.from(`\ufeff{"text":"${one}"}\n`, 'utf16le')),
  });
  t.deepEqual((await refusedWith(t, applied(wide))).match(/^APPLY_REFUSED .*: it is UTF-16/gm), [
    'APPLY_REFUSED a.jsonl: it is UTF-16',
    'APPLY_REFUSED b.jsonl.gz: it is UTF-16',
  ]);
  t.is(
    await refusedWith(t, applyResult(sets.out, { list: 'kept', to: 'x', null: true, annotate: true })),
    'OPTION_INVALID list to: expected only one of these: a list writes no corpus\n' +
      'OPTION_INVALID annotate: expected without list, which writes nothing',
  );
  t.regex(
    await refusedWith(t, applyResult('', {})),
    /OPTION_INVALID "": expected a folder with a result\nOPTION_INVALID to/,
  );
});
