import test from 'ava';
import { type ErrorCode, LISTED_CODES } from '../../../src/errors.js';
import { IdCells, RowWriter } from '../../../src/result/tables/rows.js';
import { skipReason, writeSkipped } from '../../../src/result/tables/tables.js';
import { idTableOf } from '../../data/idTable.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { textOf } from '../resultSample.js';

const code = (name: ErrorCode): number => LISTED_CODES.indexOf(name);

test('writeSkipped sorts by the bytes of the location, then by code, and has the texts of the error table', (t) => {
  const root = temporaryFolder(t);
  const places = idTableOf(['z', 'a\xff', 'a', 'z', 'ab']);
  const codes = Uint8Array.of(
    code('VANISHED'),
    code('NOT_A_FILE'),
    code('BINARY'),
    code('BINARY'),
    code('TOO_LARGE'),
  );
  const written = writeSkipped({ root, file: 'skipped.tsv' }, [{ places, codes }]);
  const rows = textOf(root, written).trimEnd().split('\n');
  t.deepEqual(
    rows.map((row) => row.split('\t')[0]),
    ['document', 'a', 'ab', 'a\\xff', 'z', 'z'],
  );
  t.is(rows[1], `a\tskipped\t${skipReason('BINARY')}`);
  t.true(rows[4]!.includes('BINARY: '));
  t.true(rows[5]!.includes('VANISHED: '));
});

test('writeSkipped merges lists by location and code, with the reason in each row', (t) => {
  const root = temporaryFolder(t);
  const lists = [
    { places: idTableOf(['c', 'a']), codes: Uint8Array.of(code('BINARY'), code('VANISHED')) },
    { places: idTableOf(['a', 'x']), codes: Uint8Array.of(code('LINK_BROKEN'), code('LINK_INSIDE')) },
    {
      places: idTableOf(['c', 'b', 'b']),
      codes: Uint8Array.of(code('REPAIRED'), code('REPAIRED'), code('EMPTY')),
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

test('RowWriter writes any ids and numbers, in pieces of about 1 MB', (t) => {
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
