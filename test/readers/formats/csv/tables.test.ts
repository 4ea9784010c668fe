/** Records of CSV and TSV: known answers of RFC 4180, papaparse and a naive reader as references, cuts anywhere. */
import { Readable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import papaparse from 'papaparse';
import { streamChunks } from '../../../../src/readers/bytes/chunks.js';
import { type ReadParams, readBuffers } from '../../../../src/readers/documentSink.js';
import { FormatReading } from '../../../../src/readers/formats/reading.js';
import { readSplit } from '../../../../src/readers/reader.js';
import { chunkSplit, linesBlock } from '../../../../src/readers/split.js';
import type { InputFormat } from '../../../../src/sketch/formatNames.js';
import { RecordingSink, readParams } from '../../recordingSink.js';

interface Cut {
  readonly format?: InputFormat;
  readonly params?: Partial<ReadParams>;
  readonly chunkBytes?: number;
  readonly pieceBytes?: number;
}

/** What a table gives: `number from 1: id|text`, and `number code`, in their order. */
async function given(table: string | Uint8Array, cut: Cut = {}): Promise<string[]> {
  const { format = 'csv', chunkBytes = 4 << 20 } = cut;
  const bytes = typeof table === 'string' ? Buffer.from(table) : table;
  const pieceBytes = cut.pieceBytes ?? Math.max(1, bytes.length);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  const file = { path: '-', id: 'x', bytes: 0, format, codec: null, utf16: false, stdin: true } as const;
  const params = { ...readParams(), ...cut.params };
  const out: string[] = [];
  let next = 0;
  const stdin = Readable.from(pieces, { objectMode: true });
  for await (const chunk of streamChunks(file, params, stdin, chunkBytes)) {
    if ('problem' in chunk) {
      out.push(`${chunk.line + 1} ${chunk.problem}`);
      next = chunk.line + 1;
      continue;
    }
    const sink = new RecordingSink();
    const split = chunkSplit(file, 0, chunk);
    const lines = readSplit(
      split,
      linesBlock(chunk.bytes, false),
      new FormatReading(params, sink, readBuffers(64)),
    );
    if (lines !== chunk.lines || chunk.firstLine !== next)
      throw new Error(`counted ${chunk.lines} from ${chunk.firstLine}, read ${lines} from ${next}`);
    next += lines;
    const found = [
      ...sink.documents.map(
        ({ record, id, text }) => [record, `${id === null ? id : utf8(id)}|${utf8(text)}`] as const,
      ),
      ...sink.skips.map(({ record, code, id }) => [record, id === null ? code : `${code} ${id}`] as const),
    ].sort(([a], [b]) => a - b);
    for (const [record, said] of found) out.push(`${chunk.firstLine + record + 1} ${said}`);
  }
  return out;
}

const utf8 = (binary: string): string => Buffer.from(binary, 'latin1').toString();

test('records as in RFC 4180', async (t) => {
  t.deepEqual(await given('id,text\r\na,"b ""c"", d\r\ne"\r\n,\r\nf,g "h" i'), [
    '1 a|b "c", d\r\ne',
    '2 null|',
    '3 f|g "h" i',
  ]);
  t.deepEqual(await given('\ufefftext\n"a"\n\n\r\nb\r'), ['1 null|a', '2 null|b']);
  const quoted = 'id\ttext\n1\t"a\tb\n"\n';
  t.deepEqual(await given(quoted, { format: 'tsv', params: { quote: '"' } }), ['1 1|a\tb\n']);
  t.deepEqual(await given('id;text\n1;a,b\n', { params: { separator: ';' } }), ['1 1|a,b']);
  t.deepEqual(await given(''), []);
  t.deepEqual(await given('id,text'), []);
  t.deepEqual(await given('text,"te""xt",text\na,b,c\n', { params: { textField: 'te"xt' } }), ['1 null|b']);
});

test('TSV has no quotes unless --quote names one; CSV has double quotes unless --quote names others', async (t) => {
  const table = 'id\ttext\n"1\t"a" b\n2\t"c\n';
  t.deepEqual(await given(table, { format: 'tsv' }), ['1 "1|"a" b', '2 2|"c']);
  t.deepEqual(await given("id,text\n1,'a, ''b'''\n2,\"c\n", { params: { quote: "'" } }), [
    "1 1|a, 'b'",
    '2 2|"c',
  ]);
  t.deepEqual(await given('id,text\n1,"c\n', { params: { quote: 'none' } }), ['1 1|"c']);
});

test('fields are found by name and by place; several are joined', async (t) => {
  const table = 'id,title,body,a.b\n1,x,y,z\n2,,y,\n3,,,\n4\n';
  const of = (textField: string, idField = 'id'): Promise<string[]> =>
    given(table, { params: { textField, idField } });
  t.deepEqual(await of('title,body'), ['1 1|x\ny', '2 2|y', '3 3|', '4 CSV_NO_TEXT 4']);
  t.deepEqual(await of('a.b'), ['1 1|z', '2 2|', '3 3|', '4 CSV_NO_TEXT 4']);
  t.deepEqual((await of('body,none', 'title')).slice(0, 2), ['1 x|y', '2 null|y']);
  t.deepEqual(await of('none'), ['1 CSV_NO_TEXT 1', '2 CSV_NO_TEXT 2', '3 CSV_NO_TEXT 3', '4 CSV_NO_TEXT 4']);
  t.deepEqual((await of('3', '1')).slice(0, 2), ['1 id|body', '2 1|y']);
});

test('a cell that is \\N is missing, as databases write NULL', async (t) => {
  const table = 'id,title,text\n1,a,\\N\n\\N,\\N,b\n3,\\N,\\N c\n';
  t.deepEqual(await given(table), ['1 CSV_NO_TEXT 1', '2 null|b', '3 3|\\N c']);
  t.deepEqual((await given(table, { params: { textField: 'title,text' } })).slice(0, 2), [
    '1 1|a',
    '2 null|b',
  ]);
});

test('a field is found with or without the blanks around its name; its very name goes first', async (t) => {
  const of = (table: string, textField: string, idField: string): Promise<string[]> =>
    given(table, { params: { textField, idField } });
  for (const name of ['name', ' name', ' name ']) {
    t.deepEqual(await of('id, name\n1,x\n', name, ' id'), ['1 1|x']);
    t.deepEqual(await of('name , id\ny,2\n', name, 'id'), ['1 2|y']);
  }
  t.deepEqual(await of(' name,name\nx,y\n', 'name', ' name'), ['1 x|y']);
  t.deepEqual(await of('id, na me\n1,x\n', 'name', 'id'), ['1 CSV_NO_TEXT 1']);
});

test('a row with more fields than the header names is skipped, unless they are empty', async (t) => {
  const table = 'id,text\n1,Hello, world\n2,b,\n3,"c",,""\n4,"d",,e\n';
  const found = ['1 CSV_TOO_MANY_FIELDS', '2 2|b', '3 3|c', '4 CSV_TOO_MANY_FIELDS'];
  t.deepEqual(await given(table), found);
  t.deepEqual(await given(table, { chunkBytes: 3 }), found);
  t.deepEqual(
    await given(table.replaceAll(',', '\t'), { format: 'tsv', params: { textField: 'id', quote: '"' } }),
    found.map((row, i) => (i % 3 === 0 ? row : row.replace(/\|.$/, `|${i + 1}`))),
  );
  t.deepEqual(await given('a,b\nc,d,e\n', { params: { textField: '2' } }), ['1 null|b', '2 null|d']);
});

test('a CR alone ends a row outside of quotes, wherever the table is cut', async (t) => {
  const table = 'id,text\n1,a b\r2,"c\rd"\r\n\r3,e\r\r\n4,f\r';
  for (const all of [table, table.replaceAll('\r\n', '\r').replaceAll('\n', '\r')]) {
    for (let chunkBytes = 1; chunkBytes < 12; chunkBytes++)
      t.deepEqual(await given(all, { chunkBytes, pieceBytes: 1 + (chunkBytes % 3) }), [
        '1 1|a b',
        '2 2|c\rd',
        '3 3|e',
        '4 4|f',
      ]);
  }
});

test('a quote that is one too many costs the record that has it', async (t) => {
  t.deepEqual(await given('id,text\n1,"a\n2,b\n3,"c"\n4,"d"x\n5,"e"\r6\n7,"f\n'), [
    '1 CSV_BAD_QUOTES',
    '2 2|b',
    '3 3|c',
    '4 CSV_BAD_QUOTES',
    '5 5|e',
    '6 CSV_NO_TEXT 6',
    '7 CSV_BAD_QUOTES',
  ]);
  t.deepEqual(await given('id,text\n1,"a\nb","c"d\n2,e\n'), ['1 CSV_BAD_QUOTES', '2 2|e']);
});

test('a text that is too long is reported, and an id that is too long is missing', async (t) => {
  const params = { maxDocument: 100 };
  const long = '""'.repeat(90);
  t.deepEqual(await given(`id,text\n1,${'x'.repeat(101)}\n2,"${long}"\n3,"${long}${long}"\n`, { params }), [
    '1 TOO_LARGE 1',
    `2 2|${'"'.repeat(90)}`,
    '3 TOO_LARGE 3',
  ]);
  t.deepEqual(await given(`id,text\n${'x'.repeat((64 << 10) + 1)},a\n`), ['1 null|a']);
  // Records beyond the limit of lines are not held; the quote far behind the beginning of one does not count.
  const huge = `id,text\n1,a\n2,${'b'.repeat(3 << 20)},"c\n3,d\n4,"${`${'e'.repeat(63)}\n`.repeat(1 << 15)}`;
  const found = await given(huge, { params: { maxDocument: 10 }, pieceBytes: 100_000, chunkBytes: 1 << 16 });
  t.deepEqual(found.slice(0, 4), ['1 1|a', '2 TOO_LARGE', '3 3|d', '4 CSV_BAD_QUOTES']);
  t.is(found.length, 3 + (1 << 15));
  // A CR that ends it may be the last byte of a piece, of which nothing is held.
  const start = 'id,text\r1,a\r2,';
  for (const next of ['3,d\r', '\n3,d']) {
    const returns = `${start}${'b'.repeat(3_000_000 - 1 - start.length)}\r${next}`;
    const cut = { params: { maxDocument: 10 }, pieceBytes: 750_000, chunkBytes: 1 << 16 };
    t.deepEqual(await given(returns, cut), ['1 1|a', '2 TOO_LARGE', '3 3|d']);
  }
  const header = `id,${'x'.repeat(2 << 20)},text\n1,a,b\n2,c,d\n`;
  const lost = { params: { maxDocument: 10 }, pieceBytes: 100_000, chunkBytes: 1 << 16 };
  t.deepEqual(await given(header, lost), ['1 TOO_LARGE', '2 CSV_NO_TEXT', '3 CSV_NO_TEXT']);
});

const WORDS = ['a', 'bc', '"', '""', '\n', '\r\n', ' ', 'é', ',', ';', '\t', ''];
const cell = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(''));

test('tables are read as papaparse reads them, wherever they are cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      async (rows, separator, newline, quotes, chunkBytes, pieceBytes) => {
        const fields = ['id', 'text', 'more'];
        const table = papaparse.unparse({ fields, data: rows }, { delimiter: separator, newline, quotes });
        const expected = papaparse
          .parse<Record<string, string>>(table, {
            header: true,
            delimiter: separator,
            newline,
            skipEmptyLines: true,
          })
          .data.map(({ id, text }, i) => `${i + 1} ${id === '' ? null : id}|${text}`);
        const params = { separator };
        t.deepEqual(await given(table, { params }), expected);
        t.deepEqual(await given(table, { params, chunkBytes, pieceBytes }), expected);
      },
    ),
    { seed: 16, numRuns: 150 },
  );
});

/** The records of a table without a header, by the rule of quotes.ts, a character at a time: its fields, or null where it is broken. */
function naiveRecords(table: string): (string[] | null)[] {
  const records: (string[] | null)[] = [];
  let rest = table;
  while (rest !== '') {
    const cells: string[] = [];
    let ended = false;
    let isGood = true;
    const isBlank = /^(\r?\n|\r)/.test(rest);
    while (!ended) {
      const quoted = /^"((?:[^"]|"")*)"(?=[,\r\n]|$)(,|\r?\n|\r|$)/.exec(rest);
      const plain = /^([^,\r\n]*)(,|\r?\n|\r|$)/.exec(rest)!;
      if (rest.startsWith('"') && quoted === null) {
        isGood = false;
        rest = rest.replace(/^[^\r\n]*(\r?\n|\r|$)/, '');
        break;
      }
      const found = rest.startsWith('"') ? quoted! : plain;
      cells.push(rest.startsWith('"') ? found[1]!.replaceAll('""', '"') : found[1]!);
      rest = rest.slice(found[0].length);
      ended = found.at(-1) !== ',';
    }
    if (!isBlank) records.push(isGood ? cells : null);
  }
  return records;
}

test('broken tables are read by the rule, wherever they are cut', async (t) => {
  const parts = fc.constantFrom('a', 'b', '"', '"', '""', ',', ',', '\n', '\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(
      fc.array(parts, { maxLength: 30 }).map((all) => all.join('')),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      async (table, chunkBytes, pieceBytes) => {
        const params = { textField: '2', idField: '9' };
        const whole = await given(table, { params });
        t.deepEqual(await given(table, { params, chunkBytes, pieceBytes }), whole);
        const expected = naiveRecords(table).map((cells, i) =>
          cells === null
            ? `${i + 1} CSV_BAD_QUOTES`
            : cells.length < 2
              ? `${i + 1} CSV_NO_TEXT`
              : `${i + 1} null|${cells[1]}`,
        );
        t.deepEqual(whole, expected, JSON.stringify(table));
      },
    ),
    { seed: 4180, numRuns: 500 },
  );
});
