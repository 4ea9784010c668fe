/**
 * The reference kernel: the plain mathematics of src/sketch behind the Kernel seam.
 */
import { Uint32Column } from '../arrays/growable.js';
import { sortUniqueHashes } from '../arrays/sort.js';
import { bandColumns } from '../sketch/banding.js';
import { createSketcher } from '../sketch/family.js';
import { agreementOf } from '../sketch/probability.js';
import { createRowScatter, createScatteredSketcher } from '../sketch/rowChunks.js';
import { intersectionSize } from '../sketch/similarity.js';
import { createThinning } from '../sketch/thinning.js';
import { createShingleStream } from '../text/shingles.js';
import { type Kernel, PlainRows, type SetCollector, type SetComparer, StreamedSketches } from './kernel.js';

/*
 * Making and comparing many sets of hashes, in plain JavaScript: the reference of wasmSetCollector and wasmSetComparer.
 *
 * Never knows documents or pairs of them.
 */

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
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    thinning: createThinning,
    rowScatter: createRowScatter,
    scatteredSketcher: createScatteredSketcher,
  };
}

/*
 * Equal slots of two signatures, without a branch.
 *
 * Not WebAssembly on purpose: copying two signatures in costs more than comparing them. What costs
 * in the reference is the branch, which near-duplicates make a coin toss; without it a comparison takes a
 * quarter of the time.
 */

/** Equal to `agreementOf` of src/sketch/probability.ts, for slots that exist. */
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
