import test from 'ava';
import fc from 'fast-check';
import { ALL_HASHES, addToFilter, keepSuspects, RangeCounts } from '../../src/sketch/shingleCounts.js';

/** Hashes as [low, high], few of them different, edges of the range among them. */
const hash = fc.tuple(
  fc.constantFrom(0, 1, 2, 0xffffffff),
  fc.constantFrom(0, 1, 5, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff),
);
/** Column blocks: distinct hashes, each in some documents. */
const blocks = fc.array(
  fc.uniqueArray(fc.tuple(hash, fc.integer({ min: 1, max: 9 })), {
    selector: ([[low, high]]) => `${low} ${high}`,
    maxLength: 20,
  }),
  { maxLength: 8 },
);
type Block = readonly (readonly [readonly [number, number], number])[];

function columnsOf(block: Block) {
  const rows = [...block].sort(([[al, ah]], [[bl, bh]]) => ah - bh || al - bl);
  return {
    hashes: Uint32Array.from(rows.flatMap(([[low, high]]) => [low, high])),
    documents: Uint32Array.from(rows.map(([, documents]) => documents)),
  };
}

/** By definition: documents of every hash. */
function truthOf(list: readonly Block[]): Map<string, number> {
  const truth = new Map<string, number>();
  for (const block of list)
    for (const [[low, high], documents] of block)
      truth.set(`${low} ${high}`, documents + (truth.get(`${low} ${high}`) ?? 0));
  return truth;
}

test('frequent hashes are visited once with exact counts, for any room', (t) => {
  fc.assert(
    fc.property(
      blocks,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 20 }),
      (list, room, most) => {
        const told = new Map<string, number>();
        let ranges = 0;
        for (let from = 0; from < ALL_HASHES; ranges++) {
          const counts = new RangeCounts(from, room);
          for (const block of list) counts.add(columnsOf(block));
          counts.eachPopular(most, (low, high, documents) => {
            t.false(told.has(`${low} ${high}`));
            told.set(`${low} ${high}`, documents);
          });
          t.true(counts.below > from);
          from = counts.below;
        }
        const popular = [...truthOf(list)].filter(([, documents]) => documents > most);
        t.deepEqual(new Map([...told].sort()), new Map(popular.sort()));
        // At most a range for each of the eight high words.
        t.true(ranges <= 8);
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});

test('the filter never rules out a hash in too many documents', (t) => {
  fc.assert(
    fc.property(
      blocks,
      fc.constantFrom(2, 4, 65_536),
      fc.integer({ min: 1, max: 20 }),
      (list, size, most) => {
        const counters = new Uint16Array(size);
        for (const block of list) addToFilter(counters, columnsOf(block));
        for (const [name, documents] of truthOf(list)) {
          const [low, high] = name.split(' ').map(Number) as [number, number];
          const isSuspect = keepSuspects(Uint32Array.of(low, high), 1, counters, most, 0, ALL_HASHES) === 1;
          t.true(isSuspect || documents <= most, `${name}: ${documents}`);
        }
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('a saturated counter rules out nothing', (t) => {
  const counters = new Uint16Array(2);
  const one = { hashes: Uint32Array.of(1, 1), documents: Uint32Array.of(60_000) };
  addToFilter(counters, one);
  t.deepEqual([...counters], [60_000, 0]);
  t.is(keepSuspects(Uint32Array.of(1, 1), 1, counters, 60_000, 0, ALL_HASHES), 0);
  addToFilter(counters, one);
  t.is(keepSuspects(Uint32Array.of(1, 1), 1, counters, 100_000_000, 0, ALL_HASHES), 1);
});

test('keepSuspects keeps a range and its order', (t) => {
  const list = Uint32Array.of(9, 5, 1, 4, 2, 6, 3, 5, 4, 7);
  t.is(keepSuspects(list, 5, null, 1, 5, 7), 3);
  t.deepEqual([...list.subarray(0, 6)], [9, 5, 2, 6, 3, 5]);
});
