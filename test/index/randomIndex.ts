/** Random documents as sets of hashes, indexes of them, and the plain reference of a lookup. */

import { sortUnique64 } from '../../src/arrays/sort.js';
import { IndexWriter, openedIndex } from '../../src/index/indexFolder.js';
import { type PinnedParams, pinnedOf } from '../../src/index/indexManifest.js';
import { type LookedUp, type LookupRule, lookUp } from '../../src/index/lookups.js';
import { type SegmentRows, SegmentWriter } from '../../src/index/segmentWriter.js';
import { checkOptions } from '../../src/options/check.js';
import { createSketcher } from '../../src/sketch/family.js';
import { intersectionSize, resemblanceOf } from '../../src/sketch/similarity.js';
import { narrowSlot, writeBandKeys } from '../../src/sketch/slots.js';
import { NODE_FILES } from '../../src/store/fileSystem.js';
import { setChecksums } from '../../src/store/platformCrc.js';
import { randomHashes, randomWords } from '../data/randomHashes.js';

export const PARAMS: PinnedParams = pinnedOf(
  checkOptions({ threshold: 0.6, hashes: 32, bands: 8, rows: 4, hotBucket: 6 }).resolved.params,
);

const sketcher = createSketcher(PARAMS.sketch);

export interface RandomDocument extends LookedUp {
  readonly hashes: Uint32Array;
  readonly id: Uint8Array | null;
  readonly location: Uint8Array;
}

/** A document with this set of hashes. Equal sets with equal names have equal texts. */
export function documentOf(hashes: Uint32Array, name: string, text = name): RandomDocument {
  const set = hashes.slice();
  const setCount = sortUnique64(set, set.length / 2);
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  sketcher.update(signature, set, setCount);
  const slots = Uint16Array.from(signature, (slot, i) => (i < PARAMS.sketch.hashes ? narrowSlot(slot) : 0));
  const keys = new Uint32Array(PARAMS.banding.bands);
  writeBandKeys(slots, slots.length, PARAMS.banding, keys);
  const own = set.slice(0, 2 * setCount);
  const key = (of: Iterable<number>): Uint32Array => {
    const words = Uint32Array.of(1, 2, 3, 4);
    let i = 0;
    for (const value of of) words[i++ & 3] = Math.imul(words[i & 3]! ^ value, 0x85ebca6b) + i;
    return words;
  };
  return {
    ...{ slots, keys, hashes: own, set: () => own, contentKey: key(own), textKey: key(Buffer.from(text)) },
    ...{ id: name.length % 2 === 0 ? Buffer.from(`id of ${name}`) : null, location: Buffer.from(name) },
  };
}

/** Documents of some families: members of one share most of their hashes. */
export function randomDocuments(seed: number, count: number, prefix: string): RandomDocument[] {
  const random = randomWords(seed);
  return Array.from({ length: count }, (_, i) => {
    const set = randomHashes(40, 1 + (random() % 5));
    const changes = random() % 8;
    const others = randomHashes(changes, random());
    for (let change = 0; change < changes; change++) {
      const at = random() % 40;
      set.set(others.subarray(2 * change, 2 * change + 2), 2 * at);
    }
    return documentOf(set, `${prefix}${i}`);
  });
}

/** Adds documents as a portion of one segment. */
export function addDocuments(
  folder: string,
  name: string,
  documents: readonly RandomDocument[],
  system = NODE_FILES,
): void {
  const writer = new IndexWriter(folder, system);
  try {
    const { manifest } = writer;
    const number = writer.take();
    const portion = { number, name, added: '2026-11-28', documents: documents.length };
    const entry = segmentOf(writer, number, documents);
    writer.commit({
      portions: [...manifest.portions, portion],
      segments: entry === null ? manifest.segments : [...manifest.segments, entry],
    });
  } finally {
    writer.close();
  }
}

function segmentOf(writer: IndexWriter, portion: number, documents: readonly RandomDocument[]) {
  if (documents.length === 0) return null;
  const made = new SegmentWriter(writer);
  for (const document of documents) made.append(rowOf(document, portion));
  return made.finish(sortUnique64);
}

/** One document as the columns that a segment takes. */
export function rowOf(
  { slots, keys, contentKey, textKey, hashes, id, location }: Omit<RandomDocument, 'set'>,
  portion: number,
): SegmentRows {
  const sets = { counts: Uint32Array.of(hashes.length / 2), hashes };
  return {
    ...{ slots, keys, contentKey, textKey, portion, textBytes: [9], tokens: [2] },
    positions: Uint32Array.of(0),
    sets: { ...sets, crcs: setChecksums(sets) },
    appendNames: (_, out) => {
      if (id !== null) out.append(id);
      out.append(location);
      return id?.length ?? 0;
    },
  };
}

/** What a lookup answers, in words: location, portion, similarity and kind of each hit. */
export function answers(folder: string, document: LookedUp, rule: LookupRule): string[] {
  const index = openedIndex(folder);
  try {
    return lookUp(index.segments, document, rule).hits.map(({ segment, row, jaccard, kind }) => {
      const record = segment.record(row);
      const { location } = segment.names(record);
      return `${Buffer.from(location)} of ${index.portion(record.portion).name}: ${jaccard} ${kind}`;
    });
  } finally {
    index.close();
  }
}

/** The locations and similarities that a lookup has to give, by comparing the document with all. */
export function expectedHits(
  all: readonly RandomDocument[],
  document: RandomDocument,
  { margin, threshold, hashes, cap }: LookupRule,
): string[] {
  const candidates = new Set<number>();
  for (let band = 0; band < PARAMS.banding.bands; band++) {
    const members = [...all.keys()].filter((i) => all[i]!.keys[band] === document.keys[band]);
    for (const i of members.slice(0, cap)) candidates.add(i);
  }
  return [...candidates]
    .sort((x, y) => x - y)
    .filter((i) => {
      let equal = 0;
      for (let slot = 0; slot < hashes; slot++) if (all[i]!.slots[slot] === document.slots[slot]) equal++;
      return equal >= margin;
    })
    .map((i) => {
      const { hashes: set, location } = all[i]!;
      const own = document.hashes;
      const [size, other] = [own.length / 2, set.length / 2];
      const common = intersectionSize(own, 0, size, set, 0, other);
      return { name: `${Buffer.from(location)}`, jaccard: resemblanceOf(common, size, other) };
    })
    .filter(({ jaccard }) => jaccard >= threshold)
    .sort((x, y) => y.jaccard - x.jaccard)
    .map(({ name, jaccard }) => `${name} ${jaccard}`);
}
