import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, LISTED_CODES } from '../../../src/errors.js';
import { createWasmRowFormatting } from '../../../src/kernel/wasmFormat.js';
import { listName, type PartFolder, partName } from '../../../src/output/fileNames.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import { columnsOf, RowCheck } from '../../../src/output/tables/rowCheck.js';
import { RowWriter } from '../../../src/output/tables/rows.js';
import {
  inListOrder,
  skipReason,
  writeCandidatesPart,
  writeClustersPart,
  writeDuplicates,
  writeSkipped,
} from '../../../src/output/tables/tables.js';
import type { ResultFormat } from '../../../src/sketch/params.js';
import { newMemory } from '../../kernel/sketchKernels.js';
import { temporaryFolder, textOf } from '../resultSample.js';

const IDS = idTableOf(['a,b', 'c\td', 'e\xff']);

function partPlace(t: ExecutionContext, folder: PartFolder, format: ResultFormat) {
  const root = temporaryFolder(t);
  mkdirSync(join(root, folder));
  return { root, file: partName(folder, 0, format), format };
}

const CANDIDATES = {
  a: Uint32Array.of(0, 0, 1),
  b: Uint32Array.of(1, 2, 2),
  agreement: Uint16Array.of(128, 1, 64),
  jaccard: Float64Array.of(1 / 3, Number.NaN, 1),
  accepted: Uint8Array.of(0, 0, 1),
};

const CANDIDATE_TEXT: Readonly<Record<Exclude<ResultFormat, 'parquet'>, string>> = {
  tsv:
    'a\tb\tagreement\tjaccard\taccepted\n' +
    'a,b\tc\\td\t1.000000\t0.333333\tno\n' +
    'a,b\te\\xff\t0.007813\t\tno\n' +
    'c\\td\te\\xff\t0.500000\t1.000000\tyes\n',
  csv:
    'a,b,agreement,jaccard,accepted\n' +
    '"a,b",c\td,1.000000,0.333333,no\n' +
    '"a,b",e\ufffd,0.007813,,no\n' +
    'c\td,e\ufffd,0.500000,1.000000,yes\n',
  jsonl:
    '{"a":"a,b","b":"c\\td","agreement":1.000000,"jaccard":0.333333,"accepted":"no"}\n' +
    '{"a":"a,b","b":"e\ufffd","agreement":0.007813,"jaccard":null,"accepted":"no"}\n' +
    '{"a":"c\\td","b":"e\ufffd","agreement":0.500000,"jaccard":1.000000,"accepted":"yes"}\n',
};

for (const format of ['tsv', 'csv', 'jsonl'] as const) {
  test(`writeCandidatesPart writes one row a pair in ${format}`, (t) => {
    const place = partPlace(t, 'candidates', format);
    const written = writeCandidatesPart(place, IDS, CANDIDATES, 128, 0, 3);
    const text = textOf(place.root, written);
    t.is(text, CANDIDATE_TEXT[format]);
    t.deepEqual(written, {
      file: `candidates/part-00000.${format}`,
      rows: 3,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  });
}

test('a part without rows has the column names only, in JSON lines nothing', (t) => {
  for (const format of ['tsv', 'csv', 'jsonl'] as const) {
    const place = partPlace(t, 'candidates', format);
    const written = writeCandidatesPart(place, IDS, CANDIDATES, 128, 0, 0);
    const expected = { tsv: 'a\tb\tagreement\tjaccard\taccepted\n', csv: 'a,b,agreement,jaccard,accepted\n' };
    t.is(textOf(place.root, written), format === 'jsonl' ? '' : expected[format]);
    t.is(written.rows, 0);
  }
});

test('writeCandidatesPart writes the rows of its range only', (t) => {
  const place = partPlace(t, 'candidates', 'tsv');
  writeCandidatesPart(place, IDS, CANDIDATES, 128, 1, 2);
  t.is(textOf(place.root, place.file).split('\n').length, 3);
});

test('writeClustersPart names role and basis', (t) => {
  const place = partPlace(t, 'clusters', 'tsv');
  const columns = {
    cluster: Uint32Array.of(1, 1, 12),
    document: Uint32Array.of(0, 2, 1),
    role: Uint8Array.of(0, 1, 0),
    similarity: Float64Array.of(1, 0.8125, 1),
    basis: Uint8Array.of(0, 1, 0),
  };
  writeClustersPart(place, IDS, columns, 0, 3, null);
  t.is(
    textOf(place.root, place.file),
    'cluster\tdocument\trole\tsimilarity\tbasis\tplace\n' +
      '1\ta,b\trepresentative\t1.000000\texact\ta,b\n' +
      '1\te\\xff\tmember\t0.812500\testimate\te\\xff\n' +
      '12\tc\\td\trepresentative\t1.000000\texact\tc\\td\n',
  );
});

/** Of any rows, however many; the numbers are a line, a whole file, and a whole file whose name reads as a line. */
function somePlaces(rows: number) {
  const names = idTableOf(['a.jsonl', 'dir/b\xff\\x.txt', 'lit\\xff#3', 'c,"\n']);
  const number = Float64Array.from({ length: rows }, (_, i) => [i, -1, -2, 7e9][i % 4]!);
  return { names, name: Uint32Array.from({ length: rows }, (_, i) => i % 4), number };
}

test('places are what begins them and the number of the record, in each format as it asks', (t) => {
  const columns = { document: new Uint32Array(4), kept: new Uint32Array(4), jaccard: new Float64Array(4) };
  const dropped = { ...columns, places: somePlaces(4) };
  const cellsOf = (format: ResultFormat): string => {
    const root = temporaryFolder(t);
    const text = textOf(root, writeDuplicates({ root, file: `duplicates.${format}`, format }, IDS, dropped));
    return text.slice(format === 'jsonl' ? 0 : text.indexOf('\n') + 1);
  };
  const start = 'a,b\ta,b\t0.000000\t';
  t.is(
    cellsOf('tsv'),
    ['a.jsonl#0', 'dir/b\\xff\\\\x.txt', 'lit\\\\xff#3#', 'c,"\\n#7000000000']
      .map((place) => `${start}${place}\n`)
      .join(''),
  );
  // Backslashes stand alone where nothing reads as an escape.
  t.deepEqual(
    cellsOf('jsonl')
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row).place),
    ['a.jsonl#0', 'dir/b\\xff\\\\x.txt', 'lit\\\\xff#3#', 'c,"\n#7000000000'],
  );
  t.true(cellsOf('csv').endsWith('"a,b","a,b",0.000000,"c,""\n#7000000000"\n'));
});

test('places of many rows are those of RowWriter by the kernel, in every format', (t) => {
  const rows = 20_000;
  const documents = Uint32Array.from({ length: rows }, (_, i) => i % 3);
  const columns = {
    cluster: documents.map((d) => d + 1),
    document: documents,
    role: new Uint8Array(rows),
    similarity: Float64Array.from(documents, (d) => d / 3),
    basis: new Uint8Array(rows),
  };
  const places = somePlaces(15_000);
  const formatRows = createWasmRowFormatting(newMemory());
  for (const format of ['tsv', 'csv', 'jsonl'] as const) {
    const place = partPlace(t, 'clusters', format);
    const fast = partPlace(t, 'clusters', format);
    const written = writeClustersPart(place, IDS, columns, 5000, rows, places);
    t.deepEqual(writeClustersPart(fast, IDS, columns, 5000, rows, places, { formatRows }), written);
    t.true(textOf(place.root, written) === textOf(fast.root, written));
  }
});

test('writeDuplicates names what is kept instead', (t) => {
  const root = temporaryFolder(t);
  const rows = { document: Uint32Array.of(1), kept: Uint32Array.of(0), jaccard: Float64Array.of(0.9) };
  const dropped = { ...rows, places: null };
  const written = writeDuplicates({ root, file: listName('duplicates', 'csv'), format: 'csv' }, IDS, dropped);
  t.is(written.file, 'duplicates.csv');
  t.is(textOf(root, written), 'document,kept,jaccard,place\nc\td,"a,b",0.900000,c\td\n');
});

const code = (name: ErrorCode): number => LISTED_CODES.indexOf(name);

test('writeSkipped sorts by the bytes of the place, then by code, and gives the error table`s words', (t) => {
  const root = temporaryFolder(t);
  const places = idTableOf(['z', 'a\xff', 'a', 'z', 'ab']);
  const codes = Uint8Array.of(
    code('VANISHED'),
    code('NOT_A_FILE'),
    code('BINARY'),
    code('BINARY'),
    code('TOO_LARGE'),
  );
  const written = writeSkipped({ root, file: 'skipped.tsv', format: 'tsv' }, [
    inListOrder({ places, codes }),
  ]);
  const rows = textOf(root, written).trimEnd().split('\n');
  t.deepEqual(
    rows.map((row) => row.split('\t')[0]),
    ['document', 'a', 'ab', 'a\\xff', 'z', 'z'],
  );
  t.is(rows[1], `a\tskipped\t${skipReason('BINARY')}`);
  t.true(rows[4]!.includes('BINARY: '));
  t.true(rows[5]!.includes('VANISHED: '));
  // A reason with a comma is one cell in CSV.
  writeSkipped({ root, file: 'skipped.csv', format: 'csv' }, [inListOrder({ places, codes })]);
  t.true(textOf(root, 'skipped.csv').includes(`"${skipReason('NOT_A_FILE')}"\n`));
});

test('writeSkipped merges lists by place and code, and says of each row why it stands there', (t) => {
  const root = temporaryFolder(t);
  const ids = idTableOf(['a', 'b', 'c']);
  const links = { places: idTableOf(['a', 'bb', 'x']), rows: Uint32Array.of(0, 2) };
  const lists = [
    inListOrder({
      places: idTableOf(['c', 'a']),
      codes: Uint8Array.of(code('BINARY_PDF'), code('VANISHED')),
    }),
    { ...links, codes: Uint8Array.of(code('LINK_BROKEN'), code('LINK_INSIDE')) },
    {
      places: ids,
      rows: Uint32Array.of(1, 1, 2),
      codes: Uint8Array.of(code('EMPTY'), code('REPAIRED'), code('REPAIRED')),
    },
  ];
  const written = writeSkipped({ root, file: 'skipped.tsv', format: 'tsv' }, lists);
  t.is(written.rows, 7);
  t.deepEqual(
    textOf(root, written)
      .trimEnd()
      .split('\n')
      .map((row) => row.replace(/:.*/, '')),
    [
      'document\tkind\treason',
      'a\tleft out\tLINK_BROKEN',
      'a\tskipped\tVANISHED',
      'b\tempty\tEMPTY',
      'b\trepaired\tREPAIRED',
      'c\tskipped\tBINARY_PDF',
      'c\trepaired\tREPAIRED',
      'x\tleft out\tLINK_INSIDE',
    ],
  );
});

test('no reason of the error table needs an escape of ids', (t) => {
  for (const code of LISTED_CODES) t.notRegex(skipReason(code), /[\\\x00-\x1f]/);
});

test('RowWriter hands on pieces of about 1 MB that together are all rows', (t) => {
  const pieces: Buffer[] = [];
  const rows = new RowWriter('tsv', ['n', 'text'], (piece) => pieces.push(Buffer.from(piece)));
  const filler = Buffer.from('x'.repeat(100));
  for (let i = 0; i < 30000; i++) {
    rows.integer(i);
    rows.text(filler, 0, filler.length);
    rows.endRow();
  }
  rows.flush();
  t.is(pieces.length, 4);
  t.true(pieces.every((piece) => piece.length < 2 ** 20 + 200));
  const lines = Buffer.concat(pieces).toString('latin1').trimEnd().split('\n');
  t.is(lines.length, 30001);
  t.is(lines[30000], `29999\t${'x'.repeat(100)}`);
  t.is(rows.rows, 30000);
});

test('RowCheck names the row behind a cell of CSV that holds line feeds, wherever the pieces are cut', (t) => {
  const sound = 'document,kept,jaccard,place\n"a ""line""\n\nfeed",b,0.900000,p\nc,d,1.000000,q\n';
  for (const [text, offset] of [
    [sound, null],
    [`${sound}e,f,2.000000,r\n`, sound.length],
    [`${sound}e,f\n"g\n",h,1.000000,r\n`, sound.length],
    [`${sound}"e\nf,g,1.000000,r\n`, sound.length],
    [`${sound}e,f,1`, sound.length],
  ] as const) {
    for (const size of [1, 7, 1000]) {
      const check = new RowCheck('csv', columnsOf('duplicates.csv')!);
      for (let at = 0; at < text.length; at += size) check.push(Buffer.from(text.slice(at, at + size)));
      check.end();
      t.is(check.offset, offset, `${size}: ${text}`);
    }
  }
});
