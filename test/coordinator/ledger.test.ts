/** Every stage's counts are kept, and one that does not balance fails the run with a report. */
import test from 'ava';
import fc from 'fast-check';
import { Ledger } from '../../src/coordinator/context.js';
import { MinHashError } from '../../src/errors.js';

test('a balance holds only if the parts add up', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: -3, max: 3 }),
      (parts, off) => {
        const ledger = new Ledger();
        const taken = parts.reduce((sum, part) => sum + part, 0) + off;
        const given = Object.fromEntries(parts.map((part, i) => [`part ${i}`, part]));
        if (off === 0) ledger.balance('sketch', 'documents', taken, given);
        else {
          const error = t.throws(() => ledger.balance('sketch', 'documents', taken, given), {
            instanceOf: MinHashError,
          });
          t.is(error.code, 'COUNTS_UNBALANCED');
          t.true(error.message.includes(`stage sketch, documents: ${taken} in, ${taken - off} out (`));
        }
        t.deepEqual(ledger.balances, [{ stage: 'sketch', what: 'documents', taken, given }]);
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});
