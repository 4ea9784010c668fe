/** Sets that are not alike in size: many equal ones, a very large one, an element that all have. */
import test from 'ava';
import { finished } from '../runs/finished.js';
import { naiveCommon } from './naiveSets.js';

const SETS = 6_000;
const EQUAL = 4_400;
const LARGE = 60_000;

test('many equal sets are one duplicate group, and a giant set or a common element costs linear time', async (t) => {
  t.timeout(240_000);
  const lines: string[] = [];
  const elements = new Map<string, string[]>();
  const name = (set: number): string => `set ${String(set).padStart(5, '0')}`;
  for (let set = 0; set < SETS; set++) {
    const own = set < EQUAL ? ['e1', 'e2', 'e3'] : [`o${set}`, `o${set + 1}`, `p${set}`, 'e1'];
    elements.set(name(set), [...own, 'everywhere']);
  }
  const giant = Array.from({ length: LARGE }, (_, i) => `g${i}`);
  elements.set('giant', [...giant, 'everywhere']);
  elements.set('giant again', [...giant.slice(1_500), 'everywhere']);
  for (const [set, list] of elements) for (const element of list) lines.push(`${set}\t${element}\n`);
  const { manifest, pairs } = await finished(
    t,
    { 'skewed.tsv': lines.join('') },
    { input: 'sets', threads: 2 },
  );
  const { counts } = manifest;
  t.is(counts.read, SETS + 2);
  t.is(counts.identity_classes, 1);
  t.is(counts.identical_documents, EQUAL);
  t.is(counts.identical_pairs, EQUAL - 1);
  t.is(counts.kept + counts.dropped, SETS + 2);
  const near = pairs.filter(({ kind }) => kind === 'near');
  for (const { a, b, jaccard } of near) {
    const [one, other] = [elements.get(a!)!, elements.get(b!)!];
    const common = naiveCommon(one, other);
    t.is(jaccard, (common / (one.length + other.length - common)).toFixed(6));
  }
  t.true(near.some(({ a, b }) => a === 'giant' && b === 'giant again'));
});
