import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { JsonScanner } from '../../../src/readers/formats/json/jsonScanner.js';
import { decodeJsonString, STEP_BYTES } from '../../../src/readers/formats/json/jsonStrings.js';

const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** Whether the scanner takes the whole of the bytes as one JSON value; it finds the same in bytes that are known to be one. */
function accepts(scanner: JsonScanner, bytes: Uint8Array): boolean {
  const end = scanner.scan(bytes, 0, bytes.length);
  if (end < 0 || scanner.skipSpace(bytes, end, bytes.length) !== bytes.length) return false;
  const found = JSON.stringify([scanner.isObject, scanner.fields]);
  assert.equal(scanner.scan(bytes, 0, bytes.length, true), end);
  assert.equal(JSON.stringify([scanner.isObject, scanner.fields]), found);
  return true;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value of a field as the scanner found it; undefined where it found none. */
function fieldValue(bytes: Uint8Array, field: { from: number; to: number }): unknown {
  return field.from < 0 ? undefined : JSON.parse(decoder.decode(bytes.subarray(field.from, field.to)));
}

/** JSON text of a value with random white space and some characters written as escapes. */
function written(value: unknown, rest: readonly number[]): string {
  let at = 0;
  const next = (): number => rest[at++ % rest.length]!;
  return JSON.stringify(value, null, next() % 3).replace(/[a-z,:[]/g, (letter) => {
    if (/[a-z]/.test(letter)) return letter;
    return next() % 4 === 0 ? `${letter}${' \t\r\n'[next() % 4]}` : letter;
  });
}

const NAMES = fc.constantFrom('text', 'id', 'other', '__proto__', 'té\u{1F600}xt');
const RECORDS = fc.dictionary(NAMES, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
const NOISE = fc.array(fc.nat(99), { minLength: 1, maxLength: 20 });

test('JsonScanner accepts what JSON.parse accepts and finds the same fields', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  fc.assert(
    fc.property(RECORDS, NOISE, (value, noise) => {
      const bytes = utf8.encode(written(value, noise));
      const text = decoder.decode(bytes);
      if (!parses(text)) return;
      const record = JSON.parse(text) as Record<string, unknown>;
      t.true(accepts(scanner, bytes));
      t.true(scanner.isObject);
      t.deepEqual(
        fieldValue(bytes, scanner.fields[0]!),
        Object.hasOwn(record, 'text') ? record.text : undefined,
      );
      t.deepEqual(fieldValue(bytes, scanner.fields[1]!), Object.hasOwn(record, 'id') ? record.id : undefined);
    }),
    { seed: 1, numRuns: 500 },
  );
  t.pass();
});

test('NaN, Infinity and -Infinity are values, as Python writes them', (t) => {
  const scanner = new JsonScanner(['text']);
  for (const value of ['NaN', 'Infinity', '-Infinity', '[NaN, -Infinity]', '{"a": Infinity}'])
    t.true(accepts(scanner, utf8.encode(value)), value);
  for (const value of ['Na', 'nan', 'Infinit', '-NaN', '+Infinity', 'Infinityx'])
    t.false(accepts(scanner, utf8.encode(value)), value);
});

test('JsonScanner and JSON.parse agree on mutated records', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  const mutation = fc.tuple(
    fc.nat(1000),
    fc.constantFrom(...'{}[]",:\\ue-+.019tfn \t\n\u0000\u0001xé'.split('')),
  );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(mutation, { maxLength: 4 }), (value, mutations) => {
      let text = JSON.stringify(value);
      for (const [place, letter] of mutations) {
        const at = place % (text.length + 1);
        text = text.slice(0, at) + letter + text.slice(at + (place % 2));
      }
      t.is(accepts(scanner, utf8.encode(text)), parses(text), text);
    }),
    { seed: 1, numRuns: 5000 },
  );
  t.pass();
});

test('JsonScanner agrees with JSON.parse on hostile values', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  const values = [
    '',
    ' ',
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
    'nul',
    'true',
    'truex',
  ];
  values.push(
    '"',
    '"\\"',
    '"\\u12"',
    '"\\u12G4"',
    '"\\ud800"',
    '"\\x"',
    '"\t"',
    '"\u007f"',
    '[',
    '[]',
    '[,]',
    '[1,]',
  );
  values.push(
    '{}',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1}}',
    '[1 2]',
    '{"a" : [ ] }',
    '[{]}',
  );
  values.push(
    '\ufeff{}',
    '{"a":1}\u00a0',
    '"\u2028"',
    '[[],{}]',
    '{"a":{}}',
    '{"a":[]',
    '1 ',
    ' 1',
    '1 1',
    '{1:2}',
  );
  for (const value of values) t.is(accepts(scanner, utf8.encode(value)), parses(value), value);
});

test('JsonScanner never looks beyond the end it is given', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  const bytes = utf8.encode('{"text":"abc","n":-12.5e3,"b":true}   ');
  for (let to = 0; to < 35; to++) t.is(scanner.scan(bytes, 0, to), -1, String(to));
  t.is(scanner.scan(bytes, 0, 35), 35);
  // Whatever is behind the end, a value that is cut there may still be one.
  const escapes = '"\\u0041\\n"';
  for (const behind of ['', '0041"', 'zz', '\\u00zz']) {
    for (let to = 0; to < escapes.length; to++) {
      t.is(scanner.scan(utf8.encode(escapes.slice(0, to) + behind), 0, to), -1);
      t.true(scanner.isCut, `${to} and ${behind}`);
    }
    t.is(scanner.scan(utf8.encode(escapes + behind), 0, escapes.length), escapes.length);
  }
  const broken = utf8.encode('"\\u00zz0041"');
  t.is(scanner.scan(broken, 0, broken.length), -1);
  t.false(scanner.isCut);
  const number = utf8.encode('123456');
  for (let to = 1; to <= 6; to++) t.is(scanner.scan(number, 0, to), to);
});

test('JsonScanner takes the last of repeated names, compared without escapes, at the top level only', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  const bytes = utf8.encode('{"text":"a","o":{"text":"no","id":[{"id":1}]},"te\\u0078t":"b","\\u0069d":7}');
  t.true(accepts(scanner, bytes));
  t.is(fieldValue(bytes, scanner.fields[0]!), 'b');
  t.is(fieldValue(bytes, scanner.fields[1]!), 7);
  t.false(scanner.fields[0]!.escaped);
  const nested = utf8.encode('[{"text":"a"}]');
  t.true(accepts(scanner, nested));
  t.false(scanner.isObject);
  t.is(scanner.fields[0]!.from, -1);
});

test('JsonScanner compares long names without their escapes too', (t) => {
  const name = 'a long name of a field, '.repeat(9);
  const scanner = new JsonScanner([name, 'id']);
  const bytes = utf8.encode(`{"${name.replaceAll(',', '\\u002c')}":"found","id":1}`);
  t.true(accepts(scanner, bytes));
  t.is(fieldValue(bytes, scanner.fields[0]!), 'found');
});

test('JsonScanner may look for one field under both names', (t) => {
  const scanner = new JsonScanner(['id', 'id']);
  const bytes = utf8.encode('{"id":"a\\n"}');
  t.true(accepts(scanner, bytes));
  t.is(fieldValue(bytes, scanner.fields[1]!), 'a\n');
  t.is(fieldValue(bytes, scanner.fields[0]!), 'a\n');
  t.true(scanner.fields[0]!.escaped);
});

test('JsonScanner follows 200,000 brackets without recursion', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  const deep = 200_000;
  t.true(accepts(scanner, utf8.encode('['.repeat(deep) + ']'.repeat(deep))));
  t.true(accepts(scanner, utf8.encode(`${'{"a":['.repeat(deep)}${']}'.repeat(deep)}`)));
  t.false(accepts(scanner, utf8.encode('['.repeat(deep))));
  t.false(accepts(scanner, utf8.encode(`${'['.repeat(deep)}}${']'.repeat(deep - 1)}`)));
});

test('JsonScanner passes bytes that are not UTF-8 inside strings and refuses them elsewhere', (t) => {
  const scanner = new JsonScanner(['text', 'id']);
  t.true(accepts(scanner, Uint8Array.of(0x22, 0xff, 0xc3, 0x22)));
  t.false(accepts(scanner, Uint8Array.of(0xff, 0x31)));
});

test('decodeJsonString gives the bytes of JSON.parse, in pieces of any size', (t) => {
  const unit = fc.oneof(
    fc.constantFrom('\\n', '\\t', '\\r', '\\b', '\\f', '\\"', '\\\\', '\\/', 'é', '\u{1F600}', 'abc'),
    fc.nat(0xffff).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
    fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => `\\u${code.toString(16).toUpperCase()}`),
  );
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 30 }),
      fc.integer({ min: STEP_BYTES, max: 40 }),
      (units, size) => {
        const text = units.join('');
        const source = utf8.encode(text);
        const value = JSON.parse(`"${text}"`) as string;
        const out = new Uint8Array(size);
        const pieces: number[] = [];
        let at = 0;
        let repaired = false;
        while (at < source.length) {
          const piece = decodeJsonString(source, at, source.length, out);
          at = piece.at;
          repaired ||= piece.repaired;
          pieces.push(...out.subarray(0, piece.written));
        }
        t.deepEqual(pieces, [...utf8.encode(value)]);
        t.is(repaired, /[\ud800-\udfff]/u.test(value));
      },
    ),
    { seed: 1, numRuns: 2000 },
  );
  t.pass();
});
