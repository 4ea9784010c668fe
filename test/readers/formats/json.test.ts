/** Values of JSON in bytes, and the places of values. */
import test from 'ava';
import fc from 'fast-check';
import { fieldNamed, textFieldsOf, textsOf } from '../../../src/readers/formats/fields.js';
import {
  elementPlaces,
  isObject,
  memberPlace,
  parsedJson,
  stringBytes,
  valueEnd,
  withoutSpace,
} from '../../../src/readers/formats/json/json.js';
import { fieldPlaces, textPlaces } from '../../../src/readers/formats/json/textPlaces.js';

const parse = (text: string | Uint8Array): unknown => {
  const bytes = Buffer.from(text as string);
  return parsedJson(bytes, 0, bytes.length);
};

/** The value with its binary strings decoded; undefined: not valid. */
function decoded(value: unknown): unknown {
  if (typeof value === 'string') return stringBytes(value).bytes.toString();
  if (Array.isArray(value)) return value.map(decoded);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [stringBytes(name).bytes.toString(), decoded(held)]),
  );
}

function reference(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Every second, third, ... character beyond ASCII written as an escape. */
const withEscapes = (json: string, every: number): string =>
  json.replace(/[^\0-\x7f]/gu, (character, at: number) =>
    at % every > 0
      ? character
      : [0, 1].map((i) => (i < character.length ? `\\u${hexOf(character.charCodeAt(i))}` : '')).join(''),
  );
const hexOf = (code: number): string => code.toString(16).padStart(4, '0');

const NAMES = fc.constantFrom('text', 'id', 'other', '__proto__', 'té\u{1F600}xt');
const RECORDS = fc.dictionary(NAMES, fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }), { maxKeys: 5 });

test('values are those of JSON.parse, with their strings as bytes', (t) => {
  fc.assert(
    fc.property(RECORDS, fc.nat(2), fc.integer({ min: 1, max: 5 }), (record, indent, every) => {
      const text = withEscapes(JSON.stringify(record, null, indent), every);
      t.deepEqual(decoded(parse(text)), JSON.parse(text));
    }),
    { seed: 1, numRuns: 500 },
  );
  t.is(parse(Uint8Array.of(0x22, 0xff, 0xc3, 0x22)), '\xff\xc3');
  const lone = parse('"a\\ud800é"') as string;
  t.deepEqual(stringBytes(lone), { bytes: Buffer.from('a\ufffdé'), isRepaired: true });
  t.is(stringBytes(parse('"\\ud83d\\ude00\\\\u0041"') as string).bytes.toString(), '\u{1F600}\\u0041');
});

test('what JSON.parse rejects is not valid', (t) => {
  const mutation = fc.tuple(fc.nat(1000), fc.constantFrom(...'{}[]",:\\ue-+.019tfn \t\n\0\x01xé'.split('')));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(mutation, { maxLength: 4 }), (value, mutations) => {
      let text = JSON.stringify(value);
      for (const [place, letter] of mutations) {
        const at = place % (text.length + 1);
        text = text.slice(0, at) + letter + text.slice(at + (place % 2));
      }
      t.deepEqual(decoded(parse(text)), reference(text), text);
    }),
    { seed: 1, numRuns: 3000 },
  );
  for (const text of ['', ' ', '\ufeff{}', '{"a":1}\u00a0', '1 1', '[{]}', '"\t"', '"\\u0e9 "', '"\\u00zz"'])
    t.is(parse(text), undefined, text);
});

test('NaN, Infinity and -Infinity, which Python writes, are empty arrays', (t) => {
  t.deepEqual(parse('{"a": Infinity, "b": [NaN, -Infinity], "c": "\\"NaN\\\\"}'), {
    ...{ a: [], b: [[], []], c: '"NaN\\' },
  });
  for (const text of ['Na', 'nan', 'Infinit', '-NaNN', '+Infinity', 'Infinityx'])
    t.is(parse(text), undefined, text);
});

test('brackets that are nested a million times, and a million quotes in a string without an end, cost nothing', (t) => {
  t.is(parse(`{"a": NaN, "b": "${'\\"'.repeat(1 << 20)}`), undefined);
  t.is(parse(`${'['.repeat(1 << 20)}1${']'.repeat(1 << 20)}`), undefined);
});

test('white space outside of strings is removed from a value, however many escapes a string has', (t) => {
  const compact = (text: string): string => {
    const bytes = Buffer.from(text);
    return withoutSpace(bytes, { from: 0, to: bytes.length }).toString();
  };
  t.is(compact('{ "a b" :\t[1.50 , "\\" c"],\r\n"é": null }'), '{"a b":[1.50,"\\" c"],"é":null}');
  const escapes = `["${'\\n'.repeat(8 << 20)}"]`;
  t.is(compact(escapes), escapes);
});

test('elements, members and texts are found at their places', (t) => {
  fc.assert(
    fc.property(fc.array(RECORDS, { maxLength: 4 }), fc.nat(2), (records, indent) => {
      const bytes = Buffer.from(` ${JSON.stringify(records, null, indent)} `);
      const places = [...elementPlaces(bytes, 1, bytes.length)];
      t.deepEqual(
        places.map(({ from, to }) => JSON.parse(bytes.toString('utf8', from, to))),
        JSON.parse(bytes.toString()),
      );
      for (const place of places) {
        const record = parsedJson(bytes, place.from, place.to);
        for (const name of ['text', 'id', '__proto__']) {
          const held = memberPlace(bytes, place, name);
          const value = isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
          t.deepEqual(held === null ? undefined : parsedJson(bytes, held.from, held.to), value);
        }
        const wish = 'text,other.id,other';
        const texts = textPlaces(bytes, place, wish)?.map(({ from, to }) => parsedJson(bytes, from, to));
        t.deepEqual(texts ?? null, textsOf(record, textFieldsOf(wish)));
      }
    }),
    { seed: 3, numRuns: 300 },
  );
  const nested = Buffer.from('{"text":[["a"],[null, ["b"]]],"x":[["a"],[1]]}');
  const placesOf = (field: string) => textPlaces(nested, { from: 0, to: nested.length }, field);
  t.deepEqual(
    placesOf('text')?.map(({ from, to }) => nested.toString('utf8', from, to)),
    ['"a"', '"b"'],
  );
  t.is(placesOf('x'), null);
  const depth = 100_000;
  const deep = Buffer.from(`{"a":${'['.repeat(depth)}{"b":5},[{"b":[6]}]${']'.repeat(depth)}}`);
  t.deepEqual(
    fieldPlaces(deep, { from: 0, to: deep.length }, fieldNamed('a.b')).map(({ from, to }) =>
      deep.toString('utf8', from, to),
    ),
    ['5', '[6]'],
  );
  const repeated = Buffer.from('{"a":1,"o":{"a":2},"\\u0061" : 3.0}');
  const { from, to } = memberPlace(repeated, { from: 0, to: repeated.length }, 'a')!;
  t.is(repeated.toString('utf8', from, to), '3.0');
});

test('an array that is damaged or cut off has the elements before the damage', (t) => {
  const found = (text: string): unknown => {
    const bytes = Buffer.from(text);
    const places = elementPlaces(bytes, 0, bytes.length);
    const texts: string[] = [];
    for (let next = places.next(); ; next = places.next()) {
      if (next.done) return [...texts, next.value];
      texts.push(bytes.toString('utf8', next.value.from, next.value.to));
    }
  };
  t.deepEqual(found('[ ]'), [3]);
  t.deepEqual(found('[1, {"a":[2]} ]x'), ['1', '{"a":[2]}', 15]);
  t.deepEqual(found('[{"a":1},{"b"'), ['{"a":1}', -1]);
  t.deepEqual(found('[{"a":1} {"b":1}]'), ['{"a":1}', -1]);
  t.deepEqual(found('[{"a":1},]'), ['{"a":1}', -1]);
  t.deepEqual(found('["a\\\\", "b\\"", "c'), ['"a\\\\"', '"b\\""', -1]);
  t.deepEqual(found('['), [-1]);
  t.is(valueEnd(Buffer.from('12'), 0, 2), 2);
});
