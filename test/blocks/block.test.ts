/** The block: what goes in comes out, and no damage goes unnoticed. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import {
  BLOCK_KINDS,
  type BlockBuffer,
  type BlockKind,
  type Column,
  checkBlock,
  decodeBlock,
  encodeBlock,
  sealBlock,
} from '../../src/blocks/block.js';
import { MinHashError } from '../../src/errors.js';
import { columns, KINDS, META, sample, sampleText } from './samples.js';

const copyOf = (buffer: BlockBuffer): Uint8Array<ArrayBuffer> => Uint8Array.from(new Uint8Array(buffer));

test('the numbers of block kinds never change', (t) => {
  t.deepEqual(BLOCK_KINDS, {
    documents: 1,
    partials: 3,
    signatures: 4,
    pairs: 6,
    shingleSets: 7,
    text: 8,
    buckets: 9,
    inputs: 11,
    shingleCounts: 12,
    fingerprints: 13,
    cuts: 14,
    matches: 15,
    index: 16,
    setRows: 21,
    elementSets: 22,
    segment: 24,
  });
});

test('blocks of every kind, column type and length around the alignment survive encoding and decoding', (t) => {
  for (const kind of KINDS) {
    for (const length of [0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 1000]) {
      for (const shared of [false, true]) {
        const { buffer } = sample(kind, length, shared);
        t.is(buffer instanceof SharedArrayBuffer, shared);
        t.is(buffer.byteLength % 64, 0);
        const block = checkBlock(buffer, kind, 'here');
        t.is(block.kind, kind);
        t.deepEqual(block.meta, META);
        t.deepEqual(block.columns, columns(length));
      }
    }
  }
});

test('columns are views of the buffer at multiples of 64 bytes, and never overlap', (t) => {
  const block = decodeBlock(sample('elementSets', 65).buffer);
  const views = Object.values(block.columns).sort((a, b) => a.byteOffset - b.byteOffset);
  let end = 0;
  for (const view of views) {
    t.is(view.buffer, block.buffer);
    t.is(view.byteOffset % 64, 0);
    t.true(view.byteOffset >= end);
    end = view.byteOffset + view.byteLength;
  }
  t.true(end <= block.buffer.byteLength);
});

test('encodeBlock copies, so later changes of the source have no effect', (t) => {
  const source = Uint32Array.of(1, 2);
  const block = encodeBlock('pairs', {}, { a: source });
  source[0] = 9;
  t.deepEqual([...block.columns.a!], [1, 2]);
  // A part of a larger array is copied alone.
  const part = encodeBlock('pairs', {}, { a: new Uint32Array(1000).fill(7).subarray(10, 12) });
  t.true(part.buffer.byteLength <= 192);
  t.deepEqual([...part.columns.a!], [7, 7]);
});

test('a block may have no columns and no meta', (t) => {
  const block = encodeBlock('documents', {}, {});
  sealBlock(block);
  const again = checkBlock(block.buffer, undefined, 'here');
  t.deepEqual(again, { kind: 'documents', meta: {}, columns: {}, buffer: block.buffer });
});

test('any JSON meta and any columns survive encoding and decoding, and encoding again gives the same bytes', (t) => {
  const column: fc.Arbitrary<Column> = fc.oneof(
    fc.uint8Array({ maxLength: 70 }),
    fc.uint16Array({ maxLength: 40 }),
    fc.uint32Array({ maxLength: 40 }),
    fc.float64Array({ maxLength: 20 }),
  );
  const name = fc
    .string({ minLength: 1, maxLength: 9, unit: 'grapheme' })
    .filter((text) => text !== '__proto__');
  const json = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), json, fc.dictionary(name, column), (kind, meta, given) => {
        const block = encodeBlock(kind, meta, given);
        const again = decodeBlock(block.buffer, kind);
        const twice = encodeBlock(again.kind, again.meta, again.columns);
        return Buffer.from(block.buffer as ArrayBuffer).equals(Buffer.from(twice.buffer as ArrayBuffer));
      }),
      { seed: 1, numRuns: 300 },
    ),
  );
});

test('checkBlock detects every flipped bit', (t) => {
  for (const [kind, length] of [
    ['elementSets', 3],
    ['documents', 0],
  ] as const) {
    const { buffer } = sample(kind, length);
    const undetected: number[] = [];
    for (let bit = 0; bit < 8 * buffer.byteLength; bit++) {
      const damaged = copyOf(buffer);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      for (const expected of [kind, undefined]) {
        try {
          checkBlock(damaged.buffer, expected, 'here');
          undetected.push(bit);
        } catch (error) {
          if (!(error instanceof MinHashError)) throw error;
        }
      }
    }
    t.deepEqual(undetected, []);
  }
});

test('checkBlock detects every truncation; a buffer may be longer than its block', (t) => {
  const { buffer } = sample('signatures', 20);
  const whole = copyOf(buffer);
  for (let length = 0; length < whole.length; length++) {
    const error = t.throws(() => checkBlock(whole.slice(0, length).buffer, 'signatures', 'file x'), {
      instanceOf: MinHashError,
      code: 'BLOCK_TRUNCATED',
    });
    t.regex(error!.message, /file x/);
  }
  const longer = new Uint8Array(whole.length + 1);
  longer.set(whole);
  t.is(checkBlock(longer.buffer, 'signatures', 'here').kind, 'signatures');
});

test('a block that was never sealed does not pass the check', (t) => {
  const { buffer } = encodeBlock('elementSets', {}, {});
  t.throws(() => checkBlock(buffer, 'elementSets', 'here'), { code: 'BLOCK_CHECKSUM' });
  t.notThrows(() => decodeBlock(buffer, 'elementSets'));
});

test('another magic, format or kind is BLOCK_FOREIGN, and the message has the location and the kinds', (t) => {
  for (const at of [0, 4, 8]) {
    const damaged = copyOf(sample('elementSets', 1).buffer);
    damaged[at] = 200;
    t.throws(() => decodeBlock(damaged.buffer, undefined, 'file x'), {
      code: 'BLOCK_FOREIGN',
      message: /file x/,
    });
  }
  t.throws(() => decodeBlock(sample('elementSets', 1).buffer, 'signatures'), {
    code: 'BLOCK_FOREIGN',
    message: /expected signatures, found elementSets/,
  });
});

test('a block of one kind is never accepted as another kind', (t) => {
  for (const kind of KINDS) {
    for (const other of KINDS) {
      const check = (): BlockKind => checkBlock(sample(kind, 2).buffer, other, 'here').kind;
      if (kind === other) t.is(check(), kind);
      else t.throws(check, { code: 'BLOCK_FOREIGN' });
    }
  }
});

test('the bytes do not depend on the native part of msgpackr', (t) => {
  const program = fileURLToPath(new URL('./samples.js', import.meta.url));
  const env = { ...process.env, MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true' };
  t.is(execFileSync(process.execPath, [program], { encoding: 'utf8', env }), sampleText());
});
