/** What worker threads read the disk reads: every format in every packing, streams, and what is wrong with them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { PACKING_ENDINGS } from '../../../src/readers/bytes/packingEndings.js';
import { packedBy } from '../../data/packedBy.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, prepared } from '../runs/finished.js';
import { filesOf } from './comparedFolders.js';
import { sameAnswer } from './randomCases.js';
import { smallColumns } from './smallCorpora.js';

const random = randomFrom(41);
const PAGES = Array.from({ length: 8 }, () => wordsFrom(random, 90));

interface Told {
  readonly id: string;
  readonly text: string;
}

/** Near copies of all pages, of another id in each file; a text that is short, one that is empty, and one that others have. */
const RECORDS = (name: string): Told[] =>
  [...PAGES.map((page) => edited(random, page, 2).join(' ')), 'a few words', '', PAGES[0]!.join(' ')].map(
    (text, i) => ({ id: i % 4 === 1 ? 'the same' : `${name} ${i}`, text }),
  );

const quoted = (text: string): string => `"${text.replaceAll('"', '""').replace(' ', '\n')}"`;
const table = (records: readonly Told[], separator: string): string =>
  [`id${separator}text`, ...records.map(({ id, text }) => id + separator + quoted(text))].join('\n');

/** A page as a crawler keeps it; some are of a kind that is left out. */
function archived({ id, text }: Told, i: number): Buffer {
  const page = Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body><p>${text}</p></body></html>`,
  );
  const type = i % 5 === 3 ? 'request' : 'response';
  const head = [
    `WARC/1.0\r\nWARC-Type: ${type}\r\nWARC-Target-URI: http://a/${encodeURI(id)}`,
    'Content-Type: application/http; msgtype=response',
  ];
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\nContent-Length: ${page.length}\r\n\r\n`),
    page,
    Buffer.from('\r\n\r\n'),
  ]);
}

/** By the end of the name: a file of records, or of one text. */
const WRITTEN: Readonly<Record<string, (records: readonly Told[]) => string | Buffer>> = {
  '.jsonl': (all) => all.map((one) => JSON.stringify(one)).join('\n'),
  '.json5l': (all) => all.map(({ id }) => `{id: '${id}'}\n`).join(''),
  '.json': (all) => JSON.stringify(all, null, 1),
  '-one.json': ([, one]) => JSON.stringify(one),
  '.csv': (all) => table(all, ','),
  '.tsv': (all) => table(all, '\t'),
  '.html': ([, , { text }]) => `<html><head><title>${text.slice(0, 30)}</title></head><p>${text}</html>`,
  '.txt': ([, , , { text }]) => text,
  '.warc': (all) => Buffer.concat(all.map(archived)),
  // Its first bytes say what it is.
  '-lines': (all) => all.map((one) => JSON.stringify(one)).join('\n'),
};

const PACKED: Readonly<Record<string, (bytes: string | Buffer) => Uint8Array>> = {
  '': (bytes) => Buffer.from(bytes),
  [PACKING_ENDINGS.gzip[0]!]: (bytes) => gzipSync(bytes),
  [PACKING_ENDINGS.zstd[0]!]: (bytes) => packedBy('zstd', bytes),
  [PACKING_ENDINGS.bzip2[0]!]: (bytes) => packedBy('bzip2', bytes),
  [PACKING_ENDINGS.xz[0]!]: (bytes) => packedBy('xz', bytes),
};

const EVERY: Files = Object.fromEntries(
  Object.entries(PACKED).flatMap(([ending, pack]) =>
    Object.entries(WRITTEN).map(([format, write]) => {
      const name = `${ending.slice(1)}/f${format}${ending}`;
      return [name, pack(write(RECORDS(name)))];
    }),
  ),
);

const LINES = WRITTEN['.jsonl']!(RECORDS('lines')) as string;
const HARD = Array.from({ length: 60 }, (_, i) =>
  JSON.stringify({ id: `hard ${i}`, text: wordsFrom(random, 60).join(' ') }),
).join('\n');

/** What is wrong with files, as their formats tell it. */
const FAULTS: Files = {
  'binary.dat': Buffer.from('abc\0def'),
  'binary.jsonl': Buffer.from('{"text":"a"}\n\0\0\n'.repeat(90)),
  'binary.jsonl.gz': gzipSync('abc\0def'),
  'bad.csv': 'id,text\n1,"a b c d e\nno end of quotes,2\n',
  'bad.json': '[{"text": "a b"}, 7, {"id": 1}, {"text": "cut',
  'bad.jsonl': `${LINES}\n{"text":\n[]\n\n{"text": 1}\n`,
  'bad.parquet': 'PAR1 is no more than this PAR1',
  'bad.warc': `${archived({ id: 'x', text: 'a b c' }, 0)}WARC/1.0\r\nContent-Length: x\r\n\r\nrubbish`,
  'cut.jsonl.gz': gzipSync(HARD).subarray(0, -900),
  'cut.txt.gz': gzipSync(HARD).subarray(0, -900),
  'cut.csv.xz': packedBy('xz', `id,text\n${'1,a b\n'.repeat(90)}`).subarray(0, -20),
  'damaged.jsonl.gz': Buffer.concat([gzipSync(HARD), Buffer.from('rubbish')]),
  'empty.csv': '',
  'empty.jsonl': '',
  'empty.jsonl.gz': gzipSync(''),
  'empty.parquet': '',
  'empty.txt': '',
  'huge.jsonl.gz': gzipSync(`${HARD}\n{"text": "${'x '.repeat(30_000)}"}\n${LINES}`),
  'huge.jsonl': `${LINES}\n{"text": "${'x '.repeat(30_000)}"}\n${HARD}`,
  'huge.txt': 'x '.repeat(30_000),
  'latin.jsonl': Buffer.from('{"text": "not UTF-8: \xff, and again \xc3"}\n{"text": "\xff"}', 'latin1'),
  'latin.txt': Buffer.from(`${PAGES[0]!.join(' ')} mo\xffre`, 'latin1'),
  'notes.json': '{ // settings\n "width": 80, }',
  'only.json': '{"width": 80}',
  'utf16.jsonl': Buffer.from(`\ufeff${LINES}`, 'utf16le'),
  'utf16.txt': Buffer.from(`\ufeff${PAGES[1]!.join(' ')}`, 'utf16le'),
};

const OPTIONS: RunOptions = { idField: 'id', candidates: 'all', threshold: 0.7 };

for (const [what, options] of [
  ['sets', {}],
  ['signatures', { verify: 'signature', keep: 'longest' }],
  ['contents', { exactDuplicates: true, candidates: undefined!, threshold: undefined! }],
] as const) {
  test(`every format in every packing, ${what} compared`, async (t) => {
    t.is(await sameAnswer(t, { ...EVERY, ...smallColumns(5, 60) }, { ...OPTIONS, ...options }), null);
  });
}

test('what is wrong with files, and where', async (t) => {
  for (const options of [{}, { idField: 'id' }, { minTokens: 4 }])
    t.is(await sameAnswer(t, FAULTS, { maxDocument: 30_000, ...options }), null);
  t.is(await sameAnswer(t, FAULTS, { maxDocument: 30_000, onError: 'fail' }), 'INPUT_REFUSED');
});

test('a large array, a table of another separator, pages by --text-format, texts of another encoding', async (t) => {
  const many = Array.from({ length: 40 }, (_, i) => RECORDS(`${i}`)).flat();
  const array = { 'large.json': WRITTEN['.json']!(many), 'rows.parquet': smallColumns(6, 300)['a.parquet']! };
  t.is(await sameAnswer(t, array, OPTIONS), null);
  t.is(await sameAnswer(t, { 'a.csv': table(many, ';') }, { ...OPTIONS, separator: ';' }), null);
  const pages = { 'a.txt': `<p>${PAGES[0]!.join(' ')}`, 'b.jsonl': '{"text": "<p>a <b>b</b> c"}\n' };
  t.is(await sameAnswer(t, pages, { textFormat: 'html', verify: 'signature' }), null);
  const latin = Buffer.from(`{"text": "caf\xe9 ${PAGES[0]!.join(' ')}"}\n`.repeat(3), 'latin1');
  t.is(await sameAnswer(t, { 'a.jsonl': latin, 'b.txt': latin }, { encoding: 'latin1' }), null);
});

test('streams of many chunks, with a record between them that is too large', async (t) => {
  // Long signatures make chunks of 512 KB.
  const many = Array.from({ length: 500 }, (_, i) => ({
    id: `${i}`,
    text: PAGES[i % 8]!.join('\n\n\n\n').repeat(3),
  }));
  const large = { id: 'large', text: 'x'.repeat(90_000) };
  const of = (format: string): string =>
    WRITTEN[format]!([...many.slice(0, 300), large, ...many.slice(300)]).toString();
  const files = {
    'a.jsonl.gz': gzipSync(of('.jsonl')),
    'b.csv': of('.csv'),
    'c.warc': of('.warc'),
    'd.jsonl.gz': gzipSync(of('.jsonl')).subarray(0, -300),
  };
  const options = { maxDocument: 80_000, hashes: 1024, idField: 'id', keep: 'last', threshold: 0.9 } as const;
  t.is(await sameAnswer(t, files, options), null);
});

test('fields of records of any format say what stays, folders which pairs count', async (t) => {
  const files = Object.fromEntries(Object.entries(EVERY).filter(([name]) => /^(gz)?\//.test(name)));
  t.is(await sameAnswer(t, files, { ...OPTIONS, keep: 'field:id:asc', protect: ['**/*.csv'] }), null);
  t.is(await sameAnswer(t, files, { ...OPTIONS, groupBy: 'path:1' }), null);
});

test('standard input, before and after an end', async (t) => {
  const { folder, options } = prepared(t, { 'a.jsonl': LINES });
  const asked = { ...options, paths: [...options.paths, '-'], idField: 'id', threshold: 0.5 };
  const piped = () => ({ stdin: Readable.from([gzipSync(HARD + LINES.toUpperCase())]) });
  const expected = join(folder, 'expected');
  await run({ ...asked, out: expected, threads: 0 }, piped());
  const out = join(folder, 'sorted');
  for (const stage of [null, '-wanted-', '-sets-', '-drops-']) {
    const controller = new AbortController();
    const onProgress = (told: { readonly stage: string }): void => {
      if (stage !== null && told.stage.includes(stage)) controller.abort();
    };
    const ended = run(
      { ...asked, out, engine: 'disk', threads: 1 },
      { ...piped(), signal: controller.signal, onProgress },
    );
    if (stage === null) await ended;
    else {
      await t.throwsAsync(ended, { code: 'INTERRUPTED' });
      const report = await run(
        { out, resume: true, engine: 'disk', threads: 1 },
        { stdin: Readable.from([]) },
      );
      t.true(report.resumedJobs!.jobs > 2);
    }
    t.deepEqual(filesOf(out), filesOf(expected));
    rmSync(out, { recursive: true });
  }
});
