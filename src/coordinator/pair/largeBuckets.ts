/**
 * Large buckets of all bands, compared all with all by tasks over buckets of a band, without lists of candidate pairs. A pair that
 * shares several large buckets is made in one of them only, so no step makes pairs distinct. Pairs with too small an agreement are
 * only counted.
 */

import { byGroup, type GroupedMembers } from '../../../reducers/largeBuckets.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { newArray } from '../../arrays/ownPages.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { type AgreeingPairs, CAPPED, type HotMembers, LARGE } from '../../blocks/pairs.js';
import { leastKept } from '../../sketch/family.js';
import { PAIR_BYTES } from '../../store/budget.js';
import type { LargeReport } from '../../tasks/kinds/largeTasks.js';
import type { Run } from '../context.js';
import { aheadOfParts, type Bounds, type ComparedPart, type SignatureSource } from './agreements.js';
import { groupBlocks } from './documentGroups.js';
import { aheadOfSample } from './skippedSample.js';

export interface LargePairs {
  /** Pairs that are listed, may be accepted, or share a hot bucket; sorted by (a, b). */
  readonly pairs: AgreeingPairs;
  /** By number of matching slots: how many other pairs there are. */
  readonly counts: Float64Array;
}

/** The members of a band's large buckets, and those of its hot (capped) buckets. */
interface PartedBand {
  readonly large: GroupedMembers;
  readonly capped: HotMembers;
}

interface Slice {
  readonly band: number;
  readonly from: number;
  readonly to: number;
}

/** Comparisons of a task, unless a bucket alone has more: about a tenth of a second. */
const COMPARISONS = 1 << 22;

/** Bytes that sorting takes for a pair beside the pair itself: a copy of its earlier document and of its agreement. */
const SORTED_BYTES = 6;

export class LargeBuckets {
  private readonly run: Run;
  private readonly signatures: SignatureSource;
  private readonly bounds: Bounds;
  private readonly groups: Groups | null;
  /** Least agreement of a pair that is kept. */
  private readonly least: number;

  constructor(run: Run, signatures: SignatureSource, bounds: Bounds, groups: Groups | null) {
    this.run = run;
    this.signatures = signatures;
    this.bounds = bounds;
    this.groups = groups;
    this.least = leastKept(run.params);
  }

  /**
   * The pairs of the large buckets of all bands; null: there is no large bucket. `documents`: their number in the corpus.
   *
   * @throws MinHashError MEMORY_BUDGET
   */
  async compare(bands: readonly PartedBand[], documents: number): Promise<LargePairs | null> {
    const slices = bands.flatMap(({ large }, band) => [...slicesOf(large, band)]);
    if (slices.length === 0) return null;
    const { run } = this;
    await run.turns.through(this.putStates(bands, documents));
    for (const [band, { large }] of bands.entries()) {
      if (large.members.length === 0) continue;
      const members = this.groups === null ? large.members : byGroup(large, this.groups);
      run.put(NAMES.largeBuckets(band), encodeBlock('buckets', {}, { ...large, members }, true), 'counted');
    }
    const counts = new Float64Array(run.family.units + 1);
    const parts: ComparedPart[] = [];
    const numbered = slices.map((slice, task) => ({ slice, name: NAMES.large(slice.band, task) }));
    const progress = { unit: 'parts of large buckets', total: numbered.length };
    const reports = run.each(
      numbered,
      async ({ slice, name }) => ({ name, ...(await this.task(slice, name)) }),
      {
        progress,
      },
    );
    for await (const report of reports) {
      report.pairs.forEach((count, part) => {
        parts.push({ name: `${report.name}/${part}`, count });
      });
      report.counts.forEach((count, slots) => {
        counts[slots]! += count;
      });
    }
    for (const [band, { large }] of bands.entries())
      if (large.members.length > 0) run.engine.store.delete(NAMES.largeBuckets(band));
    run.engine.store.delete(ONE.bandStates);
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    run.tables.take(`${count} candidate pairs of large buckets`, (PAIR_BYTES + SORTED_BYTES) * count, () => {
      return aheadOfParts(run, parts, this.bounds.margin) + aheadOfSample(run) - SORTED_BYTES * count;
    });
    const pairs = await run.turns.through(this.sorted(parts, count, documents));
    run.tables.give(SORTED_BYTES * count);
    return { pairs, counts };
  }

  private task({ band, from, to }: Slice, name: string): Promise<LargeReport> {
    const { blocks, inputs } = this.signatures;
    const { bytes } = this.signatures.comparison().plan;
    return this.run.task({
      kind: 'large',
      label: `large buckets of band ${band}`,
      params: { name, band, from, to, blocks, bytes, least: this.least },
      inputs: [...groupBlocks(this.run), ONE.bandStates, NAMES.largeBuckets(band), ...inputs],
      keep: { large: 'counted' },
    });
  }

  /** Stores, for tasks: by member of a large bucket and band, whether its bucket is large, hot (capped) or neither. */
  private *putStates(bands: readonly PartedBand[], documents: number): Stepwise<void> {
    const width = this.run.params.banding.bands;
    const rowOf = new Uint32Array(documents);
    let rows = 0;
    for (const { large } of bands) {
      for (const d of large.members) if (rowOf[d] === 0) rowOf[d] = ++rows;
      yield;
    }
    // Row 0 belongs to all documents that are in no large bucket.
    const states = new Uint8Array(width * (rows + 1));
    for (const [band, { large, capped }] of bands.entries()) {
      for (const d of large.members) states[width * rowOf[d]! + band] = LARGE;
      for (const d of capped.documents) states[width * rowOf[d]! + band] = CAPPED;
      yield;
    }
    this.run.put(ONE.bandStates, encodeBlock('documents', {}, { rowOf, states }, true), 'counted');
  }

  /** Takes all parts out of the store as one list, sorted by counting: by later document, then by earlier one. */
  private *sorted(parts: readonly ComparedPart[], count: number, documents: number): Stepwise<AgreeingPairs> {
    const { store } = this.run.engine;
    const columnsOf = (name: string) => decodeBlock(store.get(name), 'pairs', name).columns;
    const [ends, endsOfB] = [new Uint32Array(documents + 1), new Uint32Array(documents + 1)];
    for (const { name } of parts) {
      const { a, b } = columnsOf(name) as Record<string, Uint32Array>;
      for (let i = 0; i < a!.length; i++) {
        ends[a![i]! + 1]!++;
        endsOfB[b![i]! + 1]!++;
      }
      yield;
    }
    for (let d = 0; d < documents; d++) {
      ends[d + 1]! += ends[d]!;
      endsOfB[d + 1]! += endsOfB[d]!;
    }
    const byB = { a: newArray(Uint32Array, count), agreement: newArray(Uint16Array, count) };
    for (const { name } of parts) {
      const { a, b, agreement } = columnsOf(name);
      for (let i = 0; i < a!.length; i++) {
        const at = endsOfB[b![i]!]!++;
        byB.a[at] = a![i]!;
        byB.agreement[at] = agreement![i]!;
      }
      store.delete(name);
      yield;
    }
    const pairs = {
      a: newArray(Uint32Array, count),
      b: newArray(Uint32Array, count),
      count,
      agreement: newArray(Uint16Array, count),
      accepted: newArray(Uint8Array, count),
    };
    const { least } = this.bounds;
    // endsOfB[b] is now the end of the rows of document b.
    let b = 0;
    yield* eachRange(count, (from, to) => {
      for (let i = from; i < to; i++) {
        while (i === endsOfB[b]!) b++;
        const at = ends[byB.a[i]!]!++;
        pairs.a[at] = byB.a[i]!;
        pairs.b[at] = b;
        pairs.agreement[at] = byB.agreement[i]!;
        pairs.accepted[at] = byB.agreement[i]! >= least ? 1 : 0;
      }
    });
    return pairs;
  }
}

/** Buckets of a band in slices of about COMPARISONS comparisons each. */
function* slicesOf({ offsets }: GroupedMembers, band: number): Generator<Slice> {
  const buckets = offsets.length - 1;
  for (let from = 0, to = 0; from < buckets; from = to) {
    for (let sum = 0; to < buckets && sum < COMPARISONS; to++) {
      const size = offsets[to + 1]! - offsets[to]!;
      sum += (size * (size - 1)) / 2;
    }
    yield { band, from, to };
  }
}
