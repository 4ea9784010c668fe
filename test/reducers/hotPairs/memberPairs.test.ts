import test from 'ava';
import fc from 'fast-check';
import { hotPairs } from '../../../reducers/hotPairs.js';
import { MemberPairs } from '../../../reducers/streamed/memberPairs.js';
import { listOf, setOf } from '../bruteForce.js';

/** Members 0, 1, ... in any order of slots. */
const orders = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.shuffledSubarray(
    Array.from({ length: count }, (_, i) => i),
    { minLength: count },
  ),
);

test('of members that are each a group of their own MemberPairs makes the pairs of hotPairs, each once', (t) => {
  const found: [number, number][] = [];
  const pairs = new MemberPairs(0, (a, b) => found.push([a, b]));
  fc.assert(
    fc.property(orders, (order) => {
      const slots = new Uint32Array(order.length);
      order.forEach((member, place) => {
        slots[member] = place;
      });
      const documents = Uint32Array.from(order, (_, i) => i);
      const hot = { documents, buckets: new Uint32Array(order.length) };
      const wanted = hotPairs(hot, slots, new Uint32Array(2 * order.length));
      found.length = 0;
      pairs.begin();
      for (let member = 0; member < order.length; member++) pairs.announce(member, member);
      for (const member of order) pairs.add(member, member);
      t.true(found.every(([a, b]) => a < b));
      t.is(found.length, wanted.count);
      t.deepEqual(setOf(found), setOf(listOf(wanted)));
    }),
    { seed: 1, numRuns: 300 },
  );
});
