/** Arrays larger than the buffer are read in windows: the same records as of a file that is held whole. */

import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import type { TextSink } from '../../../src/blocks/documents.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import type { InputFormat } from '../../../src/sketch/formatNames.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const kernel = createWasmKernel(kernelModule);

function read(
  path: string,
  pieceBytes: number,
  format: InputFormat = 'json',
  params: ReadParams = readParams(),
  sink: TextSink = new RecordingSink(),
  by: typeof kernel | null = null,
): TextSink {
  const files = [{ ...inputFile(path), format }];
  readSource({ kind: 'files', list: listOf(files) }, params, sink, readBuffers(pieceBytes, by));
  return sink;
}

const value = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), id: fc.oneof(fc.string(), fc.double()) }),
  fc.record({ text: fc.constant('x'.repeat(300)), more: fc.jsonValue() }),
  fc.record({ text: fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.constantFrom('a', '"', null))) }),
  fc.jsonValue(),
);
const space = fc.constantFrom('', ' ', '\n', ' \r\n\t', ' '.repeat(200), ' '.repeat(3000));

test('an array in windows of any size gives what it gives as a whole, broken ones too', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 12 }),
      fc.array(space, { minLength: 26, maxLength: 26 }),
      fc.constantFrom('', '\ufeff'),
      fc.option(fc.record({ at: fc.nat(), byte: fc.constantFrom(...'[]{},:"\\0-e.tn \0', '') }), {
        nil: null,
      }),
      fc.constantFrom<InputFormat>('json', 'json-or-text'),
      fc.constantFrom(1, 2, 7, 64, 500),
      // Where bytes are compared there are no binary files, and no window large enough to tell.
      fc.constantFrom(false, true, true),
      (values, spaces, mark, damage, format, pieceBytes, bytesOnly) => {
        const elements = values.map((one, i) => `${spaces[2 * i]}${JSON.stringify(one)}${spaces[2 * i + 1]}`);
        const bytes = Buffer.from(`${mark}${spaces[24]}[${elements.join(',')}]${spaces[25]}`);
        if (damage === null) writeFileSync(path, bytes);
        else {
          const at = damage.at % bytes.length;
          // An empty one cuts the file off.
          const rest = damage.byte === '' ? [] : [Buffer.from(damage.byte), bytes.subarray(at + 1)];
          writeFileSync(path, Buffer.concat([bytes.subarray(0, at), ...rest]));
        }
        const params = readParams({ bytes: bytesOnly });
        const whole = read(path, 1 << 20, format, params);
        for (const by of [null, kernel]) {
          t.deepEqual(read(path, pieceBytes, format, params, new RecordingSink(), by), whole);
        }
      },
    ),
    { seed: 1, numRuns: 250 },
  );
});

test('records beyond --max-document are named one by one, and an element that cannot be held names the file', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  const params = readParams({ maxDocument: 100 });
  const records = [{ text: 'x'.repeat(100) }, { text: 'y'.repeat(101) }, { text: 'z' }];
  writeFileSync(path, JSON.stringify(records));
  const sink = read(path, 64, 'json', params) as RecordingSink;
  t.deepEqual(sink.texts, ['x'.repeat(100), 'z']);
  t.deepEqual(sink.codes, ['1 TOO_LARGE']);
  // 6 bytes a character and 1 MiB are held.
  writeFileSync(path, JSON.stringify([...records, { text: 'a', more: 'm'.repeat(1_100_000) }]));
  const other = read(path, 64, 'json', params) as RecordingSink;
  t.deepEqual([other.texts, other.codes], [[], ['-1 TOO_LARGE']]);
  // However many there are, together they may be longer.
  writeFileSync(
    path,
    JSON.stringify(Array.from({ length: 3 }, () => ({ text: 'a', more: 'm'.repeat(900_000) }))),
  );
  t.deepEqual((read(path, 64, 'json', params) as RecordingSink).texts, ['a', 'a', 'a']);
});

test('a binary file is named, and a NUL later than the start is none of JSON', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  writeFileSync(path, `[{"text":"a\0${'b'.repeat(100)}"}]`);
  t.deepEqual((read(path, 16) as RecordingSink).codes, (read(path, 1 << 20) as RecordingSink).codes);
  writeFileSync(path, `[{"text":"a"},${' '.repeat(9000)}\0]`);
  t.deepEqual((read(path, 16) as RecordingSink).codes, ['-1 JSON_BROKEN']);
});

test('an array that is cut short while it is given is named from there on', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  writeFileSync(path, JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ text: `text ${i}` }))));
  class Cutting extends RecordingSink {
    override whole(...args: Parameters<RecordingSink['whole']>): void {
      super.whole(...args);
      if (this.documents.length === 3) truncateSync(path, 100);
    }
  }
  const sink = read(path, 20, 'json', readParams(), new Cutting()) as RecordingSink;
  t.true(sink.documents.length >= 3 && sink.documents.length < 2000);
  t.deepEqual(sink.codes, [`${sink.documents.length} CHANGED`]);
});

test('an array that is read again with the same buffers is looked at anew once it changed', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  const buffers = readBuffers(16);
  const readAgain = (): RecordingSink => {
    const sink = new RecordingSink();
    const files = [{ ...inputFile(path), format: 'json' as const }];
    readSource({ kind: 'files', list: listOf(files) }, readParams(), sink, buffers);
    return sink;
  };
  writeFileSync(path, '[{"text":"one"}, {"text":"two"}]');
  t.deepEqual(readAgain().texts, ['one', 'two']);
  t.deepEqual(readAgain().texts, ['one', 'two']);
  writeFileSync(path, '[{"text":"one"}, {"text":"two"}, {"text":"three"}]');
  t.deepEqual(readAgain().texts, ['one', 'two', 'three']);
  writeFileSync(path, '[{"text":"one"}, {"text":"two"}, {"text":"three"}');
  t.deepEqual([readAgain().texts, readAgain().codes], [[], ['-1 JSON_BROKEN']]);
});
