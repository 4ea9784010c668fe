/** Large arrays are cut into blocks of elements: read one by one they are what they are as one file. */
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import type { Block } from '../../../src/blocks/block.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { arrayCuts } from '../../../src/readers/formats/json/jsonArrays.js';
import { type ArrayFile, type ElementsSplit, elementSplits } from '../../../src/readers/split.js';
import type { InputFormat } from '../../../src/sketch/formatNames.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const kernel = createWasmKernel(kernelModule);
const PLAIN = [1, 7, 64, 500, 1 << 16].map((bytes) => readBuffers(bytes));
const FAST = [1, 64, 500, 1 << 16].map((bytes) => readBuffers(bytes, kernel));
const WHOLE = readBuffers(1 << 22);

const arrayFile = (path: string, step: number, format: InputFormat = 'json'): ArrayFile => ({
  file: { ...inputFile(path), format },
  index: 0,
  step,
});

const cut = (file: ArrayFile, params: ReadParams, buffers: ReadBuffers): Block =>
  arrayCuts(file, params, buffers, () => {});

function readWhole({ file }: ArrayFile, params: ReadParams): RecordingSink {
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf([{ ...file, index: 0 }]) }, params, sink, WHOLE);
  return sink;
}

function readBlocks(
  sources: Iterable<ElementsSplit>,
  params: ReadParams,
  buffers: ReadBuffers,
): RecordingSink {
  const sink = new RecordingSink();
  for (const source of sources) readSource(source, params, sink, buffers);
  return sink;
}

const told = ({ documents, skips }: RecordingSink) => ({ documents, skips });

const escapes = fc
  .array(
    fc.constantFrom('\\n', '\\"', '\\\\', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', 'é', ']', '{', ',', ' x'),
  )
  .map((pieces) => `{"id":"i\\u002f","text":"${pieces.join('')}"}`);
const value = fc.oneof(
  escapes,
  fc
    .record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), id: fc.oneof(fc.string(), fc.double()) })
    .map((one) => JSON.stringify(one)),
  fc
    .record({ text: fc.constant('x'.repeat(300)), more: fc.jsonValue() })
    .map((one) => JSON.stringify(one, null, 2)),
  fc.constantFrom(
    '{"text":"a","id":[1]}',
    '{"text":7}',
    '{"id":"only"}',
    `{"text":"b","more":${'['.repeat(40)}${']'.repeat(40)}}`,
  ),
  fc.jsonValue().map((one) => JSON.stringify(one)),
);
const space = fc.constantFrom('', '', '\n', ' \r\n\t', ' '.repeat(200));
const damage = fc.record({ at: fc.nat(), byte: fc.constantFrom(...'[]{},:"\\0-e.tn \0', '') });

test('blocks of elements are the array, wherever it is cut, and a broken one is not cut at all', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  let cutFiles = 0;
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 14 }),
      fc.array(space, { minLength: 30, maxLength: 30 }),
      fc.constantFrom('', '', '\ufeff'),
      fc.option(damage, { nil: null, freq: 4 }),
      fc.constantFrom<InputFormat>('json', 'json', 'json-or-text'),
      fc.constantFrom(1, 5, 40, 300, 100_000),
      fc.constantFrom(...PLAIN, ...FAST),
      fc.constantFrom(...PLAIN, ...FAST),
      (values, spaces, mark, damaged, format, step, buffers, others) => {
        const elements = values.map((one, i) => `${spaces[2 * i]}${one}${spaces[2 * i + 1]}`);
        const bytes = Buffer.from(`${mark}${spaces[28]}[${elements.join(',')}]${spaces[29]}`);
        if (damaged === null) writeFileSync(path, bytes);
        else {
          const at = damaged.at % bytes.length;
          const rest = damaged.byte === '' ? [] : [Buffer.from(damaged.byte), bytes.subarray(at + 1)];
          writeFileSync(path, Buffer.concat([bytes.subarray(0, at), ...rest]));
        }
        // No window is too small to tell a binary file where bytes are compared.
        const params = readParams({ bytes: buffers.piece.length < 8192 });
        const file = arrayFile(path, step, format);
        const found = cut(file, params, buffers);
        t.deepEqual(found.columns, cut(file, params, others).columns);
        t.deepEqual(found.meta, cut(file, params, others).meta);
        const sources = [...elementSplits(file, found)];
        const whole = readWhole(file, params);
        if (sources.length === 0) {
          // It is broken, empty, or no array; or a text, or (not an array any more) one record.
          t.true(whole.documents.length + whole.skips.length <= 1);
          t.true([...whole.documents, ...whole.skips].every(({ record }) => record === -1));
          return;
        }
        cutFiles++;
        t.deepEqual(told(readBlocks(sources, params, others)), told(whole));
        sources.forEach((source, i) => {
          const { from, to, first, count } = source;
          t.is(from, i === 0 ? from : sources[i - 1]!.to);
          t.is(first, i === 0 ? 0 : sources[i - 1]!.first + sources[i - 1]!.count);
          t.true(count > 0);
          const inner = readFileSync(path)
            .subarray(from, to)
            .toString()
            .replace(/^\s*,/, i === 0 ? '$&' : '');
          const sizes = JSON.parse(`[${inner}]`) as unknown[];
          t.is(sizes.length, count);
          if (i + 1 < sources.length) t.true(to - from >= step);
        });
      },
    ),
    { seed: 1, numRuns: 300 },
  );
  t.true(cutFiles > 20, `${cutFiles}`);
});

test('a huge element between small ones is a block with those before it', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  const huge = { text: 'h'.repeat(3_000_000), id: 'huge' };
  const small = Array.from({ length: 9000 }, (_, i) => ({ id: `s${i}`, text: `small ${i}` }));
  writeFileSync(path, JSON.stringify([...small.slice(0, 1000), huge, ...small.slice(1000)]));
  const file = arrayFile(path, 50_000);
  for (const buffers of [readBuffers(1 << 16), readBuffers(1 << 16, kernel)]) {
    const sources = [...elementSplits(file, cut(file, readParams(), buffers))];
    const sizes = sources.map(({ from, to }) => to - from);
    t.is(sizes.filter((size) => size > 60_000).length, 1);
    t.is(Math.max(...sizes) < 3_050_100, true);
    t.deepEqual(told(readBlocks(sources, readParams(), buffers)), told(readWhole(file, readParams())));
  }
});

test('an element that is too long to be held makes the file too large, wherever it stands in a window', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  const params = readParams({ maxDocument: 10 });
  // 6 bytes a character and 1 MiB are held.
  for (const [more, known] of [
    [(1 << 20) + 30, true],
    [(1 << 20) + 61, false],
  ] as const) {
    writeFileSync(path, `[{"text":"a"},{"text":"b","m":"${'m'.repeat(more - 19)}"},{"text":"c"}]`);
    for (const buffers of [
      readBuffers(64),
      readBuffers(4 << 20),
      readBuffers(64, kernel),
      readBuffers(4 << 20, kernel),
    ]) {
      const file = arrayFile(path, 100);
      t.is([...elementSplits(file, cut(file, params, buffers))].length > 0, known);
      const sink = new RecordingSink();
      // The reader has to think it larger than what is read whole.
      const list = listOf([{ ...file.file, index: 0 }]);
      readSource({ kind: 'files', list }, params, sink, buffers);
      t.deepEqual(sink.codes, known ? [] : ['-1 TOO_LARGE']);
    }
  }
});

/** Elements of 19 bytes with their comma. */
const ELEMENTS = Array.from({ length: 400 }, (_, i) => `{"text":"t${String(i).padStart(6, '0')}"}`);

test('what is not as it was when the file was cut is CHANGED from there on', (t) => {
  const path = join(temporaryFolder(t), 'a.json');
  const write = (elements: readonly string[]): void => writeFileSync(path, `[${elements.join(',')}]`);
  for (const buffers of [readBuffers(64), readBuffers(4096, kernel)]) {
    write(ELEMENTS);
    const file = arrayFile(path, 1000);
    const sources = [...elementSplits(file, cut(file, readParams(), buffers))];
    const codes = (): string[] => readBlocks(sources, readParams(), buffers).codes;
    t.deepEqual(codes(), []);
    t.is(sources.length, 8);
    appendFileSync(path, ' and more');
    t.deepEqual(codes(), [], 'what is behind the elements is not looked at again');
    // Cut within the third block: that from the element on which is gone, the others from their first.
    truncateSync(path, sources[2]!.from + 2 * 19 + 3);
    const firsts = sources.map(({ first }) => first);
    t.deepEqual(
      codes(),
      [firsts[2]! + 2, ...firsts.slice(3)].map((first) => `${first} CHANGED`),
    );
    // One longer by a byte, and the next one shorter: blocks end where they ended, and all is valid.
    write(ELEMENTS.with(3, '{"text":"t0000033"}').with(4, '{"text":"t00004"}'));
    t.deepEqual(codes(), []);
    // An element more and one less in the same bytes.
    const two = '{"text":""},{"t":1}';
    t.is(two.length, ELEMENTS[3]!.length + 1);
    write(ELEMENTS.with(3, two).with(4, '{"text":"t00004"}'));
    t.deepEqual(codes(), ['4 JSON_NO_TEXT', `${firsts[1]} CHANGED`]);
    write(ELEMENTS.with(3, `{"text":"${'x'.repeat(7 + 19)}"}`).toSpliced(4, 1));
    t.deepEqual(codes(), [`${firsts[1]! - 1} CHANGED`]);
    // All of it moved by a byte.
    write(['1', ...ELEMENTS]);
    t.is(codes().filter((code) => code.endsWith(' CHANGED')).length, sources.length);
    writeFileSync(path, '');
    t.deepEqual(
      codes(),
      firsts.map((first) => `${first} CHANGED`),
    );
    rmSync(path);
    t.deepEqual(
      codes(),
      firsts.map(() => '-1 VANISHED'),
    );
  }
});

test('what is no array, or cannot be read, is not cut', (t) => {
  const folder = temporaryFolder(t, {
    'object.json': `{"text":"${'a'.repeat(200)}"}`,
    'empty.json': '[ \n ]',
    'nothing.json': '',
    'binary.json': '[{"text":"a\0"}]',
    'rest.json': '[{"text":"a"}] 1',
    'texts.json': '[{"title":"a"},{"title":"b"}]',
    'folder.json/': '',
  });
  const cuts = (name: string, format: InputFormat = 'json', bytes = false): number => {
    const file = { ...inputFile(`${folder}/object.json`), path: `${folder}/${name}`, format };
    const found = cut({ file, index: 0, step: 5 }, readParams({ bytes }), PLAIN[3]!);
    return found.columns.to!.length;
  };
  for (const name of ['object', 'empty', 'nothing', 'binary', 'rest', 'folder', 'gone']) {
    t.is(cuts(`${name}.json`), 0, name);
  }
  t.is(cuts('texts.json', 'json-or-text'), 0);
  t.is(cuts('texts.json'), 2);
});
