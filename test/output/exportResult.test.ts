/** A result as CSV, JSON lines, Parquet and Arrow: the rows are those of its TSV, types and bytes that are not UTF-8 as told. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import test, { type ExecutionContext } from 'ava';
import { parquetReadObjects } from 'hyparquet';
import { type ErrorCode, MinHashError } from '../../src/errors.js';
import { exportResult, exportTable } from '../../src/output/exportResult.js';
import { type PartFolder, partName } from '../../src/output/fileNames.js';
import { prepareOutput } from '../../src/output/folder.js';
import { manifestOf } from '../../src/output/manifest.js';
import { idTableOf } from '../../src/output/tables/escaping.js';
import {
  inListOrder,
  planParts,
  writeCandidatesPart,
  writeClustersPart,
  writeDuplicates,
  writeEliminated,
  writeSkipped,
} from '../../src/output/tables/tables.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { manifestFacts, STATS } from './resultSample.js';

const NAMES = ['a,b', 'c\td "q"', 'e\xff', 'lit\\xff', '\xc3\xa9\n'];
/** As CSV, JSON and the others hold them. */
const IDS = ['a,b', 'c\td "q"', 'e\ufffd', 'lit\\xff', 'é\n'];
const PLACES = ['a,b', 'c\td "q"', 'e\\xff', 'lit\\\\xff', 'é\n'];

/** Tables of few rows, candidates in parts of two. */
async function resultIn(t: ExecutionContext): Promise<{ readonly root: string; readonly out: string }> {
  const folder = temporaryFolder(t);
  const root = join(folder, 'result');
  const output = prepareOutput(root, { force: false, version: '0.1.0' });
  const ids = idTableOf(NAMES);
  const place = (kind: PartFolder, part = 0) => ({ root, file: partName(kind, part) });
  const candidates = {
    a: Uint32Array.of(0, 0, 2),
    b: Uint32Array.of(1, 3, 4),
    agreement: Uint16Array.of(128, 1, 64),
    jaccard: Float64Array.of(1 / 3, Number.NaN, 1),
    accepted: Uint8Array.of(0, 0, 1),
  };
  const clusters = {
    cluster: Uint32Array.of(1, 1),
    document: Uint32Array.of(2, 4),
    role: Uint8Array.of(0, 1),
    similarity: Float64Array.of(1, Number.NaN),
    basis: Uint8Array.of(0, 1),
  };
  const document = Uint32Array.of(0, 1, 2, 3, 4);
  const dropped = {
    document,
    kept: new Uint32Array(5),
    jaccard: new Float64Array(5).fill(0.9),
    places: null,
  };
  const eliminated = {
    hashes: Uint32Array.of(1, 2),
    documents: Uint32Array.of(7),
    texts: idTableOf(['the']),
  };
  const files = [
    ...planParts(3, 2).map(({ part, from, to }) =>
      writeCandidatesPart(place('candidates', part), ids, candidates, 128, from, to),
    ),
    writeClustersPart(place('clusters'), ids, clusters, 0, 2, null),
    writeDuplicates({ root, file: 'duplicates.tsv' }, ids, dropped),
    writeSkipped({ root, file: 'skipped.tsv' }, [
      inListOrder({ places: idTableOf(['b\xff']), codes: Uint8Array.of(0) }),
    ]),
    writeEliminated({ root, file: 'eliminated.tsv' }, eliminated),
  ];
  await output.finish(manifestOf(manifestFacts(files)), STATS);
  return { root, out: join(folder, 'exported') };
}

const CANDIDATES = [
  { a: 'a,b', b: 'c\td "q"', agreement: 1, jaccard: 0.333333, accepted: false },
  { a: 'a,b', b: 'lit\\xff', agreement: 0.007813, jaccard: null, accepted: false },
  { a: 'e\ufffd', b: 'é\n', agreement: 0.5, jaccard: 1, accepted: true },
];

test('CSV and JSON lines hold ids by their own rules and numbers as they stand', async (t) => {
  const { root, out } = await resultIn(t);
  const report = await exportResult(root, { format: 'csv', out });
  const text = (file: string) => readFileSync(join(out, file), 'utf8');
  t.is(
    text('candidates.csv'),
    'a,b,agreement,jaccard,accepted\n' +
      '"a,b","c\td ""q""",1.000000,0.333333,no\n' +
      '"a,b",lit\\xff,0.007813,,no\n' +
      'e\ufffd,"é\n",0.500000,1.000000,yes\n',
  );
  t.is(text('eliminated.csv'), 'shingle,documents,text\n0000000200000001,7,the\n');
  t.deepEqual(
    report.files.map(({ table, rows }) => `${table} ${rows}`),
    ['candidates 3', 'clusters 2', 'duplicates 5', 'skipped 1', 'eliminated 1'],
  );
  // Of candidates, of clusters, and of the drop list.
  t.is(report.replacedCells, 3);
  await exportResult(root, { format: 'jsonl', out });
  t.is(
    text('candidates.jsonl').split('\n')[1],
    '{"a":"a,b","b":"lit\\\\xff","agreement":0.007813,"jaccard":null,"accepted":"no"}',
  );
  const drops = text('duplicates.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.deepEqual(
    drops.map(({ document }) => document),
    IDS,
  );
  t.deepEqual(
    drops.map(({ place }) => place),
    PLACES,
  );
  t.is(JSON.parse(text('skipped.jsonl')).document, 'b\\xff');
});

test('Parquet and Arrow have typed columns, and null for what is missing', async (t) => {
  const { root, out } = await resultIn(t);
  await exportResult(root, { format: 'parquet', out });
  await exportResult(root, { format: 'arrow', out });
  const parquet = (table: string) =>
    parquetReadObjects({ file: new Uint8Array(readFileSync(join(out, `${table}.parquet`))).buffer });
  const arrow = (table: string) =>
    tableFromIPC(readFileSync(join(out, `${table}.arrow`)), { useBigInt: true }).toArray();
  t.deepEqual(await parquet('candidates'), CANDIDATES);
  t.deepEqual(arrow('candidates'), CANDIDATES);
  const cluster = { cluster: 1n, document: 'é\n', role: 'member', similarity: null, basis: 'estimate' };
  for (const rows of [await parquet('clusters'), arrow('clusters')])
    t.deepEqual(rows[1], { ...cluster, place: 'é\n' });
});

test('groups of rows are many, and a table without rows has its columns', async (t) => {
  const { root } = await resultIn(t);
  const out = join(root, '../many');
  const rows = 70_000;
  // As if its run had written these: a manifest is only asked for the SHA-256.
  const texts = idTableOf(Array.from({ length: rows }, (_, i) => `w${i}`));
  const hashes = Uint32Array.from({ length: 2 * rows }, (_, i) => i);
  const documents = Uint32Array.from({ length: rows }, (_, i) => rows - i);
  const files = [
    writeEliminated({ root, file: 'eliminated.tsv' }, { hashes, documents, texts }),
    writeSkipped({ root, file: 'skipped.tsv' }, []),
  ];
  const manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
  for (const { file, ...facts } of files) manifest.files[file] = facts;
  writeFileSync(join(root, 'manifest.json'), JSON.stringify(manifest));
  const tables = ['eliminated', 'skipped'] as const;
  await exportResult(root, { format: 'parquet', out, tables });
  await exportResult(root, { format: 'arrow', out, tables });
  const file = (name: string) => readFileSync(join(out, name));
  const parquet = await parquetReadObjects({ file: new Uint8Array(file('eliminated.parquet')).buffer });
  const arrow = tableFromIPC(file('eliminated.arrow'), { useBigInt: true });
  for (const read of [parquet, arrow.toArray()]) {
    t.is(read.length, rows);
    t.like(read.at(-1), { documents: 1n, text: `w${rows - 1}` });
  }
  t.deepEqual(tableFromIPC(file('skipped.arrow')).names, ['document', 'kind', 'reason']);
  t.deepEqual(await parquetReadObjects({ file: new Uint8Array(file('skipped.parquet')).buffer }), []);
});

test('one table goes to a sink that is waited for', async (t) => {
  const { root, out } = await resultIn(t);
  await exportResult(root, { format: 'arrow', out });
  const pieces: Uint8Array[] = [];
  let waiting = 0;
  await exportTable(root, 'candidates', 'arrow', async (bytes) => {
    t.is(++waiting, 1);
    await new Promise((resolve) => setImmediate(resolve));
    pieces.push(bytes);
    waiting--;
  });
  t.true(Buffer.concat(pieces).equals(readFileSync(join(out, 'candidates.arrow'))));
});

test('what cannot be exported is refused by name, and leaves no file', async (t) => {
  const { root, out } = await resultIn(t);
  const refused = async (promise: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<void> => {
    const error = await t.throwsAsync(promise, { instanceOf: MinHashError });
    t.is((error as MinHashError).code, code);
    t.regex(error.message, message);
  };
  await refused(
    exportResult(root, { format: 'xml' as 'csv', tables: ['x' as 'pairs'] }),
    'OPTION_INVALID',
    /expected one of csv, jsonl, parquet, arrow/,
  );
  const inside = join(root, 'more');
  await refused(exportResult(root, { format: 'csv', out: inside }), 'OPTION_INVALID', /lies in the result/);
  await refused(
    exportResult(root, { format: 'csv', out, tables: ['pairs'] }),
    'OPTION_INVALID',
    /table pairs: .* has none/,
  );
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'skipped.csv'), 'mine');
  await refused(exportResult(root, { format: 'csv', out }), 'OPTION_INVALID', /holds skipped\.csv already/);
  t.is(readFileSync(join(out, 'skipped.csv'), 'utf8'), 'mine');
  // The last table of several is damaged: none gets its name.
  const last = join(root, 'eliminated.tsv');
  const sound = readFileSync(last);
  appendFileSync(last, 'x');
  await refused(exportResult(root, { format: 'csv', out, force: true }), 'RESULT_DAMAGED', /eliminated\.tsv/);
  t.deepEqual(readdirSync(out), ['skipped.csv']);
  t.is(readFileSync(join(out, 'skipped.csv'), 'utf8'), 'mine');
  writeFileSync(last, sound);
  await exportResult(root, { format: 'csv', out, force: true });
  t.not(readFileSync(join(out, 'skipped.csv'), 'utf8'), 'mine');
  rmSync(join(root, '_SUCCESS'));
  await refused(exportResult(root, { format: 'jsonl' }), 'RESULT_MISSING', /no _SUCCESS/);
  t.false(existsSync(`${root}-jsonl`));
});
