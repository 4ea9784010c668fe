/** Small files that a kernel takes where they are read are documents like those that are read one by one. */
import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { shingleSets } from '../../mappers/shingleSets.js';
import { documentSignatures } from '../../mappers/signatures.js';
import type { Block } from '../../src/blocks/block.js';
import type { DocumentFeed } from '../../src/blocks/documents.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import type { ReadParams } from '../../src/readers/documentSink.js';
import { UNKNOWN } from '../../src/readers/list/fileList.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { documents, encode } from '../data/shingledDocuments.js';
import { inputFile, temporaryFolder } from '../data/temporaryFolder.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { listOf, readSource } from './list/fileTables.js';
import { readParams } from './recordingSink.js';

const wasm = createWasmKernel(kernelModule);
const reference = createReferenceKernel();

const text = (length: number): Uint8Array =>
  encode('The quick é brown fox. '.repeat(2000)).subarray(0, length);

/** Plain texts, and all that is none or shows only when it is read. */
const contents = fc.oneof(
  documents,
  fc.constantFrom(0, 1, 4095, 4096, 4097, 8192, 20_000, 32_767, 32_768, 32_769, 40_000).map(text),
  fc.constantFrom<string | Uint8Array>(
    ' \n<html><p>A page of HTML with some words',
    '\ufeff<!doctype html><p>One more',
    ' < is less than > in a text',
    '\ufeffa mark before words',
    'nul\0nul',
    `${'late '.repeat(1700)}\0`,
    '%PDF-1.4 and so on',
    'Percent, Person, SQL and PK',
    'P*',
    'e\u0301 \u0301\u0323 q\u0323\u0307 marks',
    gzipSync('compressed words are here'),
    Buffer.from('\ufeffsixteen bits a character', 'utf16le'),
  ),
);

const params = fc.record({
  unit: fc.constantFrom<ShingleParams['unit']>('words', 'chars', 'bytes', 'lines'),
  textFormat: fc.constantFrom<ReadParams['textFormat']>('auto', 'text', 'html'),
  maxDocument: fc.constantFrom(1 << 30, 4096),
  leastTokens: fc.constantFrom(0, 3),
  isSized: fc.boolean(),
});

type Case = typeof params extends fc.Arbitrary<infer T> ? T : never;

/** The tables and all other columns that three mappers make of the files. */
function made(files: readonly ReturnType<typeof inputFile>[], given: Case, kernel: Kernel): unknown {
  const shingle: ShingleParams = { unit: given.unit, size: 3, bag: false, stopWords: [], seed: 5 };
  const read = readParams({ textFormat: given.textFormat, maxDocument: given.maxDocument });
  const list = listOf(files);
  if (!given.isSized) list.sizes.fill(UNKNOWN);
  const feed: DocumentFeed = (sink) => {
    sink.leaveAlone?.(given.leastTokens);
    readSource({ kind: 'files', list }, { ...read, shingle }, sink);
  };
  const told = ({ meta, columns }: Block): unknown => ({ meta, columns });
  const sketch = { sketch: 'fss', hashes: 30, seed: 1 } as const;
  const banding = { bands: 5, rows: 6 };
  const sketched = documentSignatures(feed, kernel, shingle, { sketch, banding });
  const partial = partialSignatures(feed, kernel, shingle, sketch, 4);
  const wanted = list.indexes.filter((index) => index % 3 > 0);
  const sets = shingleSets(feed, kernel, shingle, {
    file: wanted,
    record: new Float64Array(wanted.length).fill(-1),
  });
  return [
    [sketched, partial].map(({ documents: end }) => told(end(0))),
    [told(sketched.signatures), told(partial.partials), [...sets.counts], [...sets.hashes]],
  ];
}

function sameOf(t: ExecutionContext, given: readonly (string | Uint8Array)[], of: Case, gone: number): void {
  const named = given.map((content, i) => [`f${String(i).padStart(5, '0')}`, content] as const);
  const top = temporaryFolder(t, Object.fromEntries(named));
  const files = named.map(([name], i) => inputFile(`${top}/${name}`, i + 2));
  if (gone < files.length) rmSync(files[gone]!.path);
  deepSame(t, made(files, of, wasm), made(files, of, reference));
}

test('whatever small files hold, and however they are read, their documents are those of the reference', (t) => {
  const list = fc.array(contents, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(list, params, fc.nat(14), (given, of, gone) => {
      sameOf(t, given, of, gone);
    }),
    { seed: 1, numRuns: 120 },
  );
});

test('more small files than wait in rows at once', (t) => {
  const given = Array.from({ length: 1100 }, (_, i) => `the words of file ${i % 700} are these`);
  const of = { unit: 'words', textFormat: 'auto', maxDocument: 4096, leastTokens: 0 } as const;
  sameOf(t, given, { ...of, isSized: false }, 1200);
});
