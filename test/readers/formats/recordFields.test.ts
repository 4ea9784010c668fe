/** What records have in fields that are asked for, and that asking for them changes nothing else. */
import test from 'ava';
import fc from 'fast-check';
import { type FieldValues, MISSING, NUMBER } from '../../../src/blocks/fieldValues.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const plain = readBuffers(64 << 10);
const fast = readBuffers(64 << 10, createWasmKernel(kernelModule));

type Value = number | string | null;

/** Keeps the values that documents were given with; null: none were. */
class FieldSink extends RecordingSink {
  readonly values: (readonly Value[] | null)[] = [];
  #given: readonly Value[] | null = null;

  fields(values: FieldValues): void {
    this.#given = Array.from(values.kinds, (kind, i) => {
      if (kind === MISSING) return null;
      if (kind === NUMBER) return values.numbers[i]!;
      return Buffer.from(values.bytes[i]!.subarray(values.starts[i], values.ends[i])).toString();
    });
  }

  override begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.values.push(this.#given);
    this.#given = null;
    return super.begin(file, record, id);
  }

  override skip(...skipped: Parameters<RecordingSink['skip']>): void {
    // A document that was begun is void.
    this.values.length = this.documents.length;
    this.#given = null;
    super.skip(...skipped);
  }
}

function lines(text: string | Uint8Array, params: ReadParams, buffers: ReadBuffers = fast): FieldSink {
  const sink = new FieldSink();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  readSource({ kind: 'chunk', index: 0, firstLine: 0, bytes }, params, sink, buffers);
  return sink;
}

test('numbers, booleans and texts of JSON are values; everything else is missing', (t) => {
  const values = [
    ['12', 12],
    ['-0', 0],
    ['-1.5e3', -1500],
    ['12345678901234567890', 1.2345678901234567e19],
    ['true', 1],
    ['false', 0],
    ['"12"', '12'],
    ['"a\\u00e9\\n"', 'aé\n'],
    ['""', null],
    ['null', null],
    ['{"a":1}', null],
    ['[1]', null],
  ] as const;
  const text = values.map(([json]) => `{"text":"t","n":${json}}`).join('\n');
  for (const buffers of [plain, fast]) {
    const { values: found } = lines(`${text}\n{"text":"t"}`, readParams({ fields: ['n'] }), buffers);
    t.deepEqual(found, [...values.map(([, value]) => [value]), [null]]);
  }
});

test('fields are found by name, by path, and by the last of equal names; one may be the id or the text', (t) => {
  const params = readParams({ fields: ['a.b', 'id', 'text', 'c'] });
  const text =
    '{"text":"one","id":7,"a":{"b":2},"c":1,"c":3}\n{"a.b":"x","a":{"b":2},"id":"8","text":["p","q"]}\n';
  t.deepEqual(lines(text, params).values, [
    [2, 7, 'one', 3],
    ['x', '8', null, null],
  ]);
});

test('a long text counts by its first bytes', (t) => {
  const long = 'ä'.repeat(40_000);
  const params = readParams({ fields: ['n'] });
  for (const json of [JSON.stringify(long), `"${'\\u00e4'.repeat(40_000)}"`]) {
    const [[value]] = lines(`{"text":"t","n":${json}}`, params).values as [[string]];
    t.is(value, 'ä'.repeat(32_768));
  }
});

const JSON_VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\ud83d\\ude00"', '"\\ud83d"', '1e400', '-0.0', '"', '01', ' 5 ', '["a",null]', '"a"'),
);
const KEY = fc.constantFrom('text', 'id', 'n', 'a', 'a.b', '\\u006e', 'x');
const LINE = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.tuple(KEY, JSON_VALUE), { maxLength: 5 }).map(recordOf) },
  { weight: 1, arbitrary: fc.constantFrom('', '  ', '[1]', '{"text":"a"', '\r', '7') },
);

function recordOf(members: readonly (readonly [string, string])[]): string {
  return `{"text":"words", ${[...members, ['z', '{"b":"n"}']].map(([key, value]) => `"${key}":${value}`).join(',')}}`;
}

const told = ({ documents, skips }: RecordingSink) => ({ documents, skips });

test('the kernel and the reader of single lines give the same values, and documents and faults as without', (t) => {
  const fields = ['n', 'a.b', 'z.b', 'id'];
  fc.assert(
    fc.property(fc.array(LINE, { maxLength: 12 }), (some) => {
      const text = some.join('\n');
      const without = lines(text, readParams());
      const slow = lines(text, readParams({ fields }), plain);
      const quick = lines(text, readParams({ fields }));
      t.deepEqual(told(quick), told(without));
      t.deepEqual(told(slow), told(without));
      t.deepEqual(quick.values, slow.values);
      t.true(without.values.every((values) => values === null));
    }),
    { numRuns: 300, seed: 17 },
  );
});
