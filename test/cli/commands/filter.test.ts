import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type Said, said } from '../programHere.js';

const CLI = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

/** In this process; the input comes in the pieces given. */
const filterWith = (pieces: readonly (string | Uint8Array)[], argv: readonly string[] = []): Promise<Said> =>
  said(['filter', ...argv], {}, Readable.from(pieces.map((piece) => Buffer.from(piece))));

const TEXT = 'the quick brown fox jumps over the lazy dog and runs away from the big bad wolf in the woods';
const line = (id: string, text: string): string => `${JSON.stringify({ id, text })}\n`;
const rowsOf = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'));

test('lines pass byte for byte; the table lists the others', async (t) => {
  const folder = temporaryFolder(t);
  const [dropped, counts] = [join(folder, 'dropped.tsv'), join(folder, 'counts.json')];
  const passed = [
    '\ufeff{"id": "a",  "text":"the quick brown fox jumps over the lazy dog and runs away from the big bad wolf in the woods"}\r\n',
    'no json\n[1]\n{"id":"e","body":1}\n',
    '{"text":"\\u00e4 \\ud800 x"  ,"n":1e999}\n',
    '{"text":""}',
  ];
  const input = [
    passed[0]!,
    '\n \t\n',
    line('b\tc', TEXT),
    line('d', `${TEXT.toUpperCase()}?`),
    passed[1]!,
    passed[2]!,
    line('f', TEXT.replace('woods', 'forest')),
    passed[3]!,
  ].join('');
  const { code, stdout, stderr } = await filterWith([input], ['--dropped', dropped, '--counts', counts]);
  t.is(code, 0);
  t.is(stdout, passed.join(''));
  t.is(
    stderr,
    'passed 6 of 9 records, 202 bytes of 550 bytes; dropped 3: 1 identical, 1 with the same tokens, 1 near; ' +
      '3 passed without comparison: 1 JSON_BROKEN, 1 JSON_NOT_AN_OBJECT, 1 JSON_NO_TEXT; ' +
      '1 without tokens passed; ' +
      '1 read with U+FFFD in place of invalid UTF-8\n',
  );
  t.deepEqual(rowsOf(dropped), [
    ['document', 'kept', 'jaccard', 'reason', 'place', 'kept_place'],
    ['b\\tc', 'a', '1.000000', 'identical', '-#4', '-#1'],
    ['d', 'a', '1.000000', 'same-tokens', '-#5', '-#1'],
    ['f', 'a', '0.882353', 'near', '-#10', '-#1'],
  ]);
  const written = JSON.parse(readFileSync(counts, 'utf8')) as Record<string, unknown>;
  t.is(written.complete, true);
  t.deepEqual([written.records, written.passed, written.duplicates], [9, 6, 3]);
  t.deepEqual(written.not_compared, { JSON_BROKEN: 1, JSON_NOT_AN_OBJECT: 1, JSON_NO_TEXT: 1 });
});

test('a JSON array is not JSON lines: what to type', async (t) => {
  for (const input of ['[{"text":"a b"}]\n', '[\n{"text":"a b"},\n{}]\n']) {
    const { code, stdout, stderr } = await filterWith([input]);
    t.is(code, 1);
    t.is(stdout, input);
    t.regex(stderr, /hint: pass JSON lines, one object per line; jq -c '\.\[\]' FILE\.json/);
    t.notRegex(stderr, /--input|--include|PATH/);
  }
  const wrapped = await filterWith(['{"items":[{"text":"a"},{"text":"b"}]}\n']);
  t.regex(wrapped.stderr, /jq -c '\.\["items"\]\[\]', as JSON lines/);
  t.regex((await filterWith(['5\n'])).stderr, /could be compared: 1 line JSON_NOT_AN_OBJECT/);
});

test('the pieces in which the stream arrives do not change the output', async (t) => {
  const lines = Array.from({ length: 40 }, (_, i) => line(`${i}`, `${TEXT} ${i % 7} ${'ü'.repeat(i)}`));
  const input = Buffer.from(`${lines.join('')}broken\n${line('x', TEXT)}${line('y', 'end').trimEnd()}`);
  const whole = await filterWith([input]);
  for (const size of [1, 7, 100, 1000]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < input.length; at += size) pieces.push(input.subarray(at, at + size));
    t.deepEqual(await filterWith(pieces), whole, `${size}`);
  }
});

test('a line longer than the limit passes, and the lines around it are compared', async (t) => {
  const long = Array.from({ length: 60 }, () => 'y'.repeat(50_000));
  const pieces = [
    line('a', TEXT),
    '{"id":"long","text":"',
    ...long,
    '"}\n',
    line('b', 'short'),
    line('c', TEXT),
  ];
  const argv = ['--max-document', '200KB'];
  const { code, stdout, stderr } = await filterWith(pieces, argv);
  t.is(code, 0);
  t.true(stdout === pieces.slice(0, -1).join(''));
  t.regex(
    stderr,
    /^passed 3 of 4 records, .*; dropped 1: 1 identical; 1 passed without comparison: 1 TOO_LARGE$/m,
  );
  t.true((await filterWith([pieces.join('')], argv)).stdout === stdout);
  const last = [...pieces.slice(0, -3), long[0]!];
  t.true((await filterWith(last, argv)).stdout === last.join(''));
  const large = [line('a', 'z '.repeat(120_000)), line('b', 'x')];
  t.true((await filterWith(large, argv)).stdout === large.join(''));
});

test('--on-error fail ends with the line, after what came before it', async (t) => {
  const input = [line('a', 'one two three'), '{"id":"b"}\n', line('c', 'four five six')];
  const { code, stdout, stderr } = await filterWith([input.join('')], ['--on-error', 'fail']);
  t.is(code, 1);
  t.is(stdout, input[0]);
  t.regex(stderr, /^error: .*: standard input, line 2: the record lacks the text field/);
});

test('an empty stream is valid, and one without a document is an error', async (t) => {
  t.like(await filterWith([]), { code: 0, stdout: '' });
  t.like(await filterWith(['\n\n']), { code: 0, stdout: '' });
  const { code, stderr } = await filterWith([`{"body":"${TEXT}"}\n`]);
  t.is(code, 1);
  t.regex(stderr, /no record has it; those of standard input have the field "body"/);
  t.like(await filterWith(['nothing\nof json\n']), { code: 1 });
});

test('--against compares with the documents there, not with other lines', async (t) => {
  const folder = temporaryFolder(t, { 'corpus/a.txt': TEXT, 'corpus/bad.jsonl': 'bad\n{"text":"x"}\n' });
  const dropped = join(folder, 'dropped.tsv');
  const input = line('1', 'new words') + line('2', 'new words') + line('3', `${TEXT}.`);
  const argv = ['--against', join(folder, 'corpus'), '--dropped', dropped, '--fail-on-duplicates'];
  const { code, stdout, stderr } = await filterWith([input], argv);
  t.is(code, 3);
  t.is(stdout, line('1', 'new words') + line('2', 'new words'));
  t.regex(stderr, /^sketch: 2 batches in /);
  t.deepEqual(rowsOf(dropped).slice(1), [
    ['bad.jsonl#1', '', '', 'JSON_BROKEN: not valid JSON', 'bad.jsonl#1', ''],
    ['3', 'a.txt', '1.000000', 'same-tokens', '-#3', 'a.txt'],
  ]);
  t.like(await filterWith([input], [...argv.slice(0, 2), '--on-error', 'fail']), { code: 1, stdout: '' });
  const empty = temporaryFolder(t, { 'x/': '' });
  t.like(await filterWith([input], ['--against', join(empty, 'x')]), { code: 1, stdout: '' });
});

test('all errors are reported at once, and nothing is read', async (t) => {
  const folder = temporaryFolder(t, { 'there.tsv': 'x' });
  const argv = [
    ...['file.jsonl', '--threshold', '7', '--sketch', 'mod-m', '--verify', 'none', '--include', '*.txt'],
    ...['--dropped', join(folder, 'there.tsv'), '--counts', join(folder, 'no', 'counts.json')],
  ];
  const { code, stdout, stderr } = await filterWith([line('a', TEXT)], argv);
  t.is(code, 2);
  t.is(stdout, '');
  const problems = stderr.split('\n').filter((text) => text.startsWith('error: '));
  t.deepEqual(
    problems.map((text) => text.replace(folder, '').split(': ').slice(0, 2).join(': ')),
    [
      'error: file.jsonl',
      'error: --threshold 7',
      'error: --sketch mod-m',
      'error: --verify none',
      'error: --include',
      'error: --dropped /there.tsv',
      'error: --counts /no/counts.json',
    ],
  );
  t.is(readFileSync(join(folder, 'there.tsv'), 'utf8'), 'x');
  t.like(await filterWith([line('a', TEXT)], ['--dropped', join(folder, 'there.tsv'), '--force', '-q']), {
    code: 0,
    stdout: line('a', TEXT),
    stderr: '',
  });
  t.like(await filterWith([], ['--force']), { code: 2 });
  const twice = join(folder, 'twice');
  t.like(await filterWith([], ['--dropped', twice, '--counts', twice]), { code: 2 });
  t.like(await filterWith([], ['--memory', '1MB']), { code: 2 });
  t.like(await filterWith([], ['--dropped', '/dev/null']), { code: 0 });
  t.like(await filterWith([], ['--dropped', '/dev/null', '--counts', '/dev/null']), { code: 0 });
});

function started(argv: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [CLI, 'filter', ...argv]);
}

const closed = (child: ChildProcessWithoutNullStreams): Promise<number | null> =>
  new Promise((resolve) => child.on('close', resolve));

/** The next piece of standard output. */
const answer = (child: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve) => child.stdout.once('data', (piece: Buffer) => resolve(piece.toString())));

test('each line is decided before the next is sent; the last may lack its line feed', async (t) => {
  const child = started([]);
  for (let i = 0; i < 5; i++) {
    const sent = line(`${i}`, `${i} alone`);
    const answered = answer(child);
    child.stdin.write(line('again', '0 alone').repeat(i === 0 ? 0 : 1) + sent);
    t.is(await answered, sent);
  }
  const last = answer(child);
  child.stdin.end('{"text":"no line feed"}');
  t.is(await last, '{"text":"no line feed"}');
  t.is(await closed(child), 0);
});

test('an interrupt ends with 130, and the files have the decisions so far', async (t) => {
  const folder = temporaryFolder(t);
  const [dropped, counts] = [join(folder, 'dropped.tsv'), join(folder, 'counts.json')];
  const child = started(['--dropped', dropped, '--counts', counts]);
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const answered = answer(child);
  child.stdin.write(line('a', TEXT) + line('b', TEXT) + line('c', 'other'));
  await answered;
  child.kill('SIGINT');
  t.is(await closed(child), 130);
  t.regex(stderr, /^interrupted: passed 2 of 3 records/);
  t.deepEqual(
    rowsOf(dropped)
      .slice(1)
      .map(([document]) => document),
    ['b'],
  );
  const written = JSON.parse(readFileSync(counts, 'utf8')) as Record<string, unknown>;
  t.deepEqual([written.complete, written.records, written.passed], [false, 3, 2]);
});

test('--against and tune count files of records that are read as texts', async (t) => {
  const folder = temporaryFolder(t, {
    'corpus/a.txt': TEXT,
    'corpus/b.txt': `${TEXT} again`,
    'corpus/odd.jsonl': '{"body":"x"}\n',
  });
  const counted = /1 document .*read as plain text/;
  const { code, stderr } = await filterWith([line('a', 'other')], ['--against', join(folder, 'corpus')]);
  t.is(code, 0);
  t.regex(stderr, counted);
  const tuned = await said(['tune', join(folder, 'corpus')]);
  t.is(tuned.code, 0);
  t.regex(tuned.stdout, counted);
});

test('the visible text of an HTML page in a record is compared', async (t) => {
  const page = `<!doctype html><html><body><p>${TEXT.replaceAll(' ', '<br>')}</p></body></html>`;
  const lines = line('page', page) + line('text', TEXT);
  t.is((await filterWith([lines])).stdout, line('page', page));
  t.is((await filterWith([lines], ['--text-format', 'text'])).stdout, lines);
});
