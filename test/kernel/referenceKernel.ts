/**
 * The plain kernel: src/sketch behind the interface of a kernel, written apart from the compiled one, which equals it bit for bit.
 */

import { Uint32Column } from '../../src/arrays/growable.js';
import { finalise64, seededConstants } from '../../src/arrays/hashing.js';
import { NameTable } from '../../src/arrays/hashTable.js';
import { sortByKey64, sortUnique64 } from '../../src/arrays/sort.js';
import type { SetLabels } from '../../src/blocks/sets.js';
import type { Kernel, SetCollector, SetComparer, SetKeys, SignatureRows } from '../../src/kernel/kernel.js';
import { StreamedSketches } from '../../src/kernel/kernel.js';
import { createWasmTextHashes } from '../../src/kernel/text/wasmTextKey.js';
import { createSketcher } from '../../src/sketch/family.js';
import type { SketchParams } from '../../src/sketch/params.js';
import {
  APPENDED_ROWS,
  LIST_LIMIT,
  type Partials,
  type RowScatter,
  rowChunkOf,
  type ScatteredRows,
  type ScatteredSketcher,
  type StepColumns,
  stepFits,
} from '../../src/sketch/rowChunks.js';
import { intersectionSize } from '../../src/sketch/similarity.js';
import { narrowSlot, writeBandKeys } from '../../src/sketch/slots.js';
import { addToKey } from '../../src/text/elements.js';
import { OccurrenceLabels } from '../../src/text/labels.js';
import {
  createShingleStream,
  type ShingleParams,
  type ShingleSink,
  type ShingleStream,
} from '../../src/text/shingles.js';
import { bandKeys } from './bandKeys.js';
import { bucketPairs, compareMembers, distinctPairs } from './referencePairs.js';
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
    documentSketches: (shingle, sketch) => {
      const sketcher = createSketcher(sketch);
      const rows = new PlainRows(sketcher.stride);
      return new StreamedSketches((sink) => referenceStream(shingle, sink), sketcher, rows);
    },
    bandColumns,
    sortUnique: sortUnique64,
    sortByKey64,
    setKeys,
    setLabels,
    // Nothing numbers the names of many rows here, which would need an address.
    setNames: () => Object.assign(new NameTable(), { address: 0, reserve: () => {} }),
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    rowScatter: (rowChunks) => new PlainScatter(rowChunks),
    scatteredSketcher: createScatteredSketcher,
    pairing: { bucketPairs, distinctPairs, compareMembers },
    slotWriter: {
      writeNarrowSlots: (wide, slots, at) => slots.set(Uint16Array.from(wide, narrowSlot), at),
      writeBandKeys,
    },
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
        addToKey(keys, 4 * set + 2 * half, Number(BigInt.asUintN(32, mixed)), Number(mixed >> 32n));
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

/** A run: rows of one column in one row chunk, that one call appended. */
interface Run {
  readonly chunk: number;
  readonly column: number;
  readonly rows: number[];
}

class PlainScatter implements RowScatter {
  private readonly rowChunks: number;
  private runs: Run[] = [];
  private rowCount = 0;
  private markedRows = 0;
  private markedRuns = 0;

  constructor(rowChunks: number) {
    this.rowChunks = rowChunks;
  }

  fits(count: number): boolean {
    return stepFits(this.rowCount, this.runs.length, count, this.rowChunks);
  }

  append(column: number, hashes: Uint32Array, count: number): void {
    const met = new Map<number, Run>();
    for (let i = 0; i < 2 * count; i += 2) {
      const chunk = rowChunkOf(hashes[i]!, hashes[i + 1]!, this.rowChunks);
      const run = met.get(chunk) ?? { chunk, column, rows: [] };
      met.set(chunk, run);
      run.rows.push(hashes[i]!, hashes[i + 1]!);
    }
    this.runs.push(...met.values());
    this.rowCount += count;
  }

  mark(): void {
    this.markedRows = this.rowCount;
    this.markedRuns = this.runs.length;
  }

  rewind(): void {
    this.rowCount = this.markedRows;
    this.runs = this.runs.slice(0, this.markedRuns);
  }

  take(): ScatteredRows {
    const { runs } = this;
    let end = 0;
    const taken = {
      runChunks: Uint32Array.from(runs, ({ chunk }) => chunk),
      runColumns: Uint32Array.from(runs, ({ column }) => column),
      runEnds: Uint32Array.from(runs, ({ rows }) => (end += rows.length / 2)),
      rows: Uint32Array.from(runs.flatMap(({ rows }) => rows)),
    };
    this.markedRows = 0;
    this.markedRuns = 0;
    this.rewind();
    return taken;
  }
}

/** Whether a run of `rows` rows becomes a signature: never where the list is shorter. */
function isSketched(rows: number, total: number, stride: number): boolean {
  return total > LIST_LIMIT && 2 * rows > stride;
}

/** The reference sketcher of scattered rows; faster ones equal it bit for bit. */
export function createScatteredSketcher(params: SketchParams): ScatteredSketcher {
  const sketcher = createSketcher(params);
  const { stride } = sketcher;
  const carried = new Uint32Array(stride);

  function rowsOf({ rows, runEnds }: ScatteredRows, run: number): Uint32Array {
    return rows.subarray(run === 0 ? 0 : 2 * runEnds[run - 1]!, 2 * runEnds[run]!);
  }

  function partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials {
    const sketched = step.runColumns.reduce<number[]>((found, column, run) => {
      const size = rowsOf(step, run).length / 2;
      if (column < columns && isSketched(size, totals[column]!, stride)) found.push(run);
      return found;
    }, []);
    const slots = new Uint32Array(stride * sketched.length);
    sketched.forEach((run, i) => {
      const signature = slots.subarray(stride * i, stride * (i + 1));
      const rows = rowsOf(step, run);
      sketcher.clear(signature);
      sketcher.update(signature, rows, rows.length / 2);
    });
    return { runs: Uint32Array.from(sketched), slots };
  }

  function signatures(step: ScatteredRows, partial: Partials, which: StepColumns, out: Uint32Array): void {
    const lists = Array.from({ length: which.columns }, (): Uint32Array[] => []);
    const signed = Array.from({ length: which.columns }, (): Uint32Array[] => []);
    const partialOf = new Map(Array.from(partial.runs, (run, i) => [run, i]));
    step.runColumns.forEach((column, run) => {
      if (column >= which.columns) return;
      const i = partialOf.get(run);
      if (i === undefined) lists[column]!.push(rowsOf(step, run));
      else signed[column]!.push(partial.slots.subarray(stride * i, stride * (i + 1)));
    });
    for (let column = 0; column < which.columns; column++) {
      if (column > 0 || !which.continues) sketcher.clear(carried);
      const gathered = gather(lists[column]!);
      sketcher.update(carried, gathered, gathered.length / 2);
      for (const signature of signed[column]!) sketcher.merge(carried, signature);
      if (which.open && column === which.columns - 1) return;
      out.set(carried, stride * column);
    }
  }

  return { stride, partials, signatures };
}

function gather(lists: readonly Uint32Array[]): Uint32Array {
  const gathered = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    gathered.set(list, at);
    at += list.length;
  }
  return gathered;
}

/** Bucket keys by the definition, a signature at a time. */
export const bandColumns: Kernel['bandColumns'] = (blocks, { columns, stride }, banding, seed) => {
  const slots = gather([...blocks]);
  const keys = new Uint32Array(2 * banding.bands * columns);
  const one = new Uint32Array(2 * banding.bands);
  for (let column = 0; column < columns; column++) {
    bandKeys(slots.subarray(column * stride, (column + 1) * stride), banding, seed, one);
    for (let band = 0; band < banding.bands; band++)
      keys.set(one.subarray(2 * band, 2 * band + 2), 2 * (band * columns + column));
  }
  return (band) => keys.subarray(2 * band * columns, 2 * (band + 1) * columns);
};

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
