/** greedyRoots against its definition, document after document. */
import test from 'ava';
import fc from 'fast-check';
import { clusterTable, greedyRoots } from '../../../reducers/clusters.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import type { SignatureBlocks } from '../../../src/blocks/pairs.js';
import { agreementOf, leastAccepted } from '../../../src/sketch/probability.js';

const HASHES = 16;

interface Scene {
  /** Slots of each document, few values each, so that many agree. */
  readonly signatures: readonly (readonly number[])[];
  /** Documents with the same letter are identical. */
  readonly contents: readonly number[];
  /** Which pairs are candidates. */
  readonly isCandidate: (a: number, b: number) => boolean;
  readonly threshold: number;
}

const scenes: fc.Arbitrary<Scene> = fc
  .array(
    fc.tuple(fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: HASHES, maxLength: HASHES }), fc.nat(30)),
    { maxLength: 25 },
  )
  .chain((documents) => {
    // Identical documents have one signature.
    const contents = documents.map(([, content]) => content);
    const signatures = documents.map((_, d) => documents[contents.indexOf(contents[d]!)]![0]);
    return fc.record({
      signatures: fc.constant(signatures),
      contents: fc.constant(contents),
      isCandidate: fc.constantFrom<Scene['isCandidate']>(
        () => true,
        (a, b) => (a + b) % 3 > 0,
        () => false,
      ),
      threshold: fc.constantFrom(0.25, 0.5, 0.7, 0.8, 1),
    });
  });

function classesOf({ contents }: Scene) {
  const keys = Uint32Array.from(contents.flatMap((content) => [content, 0, 0, 0]));
  return atOnce(identityClasses(keys, new Uint8Array(contents.length)));
}

/** In two column blocks, even and odd documents, with padding. */
function blocksOf({ signatures }: Scene): SignatureBlocks {
  const stride = HASHES + 4;
  const slots = (parity: number): Uint32Array =>
    Uint32Array.from(
      signatures
        .filter((_, d) => d % 2 === parity)
        .flatMap((row) => [...row, ...Array.from({ length: 4 }, () => 0xffffffff)]),
    );
  return {
    blocks: [slots(0), slots(1)],
    blockOf: Uint32Array.from(signatures, (_, d) => d % 2),
    columnOf: Uint32Array.from(signatures, (_, d) => d >> 1),
    stride,
    hashes: HASHES,
  };
}

function candidatesOf(scene: Scene, first: Uint32Array) {
  const rows: [number, number, number][] = [];
  scene.signatures.forEach((x, a) => {
    scene.signatures.forEach((y, b) => {
      if (a >= b || first[a] !== a || first[b] !== b || !scene.isCandidate(a, b)) return;
      rows.push([a, b, agreementOf(Uint32Array.from(x), 0, Uint32Array.from(y), 0, HASHES)]);
    });
  });
  return {
    a: Uint32Array.from(rows, ([a]) => a),
    b: Uint32Array.from(rows, ([, b]) => b),
    agreement: Uint16Array.from(rows, ([, , agreement]) => agreement),
    count: rows.length,
  };
}

type Candidates = ReturnType<typeof candidatesOf>;

/** Whether chains of pairs of enough agreement link two documents. */
function linkedOf({ a, b, agreement, count }: Candidates, documents: number, least: number): number[] {
  const component = Array.from({ length: documents }, (_, d) => d);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 0; i < count; i++) {
      const [x, y] = [component[a[i]!]!, component[b[i]!]!];
      if (agreement[i]! < least || x === y) continue;
      component[a[i]!] = component[b[i]!] = Math.min(x, y);
      changed = true;
    }
  }
  return component;
}

function rootsByDefinition(
  scene: Scene,
  candidates: Candidates,
  first: Uint32Array,
  isPopular: boolean,
): number[] {
  const { signatures, threshold } = scene;
  const component = linkedOf(candidates, signatures.length, leastAccepted(threshold, HASHES));
  const clusters: { founder: number; members: number[]; representative: Set<string> }[] = [];
  const fingerprints = (d: number): string[] =>
    signatures[d]!.map((value, slot) => `${String(slot).padStart(2, '0')} ${value}`);
  const roots = signatures.map((_, d) => d);
  signatures.forEach((_, d) => {
    if (first[d] !== d) {
      roots[d] = roots[first[d]!]!;
      return;
    }
    const mine = fingerprints(d);
    const shares = clusters.map(({ founder, representative }) =>
      component[founder] === component[d] ? mine.filter((one) => representative.has(one)).length / HASHES : 0,
    );
    const best = shares.reduce((found, share, i) => (share > (shares[found] ?? 0) ? i : found), -1);
    if (best < 0 || shares[best]! < threshold) {
      clusters.push({ founder: d, members: [d], representative: new Set(mine) });
      return;
    }
    const cluster = clusters[best]!;
    cluster.members.push(d);
    roots[d] = cluster.founder;
    if (!isPopular || !Number.isInteger(Math.log2(cluster.members.length))) return;
    const counts = new Map<string, number>();
    for (const one of cluster.members.flatMap(fingerprints)) counts.set(one, (counts.get(one) ?? 0) + 1);
    const popular = [...counts].sort(([x, countX], [y, countY]) => countY - countX || (x < y ? -1 : 1));
    cluster.representative = new Set(popular.slice(0, HASHES).map(([one]) => one));
  });
  return roots;
}

for (const representative of ['first', 'popular'] as const) {
  test(`greedyRoots with representative ${representative} does what its definition says`, (t) => {
    let joined = 0;
    fc.assert(
      fc.property(scenes, (scene) => {
        const classes = classesOf(scene);
        const candidates = candidatesOf(scene, classes.first);
        const { threshold } = scene;
        const rule = { threshold, least: leastAccepted(threshold, HASHES), representative, followed: 256 };
        const { roots, uncompared } = atOnce(greedyRoots(classes, candidates, blocksOf(scene), rule));
        const expected = rootsByDefinition(scene, candidates, classes.first, representative === 'popular');
        t.deepEqual([...roots], expected);
        t.is(uncompared, 0);
        joined += expected.filter((root, d) => root !== d && classes.first[d] === d).length;
      }),
      { seed: 1, numRuns: 600 },
    );
    t.true(joined > 100);
  });
}

test('with the first member as representative every member is alike enough, and the table says so', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const classes = classesOf(scene);
      const candidates = candidatesOf(scene, classes.first);
      const { threshold } = scene;
      const rule = {
        threshold,
        least: leastAccepted(threshold, HASHES),
        representative: 'first',
        followed: 256,
      } as const;
      const { roots } = atOnce(greedyRoots(classes, candidates, blocksOf(scene), rule));
      const estimate = (a: number, b: number): number =>
        agreementOf(
          Uint32Array.from(scene.signatures[a]!),
          0,
          Uint32Array.from(scene.signatures[b]!),
          0,
          HASHES,
        ) / HASHES;
      const verified = { ...candidates, exact: null };
      const table = atOnce(clusterTable(roots, classes, { verified, estimate, threshold }));
      t.is(table.membersBelow, 0);
      t.deepEqual(
        [...table.cluster],
        [...table.cluster].sort((x, y) => x - y),
      );
    }),
    { seed: 2, numRuns: 200 },
  );
});

test('where fingerprints are not followed to all clusters, founders that could not look everywhere are counted', (t) => {
  // 40 documents that share half of their slots with each other, and the next with one of them almost all.
  const signatures = Array.from({ length: 40 }, (_, d) =>
    Array.from({ length: HASHES }, (__, slot) => (slot < 8 ? 7 : 100 + d)),
  );
  signatures.push([...signatures[0]!.slice(0, 15), 9], [...signatures[39]!.slice(0, 15), 9]);
  const scene: Scene = {
    signatures,
    contents: signatures.map((_, d) => d),
    isCandidate: () => true,
    threshold: 0.75,
  };
  const classes = classesOf(scene);
  // All are in one component: it is the links that are loose.
  const candidates = candidatesOf(scene, classes.first);
  const roots = (followed: number) =>
    atOnce(
      greedyRoots(classes, candidates, blocksOf(scene), {
        threshold: 0.75,
        least: 8,
        representative: 'first',
        followed,
      }),
    );
  const all = roots(256);
  t.deepEqual([all.roots[40], all.roots[41], all.uncompared], [0, 39, 0]);
  // Slots of their own lead there all the same, and what they have in common is counted in full.
  const few = roots(4);
  t.deepEqual([few.roots[40], few.roots[41]], [0, 39]);
  t.is(few.uncompared, 35);
});
