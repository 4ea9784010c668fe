/**
 * How much faster is the WebAssembly kernel than the plain reference, part by part?
 *
 * Both kernels run every part once, and their results are compared before a time is printed; the parity tests do this
 * thoroughly. Times are processor time of this process, the best of a few rounds after warming up. On a busy machine
 * only the ratios are reliable.
 *
 *      node dist/benchmarks/kernels.js [--quick] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { deepStrictEqual } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Wasm } from '../src/arrays/ownPages.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { createWasmKernel } from '../src/kernel/wasm.js';
import type { SketchName } from '../src/sketch/params.js';
import type { ShingleUnit } from '../src/text/shingles.js';
import { createReferenceKernel } from '../test/kernel/referenceKernel.js';
import { environment, type Row, record } from './measure/record.js';

const LICENSES = join(dirname(createRequire(import.meta.url).resolve('spdx-license-list')), 'licenses');
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
});
const { quick } = values;
const where = environment();
const ROUNDS = quick ? 2 : 5;
/** Target processor time of a round, in nanoseconds. */
const ROUND = quick ? 2e7 : 1e8;

/** A part of the kernel: its setup, and the number of units that it processes. */
interface Part {
  readonly name: string;
  readonly unit: string;
  /** Units per call. */
  readonly amount: number;
  readonly prepare: (kernel: Kernel) => { run: () => void; result: () => unknown };
}

function spent(run: () => void, times: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / times;
}

/** Nanoseconds per call. */
function timed(run: () => void): number {
  let times = 1;
  while (spent(run, times) * times < ROUND / 4 && times < 1e8) times *= 2;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) best = Math.min(best, spent(run, 4 * times));
  return best;
}

/** `count` words of a linear congruential generator; its quality is sufficient for timing. */
function words(count: number, seed: number): Uint32Array {
  let state = seed;
  return Uint32Array.from({ length: count }, () => {
    state = (Math.imul(state, 747796405) + 2891336453) | 0;
    const mixed = Math.imul(((state >>> ((state >>> 28) + 4)) ^ state) | 0, 277803737);
    return ((mixed >>> 22) ^ mixed) >>> 0;
  });
}

function shared(list: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(list.byteLength));
  copy.set(list);
  return copy;
}

function sketching(sketch: SketchName, hashes: number, count: number): Part {
  const list = words(2 * count, count);
  return {
    name: `${sketch} ${hashes}, sets of ${count}`,
    unit: 'ns a shingle',
    amount: count,
    prepare: (kernel) => {
      const sketcher = kernel.sketcher({ sketch, hashes, seed: 1 });
      const signature = new Uint32Array(sketcher.stride);
      const run = (): void => {
        sketcher.clear(signature);
        sketcher.update(signature, list, count);
      };
      return { run, result: () => signature };
    },
  };
}

function sorting(count: number): Part {
  const list = words(2 * count, 1);
  return {
    name: `sortUnique, sets of ${count}`,
    unit: 'ns a hash',
    amount: count,
    prepare: (kernel) => {
      const here = list.slice();
      let distinct = 0;
      const run = (): void => {
        here.set(list);
        distinct = kernel.sortUnique(here, count);
      };
      return { run, result: () => here.slice(0, 2 * distinct) };
    },
  };
}

function sortingKeys(count: number): Part {
  const list = words(2 * count, 1);
  return {
    name: `sortByKey64, ${count} keys`,
    unit: 'ns a key',
    amount: count,
    prepare: (kernel) => {
      const keys = list.slice();
      const payload = new Uint32Array(count);
      const run = (): void => {
        keys.set(list);
        for (let i = 0; i < count; i++) payload[i] = i;
        kernel.sortByKey64(keys, payload, count);
      };
      return { run, result: () => [keys, payload] };
    },
  };
}

/** Two sets of `count` elements that share a part, in shared memory as in a run. */
function intersecting(kernel: Kernel, count: number, share: number): Part {
  const a = words(2 * count, 1);
  const b = words(2 * count, 2);
  b.set(a.subarray(0, 2 * Math.round(count * share)));
  for (const list of [a, b]) kernel.sortUnique(list, count);
  const [inA, inB] = [shared(a), shared(b)];
  return {
    name: `common elements, 2 x ${count}, ${share * 100} % common`,
    unit: 'us a pair',
    amount: 1000,
    prepare: (tried) => {
      const common = new Uint32Array(1);
      const [first, second] = [Uint32Array.of(0), Uint32Array.of(1)];
      const run = (): void => {
        const comparer = tried.setComparer();
        comparer.clear();
        comparer.place(inA, 0, count);
        comparer.place(inB, 0, count);
        comparer.compare(first, second, 0, 1, common);
      };
      return { run, result: () => common[0] };
    },
  };
}

function shingling(texts: readonly Uint8Array[], unit: ShingleUnit, size: number): Part {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  return {
    name: `shingleStream ${unit}:${size}`,
    unit: 'MB/s',
    amount: bytes,
    prepare: (kernel) => {
      let sum = 0;
      const params = { unit, size, bag: false, stopWords: ['the', 'of', 'and', 'to', 'in'], seed: 1 };
      const stream = kernel.shingleStream(params, (hashes, count) => {
        for (let i = 0; i < 2 * count; i++) sum = (Math.imul(sum, 31) + hashes[i]!) | 0;
      });
      const run = (): void => {
        sum = 0;
        for (const text of texts) {
          stream.begin();
          stream.push(text);
          stream.end();
        }
      };
      return { run, result: () => [sum, stream.contentKey.slice()] };
    },
  };
}

function sketchingDocuments(texts: readonly Uint8Array[], unit: ShingleUnit, size: number): Part {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  return {
    name: `documentSketches ${unit}:${size}, fss 128`,
    unit: 'MB/s',
    amount: bytes,
    prepare: (kernel) => {
      const params = { unit, size, bag: false, stopWords: [], seed: 1 };
      const sketches = kernel.documentSketches(params, { sketch: 'fss', hashes: 128, seed: 1 });
      const run = (): void => {
        sketches.rows.clear();
        for (const text of texts) sketches.whole(text);
      };
      const result = (): Uint32Array => {
        const rows = new Uint32Array(sketches.rows.length * sketches.rows.stride);
        sketches.rows.copyTo(rows);
        return rows;
      };
      return { run, result };
    },
  };
}

function licenceTexts(): Uint8Array[] {
  const names = readdirSync(LICENSES).sort();
  return names.slice(0, quick ? 50 : names.length).map((name) => {
    const { licenseText } = JSON.parse(readFileSync(join(LICENSES, name), 'utf8')) as { licenseText: string };
    return new TextEncoder().encode(licenseText);
  });
}

function parts(reference: Kernel): Part[] {
  const schemes: readonly SketchName[] = ['fss', 'classic'];
  const texts = licenceTexts();
  return [
    ...schemes.flatMap((sketch) => [10, 200, 1000, 10000].map((count) => sketching(sketch, 128, count))),
    ...schemes.map((sketch) => sketching(sketch, 1024, 10000)),
    ...[100, 700, 10000, 1000000].map(sorting),
    ...[10000, 1000000].map(sortingKeys),
    ...[100, 1000, 100000].flatMap((count) => [0, 0.9].map((share) => intersecting(reference, count, share))),
    sketchingDocuments(texts, 'words', 5),
    sketchingDocuments(texts, 'chars', 9),
    shingling(texts, 'words', 5),
    shingling(texts, 'chars', 9),
    shingling(texts, 'bytes', 9),
    shingling(texts, 'lines', 1),
    shingling(texts, 'stopwords', 4),
  ];
}

/** Time per unit; its reciprocal for MB/s. */
function figure(part: Part, nanoseconds: number): string {
  const each = part.unit === 'MB/s' ? (part.amount / nanoseconds) * 1000 : nanoseconds / part.amount;
  return each.toFixed(each < 100 ? 2 : 0);
}

const reference = createReferenceKernel();
const wasm = createWasmKernel(
  await Wasm.compile(readFileSync(new URL('../src/kernel/kernel.wasm', import.meta.url))),
);
const raw: Record<string, string | number>[] = [];
const rows: Row[] = [];
for (const part of parts(reference)) {
  const [plain, fast] = [part.prepare(reference), part.prepare(wasm)];
  plain.run();
  fast.run();
  deepStrictEqual(fast.result(), plain.result(), part.name);
  const [slow, quickly] = [timed(plain.run), timed(fast.run)];
  raw.push({ name: part.name, amount: part.amount, unit: part.unit, reference: slow, kernel: quickly });
  rows.push([part.name, part.unit, figure(part, slow), figure(part, quickly), (slow / quickly).toFixed(1)]);
  process.stderr.write(`${rows.at(-1)!.join('  ')}\n`);
}
const heads = ['part', 'unit', 'reference', 'kernel', 'ratio'];
const question = 'how much faster is the kernel than the reference?';
record('kernels', question, where, { heads, rows }, raw, values.out);
