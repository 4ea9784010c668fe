import { join } from 'node:path';
import test from 'ava';
import type { InputFile } from '../../src/readers/list/fileList.js';
import { SIZED_FILES } from '../../src/readers/list/sizes.js';
import { FILES_A_SPLIT, planPieces } from '../../src/readers/pieces.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { tableOf } from './list/fileTables.js';

const file = (id: string, bytes: number, changes: Partial<InputFile> = {}): InputFile => ({
  path: `/${id}`,
  id,
  bytes,
  format: 'text',
  codec: null,
  utf16: false,
  stdin: false,
  ...changes,
});
const UTF8 = { encoding: 'utf-8' };

test('planPieces gathers whole files up to the size, and leaves a larger one alone', (t) => {
  const files = [file('a', 6), file('b', 4), file('c', 1), file('d', 50), file('e', 1)];
  const groups = planPieces({ files: tableOf(files) }, UTF8, 10).map((source) =>
    source.kind === 'files'
      ? Array.from(source.files, (index) => `${index}${files[index]!.id}`).join(' ')
      : '',
  );
  t.deepEqual(groups, ['0a 1b', '2c', '3d', '4e']);
});

test('planPieces puts at most FILES_A_SPLIT files into a source', (t) => {
  const files = Array.from({ length: FILES_A_SPLIT + 1 }, (_, i) => file(String(i).padStart(5, '0'), 0));
  const plan = planPieces({ files: tableOf(files) }, UTF8);
  t.deepEqual(
    plan.map((source) => (source.kind === 'files' ? source.files.length : 0)),
    [FILES_A_SPLIT, 1],
  );
});

test('planPieces makes larger groups of many files, at most four pieces each', (t) => {
  const files = tableOf(
    Array.from({ length: SIZED_FILES + 64 }, (_, i) => file(String(i).padStart(5, '0'), 1)),
  );
  const most = (pieceBytes: number): number =>
    Math.max(
      ...planPieces({ files }, UTF8, pieceBytes).map((piece) =>
        piece.kind === 'files' ? piece.files.length : 0,
      ),
    );
  t.deepEqual([16, 20, 65, 100].map(most), [64, 65, 65, 100]);
});

test('planPieces cuts plain lines into ranges that cover the file', (t) => {
  const files = [file('a.jsonl', 25, { format: 'jsonl' }), file('b.jsonl', 0, { format: 'jsonl' })];
  const plan = planPieces({ files: tableOf(files) }, UTF8, 10);
  t.deepEqual(
    plan.map((source) => (source.kind === 'range' ? [source.index, source.from, source.to] : [])),
    [
      [0, 0, 10],
      [0, 10, 20],
      [0, 20, 25],
      [1, 0, 0],
    ],
  );
});

test('planPieces streams gzipped lines, standard input and lines in other encodings', (t) => {
  const lines = file('a.jsonl', 5, { format: 'jsonl' });
  const kinds = (entry: InputFile, encoding: string): string =>
    planPieces({ files: tableOf([entry]) }, { encoding })[0]!.kind;
  t.is(kinds({ ...lines, codec: 'gzip' }, 'utf-8'), 'stream');
  t.is(kinds({ ...lines, stdin: true }, 'utf-8'), 'stream');
  t.is(kinds(lines, 'utf-16le'), 'stream');
  t.is(kinds(lines, 'utf8'), 'range');
  t.is(kinds(file('a.json.gz', 5, { format: 'json', codec: 'gzip' }), 'utf-16le'), 'files');
});

test('planPieces takes Parquet of more than two pieces out of the groups, to be cut', (t) => {
  const parquet = { format: 'parquet' } as const;
  const files = [
    file('a', 3),
    file('b.parquet', 21, parquet),
    file('c', 3),
    file('d.parquet', 20, parquet),
    file('e.json', 99, { format: 'json-or-text' }),
    file('f.json.gz', 99, { format: 'json', codec: 'gzip' }),
    file('g', 99),
  ];
  const shown = (encoding: string): string[] =>
    planPieces({ files: tableOf(files) }, { encoding }, 10).map((source) => {
      if (source.kind === 'files') return [...source.files].join(' ');
      return source.kind === 'array' ? `${source.index} ${source.file.id} every ${source.step}` : source.kind;
    });
  for (const encoding of ['utf-8', 'utf-16le'])
    t.deepEqual(shown(encoding).slice(-4), ['3', '4', '5', '6'], encoding);
  t.deepEqual(shown('utf-8').slice(0, 2), ['1 b.parquet every 10', '0 2']);
});

test('planPieces cuts no Parquet where there is more of it than sizes are looked up', (t) => {
  const plan = (count: number) => {
    const files = Array.from({ length: count }, (_, i) =>
      file(`${String(i).padStart(5, '0')}.parquet`, i === 7 ? 1e9 : 1, { format: 'parquet' }),
    );
    return planPieces({ files: tableOf(files) }, UTF8);
  };
  t.deepEqual(
    plan(SIZED_FILES).flatMap((source) => (source.kind === 'array' ? [source.index] : [])),
    [7],
  );
  t.true(plan(SIZED_FILES + 1).every(({ kind }) => kind === 'files'));
});

test('short lines are cut into shorter ranges, because each has a signature', (t) => {
  const line = '{"text": ""}\n';
  const content = { short: line.repeat(200_000), long: `${'x'.repeat(299)}\n`.repeat(8_000) };
  const folder = temporaryFolder(t, content);
  const rangesOf = (name: 'short' | 'long'): number => {
    const path = join(folder, name);
    const entry = file(name, content[name].length, { path, format: 'jsonl' });
    return planPieces({ files: tableOf([entry]) }, UTF8).length;
  };
  t.is(rangesOf('long'), 1);
  t.is(rangesOf('short'), 13);
});
