import test from 'ava';
import fc from 'fast-check';
import { Run } from '../../../src/coordinator/context.js';
import { forgetPairs, segmentsBetween, storePairs } from '../../../src/coordinator/pair/pairLists.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { checkOptions } from '../../../src/options/check.js';
import { createMemoryStore } from '../../../src/store/store.js';

async function emptyRun(): Promise<Run> {
  const engine = await createInlineEngine({
    tasks: { TASKS: {} },
    setup: null,
    store: createMemoryStore(),
  });
  return new Run(checkOptions({}).resolved.params, engine, undefined, undefined);
}

test('segmentsBetween two sampled rows has every row that can be between them', async (t) => {
  const run = await emptyRun();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.nat(3000), fc.integer({ min: 4000, max: 12_000 })),
      fc.constantFrom(1024, 2048),
      fc.nat(12_000),
      fc.nat(12_000),
      async (count, segmentRows, x, y) => {
        const pairs = {
          a: Uint32Array.from({ length: count }, (_, i) => i),
          b: Uint32Array.from({ length: count }, (_, i) => i + 1),
          count,
        };
        const list = await storePairs(run, 'list', pairs, segmentRows);
        t.is(list.sample.count, Math.ceil(count / list.step));
        const from = Math.min(x, y) % (list.sample.count + 1);
        const to = Math.max(from, Math.max(x, y) % (list.sample.count + 1));
        const names = segmentsBetween(list, from, to);
        // Rows strictly between the sampled ones on either side.
        const first = from === 0 ? 0 : (from - 1) * list.step + 1;
        const end = to === list.sample.count ? count : to * list.step;
        const wanted = new Set<string>();
        for (let row = first; row < end; row++) wanted.add(`list/${Math.floor(row / segmentRows)}`);
        t.deepEqual([...names], [...wanted]);
        forgetPairs(run, [list]);
        t.is(run.engine.store.bytes, 0);
      },
    ),
    { seed: 1, numRuns: 200 },
  );
  await run.engine.close();
});
