import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere, type Said } from '../programHere.js';

const TEXT = 'It was the best of times, it was the worst of times, it was the age of wisdom.';

const FILES = {
  'base.txt': TEXT,
  'list.txt': 'base.txt\n\nother.txt\n',
  'other.txt': 'Call me Ishmael. Some years ago, never mind how long precisely.',
  'texts/copy.txt': TEXT.toUpperCase(),
  'texts/part.txt': 'He read: it was the worst of times, it was the age of WISDOM; and slept.',
  'texts/whale, white.txt': 'Call me Ishmael. Some years ago, never mind how long.',
};

const asked = (folder: string, ...argv: string[]): Promise<Said> =>
  programHere(folder, ['query', '--threads', '0', ...argv]);
const rowsOf = ({ stdout }: Said): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));

test.serial('answers are rows, best first; the summary is on stderr', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const said = await asked(folder, 'base.txt', 'texts');
  t.is(said.code, 0, said.stderr);
  t.deepEqual(rowsOf(said), [
    ['rank', 'document', 'resemblance', 'base_in_document', 'document_in_base', 'place'],
    ['1', 'copy.txt', '1.000000', '1.000000', '1.000000', 'copy.txt'],
    // 13 distinct shingles of the base (`of times it was the` occurs twice), 12 of the part, 8 in both.
    ['2', 'part.txt', '0.470588', '0.615385', '0.666667', 'part.txt'],
  ]);
  t.regex(said.stderr, /2 answers in 3 documents \(203 bytes\); method resemblance, threshold 0\.1\n$/);
  const quiet = await asked(folder, 'base.txt', 'texts', '-q', '--top', '1');
  t.is(quiet.stderr, '');
  t.is(rowsOf(quiet).length, 2);
});

test.serial('a match can be the exit code', async (t) => {
  const folder = temporaryFolder(t, FILES);
  t.is((await asked(folder, 'base.txt', 'texts', '--fail-on-match')).code, 3);
  t.is((await asked(folder, 'base.txt', 'texts/whale, white.txt', '--fail-on-match')).code, 0);
});

test.serial('--explain shows the passages of both texts side by side, with their positions', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { stdout } = await asked(folder, 'base.txt', 'texts', '--explain');
  t.true(
    stdout.includes(
      '    1. 12 words: words 6 to 18, bytes 26 to 77 of the base; words 2 to 14, bytes 9 to 60 of the document\n',
    ),
    stdout,
  );
  t.regex(stdout, /\n {4}it was the worst of times, it was {4}\| it was the worst of times, it was\n/);
  t.true(
    stdout.split('\n').every((line) => !line.startsWith('    ') || line.includes('.') || line.includes('|')),
  );
});

test.serial('CSV and JSON lines have the same answers and passages', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const csv = await asked(folder, '--base-list', 'list.txt', 'texts', '--format', 'csv');
  t.deepEqual(csv.stdout.split('\n').slice(0, 4), [
    'base,rank,document,resemblance,base_in_document,document_in_base,place',
    'base.txt,1,copy.txt,1.000000,1.000000,1.000000,copy.txt',
    csv.stdout.split('\n')[2],
    'other.txt,1,"whale, white.txt",0.857143,0.857143,1.000000,"whale, white.txt"',
  ]);
  const passages = await asked(folder, 'base.txt', 'texts', '--format', 'tsv', '--explain');
  const [header, first] = rowsOf(passages);
  t.is(header!.length, first!.length);
  t.like(Object.fromEntries(header!.map((name, i) => [name, first![i]])), {
    passage: '1',
    words: '18',
    base_word_from: '0',
    base_word_to: '18',
    base_byte_from: '0',
    base_byte_to: '77',
    base_text: TEXT.slice(0, -1),
    document_text: TEXT.slice(0, -1).toUpperCase(),
  });
  const json = await asked(folder, 'base.txt', 'texts', '--format', 'jsonl', '--explain');
  const [answer] = json.stdout.split('\n').map((line) => (line === '' ? null : JSON.parse(line)));
  t.like(answer, { rank: 1, document: 'copy.txt', resemblance: 1, place: 'copy.txt' });
  t.is(answer.passages[0].base.byteTo, 77);
});

test.serial('the base or the corpus may be standard input, but not both', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const base = await programHere(folder, ['query', '-', 'texts', '--top', '1'], TEXT);
  t.deepEqual(rowsOf(base)[1]!.slice(0, 3), ['1', 'copy.txt', '1.000000']);
  const lines = `${JSON.stringify({ id: 'x', text: TEXT })}\n`;
  const corpus = await programHere(folder, ['query', 'base.txt', '-'], lines);
  t.deepEqual(rowsOf(corpus)[1], ['1', 'x', '1.000000', '1.000000', '1.000000', '-#1']);
  const both = await programHere(folder, ['query', '-', '-'], lines);
  t.is(both.code, 2);
  t.regex(both.stderr, /error: -: standard input is either the base or the corpus\n/);
});

test.serial('a base on standard input is decompressed, rejected and decoded like a file', async (t) => {
  const folder = temporaryFolder(t, {
    ...FILES,
    'packed.gz': gzipSync(TEXT),
    'binary.pdf': new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x34, 0, 1]),
  });
  const piped = (file: string, ...argv: string[]): Promise<Said> =>
    programHere(folder, ['query', '-', 'texts', '--top', '1', ...argv], readFileSync(join(folder, file)));
  t.is(rowsOf(await piped('packed.gz'))[1]![2], '1.000000');
  const binary = await piped('binary.pdf');
  t.is(binary.code, 1);
  t.regex(binary.stderr, /^error: a PDF file.*: -\n/);
});

test.serial('a base that is shorter than a shingle is reported with the size to use', async (t) => {
  const folder = temporaryFolder(t, {
    'base.txt': 'three short words',
    'c/a.txt': `${TEXT} three short words`,
  });
  const short = await asked(folder, 'base.txt', 'c', '--method', 'containment');
  t.is(rowsOf(short).length, 1);
  t.regex(
    short.stderr,
    /^warning: base\.txt has 3 words, fewer than a shingle of 5, so only an equal text can match: --shingle words:3$/m,
  );
  const found = await asked(folder, 'base.txt', 'c', '--method', 'containment', '--shingle', 'words:3');
  t.is(rowsOf(found).length, 2);
  t.notRegex(found.stderr, /warning/);
});

test.serial('CSV and JSON hold ids themselves, TSV has their escapes', async (t) => {
  const folder = temporaryFolder(t, { 'base.txt': TEXT, 'c/a\tb\n\\c': TEXT, 'c/caf\xe9': TEXT });
  const csv = await asked(folder, 'base.txt', 'c', '--format', 'csv');
  t.true(csv.stdout.includes('\n1,"a\tb\n\\c",1.000000,'), csv.stdout);
  t.true(csv.stdout.includes('\n2,caf\ufffd,1.000000,1.000000,1.000000,caf\\xe9\n'), csv.stdout);
  const tsv = await asked(folder, 'base.txt', 'c');
  t.true(tsv.stdout.includes('\n1\ta\\tb\\n\\\\c\t'), tsv.stdout);
  t.true(tsv.stdout.includes('\n2\tcaf\\xe9\t'), tsv.stdout);
});

test.serial('flags without effect are usage errors', async (t) => {
  const folder = temporaryFolder(t, FILES);
  for (const [argv, said] of [
    [['--stop-words', 'list.txt'], '--stop-words: expected together with --method sswf or scam, or'],
    [
      ['--method', 'scam', '--shingle', 'lines:3'],
      '--shingle: expected together with --method resemblance or',
    ],
    [['--threshold', '5'], '--threshold 5: expected at most 1, for resemblance is'],
    [['--pieces', '3'], '--pieces: expected together with --method sswf only'],
    [['--input', 'sets'], '--input sets: expected'],
  ] as const) {
    const { code, stderr } = await asked(folder, 'base.txt', 'texts', ...argv);
    t.is(code, 2, stderr);
    t.true(stderr.includes(`error: ${said}`), stderr);
  }
  t.is((await asked(folder, 'base.txt', 'texts', '--method', 'identity', '--threshold', '5')).code, 0);
});

test.serial('all errors of a command line are reported at once', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { code, stderr } = await asked(
    folder,
    ...['bass.txt', 'texts', 'nowhere', '--top', 'none', '--method', 'x', '--words', '5', '--format', 'xml'],
  );
  t.is(code, 2);
  for (const line of [
    /error: a PATH does not exist or may not be read: "bass\.txt", did you mean base\.txt\?\n/,
    /error: a PATH does not exist or may not be read: "nowhere"\n/,
    /error: --top none: expected an integer from 1 to 1000000, or all\n/,
    /error: --method x: expected one of resemblance, containment, sswf, /,
    /error: --words: expected together with --method sswf only\n/,
    /error: --format xml: expected one of tsv, csv, jsonl\n/,
    /hint: mr-minhash query --help lists every option with its values\n/,
  ]) {
    t.regex(stderr, line);
  }
  for (const [argv, said] of [
    [[], 'BASE PATH...: expected a document, and files or an index to search'],
    [['base.txt'], 'PATH...: expected at least one file or directory to search'],
    [['texts', 'texts'], 'texts: a directory, expected a file, the document to search for'],
    [['--base-list', 'gone.txt', 'texts'], '--base-list gone.txt: there is no such file'],
  ] as const) {
    const wrong = await asked(folder, ...argv);
    t.is(wrong.code, 2);
    t.true(wrong.stderr.includes(`error: ${said}\n`), wrong.stderr);
  }
});

test.serial('a base without tokens and documents that were not read are reported', async (t) => {
  const folder = temporaryFolder(t, { ...FILES, 'dots.txt': ' ... ', 'texts/x.bin': new Uint8Array([0, 1]) });
  const { code, stdout, stderr } = await asked(folder, 'dots.txt', 'texts', '--verbose');
  t.is(code, 0);
  t.is(stdout.split('\n').length, 2);
  t.regex(stderr, /\ndots\.txt: nothing can match it: it has no words, or too few for resemblance\n/);
  t.regex(stderr, /(^|\n)not read: x\.bin: a binary file/);
});

test('an interrupt ends a query with 130', async (t) => {
  const here = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const folder = temporaryFolder(t, FILES);
  const script = `
    import { queryCommand } from ${here('../../../cli/commands/query.js')};
    import { createTerminal } from ${here('../../../cli/terminal.js')};
    const terminal = createTerminal(process.stdout, process.stderr, process.env);
    const alive = setInterval(() => {}, 1000);
    async function* search(bases, source, options, { signal }) {
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('whatever')));
        terminal.say('ready');
      });
    }
    const words = ${JSON.stringify([join(folder, 'base.txt'), join(folder, 'texts')])};
    process.exitCode = await queryCommand(words, {}, { terminal, search, stdin: process.stdin });
    clearInterval(alive);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    const isReady = !stderr.includes('ready') && text.includes('ready');
    stderr += text;
    if (isReady) child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.is(code, 130, stderr);
  t.true(stderr.endsWith('interrupted: answers are complete only after all input is read\n'), stderr);
});
