/** Pairs made in the first band in which they agree: each once, none that small buckets make, all of the others. */
import test from 'ava';
import fc from 'fast-check';
import { bucketSizesOf, partedMembers, spansOf } from '../../reducers/largeBuckets.js';
import {
  CAPPED,
  type CompareMembers,
  type HotMembers,
  LARGE,
  type MemberRows,
  type SpanPair,
} from '../../src/blocks/pairs.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { agreementOf } from '../../src/sketch/probability.js';
import { compareMembers } from '../kernel/referencePairs.js';
import { kernelModule } from '../kernel/sketchKernels.js';

const kernel = createWasmKernel(kernelModule);

interface Case {
  readonly bands: number;
  readonly rows: number;
  readonly hashes: number;
  readonly stride: number;
  readonly signatures: Uint32Array;
  readonly documents: number;
}

/** Signatures of few values, and every second one nearly that before it, so that they agree in many bands, and in long ones. */
const cases = fc
  .record({
    bands: fc.integer({ min: 1, max: 6 }),
    rows: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom(30, 70)),
    more: fc.integer({ min: 0, max: 5 }),
    documents: fc.integer({ min: 2, max: 30 }),
    values: fc.integer({ min: 2, max: 4 }),
    seed: fc.integer(),
  })
  .map(({ bands, rows, more, documents, values, seed }): Case => {
    const hashes = bands * rows + more;
    const stride = Math.ceil(hashes / 16) * 16;
    const signatures = new Uint32Array(stride * documents);
    let state = seed >>> 0;
    for (let d = 0; d < documents; d++) {
      for (let slot = 0; slot < hashes; slot++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const isCopied = d % 2 === 1 && state >>> 26 !== 0;
        signatures[d * stride + slot] = isCopied
          ? signatures[(d - 1) * stride + slot]!
          : (state >>> 16) % values;
      }
    }
    return { bands, rows, hashes, stride, signatures, documents };
  });

/** The buckets of a band, numbered in the order of their first members; none of one document. */
function membersIn({ signatures, stride, rows, documents }: Case, band: number): HotMembers {
  const byKey = new Map<string, number[]>();
  for (let d = 0; d < documents; d++) {
    const at = d * stride + band * rows;
    const key = signatures.subarray(at, at + rows).join(' ');
    byKey.set(key, [...(byKey.get(key) ?? []), d]);
  }
  const found = [...byKey.values()].filter(({ length }) => length > 1);
  const all = found.flatMap((members, bucket) => members.map((document) => ({ document, bucket })));
  all.sort((x, y) => x.document - y.document);
  return {
    documents: Uint32Array.from(all, ({ document }) => document),
    buckets: Uint32Array.from(all, ({ bucket }) => bucket),
  };
}

interface Made {
  /** `a b agreement`, sorted. */
  readonly pairs: readonly string[];
  readonly counts: readonly number[];
}

/** All pairs that large buckets make. `part`: of so many members at a time. */
function made(
  one: Case,
  small: number,
  most: number,
  least: number,
  compare: CompareMembers,
  part: number,
): Made {
  const { bands, rows, hashes, stride, signatures, documents } = one;
  const states = new Uint8Array(bands * documents);
  const parted = Array.from({ length: bands }, (_, band) => {
    const members = membersIn(one, band);
    const sizes = bucketSizesOf(members);
    const isListed = (i: number): boolean => sizes[members.buckets[i]!]! <= small;
    const kept = [...members.documents.keys()].filter((i) => !isListed(i));
    const names = [...new Set(kept.map((i) => members.buckets[i]!))];
    const larger = {
      documents: Uint32Array.from(kept, (i) => members.documents[i]!),
      buckets: Uint32Array.from(kept, (i) => names.indexOf(members.buckets[i]!)),
    };
    const { large, capped } = partedMembers(larger, bucketSizesOf(larger), most);
    for (const d of large.members) states[d * bands + band] = LARGE;
    for (const d of capped.documents) states[d * bands + band] = CAPPED;
    return large;
  });
  const pairs: string[] = [];
  const counts = new Float64Array(hashes + 1);
  parted.forEach(({ offsets, members }, band) => {
    const held: MemberRows = {
      documents: members,
      stride,
      signatures: Uint32Array.from({ length: stride * members.length }, (_, i) => {
        return signatures[members[Math.floor(i / stride)]! * stride + (i % stride)]!;
      }),
      states: Uint8Array.from({ length: bands * members.length }, (_, i) => {
        return states[members[Math.floor(i / bands)]! * bands + (i % bands)]!;
      }),
    };
    const spans: SpanPair[] = [];
    for (let k = 0; k + 1 < offsets.length; k++) {
      for (let i = offsets[k]!; i < offsets[k + 1]!; i += part) {
        for (let j = i; j < offsets[k + 1]!; j += part) {
          const span = (from: number) => ({ from, to: Math.min(offsets[k + 1]!, from + part) });
          spans.push({ one: span(i), other: span(j) });
        }
      }
    }
    compare(held, spans, { band, bands, rows, hashes, least }, counts, (a, b, agreement, count) => {
      for (let i = 0; i < count; i++) pairs.push(`${a[i]} ${b[i]} ${agreement[i]}`);
    });
  });
  return { pairs: pairs.sort(), counts: [...counts] };
}

const bounds = fc.record({
  small: fc.integer({ min: 1, max: 4 }),
  more: fc.integer({ min: 0, max: 20 }),
  least: fc.integer({ min: 0, max: 24 }),
  part: fc.integer({ min: 1, max: 9 }),
});

test('the kernel makes the pairs and counts of the reference, in any parts', (t) => {
  fc.assert(
    fc.property(cases, bounds, (one, { small, more, least, part }) => {
      const expected = made(one, small, small + more, least, compareMembers, 1000);
      t.deepEqual(made(one, small, small + more, least, kernel.pairing!.compareMembers, part), expected);
      t.deepEqual(made(one, small, small + more, least, compareMembers, part), expected);
    }),
    { seed: 33, numRuns: 200 },
  );
});

test('a pair is made once, unless it shares a small bucket or only hot ones; those below the margin are counted', (t) => {
  fc.assert(
    fc.property(cases, bounds, (one, { small, more, least, part }) => {
      const { bands, rows, stride, signatures, hashes, documents } = one;
      const most = small + more;
      const sizeAt = Array.from({ length: bands }, (_, band) => {
        const members = membersIn(one, band);
        const sizes = bucketSizesOf(members);
        const bySize = new Map([...members.documents].map((d, i) => [d, sizes[members.buckets[i]!]!]));
        return (d: number): number => bySize.get(d) ?? 1;
      });
      const pairs: string[] = [];
      const counts = new Array<number>(hashes + 1).fill(0);
      for (let a = 0; a < documents; a++) {
        for (let b = a + 1; b < documents; b++) {
          const shared: number[] = [];
          for (let band = 0; band < bands; band++) {
            const [x, y] = [a * stride + band * rows, b * stride + band * rows];
            if (agreementOf(signatures, x, signatures, y, rows) === rows) shared.push(sizeAt[band]!(a));
          }
          if (shared.some((size) => size <= small) || !shared.some((size) => size <= most)) continue;
          const equal = agreementOf(signatures, a * stride, signatures, b * stride, hashes);
          if (equal >= least || shared.some((size) => size > most)) pairs.push(`${a} ${b} ${equal}`);
          else counts[equal]!++;
        }
      }
      t.deepEqual(made(one, small, most, least, compareMembers, part), { pairs: pairs.sort(), counts });
    }),
    { seed: 34, numRuns: 200 },
  );
});

test('members stay with their buckets when these are parted by size', (t) => {
  const members = {
    documents: Uint32Array.of(1, 2, 3, 5, 8, 9, 11),
    buckets: Uint32Array.of(0, 1, 0, 1, 2, 1, 2),
  };
  const { large, capped } = partedMembers(members, bucketSizesOf(members), 2);
  t.deepEqual([...large.members], [1, 3, 8, 11]);
  t.deepEqual([...large.offsets], [0, 2, 4]);
  t.deepEqual([...capped.documents], [2, 5, 9]);
  t.deepEqual([...capped.buckets], [0, 0, 0]);
});

test('spans have every pair of rows of two groups once, within a span and of two', (t) => {
  const sizes = fc.array(fc.constantFrom(1, 1, 1, 2, 5), { maxLength: 9 });
  fc.assert(
    fc.property(sizes, fc.nat(20), fc.boolean(), (groups, cut, hasGroups) => {
      const of = groups.flatMap((size, group) => new Array<number>(size).fill(group));
      const middle = Math.min(cut, of.length);
      const [one, other] = [
        { from: 0, to: middle },
        { from: middle, to: of.length },
      ];
      const given = hasGroups ? of : null;
      const spans = [
        ...spansOf(one, one, given),
        ...spansOf(other, other, given),
        ...spansOf(one, other, given),
      ];
      const found = spans.flatMap(({ one: x, other: y }) =>
        of.flatMap((_, i) =>
          of.flatMap((_, j) =>
            i >= x.from && i < x.to && j > i && j >= y.from && j < y.to ? [`${i} ${j}`] : [],
          ),
        ),
      );
      const wanted = of.flatMap((_, i) =>
        of.flatMap((_, j) => (i < j && (given === null || of[i] !== of[j]) ? [`${i} ${j}`] : [])),
      );
      t.deepEqual(found.sort(), wanted.sort());
      t.true(spans.every(({ one: x, other: y }) => x.from < x.to && y.from < y.to && x.from <= y.from));
    }),
    { seed: 41, numRuns: 300 },
  );
});
