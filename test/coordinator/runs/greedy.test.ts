/** `--cluster greedy`: clusters of a whole run, beside pairs and a drop list that stay what they are. */
import test from 'ava';
import { estimateResemblance, sketchOf } from '../../../src/index.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished } from './finished.js';

/** Chains: every text is an edited copy of the one before. */
function chains(): Record<string, string> {
  const random = randomFrom(3);
  const texts: Record<string, string> = {};
  for (let chain = 0; chain < 8; chain++) {
    let words = wordsFrom(random, 120);
    for (let link = 0; link < 12; link++) {
      texts[`c${chain}-${String(link).padStart(2, '0')}.txt`] = words.join(' ');
      words = edited(random, words, 2);
    }
    texts[`c${chain}-twin.txt`] = `${texts[`c${chain}-00.txt`]!.toUpperCase()}!`;
  }
  return texts;
}

// A band a slot: all pairs of enough agreement are candidates.
const ALL_PAIRS = { threshold: 0.7, bands: 128, rows: 1 } as const;

test('greedy clusters are those of the definition over all documents', async (t) => {
  const texts = chains();
  const result = await finished(t, texts, { ...ALL_PAIRS, verify: 'signature', cluster: 'greedy' });
  const sketches = new Map(Object.entries(texts).map(([id, text]) => [id, sketchOf(text)]));
  const alike = (a: string, b: string): number =>
    estimateResemblance(sketches.get(a)!, sketches.get(b)!).value;
  const clusters = new Map<string, string[]>();
  for (const id of Object.keys(texts).sort()) {
    let best: string | null = null;
    for (const founder of clusters.keys()) {
      const value = alike(founder, id);
      if (value >= 0.7 && (best === null || value > alike(best, id))) best = founder;
    }
    if (best === null) clusters.set(id, []);
    else clusters.get(best)!.push(id);
  }
  const expected = [...clusters].filter(([, members]) => members.length > 0);
  const rows = expected.flatMap(([founder, members], i) => [
    `${i + 1} ${founder} representative 1.000000 exact`,
    ...members.map((member) => {
      const isTwin = member.includes('twin');
      const similarity = isTwin ? 1 : alike(founder, member);
      return `${i + 1} ${member} member ${similarity.toFixed(6)} ${isTwin ? 'exact' : 'estimate'}`;
    }),
  ]);
  t.deepEqual(
    result.clusters.map(
      ({ cluster, document, role, similarity, basis }) =>
        `${cluster} ${document} ${role} ${similarity} ${basis}`,
    ),
    rows,
  );
  t.is(result.manifest.counts.members_below_threshold, 0);
  // The chains are longer than that: as components they are one cluster each.
  const chained = await finished(t, texts, { ...ALL_PAIRS, verify: 'signature' });
  t.true(chained.manifest.counts.clusters < expected.length);
  t.true(chained.manifest.counts.members_below_threshold > 0);
});

test('a greedy cluster is a kept document with the documents that are dropped for it', async (t) => {
  const texts = chains();
  const greedy = await finished(t, texts, { ...ALL_PAIRS, cluster: 'greedy', keep: 'last' });
  const last = await finished(t, texts, { ...ALL_PAIRS, keep: 'last' });
  t.deepEqual(greedy.pairs, last.pairs);
  t.deepEqual(greedy.dropped, last.dropped);
  const founders = new Map(
    greedy.clusters.filter(({ role }) => role === 'representative').map((row) => [row.cluster, row.document]),
  );
  const members = greedy.clusters
    .filter(({ role }) => role === 'member')
    .map(({ cluster, document, similarity }) => `${document} ${founders.get(cluster)} ${similarity}`);
  const dropped = greedy.dropped.map(({ document, kept, jaccard }) => `${document} ${kept} ${jaccard}`);
  t.deepEqual(members.sort(), dropped.sort());
  t.true(greedy.clusters.every(({ basis }) => basis === 'exact'));
});
