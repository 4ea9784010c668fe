import { truncateSync } from 'node:fs';
import test from 'ava';
import { metEnd } from '../../../src/readers/bytes/wholeFiles.js';
import { UNKNOWN } from '../../../src/readers/list/fileList.js';
import { FileTableBuilder } from '../../../src/readers/list/fileTable.js';
import { fileKindOf } from '../../../src/readers/list/formats.js';
import { lookUpSizes, SIZED_FILES, sampleStep, wholeFilesOf } from '../../../src/readers/list/sizes.js';
import { FILES_A_SPLIT, planPieces } from '../../../src/readers/pieces.js';
import { LoopTurns } from '../../../src/store/turns.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { RecordingSink, readParams } from '../recordingSink.js';
import { listOf, readSource } from './fileTables.js';

const AUTO = { input: 'auto' as const, textFieldGiven: false };

/** Files of a folder that need not be there. */
function table(folder: string, names: readonly string[]) {
  const builder = new FileTableBuilder();
  builder.addFolder(folder, '');
  for (const name of names) builder.addFile('', name, fileKindOf(name, AUTO));
  return builder.finish();
}

const TURNS = new LoopTurns(undefined);

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padStart(6, '0'));

test('lookUpSizes looks at every file of a small list; one that is gone counts as empty', async (t) => {
  const top = temporaryFolder(t, { a: 'aaa', 'b.jsonl': 'bb' });
  const files = table(top, ['a', 'b.jsonl', 'gone']);
  await lookUpSizes(files, TURNS);
  t.deepEqual([...files.sizes], [3, 2, 0]);
  t.deepEqual([...wholeFilesOf(files)], [0, 2]);
});

test('lookUpSizes looks at lines files and a sample of many whole files', async (t) => {
  t.is(sampleStep(SIZED_FILES), 1);
  t.is(sampleStep(SIZED_FILES + 1), 5);
  t.is(Math.ceil(1_000_000 / sampleStep(1_000_000)), 1024);
  const top = temporaryFolder(t, { '000000': '', '000005': 'xx', '000006': 'x', 'z.jsonl': 'zzz' });
  const files = table(top, [...numbered(SIZED_FILES + 1), 'z.jsonl']);
  await lookUpSizes(files, TURNS);
  t.deepEqual([files.sizes[5], files.sizes[6], files.sizes[SIZED_FILES + 1]], [2, UNKNOWN, 3]);
  await lookUpSizes(files, TURNS, true);
  t.false(files.sizes.includes(UNKNOWN));
});

test('lookUpSizes looks at all Parquet among many whole files, and large arrays do not make the groups smaller', async (t) => {
  const top = temporaryFolder(t, { '000006.parquet': 'xxxxx' });
  const files = table(top, ['000005.parquet', '000006.parquet', ...numbered(SIZED_FILES + 1).slice(7)]);
  await lookUpSizes(files, TURNS);
  t.deepEqual([...files.sizes.subarray(0, 2)], [0, 5]);
  const groups = planPieces({ files }, { encoding: 'utf-8' }, 2);
  t.deepEqual(
    groups.map((source) => (source.kind === 'files' ? source.files.length : source.kind)),
    ['array', ...Array(3).fill(FILES_A_SPLIT), SIZED_FILES - 5 - 3 * FILES_A_SPLIT],
  );
});

test('planPieces makes groups of equally many files where not every size is known', (t) => {
  const count = 2 * SIZED_FILES;
  const step = sampleStep(count);
  const plan = (bytes: number, others: number): number[] => {
    const files = table('/nowhere', [...numbered(count), 'z.jsonl']);
    for (let i = 0; i < count; i++) files.sizes[i] = i % step === 0 ? bytes : others;
    const groups = planPieces({ files }, { encoding: 'utf-8' }, 1000);
    const whole = groups.filter((source) => source.kind === 'files');
    t.is(groups.length, whole.length + 1);
    t.deepEqual(
      whole.flatMap((source) => [...source.files]),
      Array.from({ length: count }, (_, i) => i),
    );
    return whole.map((source) => source.files.length);
  };
  // 34 make a piece; groups are larger while there are 64 of them.
  t.is(plan(30, UNKNOWN)[0], count / 64);
  // What a dry run looks up beside the sample changes nothing.
  t.deepEqual(plan(30, 30), plan(30, UNKNOWN));
  t.is(plan(0, UNKNOWN)[0], FILES_A_SPLIT);
  t.is(plan(1e9, UNKNOWN)[0], 4 * 16);
});

test('metEnd believes a short read only where no file system would have cut it', (t) => {
  t.true(metEnd(0, UNKNOWN));
  t.true(metEnd(5000, UNKNOWN));
  t.false(metEnd(8192, UNKNOWN));
  t.false(metEnd(65_537, UNKNOWN));
  t.true(metEnd(131_072, 131_072));
  t.false(metEnd(5000, 5001));
  t.false(metEnd(5000, 0));
});

test('readSource needs no sizes: it reads to the end, and stops where a text is too large', (t) => {
  const page = 'p'.repeat(4096);
  const top = temporaryFolder(t, { a: 'short', b: page, c: page.repeat(20), d: '', e: '', 'f.json': '"f"' });
  truncateSync(`${top}/d`, 5e9);
  const files = ['a', 'b', 'c', 'd', 'e', 'f.json'].map((name, i) => ({
    ...inputFile(`${top}/${name}`, i),
    bytes: UNKNOWN,
  }));
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf(files) }, readParams({ maxDocument: 1e6 }), sink);
  t.deepEqual(sink.texts, ['short', page, page.repeat(20), '', '"f"']);
  t.deepEqual(
    sink.skips.map(({ file, code }) => [file, code]),
    [[3, 'TOO_LARGE']],
  );
});
