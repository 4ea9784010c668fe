import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, LISTED_CODES } from '../../../src/errors.js';
import { type PartFolder, partName } from '../../../src/output/fileNames.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import { IdCells, type RowPlaces, RowWriter } from '../../../src/output/tables/rows.js';
import {
  inListOrder,
  skipReason,
  writeCandidatesPart,
  writeClustersPart,
  writeDuplicates,
  writeSkipped,
} from '../../../src/output/tables/tables.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { textOf } from '../resultSample.js';

const IDS = idTableOf(['a,b', 'c\td', 'e\xff']);

function partPlace(t: ExecutionContext, folder: PartFolder) {
  const root = temporaryFolder(t);
  mkdirSync(join(root, folder));
  return { root, file: partName(folder, 0) };
}

const CANDIDATES = {
  a: Uint32Array.of(0, 0, 1),
  b: Uint32Array.of(1, 2, 2),
  agreement: Uint16Array.of(128, 1, 64),
  jaccard: Float64Array.of(1 / 3, Number.NaN, 1),
  accepted: Uint8Array.of(0, 0, 1),
};

test('writeCandidatesPart writes one row a pair', (t) => {
  const place = partPlace(t, 'candidates');
  const written = writeCandidatesPart(place, IDS, CANDIDATES, 128, 0, 3);
  const text = textOf(place.root, written);
  t.is(
    text,
    'a\tb\tagreement\tjaccard\taccepted\n' +
      'a,b\tc\\td\t1.000000\t0.333333\tno\n' +
      'a,b\te\\xff\t0.007813\t\tno\n' +
      'c\\td\te\\xff\t0.500000\t1.000000\tyes\n',
  );
  t.deepEqual(written, {
    file: 'candidates/part-00000.tsv',
    rows: 3,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  });
});

test('a part without rows has the column names only', (t) => {
  const place = partPlace(t, 'candidates');
  const written = writeCandidatesPart(place, IDS, CANDIDATES, 128, 0, 0);
  t.is(textOf(place.root, written), 'a\tb\tagreement\tjaccard\taccepted\n');
  t.is(written.rows, 0);
});

test('writeCandidatesPart writes the rows of its range only', (t) => {
  const place = partPlace(t, 'candidates');
  writeCandidatesPart(place, IDS, CANDIDATES, 128, 1, 2);
  t.is(textOf(place.root, place.file).split('\n').length, 3);
});

test('writeClustersPart names role and basis', (t) => {
  const place = partPlace(t, 'clusters');
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
  const names = new IdCells(idTableOf(['a.jsonl', 'dir/b\xff\\x.txt', 'lit\\xff#3', 'c,"\n']));
  const number = Float64Array.from({ length: rows }, (_, i) => [i, -1, -2, 7e9][i % 4]!);
  return { names, name: Uint32Array.from({ length: rows }, (_, i) => i % 4), number };
}

test('places are what begins them and the number of the record', (t) => {
  const columns = { document: new Uint32Array(4), kept: new Uint32Array(4), jaccard: new Float64Array(4) };
  const root = temporaryFolder(t);
  const places = somePlaces(4);
  const units = { mark: '#p', number: Float64Array.of(1, 2, 3, 40) };
  const placesIn = (dropped: RowPlaces): string[] => {
    const text = textOf(
      root,
      writeDuplicates({ root, file: 'duplicates.tsv' }, IDS, { ...columns, places: dropped }),
    );
    const rows = text.trimEnd().split('\n').slice(1);
    return rows.map((row) => row.replace('a,b\ta,b\t0.000000\t', ''));
  };
  const expected = ['a.jsonl#0', 'dir/b\\xff\\\\x.txt', 'lit\\\\xff#3#', 'c,"\\n#7000000000'];
  t.deepEqual(placesIn(places), expected);
  t.deepEqual(
    placesIn({ ...places, units }),
    expected.map((place, i) => `${place}#p${units.number[i]}`),
  );
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
  const written = writeSkipped({ root, file: 'skipped.tsv' }, [inListOrder({ places, codes })]);
  const rows = textOf(root, written).trimEnd().split('\n');
  t.deepEqual(
    rows.map((row) => row.split('\t')[0]),
    ['document', 'a', 'ab', 'a\\xff', 'z', 'z'],
  );
  t.is(rows[1], `a\tskipped\t${skipReason('BINARY')}`);
  t.true(rows[4]!.includes('BINARY: '));
  t.true(rows[5]!.includes('VANISHED: '));
});

test('writeSkipped merges lists by place and code, and says of each row why it stands there', (t) => {
  const root = temporaryFolder(t);
  const ids = idTableOf(['a', 'b', 'c']);
  const links = { places: idTableOf(['a', 'bb', 'x']), rows: Uint32Array.of(0, 2) };
  const lists = [
    inListOrder({
      places: idTableOf(['c', 'a']),
      codes: Uint8Array.of(code('BINARY'), code('VANISHED')),
    }),
    { ...links, codes: Uint8Array.of(code('LINK_BROKEN'), code('LINK_INSIDE')) },
    {
      places: ids,
      rows: Uint32Array.of(1, 1, 2),
      codes: Uint8Array.of(code('EMPTY'), code('REPAIRED'), code('REPAIRED')),
    },
  ];
  const written = writeSkipped({ root, file: 'skipped.tsv' }, lists);
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
      'c\tskipped\tBINARY',
      'c\trepaired\tREPAIRED',
      'x\tleft out\tLINK_INSIDE',
    ],
  );
});

test('no reason of the error table needs an escape of ids', (t) => {
  for (const code of LISTED_CODES) t.notRegex(skipReason(code), /[\\\x00-\x1f]/);
});

/** The cell by its definition, character by character. */
function plainCell(id: string): string {
  return Array.from(Buffer.from(id, 'latin1').toString('utf8'), (character) => {
    const short = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }[character];
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    return short ?? (/[\x00-\x1f\x7f]/.test(character) ? `\\x${hex}` : character);
  }).join('');
}

test('RowWriter writes any ids and numbers, in pieces of about 1 MB that together are all rows', (t) => {
  const names = [
    'a',
    '',
    'tab\t',
    '\x00\x7f\\',
    '\xc3\xa9\xe6\xbc\xa2',
    'eight bytes and more: \xf4\x8f\xbf\xbf',
    'long '.repeat(60_000),
  ];
  const values = [0, 1, 0.5, 0.9999995, 0.0000035, 1 / 3, Number.NaN, 12.5, 1000];
  const ids = new IdCells(idTableOf(names));
  const pieces: Buffer[] = [];
  const rows = new RowWriter(['n', 'id', 'value', 'text'], (piece) => pieces.push(Buffer.from(piece)));
  const filler = Buffer.from('x'.repeat(100));
  const expected = ['n\tid\tvalue\ttext'];
  for (let i = 0; i < 30_000; i++) {
    // The long id, which is wider than a piece has room for, twice.
    const id = i % 15_000 === 7 ? names.length - 1 : i % (names.length - 1);
    const value = values[i % values.length]!;
    const number = i % 3 === 0 ? i : 2 ** 32 * i;
    rows.integer(number);
    rows.id(ids, id);
    rows.fraction(value);
    rows.text(filler, 0, i % 100);
    rows.endRow();
    const fraction = Number.isNaN(value) ? '' : value.toFixed(6);
    expected.push([number, plainCell(names[id]!), fraction, 'x'.repeat(i % 100)].join('\t'));
  }
  rows.flush();
  t.true(pieces.length > 2);
  t.true(pieces.slice(0, -1).every((piece) => piece.length >= 2 ** 20 && piece.length < 2 ** 20 + 300_200));
  t.true(Buffer.concat(pieces).toString('utf8') === `${expected.join('\n')}\n`);
  t.is(rows.rows, 30_000);
});
