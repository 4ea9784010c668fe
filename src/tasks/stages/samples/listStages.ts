/**
 * Stages that turn samples into candidate pairs: documents that share a fingerprint meet, and their pairs are counted.
 *
 * This is the method of Broder, Glassman, Manasse and Zweig (1997): sort (fingerprint, document), write the pairs of every list,
 * sort them and count. What threads decide while they walk along lists (reducers/sampledPairs.ts) is decided here pair after pair,
 * by the same rule. A task holds the documents of a list of at most `--hot-bucket`.
 */

import { mayPass } from '../../../../reducers/sampledPairs.js';
import { leastHotBucket } from '../../../sketch/hotBuckets.js';
import { type SampleRule, sampleRuleOf } from '../../../sketch/samples/sampleRule.js';
import { KIND, KINDS, RANK } from '../../stream/kinds.js';
import {
  FieldWriter,
  GatheredRows,
  type RecordSource,
  type StageSink,
  type StageSource,
} from '../../stream/records.js';
import { FINGERPRINT, HeldSamples, OF_SAMPLE, SIZES } from '../../stream/sampleRecords.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import { ClassSignatures, SIGNATURE_KINDS } from '../documents/classSignatures.js';

/** Appends a fingerprint of columns as a key has it. */
function fingerprint(rows: GatheredRows, values: Uint8Array, at: number): GatheredRows {
  for (let i = FINGERPRINT - 1; i >= 0; i--) rows.u8(values[at + i]!);
  return rows;
}

const isOneList = (rows: Uint8Array, at: number, list: Uint8Array): boolean => {
  for (let i = FINGERPRINT - 1; i >= 0; i--) if (rows[at + i] !== list[i]) return false;
  return true;
};

/** Bytes of a row of `fingerprints`: fingerprint 8, rank u64. */
const ENTRY = FINGERPRINT + RANK;

/** Samples -> fingerprint 8, rank u64, for each of their fingerprints. */
function mapFingerprints(input: RecordSource, out: StageSink, here: StagePlace): void {
  const rows = new GatheredRows(out);
  const rank = new FieldWriter();
  const taken = ClassSignatures.ofFirsts(here);
  let documents = 0;
  while (input.next()) {
    taken.take(input);
    while (taken.next()) {
      const { value, slotsEnd } = taken;
      const own = rank.reset().u64(taken.rank).view;
      documents++;
      for (let at = taken.slotsAt + OF_SAMPLE.values; at < slotsEnd; at += FINGERPRINT)
        fingerprint(rows, value, at).raw(own, 0, RANK).endRow();
    }
  }
  rows.flush();
  here.facts.add('documents', documents);
}

/** Writes the documents of fingerprints that are in more than `most`, and counts fingerprints that two documents share. */
class FrequentReading {
  private readonly list = new Uint8Array(FINGERPRINT);
  private readonly held: Uint8Array;
  private readonly most: number;
  private readonly out: StageSink;
  private members = 0;
  private readonly counts = { shared: 0, frequent: 0, longest: 0 };

  constructor(out: StageSink, { manifest }: StagePlace) {
    this.out = out;
    this.most = leastHotBucket(manifest.params.hotBucket);
    this.held = new Uint8Array(RANK * this.most);
  }

  add(rows: Uint8Array, at: number): void {
    const { held, most } = this;
    if (this.members === 0 || !isOneList(rows, at, this.list)) {
      this.end();
      this.list.set(rows.subarray(at, at + FINGERPRINT));
    }
    const rank = at + FINGERPRINT;
    if (this.members < most) for (let i = 0; i < RANK; i++) held[RANK * this.members + i] = rows[rank + i]!;
    else {
      if (this.members === most) for (let i = 0; i < most; i++) this.member(held, RANK * i);
      this.member(rows, rank);
    }
    this.members++;
  }

  end(): void {
    const { members, counts, out } = this;
    if (members > 1) counts.shared++;
    counts.longest = Math.max(counts.longest, members);
    if (members > this.most) {
      counts.frequent++;
      out.key.kind(KINDS.head).u16(0).raw(this.list);
      out.value.u64(members);
      out.write();
    }
    this.members = 0;
  }

  finish({ facts }: StagePlace): void {
    this.end();
    facts.add('buckets', this.counts.shared);
    facts.add('frequent fingerprints', this.counts.frequent);
    facts.most('largest bucket', this.counts.longest);
  }

  private member(bytes: Uint8Array, at: number): void {
    this.out.key.kind(KINDS.crowd).raw(bytes, at, at + RANK);
    this.out.key.u16(0).raw(this.list);
    this.out.write();
  }
}

/** The documents of frequent fingerprints; others are counted. */
export const fingerprints: StreamStage = {
  kinds: SIGNATURE_KINDS,
  shuffles: ['fingerprint'],
  prefix: FINGERPRINT,
  row: () => ENTRY,
  map: mapFingerprints,
  reduce(input, out, here) {
    const reading = new FrequentReading(out, here);
    for (let rows = input.rows(); rows !== null; rows = input.rows())
      for (let at = 0; at < rows.length; at += ENTRY) reading.add(rows, at);
    reading.finish(here);
  },
};

/** Bytes of a row of `lists`: fingerprint 8, rank u64, sizes. */
const LISTED = ENTRY + SIZES;

/** Samples, or sampled -> fingerprint 8, rank u64, sizes, for each fingerprint that is not frequent. */
function mapLists(input: RecordSource, out: StageSink, here: StagePlace): void {
  const rows = new GatheredRows(out);
  const samples = new HeldSamples(1);
  const entry = new FieldWriter();
  const taken = ClassSignatures.ofFirsts(here);
  const list = (value: Uint8Array, from: number, to: number): void => {
    const own = samples.appendSizes(0, entry).view;
    for (let at = from; at < to; at += FINGERPRINT)
      fingerprint(rows, value, at).raw(own, 0, own.length).endRow();
  };
  while (input.next()) {
    const { key, value } = input;
    if (taken.take(input)) {
      while (taken.next()) {
        samples.read(0, value, taken.slotsAt, taken.slotsEnd);
        entry.reset().u64(taken.rank);
        list(value, taken.slotsAt + OF_SAMPLE.values, taken.slotsEnd);
      }
    } else {
      samples.readSizes(0, value, 0);
      entry.reset().raw(key, KIND);
      list(value, SIZES, value.length);
    }
  }
  rows.flush();
}

/** How two documents met: a fingerprint that is not frequent is in both, and is counted; or a frequent one makes them a pair. */
export const MET = { counted: 0, made: 1 } as const;

/**
 * Writes how two documents met. Each: its rank u64, at the given place, and right behind it its sizes. The first has the lower rank.
 */
export function writeMet(
  out: StageSink,
  tag: number,
  one: Uint8Array,
  at: number,
  other: Uint8Array,
  from: number,
): void {
  const [oneSizes, otherSizes] = [at + RANK, from + RANK];
  out.key.kind(KINDS.met).raw(one, at, oneSizes).raw(other, from, otherSizes);
  out.value.u8(tag).raw(one, oneSizes, oneSizes + SIZES);
  out.value.raw(other, otherSizes, otherSizes + SIZES);
  out.write();
}

/** All documents that have a fingerprint, if two have it, become pairs. */
export const lists: StreamStage = {
  kinds: [...SIGNATURE_KINDS, KINDS.sampled],
  shuffles: ['fingerprint'],
  prefix: FINGERPRINT,
  row: () => LISTED,
  map: mapLists,
  reduce(input: StageSource, out, { manifest }) {
    const most = leastHotBucket(manifest.params.hotBucket);
    const list = new Uint8Array(FINGERPRINT);
    const width = RANK + SIZES;
    const held = new Uint8Array(width * most);
    let members = 0;
    for (let rows = input.rows(); rows !== null; rows = input.rows()) {
      for (let at = 0; at < rows.length; at += LISTED) {
        if (members === 0 || !isOneList(rows, at, list)) {
          list.set(rows.subarray(at, at + FINGERPRINT));
          members = 0;
        }
        if (members === most) throw new Error('a frequent fingerprint among others: our own defect');
        for (let i = 0; i < members; i++) writeMet(out, MET.counted, held, i * width, rows, at + FINGERPRINT);
        held.set(rows.subarray(at + FINGERPRINT, at + LISTED), width * members++);
      }
    }
  },
};

/** Bytes of the pair in a row of `sharedPairs`, and of the row: a u64, b u64, tag u8, sizes of a, sizes of b. */
const PAIR = 2 * RANK;
const MET_ROW = PAIR + 1 + 2 * SIZES;

/** met -> a u64, b u64, tag u8, sizes of a, sizes of b. */
function mapSharedPairs(input: RecordSource, out: StageSink): void {
  const rows = new GatheredRows(out);
  while (input.next()) {
    const { key, value } = input;
    rows
      .raw(key, KIND, KIND + PAIR)
      .raw(value, 0, value.length)
      .endRow();
  }
  rows.flush();
}

/** Counts the fingerprints that a pair shares; writes pairs that may pass the rule. */
class SharedCount {
  private readonly last = new Uint8Array(MET_ROW);
  private readonly samples = new HeldSamples(2);
  private readonly rule: SampleRule;
  private readonly out: StageSink;
  private isOpen = false;
  private counted = 0;
  private pairs = 0;

  constructor(out: StageSink, { manifest }: StagePlace) {
    this.out = out;
    this.rule = sampleRuleOf(manifest.params).rule;
  }

  add(rows: Uint8Array, at: number): void {
    if (!this.isOpen || !this.isSame(rows, at)) {
      this.end();
      this.last.set(rows.subarray(at, at + MET_ROW));
      this.isOpen = true;
      this.counted = 0;
    }
    if (rows[at + PAIR] === MET.counted) this.counted++;
  }

  finish({ facts }: StagePlace): void {
    this.end();
    facts.add('pairs told', this.pairs);
  }

  private isSame(rows: Uint8Array, at: number): boolean {
    for (let i = PAIR - 1; i >= 0; i--) if (rows[at + i] !== this.last[i]) return false;
    return true;
  }

  private end(): void {
    const { samples, last, out } = this;
    if (!this.isOpen) return;
    samples.readSizes(0, last, PAIR + 1);
    samples.readSizes(1, last, PAIR + 1 + SIZES);
    if (!mayPass(samples, this.rule, 0, 1, this.counted)) return;
    this.pairs++;
    out.key.kind(KINDS.pair).raw(last, 0, PAIR);
    out.write();
  }
}

/** Pairs that share enough fingerprints that are not frequent, or may do so with frequent ones. */
export const sharedPairs: StreamStage = {
  kinds: [KINDS.met],
  shuffles: ['pair'],
  prefix: PAIR,
  row: () => MET_ROW,
  map: mapSharedPairs,
  reduce(input, out, here) {
    const count = new SharedCount(out, here);
    for (let rows = input.rows(); rows !== null; rows = input.rows())
      for (let at = 0; at < rows.length; at += MET_ROW) count.add(rows, at);
    count.finish(here);
  },
};
