/** The rounds over hot buckets, with documents that are found to have changed between two of them. */
import test from 'ava';
import { BY_PLACE } from '../../../reducers/dropList.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { decodeBlock } from '../../../src/blocks/block.js';
import type { AgreeingPairs, HotMembers, Pairs } from '../../../src/blocks/pairs.js';
import { Run } from '../../../src/coordinator/context.js';
import type { PairComparer } from '../../../src/coordinator/pair/agreements.js';
import { forgetPairs, type StoredPairs, storePairs } from '../../../src/coordinator/pair/pairLists.js';
import { compareInRounds, keptInOrder } from '../../../src/coordinator/pair/rounds.js';
import { remainingPairs, type Verifier } from '../../../src/coordinator/verify/verify.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { checkOptions } from '../../../src/options/check.js';
import { Store } from '../../../src/store/store.js';
import { distinctPairs } from '../../kernel/referencePairs.js';
import { listOf, pairsOf } from '../../reducers/bruteForce.js';

const DOCUMENTS = 10;

/** All documents in one hot bucket. */
const ALL: HotMembers = {
  documents: Uint32Array.from({ length: DOCUMENTS }, (_, d) => d),
  buckets: new Uint32Array(DOCUMENTS),
};

/** 5 and 9 are one class. */
function contentKeys(): Uint32Array {
  const keys = Uint32Array.from({ length: 4 * DOCUMENTS }, (_, i) => i >> 2);
  keys.copyWithin(4 * 9, 4 * 5, 4 * 6);
  return keys;
}

/** Finds in a round what it is told, and reads all that is known already as a task would. */
function comparerOf(run: Run, known: string[][]): PairComparer {
  const read = ({ blocks }: StoredPairs): Pairs[] =>
    blocks.map((name) => {
      const { a, b } = decodeBlock(run.engine.store.get(name), 'pairs', name).columns;
      return { a: a as Uint32Array, b: b as Uint32Array, count: a!.length };
    });
  const compare = async (
    lists: readonly StoredPairs[],
    before: readonly StoredPairs[],
  ): Promise<AgreeingPairs> => {
    const passedBy = before.flatMap(read);
    known.push(passedBy.flatMap(listOf).map(String).sort());
    const pairs = distinctPairs(lists.flatMap(read), passedBy);
    return { ...pairs, agreement: new Uint16Array(pairs.count), accepted: new Uint8Array(pairs.count) };
  };
  return { compare } as unknown as PairComparer;
}

/** Accepts the pairs in `near`; 5 is found to have changed when it is in a pair of the second round. */
function verifierOf(near: readonly string[]) {
  const empty = new Uint8Array(DOCUMENTS);
  let calls = 0;
  const verifier = {
    classes: atOnce(identityClasses(contentKeys(), empty)),
    groups: null,
    withdrawn: new Uint8Array(DOCUMENTS),
    withdrawals: 0,
    verify: async (pairs: AgreeingPairs): Promise<VerifiedPairs> => {
      const verified = { ...pairs, exact: null };
      listOf(pairs).forEach(([a, b], row) => {
        if (near.includes(`${a},${b}`)) verified.accepted[row] = 1;
      });
      if (++calls !== 2) return verified;
      verifier.withdrawn[5] = 1;
      verifier.classes = atOnce(identityClasses(contentKeys(), verifier.withdrawn));
      verifier.withdrawals++;
      return remainingPairs(verified, verifier.withdrawn);
    },
    current: (pairs: VerifiedPairs): VerifiedPairs => remainingPairs(pairs, verifier.withdrawn),
  };
  return verifier;
}

test('a document that is withdrawn between two rounds is in no pair of any round', async (t) => {
  const store = new Store();
  const engine = await createInlineEngine({ tasks: { TASKS: {} }, setup: null, store });
  const run = new Run(checkOptions({}).resolved.params, engine, undefined, undefined);
  const members: number[][] = [];
  const known: string[][] = [];
  // What the later rounds pair.
  const made = [
    pairsOf([
      [0, 3],
      [2, 5],
    ]),
    pairsOf([[1, 7]]),
  ];
  const pairing = {
    pairMembers: async ([hot]: readonly HotMembers[]) => {
      members.push([...hot!.documents]);
      return { lists: [storePairs(run, `made/${members.length}`, made[members.length - 1]!)] };
    },
  };
  const stored = storePairs(
    run,
    'first',
    pairsOf([
      [4, 8],
      [5, 7],
    ]),
  );
  const hot = [{ ...ALL, documents: ALL.documents.filter((d) => d !== 9) }];
  const comparer = comparerOf(run, known);
  const verifier = verifierOf(['5,7', '0,3']) as unknown as Verifier;
  const first = await comparer.compare([stored], []);
  forgetPairs(run, [stored]);
  const idHashes = (documents: Uint32Array): Uint32Array => new Uint32Array(2 * documents.length);
  const how = { pairing, comparer, verifier, rule: keptInOrder(verifier, BY_PLACE), idHashes };
  const found = await compareInRounds(run, how, hot, first, null);
  // 7 goes for 5 at first, and comes back when 5 is gone.
  t.deepEqual(members, [
    [0, 1, 2, 3, 4, 5, 6, 8],
    [0, 1, 2, 4, 6, 7, 8],
  ]);
  // Of the first round, then twice a round: for its pairs, and for those of a document that leans on one at risk: 7.
  t.deepEqual(known, [
    [],
    // The pairs that the hot bucket skipped are few: all are compared.
    ['4,8', '5,7'],
    ['4,8', '5,7'],
    ['0,3', '2,5', '4,8', '5,7'],
    // What is void is not made again.
    ['0,3', '0,7', '4,8', '5,7'],
  ]);
  t.is(found.rounds, 3);
  t.deepEqual(listOf(found.verified).map(String), ['0,3', '0,7', '1,7', '4,8']);
  t.deepEqual([...found.verified.accepted], [1, 0, 0, 0]);
  t.is(store.bytes, 0);
  await engine.close();
});
