import { appendFileSync, mkdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openResult } from '../../src/analysis/inspect.js';
import { MinHashError } from '../../src/errors.js';
import { idOfBinary } from '../../src/readers/list/pathIds.js';
import {
  MANIFEST_NAME,
  PART_FOLDERS,
  partName,
  STATS_NAME,
  SUCCESS_NAME,
} from '../../src/result/fileNames.js';
import { canonicalJsonBytes, manifestOf } from '../../src/result/manifest.js';
import { type PairRow, tableRows } from '../../src/result/readResult.js';
import {
  IDENTICAL,
  NEAR,
  SAME_TOKENS,
  writeCandidateRows,
  writeClusterRows,
  writeDropRows,
  writePairRows,
} from '../../src/result/tables/documentRows.js';
import type { WrittenFile } from '../../src/store/files.js';
import { idTableOf } from '../data/idTable.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { manifestFacts, STATS } from './resultSample.js';

/** In byte order, with all that needs care. */
const NAMES: string[] = ['', '\x01\n"', ' a, b', '"q"', 'a\\nb', 'a\nb\r\n', 'c\xc3\xa9', 'd\xff\t', '\xff'];

/** Pairs: a, b, equal slots of 128, common elements, sizes of both sets, kind. */
const PAIRS = [
  [0, 1, 110, 17, 18, 19, NEAR],
  [0, 5, 115, 9, 9, 10, NEAR],
  [2, 3, 0, 0, 0, 0, IDENTICAL],
  [2, 4, 120, 19, 19, 20, NEAR],
  [2, 6, 0, 0, 0, 0, SAME_TOKENS],
  [5, 7, 116, 9, 9, 10, NEAR],
  [7, 8, 100, 8, 8, 10, NEAR],
] as const;

const LABELS = {
  ids: idTableOf(NAMES),
  locations: idTableOf(NAMES.map((_, document) => `b\xff.jsonl#${7 + document}`)),
};

function columnsOf(rows: readonly (typeof PAIRS)[number][]) {
  const [a, b, agreement, common, sizeA, sizeB, kind] = [0, 1, 2, 3, 4, 5, 6].map((column) =>
    rows.map((row) => row[column]!),
  );
  return {
    ...{ a: Uint32Array.from(a!), b: Uint32Array.from(b!), agreement: Uint16Array.from(agreement!) },
    sets: {
      ...{ common: Uint32Array.from(common!), sizeA: Uint32Array.from(sizeA!) },
      sizeB: Uint32Array.from(sizeB!),
    },
    kind: Uint8Array.from(kind!),
    accepted: new Uint8Array(rows.length).fill(1),
  };
}

/** A finished result, in parts of two rows: near pairs, and the class {2, 3, 6}. */
async function resultIn(t: ExecutionContext): Promise<string> {
  const root = join(temporaryFolder(t), 'out');
  for (const folder of PART_FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  const files: WrittenFile[] = [];
  const place = (kind: 'pairs' | 'candidates' | 'clusters') => ({
    root,
    file: partName(kind, files.filter(({ file }) => file.startsWith(kind)).length),
  });
  const near = PAIRS.filter(([, , , , , , kind]) => kind === NEAR);
  for (let from = 0; from < PAIRS.length; from += 2)
    files.push(writePairRows(place('pairs'), LABELS, columnsOf(PAIRS.slice(from, from + 2)), 128));
  for (let from = 0; from < near.length; from += 2)
    files.push(writeCandidateRows(place('candidates'), LABELS, columnsOf(near.slice(from, from + 2)), 128));
  const clusters = {
    cluster: Uint32Array.of(1, 1, 1, 2, 2),
    document: Uint32Array.of(0, 1, 5, 2, 4),
    role: Uint8Array.of(0, 1, 1, 0, 1),
    similarity: Float64Array.of(1, 0.85, 0.9, 1, 0.95),
    basis: Uint8Array.of(0, 0, 1, 0, 0),
  };
  files.push(writeClusterRows(place('clusters'), LABELS, clusters));
  const drops = {
    ...{ document: Uint32Array.of(1, 5), kept: Uint32Array.of(0, 0) },
    jaccard: Float64Array.of(0.85, 0.9),
  };
  files.push(writeDropRows({ root, file: 'duplicates.tsv' }, LABELS, drops, 'resemblance'));
  writeFileSync(join(root, MANIFEST_NAME), canonicalJsonBytes(manifestOf(manifestFacts(files))));
  writeFileSync(join(root, STATS_NAME), canonicalJsonBytes(STATS));
  writeFileSync(join(root, SUCCESS_NAME), '');
  return root;
}

async function pairsOf(root: string): Promise<PairRow[]> {
  const rows: PairRow[] = [];
  for await (const row of tableRows(root, 'pairs')) rows.push(row);
  return rows;
}

test('rows of pairs come from all parts in order, with unescaped ids', async (t) => {
  const root = await resultIn(t);
  const rows = await pairsOf(root);
  t.deepEqual(
    rows.map((row) => [NAMES.indexOf(row.a), NAMES.indexOf(row.b), row.kind]),
    [
      [0, 1, 'near'],
      [0, 5, 'near'],
      [2, 3, 'identical'],
      [2, 4, 'near'],
      [2, 6, 'same-tokens'],
      [5, 7, 'near'],
      [7, 8, 'near'],
    ],
  );
  t.deepEqual(rows[1], {
    a: NAMES[0]!,
    b: NAMES[5]!,
    aLocation: 'b\xff.jsonl#7',
    bLocation: 'b\xff.jsonl#12',
    jaccard: 0.9,
    agreement: 0.898438,
    containmentAInB: 1,
    containmentBInA: 0.9,
    kind: 'near',
  });
});

test('topPairs returns near pairs by similarity, equal ones in (a, b) order', async (t) => {
  const { topPairs } = await openResult(await resultIn(t));
  const ids = NAMES.map(idOfBinary);
  const found = (await topPairs(3)).map((row) => [ids.indexOf(row.a), ids.indexOf(row.b)]);
  t.deepEqual(found, [
    [2, 4],
    [0, 5],
    [5, 7],
  ]);
  t.is((await topPairs(1))[0]!.jaccard, 0.95);
  t.is((await topPairs(100)).length, 5);
  t.deepEqual(await topPairs(0), []);
});

test('rows of clusters have the locations of their documents, byte for byte', async (t) => {
  const rows: (readonly [number, string | undefined])[] = [];
  for await (const { document, place } of tableRows(await resultIn(t), 'clusters'))
    rows.push([NAMES.indexOf(document), place]);
  t.deepEqual(
    rows,
    [0, 1, 5, 2, 4].map((document) => [document, `b\xff.jsonl#${7 + document}`]),
  );
});

test('a damaged or missing part is reported by its name', async (t) => {
  const root = await resultIn(t);
  const name = partName('pairs', 1);
  const path = join(root, name);
  appendFileSync(path, 'cut');
  t.regex((await t.throwsAsync(pairsOf(root), { instanceOf: MinHashError })).message, /part-00001.*cut off/);
  truncateSync(path, 0);
  t.regex((await t.throwsAsync(pairsOf(root))).message, /is empty/);
  writeFileSync(path, 'x\n');
  t.regex((await t.throwsAsync(pairsOf(root))).message, /first line lacks the column a, b, /);
  writeFileSync(path, `${'abcdefg'.split('').join('\t')}\n`);
  t.regex((await t.throwsAsync(pairsOf(root))).message, /first line lacks the column jaccard, /);
  unlinkSync(path);
  t.regex((await t.throwsAsync(pairsOf(root))).message, /but it is missing/);
});

test('rows that are longer than a piece of the file are read whole', async (t) => {
  const root = await resultIn(t);
  const long = 'x,'.repeat(1_000_000);
  const header =
    'a\tb\tjaccard\tagreement\tcontainment_a_in_b\tcontainment_b_in_a\tkind\ta_location\tb_location';
  writeFileSync(join(root, 'pairs/part-00000.tsv'), `${header}\n${long}\tb\t0.5\t0.5\t\t\tnear\tx#1\tx#2\n`);
  const [row] = await pairsOf(root);
  t.is(row!.a, long);
});

test('a cell that is not a number from 0 to 1 ends the reading with the number of its row', async (t) => {
  const root = await resultIn(t);
  for (const [table, file, column] of [
    ['pairs', partName('pairs', 0), 'jaccard'],
    ['duplicates', 'duplicates.tsv', 'jaccard'],
    ['clusters', partName('clusters', 0), 'similarity'],
    ['clusters', partName('clusters', 0), 'cluster'],
  ] as const) {
    const path = join(root, file);
    const before = readFileSync(path, 'latin1');
    const [heads, ...rows] = before.split('\n').map((line) => line.split('\t'));
    for (const cell of ['NaN', 'inf', '-1', '0x1', '1.5', '1e0']) {
      const wrong = rows[0]!.with(-1, 'x'.repeat(1000)).with(heads!.indexOf(column), cell);
      writeFileSync(
        path,
        [heads!, wrong, ...rows.slice(1)].map((cells) => cells.join('\t')).join('\n'),
        'latin1',
      );
      const error = await t.throwsAsync(async () => {
        for await (const _ of tableRows(root, table));
      });
      t.regex(error!.message, /: row 2 cannot be read: ".*\.\.\."/, `${file}: ${column} ${cell}`);
      t.regex(error!.message, /^a file of the result is damaged/);
      t.true(error!.message.length < 400);
    }
    writeFileSync(path, before, 'latin1');
  }
});
