/**
 * Making and comparing many sets of hashes, in plain JavaScript: the reference of wasmSetCollector and wasmSetComparer.
 *
 * Floor 1. Never knows documents or pairs of them.
 */
import { Uint32Column } from '../blocks/growable.js';
import { intersectionSize } from '../sketch/similarity.js';
import { sortUniqueHashes } from '../sketch/sortHashes.js';
import type { SetCollector, SetComparer } from './kernel.js';

export function createSetCollector(): SetCollector {
  const hashes = new Uint32Column();
  let start = 0;
  const drop = (): void => hashes.truncate(start);
  return {
    clear() {
      start = 0;
      drop();
    },
    add: (found, count) => hashes.append(found.subarray(0, 2 * count)),
    close() {
      const set = hashes.view.subarray(start);
      const distinct = sortUniqueHashes(set, set.length / 2);
      start += 2 * distinct;
      drop();
      return distinct;
    },
    drop,
    sets: () => hashes.view.subarray(0, start),
  };
}

/** Takes any number of sets: they stay where they are. */
export function createSetComparer(): SetComparer {
  const lists: Uint32Array[] = [];
  return {
    clear() {
      lists.length = 0;
    },
    place(hashes, from, to) {
      lists.push(hashes.subarray(2 * from, 2 * to));
      return true;
    },
    compare(a, b, from, to, common) {
      for (let i = from; i < to; i++) {
        const x = lists[a[i]!]!;
        const y = lists[b[i]!]!;
        common[i] = intersectionSize(x, 0, x.length / 2, y, 0, y.length / 2);
      }
    },
  };
}
