import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { documentSignatures } from '../../../mappers/signatures.js';
import type { Block } from '../../../src/blocks/block.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { createReferenceKernel } from '../../kernel/referenceKernel.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const plain = readBuffers(1);
const fast = readBuffers(1, createWasmKernel(kernelModule));

interface Run {
  readonly lines: number;
  readonly documents: unknown;
  readonly skips: unknown;
}

function run(bytes: Uint8Array, params: ReadParams, buffers = fast, firstLine = 0): Run {
  const sink = new RecordingSink();
  const { lines } = readSource({ kind: 'chunk', index: 3, firstLine, bytes }, params, sink, buffers);
  return { lines, documents: sink.documents, skips: sink.skips };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** A line as it may come: records in every writing, broken ones, other JSON, and noise. */
const STRING = fc.oneof(
  fc.string({ maxLength: 40, unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\\n',
          '\\"',
          '\\\\',
          '\\/',
          '\\b',
          '\\f',
          '\\r',
          '\\t',
          'é',
          '\u{1F600}',
          'sixteen letters!',
        ),
        fc.integer({ min: 0, max: 0xffff }).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
        fc.integer({ min: 0xd7ff, max: 0xe000 }).map((code) => `\\u${code.toString(16).toUpperCase()}`),
        fc.constantFrom(
          '\\',
          '\\u',
          '\\u12',
          '\\uD83D\\uDE0',
          '\\x',
          '\t',
          '\u0001',
          '\u001f',
          '\0',
          '\u007f',
          '"',
        ),
      ),
      { maxLength: 12 },
    )
    .map((units) => `"${units.join('')}"`),
);
const NUMBER = fc.oneof(
  fc.double().map((value) => String(value)),
  fc.constantFrom(
    '0',
    '-0',
    '-',
    '01',
    '1.',
    '.5',
    '1.5e',
    '1e+',
    '1E-7',
    '+1',
    '1e5.0',
    '-1.25e3',
    '9'.repeat(40),
  ),
);
const WORD = fc.constantFrom('true', 'false', 'null', 'tru', 'nulll', 'fals', 'NaN', '', 'Infinity');
const NESTED = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
const BRACKETS = fc.stringMatching(/^[[\]{},:"1 ]{0,12}$/);
const VALUE = fc.oneof(
  { weight: 4, arbitrary: STRING },
  { weight: 2, arbitrary: NUMBER },
  { weight: 2, arbitrary: WORD },
  { weight: 2, arbitrary: NESTED },
  { weight: 1, arbitrary: BRACKETS },
);
const NAME = fc.oneof(
  fc.constantFrom('"text"', '"id"', '"te\\u0078t"', '"i\\u0064"', '"other"', '"Text"', '"tex"', '""', 'text'),
  STRING,
);
const SPACE = fc.constantFrom('', '', '', ' ', '\t', '\r', '  \t ');
const MEMBER = fc.tuple(SPACE, NAME, SPACE, SPACE, VALUE, SPACE);
const OBJECT = fc
  .array(MEMBER, { maxLength: 5 })
  .map((members) => `{${members.map(([a, n, b, c, v, d]) => `${a}${n}${b}:${c}${v}${d}`).join(',')}}`);
const GOOD = fc
  .tuple(fc.option(STRING, { nil: '7' }), STRING)
  .map(([id, text]) => `{"id":${id},"text":${text}}`);
const LINE = fc
  .tuple(SPACE, fc.oneof({ weight: 4, arbitrary: OBJECT }, { weight: 4, arbitrary: GOOD }, VALUE), SPACE)
  .map((parts) => parts.join(''));

/** Changes bytes of a run of lines: a place, a byte, and whether it is put in the place of another. */
const MUTATION = fc.tuple(
  fc.nat(2000),
  fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\ue-+.019tfn \t\r\n\0'))),
  fc.boolean(),
);

function mutated(bytes: Uint8Array, mutations: readonly (readonly [number, number, boolean])[]): Uint8Array {
  const list = [...bytes];
  for (const [place, byte, replace] of mutations) {
    list.splice(place % (list.length + 1), replace ? 1 : 0, byte);
  }
  return Uint8Array.from(list);
}

test('Lines by the kernel give what they give one at a time, on random and hostile lines', (t) => {
  const content = fc.tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(fc.tuple(LINE, fc.constantFrom('\n', '\r\n')), { maxLength: 6 }),
    LINE,
  );
  fc.assert(
    fc.property(
      content,
      fc.array(MUTATION, { maxLength: 4 }),
      fc.nat(15),
      ([mark, lines, last], edits, skew) => {
        const edited = mutated(bytesOf(mark + lines.flat().join('') + last), edits);
        // In shared memory, at any address, before what belongs to others.
        const bytes = new Uint8Array(new SharedArrayBuffer(edited.length + skew + 5), skew, edited.length);
        new Uint8Array(bytes.buffer).fill(0x7d);
        bytes.set(edited);
        for (const params of [readParams(), readParams({ maxDocument: 5 })]) {
          t.deepEqual(run(bytes, params), run(bytes, params, plain));
        }
      },
    ),
    { seed: 1, numRuns: 400 },
  );
});

test('Lines by the kernel end where strings, escapes and vectors meet', (t) => {
  for (let length = 0; length < 70; length++) {
    for (const end of ['"}', '"', '\\"}', '\\', '\\u00e9"}', '\\ud83d\\ude00"}', '\\ud83d"}', '\\u00']) {
      const line = `{"id":"${'i'.repeat(length % 19)}","text":"${'x'.repeat(length)}${end}`;
      for (const text of [line, `${line}\n`, `${line}\n${line}\r\n${line}`]) {
        const bytes = bytesOf(text);
        t.deepEqual(run(bytes, readParams()), run(bytes, readParams(), plain), text);
      }
    }
  }
});

test('Names of any kind are found by the kernel, and one name may be both', (t) => {
  const names = ['', 'a"b', 'a\\b', 'é\u{1F600}', '__proto__', 'a\nb', 'text'];
  const record = (id: string, text: string): string =>
    `{${JSON.stringify(id)}:"i\\n",${JSON.stringify(text)}:"t\\ud800"}`;
  for (const textField of names) {
    for (const idField of names) {
      const params = readParams({ textField, idField });
      const bytes = bytesOf(names.map((name) => record(idField, name)).join('\n'));
      t.deepEqual(run(bytes, params), run(bytes, params, plain));
    }
  }
});

test('Lines of every length go through windows, grown rooms and the way of lines too long for them', (t) => {
  const short = '{"id":1,"text":"a\\tb"}\n\n{]\n'.repeat(3000);
  const long = (size: number): string => `{"text":"${'long \\n text '.repeat(size / 13)}"}\n`;
  const content = short + long(200_000) + short + long(3_000_000) + long(40);
  const bytes = bytesOf(content + long(17 << 20) + short);
  t.deepEqual(run(bytes, readParams()), run(bytes, readParams(), plain));
  const fewer = bytesOf(content);
  const small = readParams({ maxDocument: 100 });
  t.deepEqual(run(fewer, small), run(fewer, small, plain));
});

test('Brackets as deep as a line is long are followed by the kernel', (t) => {
  const deep = 300_000;
  const lines = [
    `{"a":${'['.repeat(deep)}${']'.repeat(deep)},"text":"x"}`,
    `{"text":"x","a":${'{"a":['.repeat(deep)}1${']}'.repeat(deep)}}`,
    '['.repeat(deep),
    `${'['.repeat(deep)}}${']'.repeat(deep - 1)}`,
  ];
  for (const line of lines) {
    const bytes = bytesOf(`${line}\n{"text":"y"}`);
    t.deepEqual(run(bytes, readParams()), run(bytes, readParams(), plain));
  }
});

test('a byte order mark before a line is dropped, and is not a line of its own', (t) => {
  const bytes = bytesOf('\ufeff{"text":"a"}\n\ufeff{"text":"b"}');
  for (const firstLine of [0, 1]) {
    const found = run(bytes, readParams(), fast, firstLine);
    t.deepEqual(found, run(bytes, readParams(), plain, firstLine));
    t.is(found.lines, 2);
  }
  const marked = run(bytesOf('{"text":"a"}\n\ufeff{"text":"b"}'), readParams());
  t.deepEqual(marked, run(bytesOf('{"text":"a"}\n{"text":"b"}'), readParams()));
  t.is(run(bytesOf('\ufeff'), readParams()).lines, 1);
  t.is(run(bytesOf('\ufeff\n'), readParams()).lines, 1);
  t.is(run(bytesOf(''), readParams()).lines, 0);
});

/** The table and the signatures of lines. */
function sketched(bytes: Uint8Array, kernel: Kernel, params = readParams(), size = 3): readonly Block[] {
  const shingle = { unit: 'words' as const, size, bag: false, stopWords: [], seed: 1 };
  const source = { kind: 'chunk' as const, index: 0, firstLine: 0, bytes };
  let taken = 0;
  const { documents, signatures } = documentSignatures(
    (sink) => {
      taken = readSource(source, params, sink, readBuffers(1, kernel)).lines;
    },
    kernel,
    shingle,
    { sketch: { sketch: 'fss', hashes: 128, seed: 1 }, banding: { bands: 16, rows: 8 } },
  );
  return [documents(taken), signatures];
}

function columnsOf(blocks: readonly Block[]): unknown {
  return blocks.map(({ columns, meta }) => ({ columns, meta }));
}

test('A kernel may be given what it scanned itself, and its memory may grow meanwhile', (t) => {
  const lines = Array.from(
    { length: 1500 },
    (_, i) => `{"id":${i},"text":"text number ${i} of\\n${'many '.repeat(i % 90)}"}`,
  );
  const bytes = bytesOf(lines.join('\n'));
  // A new kernel makes its arenas while it is given the first documents.
  const made = sketched(bytes, createWasmKernel(kernelModule));
  t.deepEqual(columnsOf(made), columnsOf(sketched(bytes, createReferenceKernel())));
});

test('records that are taken many at a time have the rows of records one at a time', (t) => {
  const kernel = createWasmKernel(kernelModule);
  const TEXT = fc.constantFrom(
    '',
    ' ',
    '\n<html><p>a page</p>',
    '<b',
    'İstanbul',
    '\0',
    'one two three',
    'ﬀ a\u0301 b',
  );
  const LONG_ID = fc.constantFrom('', 'i'.repeat(30_000), 'i'.repeat(65_536), 'i'.repeat(65_537));
  const RECORD = fc
    .tuple(fc.oneof(fc.string(), fc.integer(), LONG_ID), TEXT)
    .map(([id, text]) => JSON.stringify({ id, text }));
  const lines = fc.array(fc.oneof({ weight: 4, arbitrary: RECORD }, GOOD, LINE), { maxLength: 40 });
  const formats = fc.constantFrom('auto' as const, 'text' as const, 'html' as const);
  fc.assert(
    fc.property(lines, formats, fc.constantFrom(1 << 20, 20), (some, textFormat, maxDocument) => {
      const bytes = bytesOf(some.join('\n'));
      const params = readParams({ textFormat, maxDocument });
      const made = sketched(bytes, kernel, params, 2);
      t.deepEqual(columnsOf(made), columnsOf(sketched(bytes, createReferenceKernel(), params, 2)));
    }),
    { seed: 1, numRuns: 150 },
  );
});

/** What lines give, by the kernel and without it: the same. */
function given(t: ExecutionContext, lines: readonly string[], params: ReadParams): string[] {
  const bytes = bytesOf(lines.join('\n'));
  const texts = [fast, plain].map((buffers) => {
    const sink = new RecordingSink();
    readSource({ kind: 'chunk', index: 0, firstLine: 0, bytes }, params, sink, buffers);
    return [...sink.documents.map(({ id, text }) => `${id}: ${text}`), ...sink.codes];
  });
  t.deepEqual(texts[0], texts[1]);
  return texts[0]!;
}

test('NaN and Infinity are values like others, in other fields and as ids', (t) => {
  const lines = [
    '{"id": 1, "score": NaN, "text": "a"}',
    '{"score": [Infinity, -Infinity], "id": -2, "text": "b"}',
    '{"id": NaN, "text": "c"}',
    '{"id": -Infinity, "text": "d"}',
    '{"id": 5, "text": NaN}',
  ];
  t.deepEqual(given(t, lines, readParams()), ['1: a', '-2: b', 'NaN: c', '-Infinity: d', '4 JSON_NO_TEXT']);
});

test('an id is a string or the JSON text of another value; of a typed id of MongoDB it is the value inside', (t) => {
  const lines = [
    '{"_id": {"$oid": "507f1f77bcf86cd799439011"}, "text": "a"}',
    '{"_id": {"$numberLong": "42"}, "text": "b"}',
    '{"_id": {"other": "42"}, "text": "c"}',
    '{"_id": [1, "x"], "text": "d"}',
    '{"_id": false, "text": "e"}',
    '{"_id": null, "text": "f"}',
  ];
  t.deepEqual(given(t, lines, readParams({ idField: '_id' })), [
    '507f1f77bcf86cd799439011: a',
    '42: b',
    '{"other":"42"}: c',
    '[1,"x"]: d',
    'false: e',
    'null: f',
  ]);
});

test('a path through arrays of objects gives the texts of all elements, joined by line breaks', (t) => {
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'tool' },
    { content: null },
    { content: ['two', 'three'] },
  ];
  const lines = [
    { id: 'a', messages },
    { id: 'b', messages: [{ role: 'user' }] },
    { id: 'c', messages: { content: 'four' } },
    { id: 'd', messages: [[{ content: 'five' }], 6] },
  ].map((record) => JSON.stringify(record));
  t.deepEqual(given(t, lines, readParams({ textField: 'messages.content' })), [
    'a: one\ntwo\nthree',
    'c: four',
    'd: five',
    '1 JSON_NO_TEXT',
  ]);
});
