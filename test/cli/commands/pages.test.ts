/** HTML pages and archives by the command line: similar ones, and the formats in the summary. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { rowsOf } from '../../coordinator/runs/resultFiles.js';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

const words = (first: number): string => Array.from({ length: 30 }, (_, i) => `word${first + i}`).join(' ');
const many = Array.from({ length: 300 }, (_, i) => `.entry${i} { margin: ${i}px }`).join(' ');
const template = (text: string): string =>
  `<!doctype html><html><head><title>A site</title><style>${many}</style>` +
  `<script>${'call(1);'.repeat(60)}</script></head><body><p>${text}</p></body></html>`;
const archived = (uri: string, body: string): string => {
  const block = `HTTP/1.1 200 OK\r\nContent-Type: ${uri.endsWith('.png') ? 'image/png' : 'text/html'}\r\n\r\n${body}`;
  return `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${uri}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
};

const TOP = sharedFolder({
  'in/one.html': template(words(0)),
  'in/two.html': template(words(100)),
  'in/other': `<HTML><div class=a>\n${words(0).replaceAll(' ', '\n<b></b>')}</div>`,
  'in/text.txt': words(200),
  'in/crawl.warc.gz': gzipSync(
    archived('http://a/', template(words(100))) +
      archived('http://a/x.png', 'PNG') +
      archived('http://b/', template(words(300))),
  ),
});

const stats = (out: string): unknown => JSON.parse(readFileSync(`${TOP}/${out}/stats.json`, 'utf8')).read_as;

test.serial('HTML pages are compared by their visible text, for any markup', async (t) => {
  const { code, stdout, stderr } = await programHere(TOP, [
    'run',
    'in',
    '--out',
    'out',
    '--threads',
    '0',
    '--verbose',
  ]);
  t.is(code, 0, stderr);
  t.deepEqual(
    rowsOf(`${TOP}/out`, 'pairs').map(({ a, b, kind }) => [a, b, kind]),
    [
      ['http://a/', 'two.html', 'identical'],
      ['one.html', 'other', 'identical'],
    ],
  );
  t.regex(stdout, /^ {2}read as 1 text, 3 HTML pages, 2 records of 1 WARC file$/m);
  t.regex(stdout, /^ {2}left out: 1 record, not HTML and not text$/m);
  t.deepEqual(stats('out'), {
    formats: [
      { format: 'text', documents: 1, files: 1 },
      { format: 'html', documents: 3, files: 3 },
      { format: 'warc', documents: 2, files: 1 },
    ],
    passed_over: { 'other types': 1 },
  });
  const shown = await programHere(TOP, ['inspect', 'out', '--pair', 'http://a/', 'two.html']);
  t.is(shown.code, 0, shown.stderr);
  t.regex(shown.stdout, /^the same text, 30 words$/m);
});

test.serial('--text-format text compares the source, and reports texts', async (t) => {
  const { code, stdout, stderr } = await programHere(TOP, [
    'run',
    'in',
    '--text-format',
    'text',
    '--exclude',
    '*.gz',
    '--out',
    'raw',
    '--threads',
    '0',
    '--verbose',
  ]);
  t.is(code, 0, stderr);
  t.deepEqual(
    rowsOf(`${TOP}/raw`, 'pairs').map(({ a, b, kind }) => [a, b, kind]),
    [['one.html', 'two.html', 'near']],
  );
  t.notRegex(stdout, /^ {2}read as/m);
  t.deepEqual(stats('raw'), { formats: [{ format: 'text', documents: 4, files: 4 }], passed_over: {} });
});

test.serial('an archive on standard input', async (t) => {
  const piped = archived('http://a/', template(words(0))) + archived('http://b/', template(words(0)));
  const { code, stderr } = await programHere(
    TOP,
    ['run', '-', '--input', 'warc', '--out', 'piped', '--threads', '0'],
    piped,
  );
  t.is(code, 0, stderr);
  t.deepEqual(
    rowsOf(`${TOP}/piped`, 'duplicates').map(({ document, place }) => [document, place]),
    [['http://b/', '-#2']],
  );
});

/** One page, its text, and both in every form that is read. */
const FORMS = ((): string => {
  const page = template(words(500));
  const text = `${words(500)}\n`;
  const records = [
    { id: 'page', text: page },
    { id: 'text', text },
  ];
  const rows = records.map(({ id, text }) => `row of ${id},"${text.replaceAll('"', '""')}"\n`).join('');
  return sharedFolder({
    'all/page.html': page,
    'all/page.html.gz': gzipSync(page),
    'all/text.txt': text,
    'all/crawl.warc': archived('http://page/', page),
    'all/lines.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    'all/array.json': JSON.stringify(records.map(({ id, text }) => ({ id: `${id} of an array`, text }))),
    'all/table.csv.gz': gzipSync(`id,text\n${rows}`),
    'stream.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    'mention.jsonl': `{"text":"the tag <html> of ${words(500)}"}\n`,
  });
})();

test.serial(
  'an HTML page has the same text in a file, a field, an archive and a compressed file, in every command',
  async (t) => {
    const said = async (...line: string[]): Promise<string> => {
      const { code, stdout, stderr } = await programHere(FORMS, line);
      t.is(code, 0, stderr);
      return stdout;
    };
    const summary = await said(
      'run',
      'all',
      '--text-field',
      'text',
      '--out',
      'result',
      '--threads',
      '0',
      '--verbose',
    );
    t.regex(summary, /^ {2}read as .*2 records of 1 JSON-lines file \(1 text HTML\)/m);
    const pairs = rowsOf(`${FORMS}/result`, 'pairs');
    t.is(pairs.length, 9);
    t.true(pairs.every(({ jaccard }) => jaccard === '1.000000'));
    t.regex(await said('compare', 'all/page.html', 'all/text.txt'), /1\.000000/);
    t.regex(await said('compare', 'all/page.html.gz', 'all/page.html'), /1\.000000/);
    t.regex(await said('compare', 'page', 'text of an array', '--in', 'all'), /1\.000000/);
    const answers = await said('query', 'all/page.html', 'all', '--top', 'all', '--threads', '0');
    t.is(answers.match(/1\.000000/g)!.length >= 9, true, answers);
    // What says which files of the corpus are read says nothing of the file that is asked about, nor of a reference.
    const ofTexts = await said('query', 'all/page.html', 'all', '--include', '*.txt', '--threads', '0');
    t.regex(ofTexts, /\ttext\.txt\t1\.000000/);
    await said(
      'run',
      'stream.jsonl',
      '--against',
      'all',
      '--include',
      '*.jsonl',
      '--out',
      'new',
      '--threads',
      '0',
    );
    t.deepEqual(
      rowsOf(`${FORMS}/new`, 'duplicates').map(({ jaccard }) => jaccard),
      ['1.000000', '1.000000'],
    );
    const other = await said(
      'run',
      'mention.jsonl',
      'all',
      '--text-field',
      'text',
      '--out',
      'mention',
      '--threads',
      '0',
      '--verbose',
    );
    t.notRegex(other, /mention.*HTML/);
  },
);

test.serial(
  'filter compares the visible text of a record with an HTML page, and --text-format html reads any text as HTML',
  async (t) => {
    const lines = readFileSync(`${FORMS}/stream.jsonl`, 'utf8');
    const passed = await programHere(FORMS, ['filter'], lines);
    t.is(passed.stdout, lines.slice(0, lines.indexOf('\n') + 1), passed.stderr);
    const raw = await programHere(FORMS, ['filter', '--text-format', 'text'], lines);
    t.is(raw.stdout, lines);
    const fragments = `{"text":"<p>${words(0)}</p>"}\n{"text":"${words(0).replaceAll(' ', '<br>')}"}\n`;
    t.is((await programHere(FORMS, ['filter'], fragments)).stdout.split('\n').length, 3);
    t.is(
      (await programHere(FORMS, ['filter', '--text-format', 'html'], fragments)).stdout.split('\n').length,
      2,
    );
    const known = await programHere(FORMS, ['filter', '--against', 'all', '--text-field', 'text'], lines);
    t.is(known.stdout, '', known.stderr);
  },
);
