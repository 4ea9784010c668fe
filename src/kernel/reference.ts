/** The reference kernel: src/sketch behind the interface of a kernel. */
import { Uint32Column } from '../arrays/growable.js';
import { sortByKey64, sortUniqueHashes } from '../arrays/sort.js';
import { bandColumns } from '../sketch/banding.js';
import { createSketcher } from '../sketch/family.js';
import { agreementOf } from '../sketch/probability.js';
import { createRowScatter, createScatteredSketcher } from '../sketch/rowChunks.js';
import { intersectionSize } from '../sketch/similarity.js';
import { createThinning } from '../sketch/thinning.js';
import { createShingleStream } from '../text/shingles.js';
import { type Kernel, PlainRows, type SetCollector, type SetComparer, StreamedSketches } from './kernel.js';

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
    keep() {
      const from = start;
      start = hashes.length;
      return (start - from) / 2;
    },
    drop,
    sets: () => hashes.view.subarray(0, start),
  };
}

/** The number of sets is not limited. */
export function createSetComparer(): SetComparer {
  const sets: Uint32Array[] = [];
  return {
    clear() {
      sets.length = 0;
    },
    place(hashes, from, to) {
      const list = hashes.slice(2 * from, 2 * to);
      const distinct = sortUniqueHashes(list, to - from);
      sets.push(list.subarray(0, 2 * distinct));
      return distinct;
    },
    isLarge: false,
    compare(a, b, from, to, common) {
      for (let i = from; i < to; i++) {
        const x = sets[a[i]!]!;
        const y = sets[b[i]!]!;
        common[i] = intersectionSize(x, 0, x.length / 2, y, 0, y.length / 2);
      }
    },
  };
}

export function createReferenceKernel(): Kernel {
  const setCollector = createSetCollector();
  const setComparer = createSetComparer();
  return {
    name: 'reference',
    shingleStream: createShingleStream,
    sketcher: createSketcher,
    documentSketches: (shingle, sketch, thinning) => {
      const sketcher = createSketcher(sketch);
      const rows = new PlainRows(sketcher.stride);
      return new StreamedSketches((sink) => createShingleStream(shingle, sink), sketcher, rows, thinning);
    },
    bandColumns,
    agreement: agreementOf,
    sortUnique: sortUniqueHashes,
    sortByKey64,
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    thinning: createThinning,
    rowScatter: createRowScatter,
    scatteredSketcher: createScatteredSketcher,
  };
}

/**
 * Equal to `agreementOf` of src/sketch/probability.ts, for slots that exist, without a branch:
 * near-duplicates make a branch unpredictable, and a comparison without it takes a quarter of the time. Not
 * WebAssembly, because copying two signatures in costs more than comparing them.
 */
export function branchlessAgreement(
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) {
    // Only 0 has 32 leading zeros.
    equal = (equal + (Math.clz32(a[aOffset + slot]! ^ b[bOffset + slot]!) >>> 5)) | 0;
  }
  return equal;
}
