/** A task as a process: exit codes, counters, and faults that end it by name. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { MinHashError } from '../../../src/errors.js';
import { VERSION } from '../../../src/store/packageFiles.js';
import { ColumnSink, ColumnSource } from '../../../src/tasks/process/columnRows.js';
import { InputWindow, OutputWindow } from '../../../src/tasks/process/descriptors.js';
import { RawBytesSink, RawBytesSource } from '../../../src/tasks/process/rawBytes.js';
import { KINDS, type TaskFact } from '../../../src/tasks/stream/kinds.js';
import { PRESENT } from '../../../src/tasks/stream/records.js';
import {
  openManifest,
  openTable,
  partedManifest,
  sealManifest,
} from '../../../src/tasks/stream/taskManifest.js';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { filesOf, splitsOf } from '../manifestTables.js';
import { manifestOf } from './echoStages.js';

const folder = sharedFolder({});
const ECHO = fileURLToPath(new URL('./echoTask.js', import.meta.url));
const SHIPPED = fileURLToPath(new URL('../../../package/task/task.cjs', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

type Pair = readonly [key: Uint8Array, value: Uint8Array];
const MANIFEST = manifestOf();

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const manifest = fileOf('job.json', JSON.stringify(MANIFEST));

function bytesOf(pairs: readonly Pair[], tsv = false): Buffer {
  const parts: Uint8Array[] = [];
  const output = new OutputWindow((from, at, length) => parts.push(from.slice(at, at + length)));
  const sink = tsv ? new ColumnSink(output) : new RawBytesSink(output);
  for (const [key, value] of pairs) sink.put(key, value);
  sink.finish();
  return Buffer.concat(parts);
}

function pairsOf(bytes: Uint8Array, tsv = false): Pair[] {
  let at = 0;
  const input = new InputWindow((into, to, length) => {
    const count = Math.min(length, bytes.length - at);
    into.set(bytes.subarray(at, at + count), to);
    at += count;
    return count;
  });
  const source = tsv ? new ColumnSource(input) : new RawBytesSource(input);
  const pairs: Pair[] = [];
  while (source.next()) pairs.push([source.key.slice(), source.value.slice()]);
  return pairs;
}

const hexOf = (pair: Pair | undefined): string | undefined =>
  pair?.map((bytes) => Buffer.from(bytes).toString('hex')).join(' ');

interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly said: string;
}

function ended(
  args: readonly string[],
  input: Uint8Array,
  env: Readonly<Record<string, string>> = {},
): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ input, cwd: folder },
    env: { ...process.env, ...env },
  });
  return { code: status, out: stdout, said: stderr.toString() };
}

const echo = (stage: string, side: string, io: string, input: Uint8Array, from = manifest): Ended =>
  ended([ECHO, stage, side, io, from], input);

const PAIRS: readonly Pair[] = [
  [Buffer.from('aa'), Buffer.from('one')],
  [Buffer.from('b'), Buffer.alloc(3000, 1)],
];

test('a task hands on its records, and tells an engine that counts what it read and wrote', (t) => {
  for (const tsv of [false, true]) {
    const { code, out, said } = echo('pass', 'map', tsv ? 'tsv' : 'rawbytes', bytesOf(PAIRS, tsv));
    t.is(code, 0, said);
    const counters = ['map.in,2', 'map.out,3', 'value bytes,3003'];
    const lines = counters.map((counter) => `reporter:counter:mr-minhash,${counter}\n`);
    t.is(said, tsv ? '' : lines.join(''));
    const [first, second, fact, ...more] = pairsOf(out, tsv);
    t.deepEqual([first, second].map(hexOf), PAIRS.map(hexOf));
    t.is(more.length, 0);
    // Behind what its records are brought together by.
    t.deepEqual([...fact![0].subarray(0, 2)], [KINDS.fact, KINDS.fact]);
    const told = JSON.parse(Buffer.from(fact![1]).toString()) as TaskFact;
    t.like(told, { run: MANIFEST.run, job: MANIFEST.job, in: 2, out: 2, sums: { 'value bytes': 3003 } });
  }
});

test('rows of one width come many at once, whatever the engine calls a record', (t) => {
  const pairs: readonly Pair[] = [Buffer.from('ab'), Buffer.from('ac')].map((key) => [key, PRESENT]);
  for (const tsv of [false, true]) {
    for (const side of ['map', 'reduce']) {
      const { code, out, said } = echo('rows', side, tsv ? 'tsv' : 'rawbytes', bytesOf(pairs, tsv));
      t.is(code, 0, said);
      t.deepEqual(pairsOf(out, tsv).slice(0, 2).map(hexOf), pairs.map(hexOf));
    }
  }
});

test('facts of tasks before are counted as the engine counts them', (t) => {
  const mapped = echo('pass', 'map', 'rawbytes', bytesOf(PAIRS));
  const { code, out, said } = echo('pass', 'reduce', 'rawbytes', mapped.out);
  t.is(code, 0, said);
  t.regex(said, /mr-minhash,reduce\.in,3\n.*mr-minhash,reduce\.out,4\n/s);
  t.is(pairsOf(out).length, 4);
});

test('a task that is given nothing writes nothing', (t) => {
  for (const io of ['rawbytes', 'tsv']) {
    const { code, out } = echo('pass', 'map', io, Buffer.of());
    t.deepEqual([code, out.length], [0, 0]);
  }
  const { code, said } = echo('invents', 'map', 'tsv', Buffer.of());
  t.is(code, 1);
  t.regex(said, /trial map of run \w+: the stage wrote without input/);
});

test('rows of the corpus come by the form of the engine', (t) => {
  const env = { mapreduce_map_input_file: 'hdfs://n/a', mapreduce_map_input_start: '7' };
  const lines = ended([ECHO, 'lines', 'map', 'rawbytes', manifest], Buffer.from('{}\n\n'), env);
  const rows = Buffer.from('68646673\t7\te30=\n68646673\t7\t\n');
  const columns = echo('lines', 'map', 'tsv', rows);
  const texts = (pairs: readonly Pair[]): string[] =>
    pairs.slice(0, 2).map(([key, value]) => `${Buffer.from(key)} ${Buffer.from(value)}`);
  t.deepEqual(texts(pairsOf(lines.out)), ['hdfs://n/a:7 \x01{}', 'hdfs://n/a:7 \x01']);
  t.deepEqual(texts(pairsOf(columns.out, true)), ['hdfs:7 \x01{}', 'hdfs:7 \x01']);
});

test('faults of the input and of the manifest end a task by name', (t) => {
  const good = bytesOf(PAIRS);
  const other = manifestOf({ params: { ...MANIFEST.params, threshold: 0.5 } });
  const foreign = echo('pass', 'map', 'rawbytes', good, fileOf('other.json', JSON.stringify(other)));
  const run = `map of run ${MANIFEST.run}: `;
  const cases: readonly (readonly [found: Ended, message: string])[] = [
    [echo('pass', 'map', 'rawbytes', good.subarray(0, -1)), `trial ${run}record 2, byte ${good.length - 1} `],
    [echo('pass', 'map', 'tsv', good), `trial ${run}record 1, byte `],
    [echo('pass', 'reduce', 'rawbytes', foreign.out), `records of the job trial are of run ${other.run}`],
    [echo('pass', 'map', 'tsv', good, fileOf('changed.json', '{}')), 'pass map: '],
    [echo('lines', 'map', 'rawbytes', good), 'mapreduce_map_input_file is not set'],
    [echo('leaves', 'map', 'rawbytes', good), 'the stage left records'],
    [echo('sides', 'map', 'rawbytes', good), 'it names no side file wanted'],
  ];
  t.is(foreign.code, 0);
  for (const [{ code, said }, message] of cases) {
    t.is(code, 1, said);
    t.true(said.includes(message), `${message}\n${said}`);
    // An engine that reads counters must not count a task that failed.
    t.notRegex(said, /reporter:counter/);
  }
});

test('a manifest that changed by a byte, or is of another version, is refused', (t) => {
  const text = JSON.stringify(MANIFEST);
  t.is(openManifest(text, 'job.json', VERSION).run, MANIFEST.run);
  const at = text.indexOf('"threshold"') + 14;
  const changed = `${text.slice(0, at)}${text[at] === '7' ? '6' : '7'}${text.slice(at + 1)}`;
  const aged = JSON.stringify(manifestOf({ version: '0.0.1' }));
  for (const [given, message] of [
    [changed, /job\.json: its content does not fit its hash/],
    [aged, /job\.json: is of version 0\.0\.1, this program is/],
    [text.slice(0, -1), /job\.json: is no JSON/],
    ['null', /job\.json: is no manifest/],
  ] as const) {
    const error = t.throws(() => openManifest(given, 'job.json', VERSION), { message });
    t.is((error as MinHashError).code, 'TASK_MANIFEST');
  }
});

test('a manifest and its tables of files may be written apart, and are checked together', (t) => {
  const { hash: _, ...manifest } = manifestOf();
  const files = filesOf([{ uri: 'file:/c/a', id: 'a\xe9', bytes: 3 }]);
  const sealed = sealManifest({ ...manifest, files, splits: splitsOf([[[0, 0]]]), firsts: [0, 3] });
  const { own, tables } = partedManifest(sealed);
  t.false(['files', 'splits', 'firsts', 'strides'].some((name) => name in own));
  const text = JSON.stringify(own);
  const plain = (manifest: object): unknown => JSON.parse(JSON.stringify(manifest));
  const opened = (name: 'files' | 'splits', table: object) =>
    ({ ...tables, [name]: openTable(name, JSON.stringify(table), 'table.json') }) as typeof tables;
  for (const name of ['files', 'splits'] as const)
    t.deepEqual(plain(openManifest(text, 'job.json', VERSION, opened(name, tables[name]!))), plain(sealed));
  const { splits } = tables;
  for (const [name, other] of [
    ['splits', { ...splits, firstLines: [1] }],
    ['splits', {}],
    ['files', filesOf([])],
    ['files', filesOf([{ uri: 'file:/c/a', id: 'a\xe8', bytes: 3 }])],
  ] as const)
    t.throws(() => openManifest(text, 'job.json', VERSION, opened(name, other)), {
      message: /its content, or a table beside it, does not fit its hash/,
    });
  for (const [name, cut] of [
    ['splits', '{"begins":[0'],
    ['files', '{"ids":"a"}'],
    ['files', 'null'],
  ] as const) {
    const error = t.throws(() => openTable(name, cut, 'table.json'), { message: /: table\.json: is no / });
    t.is((error as MinHashError).code, 'TASK_MANIFEST');
  }
});

test('side files lie beside the manifest or in the current folder', (t) => {
  const named = fileOf('sides.json', JSON.stringify(manifestOf({ sides: { wanted: 'wanted.bin' } })));
  const missing = echo('sides', 'map', 'rawbytes', bytesOf(PAIRS), named);
  t.is(missing.code, 1);
  t.regex(missing.said, /the side file wanted\.bin is neither in .* nor in the current folder/);
  fileOf('wanted.bin', '0123456');
  const { code, out, said } = echo('sides', 'map', 'rawbytes', bytesOf(PAIRS), named);
  t.is(code, 0, said);
  t.is(Buffer.from(pairsOf(out)[0]![1]).toString(), '234');
});

test('a reader that goes away ends a task with 4', async (t) => {
  const child = spawn(process.execPath, [ECHO, 'pass', 'map', 'rawbytes', manifest]);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  // What it does not take any more is not a fault of this test.
  child.stdin.on('error', () => {});
  child.stdout.destroy();
  child.stdin.end(bytesOf([[Buffer.of(1), Buffer.alloc(3 << 20)]]));
  const [code] = (await once(child, 'close')) as [number | null];
  t.is(code, 4, said);
  t.regex(
    said,
    /a task lost its input or output: trial map .*it cannot write its output: the engine closed it/,
  );
});

test('the shipped program and the command say the same of wrong use, and end with 2', (t) => {
  const wrong = [
    ['nothing', 'map', 'more', '--io', 'tsv', '--manifest', 'x'],
    ['sketch', 'sort', '--io', 'xml'],
  ];
  const errors = ({ said }: Ended): string[] => said.split('\n').filter((line) => line.startsWith('error: '));
  for (const words of wrong) {
    const shipped = ended([SHIPPED, ...words], Buffer.of());
    const command = ended([COMMAND, 'task', ...words], Buffer.of());
    t.deepEqual([shipped.code, command.code], [2, 2]);
    t.true(errors(shipped).length > 0, shipped.said);
    t.deepEqual(errors(command), errors(shipped));
  }
  const lost = ended([SHIPPED, 'sketch', 'map', '--io', 'tsv', '--manifest', 'none.json'], Buffer.of());
  t.is(lost.code, 1);
  t.regex(
    lost.said,
    /^error: a task cannot use its manifest: sketch map: none\.json: cannot be read \(ENOENT\)\nhint: /,
  );
});
