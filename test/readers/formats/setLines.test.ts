/** Lines of sets as rows: fields, quotes, numbers, and what is no row. */
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type SetFields, SetLines, setFieldsOf } from '../../../src/readers/formats/setLines.js';
import { bytesOf } from '../../../src/readers/list/pathIds.js';
import { readFirstLine } from '../../../src/readers/reader.js';
import type { RowRule } from '../../../src/text/elements.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const TSV: SetFields = { set: 0, element: 1, weight: 2, separator: 0x09, header: false };
const CSV: SetFields = { ...TSV, separator: 0x2c };

/** `set|element|value` of each row, `line CODE` of each line that is none. */
function collector(): { readonly found: string[]; readonly sink: ConstructorParameters<typeof SetLines>[2] } {
  const found: string[] = [];
  const text = (bytes: Uint8Array, from: number, to: number): string =>
    Buffer.from(bytes.slice(from, to)).toString('latin1');
  return {
    found,
    sink: {
      row: (bytes, setFrom, setTo, from, to, value) => {
        found.push(`${text(bytes, setFrom, setTo)}|${text(bytes, from, to)}|${value}`);
        return null;
      },
      skip: (_file, line, code) => found.push(`${line} ${code}`),
    },
  };
}

function rowsOf(text: string, fields = TSV, rule: RowRule = 'set', marked = true): string[] {
  const { found, sink } = collector();
  // What lies behind the lines is an earlier read, and must not get in.
  const bytes = bytesOf(`xx${text}"\t"9`);
  const lines = new SetLines(fields, rule, sink).run(0, 0, bytes.subarray(2, 2 + text.length), marked);
  t0 = lines;
  return found;
}
let t0 = 0;

test('a line is a set, an element and perhaps a weight, separated by tabs', (t) => {
  t.deepEqual(rowsOf('a\tx\nb\ty\t3\nc c\tz z\t0.5\tmore\n'), ['a|x|1', 'b|y|3', 'c c|z z|0.5']);
  t.is(t0, 3);
  t.deepEqual(rowsOf('a\tx\r\nb\ty\t2\r\n'), ['a|x|1', 'b|y|2']);
  t.deepEqual(rowsOf('a\tx\nb\ty'), ['a|x|1', 'b|y|1']);
  t.deepEqual(rowsOf('\n\r\na\tx\n\n'), ['a|x|1']);
  t.deepEqual(rowsOf('\xef\xbb\xbfa\tx\n'), ['a|x|1']);
  t.deepEqual(rowsOf('\xef\xbb\xbfa\tx\n', TSV, 'set', false), ['\xef\xbb\xbfa|x|1']);
  t.deepEqual(rowsOf('"a"\t"x"\n'), ['"a"|"x"|1']);
  t.deepEqual(rowsOf('a\tx\t\n'), ['a|x|1']);
});

test('what is no row is named by its line and why', (t) => {
  t.deepEqual(rowsOf('none\n\tx\na\t\na\tx\t-1\na\tx\tNaN\na\tx\t1e999\na\tx\t0x10\na\tx\tabc\n'), [
    '0 SETS_NO_ELEMENT',
    '1 SETS_BAD_NAME',
    '2 SETS_NO_ELEMENT',
    '3 SETS_BAD_WEIGHT',
    '4 SETS_BAD_WEIGHT',
    '5 SETS_BAD_WEIGHT',
    '6 SETS_BAD_WEIGHT',
    '7 SETS_BAD_WEIGHT',
  ]);
  t.deepEqual(
    rowsOf(`${'n'.repeat(65536)}\tx\n${'n'.repeat(65537)}\tx\n`).map((row) => row.slice(-20)),
    [`${'n'.repeat(16)}|x|1`, '1 SETS_BAD_NAME'],
  );
  t.deepEqual(rowsOf(`a\tx\t${'9'.repeat(500)}\n`), ['0 SETS_BAD_WEIGHT']);
});

test('weights are decimal numbers as they are usually written', (t) => {
  const written = {
    '7': 7,
    ' 7 ': 7,
    '+7': 7,
    '0.25': 0.25,
    '.5': 0.5,
    '5.': 5,
    '1e3': 1000,
    '2.5E-1': 0.25,
  };
  for (const [text, value] of Object.entries(written))
    t.deepEqual(rowsOf(`a\tx\t${text}\n`), [`a|x|${value}`]);
  t.deepEqual(rowsOf('a\tx\t123456789012345678\n'), ['a|x|123456789012345680']);
});

test('ratings must be there, and stars from 1 to 5', (t) => {
  t.deepEqual(rowsOf('a\tx\na\tx\t\na\tx\t3\na\tx\t2.5\n', TSV, 'liked'), [
    '0 SETS_BAD_WEIGHT',
    '1 SETS_BAD_WEIGHT',
    'a|x|3',
    'a|x|2.5',
  ]);
  t.deepEqual(rowsOf('a\tx\t0\na\tx\t1\na\tx\t5\na\tx\t6\na\tx\t2.5\n', TSV, 'stars'), [
    '0 SETS_BAD_WEIGHT',
    'a|x|1',
    'a|x|5',
    '3 SETS_BAD_WEIGHT',
    '4 SETS_BAD_WEIGHT',
  ]);
});

test('any fields can be meant', (t) => {
  const fields = { ...TSV, set: 3, element: 0, weight: -1 };
  t.deepEqual(rowsOf('x\t1\t2\ta\ny\t1\n', fields), ['a|x|1', '1 SETS_NO_ELEMENT']);
});

test('fields of CSV may be quoted; a record is a line', (t) => {
  const rows = {
    'a,x,2': 'a|x|2',
    '"a","x","2"': 'a|x|2',
    '"a,b","say ""x""",': 'a,b|say "x"|1',
    'a "b",x': 'a "b"|x|1',
    '"a""","x"': 'a"|x|1',
    '"a",x,"3"': 'a|x|3',
    '"",x': '0 SETS_BAD_NAME',
    'a,""': '0 SETS_NO_ELEMENT',
    '"a,x': '0 SETS_BAD_QUOTES',
    'a,"x': '0 SETS_BAD_QUOTES',
    'a,"x""': '0 SETS_BAD_QUOTES',
    '"a"b,x': '0 SETS_BAD_QUOTES',
    'a,"x"y': '0 SETS_BAD_QUOTES',
    '"a"': '0 SETS_NO_ELEMENT',
  };
  for (const [line, expected] of Object.entries(rows)) {
    t.deepEqual(rowsOf(`${line}\n`, CSV), [expected], line);
    t.deepEqual(rowsOf(`${line}\r\n`, CSV), [expected], line);
    t.deepEqual(rowsOf(line, CSV), [expected], line);
  }
  // As records the first two lines would be one, so the second is looked at twice.
  t.deepEqual(rowsOf('"a\nx",y,"3"\nb,"c"\n', CSV), ['0 SETS_BAD_QUOTES', 'x"|y|3', 'b|c|1']);
});

test('whatever fields hold, they come out of CSV as they went in', (t) => {
  const field = fc.array(fc.constantFrom('a', 'b', '"', ',', ' ', '\t'), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(field, field, fc.boolean()), { minLength: 1, maxLength: 20 }), (rows) => {
      const cell = (text: string, always: boolean): string =>
        always || /["]|,/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      const list = rows.map(([set, element, always]) => [set.join(''), element.join(''), always] as const);
      const text = list
        .map(([set, element, always]) => `${cell(set, always)},${cell(element, always)}\n`)
        .join('');
      t.deepEqual(
        rowsOf(text, CSV),
        list.map(([set, element]) => `${set}|${element}|1`),
      );
    }),
    { seed: 5, numRuns: 200 },
  );
});

test('setFieldsOf finds fields by number or by the names of the first line', (t) => {
  const never = (): Uint8Array => {
    throw new Error('not needed');
  };
  const places = { columns: ['2', '1', '7'], named: false };
  t.deepEqual(setFieldsOf(places, 'a.tsv', never, null), {
    set: 1,
    element: 0,
    weight: 6,
    separator: 0x09,
    header: false,
  });
  t.is(setFieldsOf(places, 'a/B.CSV.gz', never, null)!.separator, 0x2c);
  t.is(setFieldsOf(places, 'a/B.csv', never, ';')!.separator, 0x3b);
  const named = { columns: ['user', 'item'], named: true };
  const from = (line: string, id: string): SetFields | null =>
    setFieldsOf(named, id, () => bytesOf(line), null);
  t.deepEqual(from('id\titem\tuser\r\n', 'a'), {
    set: 2,
    element: 1,
    weight: -1,
    separator: 0x09,
    header: true,
  });
  t.deepEqual(from('\xef\xbb\xbf"user","the ""item""",item', 'a.csv'), {
    set: 0,
    element: 2,
    weight: -1,
    separator: 0x2c,
    header: true,
  });
  t.is(from('user,item', 'a.tsv'), null);
  t.is(from('user\titem', 'a.csv'), null);
  t.is(
    setFieldsOf({ columns: ['zähler', 'b'], named: true }, 'a', () => Buffer.from('b\tzähler\n'), null)?.set,
    1,
  );
});

test('readFirstLine reads up to the first line feed, however far that is', (t) => {
  const long = `${'x'.repeat(70_000)}\n`;
  const folder = temporaryFolder(t, { a: 'one\ntwo\n', b: 'one', c: '', d: `${long}more` });
  const read = (name: string): string =>
    Buffer.from(readFirstLine(join(folder, name)) as Uint8Array).toString();
  t.deepEqual([read('a'), read('b'), read('c'), read('d')], ['one\n', 'one', '', long]);
  t.is(readFirstLine(join(folder, 'none')), 'VANISHED');
});
