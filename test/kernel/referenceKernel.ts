/**
 * The plain kernel: src/sketch behind the interface of a kernel, written apart from the compiled one, which equals it bit for bit.
 */

import { Uint32Column } from '../../src/arrays/growable.js';
import { finalise64, seededConstants } from '../../src/arrays/hashing.js';
import { NameTable } from '../../src/arrays/hashTable.js';
import { sortByKey64, sortUnique64 } from '../../src/arrays/sort.js';
import { APPENDED_ROWS, type SetLabels } from '../../src/blocks/sets.js';
import type { Kernel, SetCollector, SetComparer, SetKeys, SignatureRows } from '../../src/kernel/kernel.js';
import { StreamedSketches } from '../../src/kernel/kernel.js';
import { createWasmTextHashes } from '../../src/kernel/text/wasmTextKey.js';
import { createSketcher } from '../../src/sketch/family.js';
import { intersectionSize } from '../../src/sketch/similarity.js';
import { writeBandKeys, writeSignatures } from '../../src/sketch/slots.js';
import { OccurrenceLabels } from '../../src/text/labels.js';
import {
  createShingleStream,
  type ShingleParams,
  type ShingleSink,
  type ShingleStream,
} from '../../src/text/shingles.js';
import { newMemory } from './sketchKernels.js';

const textHashOf = createWasmTextHashes(newMemory());

/** The reference with the keys of texts that the kernel has: test/kernel/text/textKey.test.ts holds these to their definition. */
export function referenceStream(params: ShingleParams, sink: ShingleSink): ShingleStream {
  return createShingleStream(params, sink, textHashOf(params.seed));
}

export function createReferenceKernel(): Kernel {
  const setCollector = createSetCollector();
  const setComparer = createSetComparer();
  return {
    name: 'reference',
    shingleStream: referenceStream,
    sketcher: createSketcher,
    documentSketches: (shingle, sketch, also) => {
      const sketcher = createSketcher(sketch);
      const rows = new PlainRows(sketcher.stride);
      return new StreamedSketches((sink) => referenceStream(shingle, sink), sketcher, rows, also);
    },
    sortUnique: sortUnique64,
    sortByKey64,
    setKeys,
    setLabels,
    // Nothing numbers the names of many rows here, which would need an address.
    setNames: () => Object.assign(new NameTable(), { address: 0, reserve: () => {} }),
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    slotWriter: { writeSignatures, writeBandKeys },
  };
}

/** A label at a time. */
export function setLabels(seed: number): SetLabels {
  const labels = new OccurrenceLabels(seed);
  const elements = new Uint32Array(2 * APPENDED_ROWS);
  const copies = new Uint32Array(APPENDED_ROWS);
  const label = (count: number, rows: number): Uint32Array => {
    const all = new Uint32Array(2 * rows);
    for (let i = 0, at = 0; i < count; i++)
      for (let n = 1; n <= copies[i]!; n++, at += 2)
        labels.writeLabelled(all, at, elements[2 * i]!, elements[2 * i + 1]!, n);
    return all;
  };
  return { elements, copies, label };
}

/** Adds an element at a time, in whole numbers. */
export function setKeys(seed: number): SetKeys {
  const words = seededConstants(seed, 'set', 4, true);
  const constant = (at: number): bigint => BigInt(words[at]!) | (BigInt(words[at + 1]!) << 32n);
  const halves = [
    [constant(0), constant(2)],
    [constant(4), constant(6)],
  ] as const;
  return (keys, ends, sets, hashes, copies) => {
    keys.fill(0, 0, 4 * sets);
    for (let i = 0, set = 0; i < (ends[sets - 1] ?? 0); i++) {
      while (ends[set]! <= i) set++;
      const hash = BigInt(hashes[2 * i]!) | (BigInt(hashes[2 * i + 1]!) << 32n);
      halves.forEach(([mask, odd], half) => {
        const mixed = finalise64(BigInt.asUintN(64, (hash ^ mask) + BigInt(copies?.[i] ?? 1) * odd));
        const at = 4 * set + 2 * half;
        const sum = (BigInt(keys[at]!) | (BigInt(keys[at + 1]!) << 32n)) + mixed;
        keys[at] = Number(BigInt.asUintN(32, sum));
        keys[at + 1] = Number(BigInt.asUintN(32, sum >> 32n));
      });
    }
  };
}

/** Rows in a plain array that doubles. */
class PlainRows implements SignatureRows {
  length = 0;
  readonly stride: number;
  private slots: Uint32Array;

  constructor(stride: number) {
    this.stride = stride;
    this.slots = new Uint32Array(16 * stride);
  }

  clear(): void {
    this.length = 0;
  }

  truncate(length: number): void {
    this.length = Math.min(this.length, length);
  }

  append(signature: Uint32Array): void {
    const at = this.length++ * this.stride;
    if (at === this.slots.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.slots);
      this.slots = larger;
    }
    this.slots.set(signature, at);
  }

  get held(): readonly Uint32Array[] {
    return [this.slots.subarray(0, this.length * this.stride)];
  }

  copyTo(into: Uint32Array): void {
    into.set(this.held[0]!);
  }
}

/** Sets in plain memory, of any size. */
export function createSetCollector(): SetCollector {
  const hashes = new Uint32Column();
  let kept = 0;
  const drop = (): void => hashes.truncate(kept);
  return {
    clear() {
      kept = 0;
      drop();
    },
    add: (found, count) => hashes.append(found.subarray(0, 2 * count)),
    keep() {
      const from = kept;
      kept = hashes.length;
      return (kept - from) / 2;
    },
    drop,
    sets: () => hashes.view.subarray(0, kept),
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
      const distinct = sortUnique64(list, to - from);
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
