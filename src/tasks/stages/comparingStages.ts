/**
 * Stages that compare the signatures of pairs, and list the documents whose shingle sets are to be compared.
 *
 * A task holds one signature of the document by which its records are grouped, and ROWS signatures of pairs, at most 4 MB: a
 * document with a million partners needs no more memory than a document with one.
 */

import { passingEstimate, sampleEstimate } from '../../../reducers/sampledPairs.js';
import { agreements } from '../../blocks/pairs.js';
import { isSample, signatureParams } from '../../sketch/params.js';
import { type SampleSizes, sampleRuleOf } from '../../sketch/samples/sampleRule.js';
import { appendNames, comparedGroup, crossingBytes, pairBytes } from '../stream/crossing.js';
import { COMPARED_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, OF_RANKED, OF_SIGNATURE, PLACE, RANK } from '../stream/kinds.js';
import { rangeBits } from '../stream/largeSets.js';
import { LATER, PAIRED, RankBits } from '../stream/rankBits.js';
import {
  FieldWriter,
  f64At,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  u64At,
} from '../stream/records.js';
import { HeldSamples } from '../stream/sampleRecords.js';
import { mapOf, type StagePlace, type StreamStage, tagged } from '../stream/stage.js';
import { ClassSignatures, SIGNATURE_KINDS } from './documents/classSignatures.js';
import { DOCUMENT_KINDS, RankedDocuments } from './documents/namingStages.js';
import { StreamedSignatures } from './streamedSignatures.js';

const ROWS = 1024;

/** Tags after the rank: the signature of a document comes before its pairs. */
const OWN = 0;
const OTHERS = 1;
/** Tags after the other rank of a pair: a pair compared earlier comes before the same pair made now. */
const KNOWN = 0;
const MADE = 1;

export function withoutSignature(rank: Uint8Array): Error {
  return new Error(`document ${u64At(rank, 0)} is compared and has no signature: our own defect`);
}

/** Signatures -> a, 0 / as signature; pair -> a, 1, b, 1; compared -> a, 1, b, 0. */
function mapLefts(input: RecordSource, out: StageSink, here: StagePlace): void {
  const [signatures, paired] = [ClassSignatures.ofPaired(here), RankBits.from(here, PAIRED)];
  while (input.next()) {
    if (signatures.take(input)) {
      while (signatures.next()) {
        out.key.u64(signatures.rank).u8(OWN);
        out.write(signatures.signature);
      }
      continue;
    }
    const { key } = input;
    const isMade = key[0] === KINDS.pair;
    // A known pair of a document that is in no new pair has nothing to say.
    if (!isMade && paired?.has(u64At(key, KIND)) === false) continue;
    out.key.tagged(key, RANK, OTHERS, KIND + 2 * RANK).u8(isMade ? MADE : KNOWN);
    out.write();
  }
}

/** The pairs of a document come in the order of b, of one pair those compared earlier first. */
function reduceLefts(input: StageSource, out: StageSink, here: StagePlace): void {
  const { facts } = here;
  const later = RankBits.from(here, LATER);
  const half = new FieldWriter();
  while (input.group()) {
    const a = input.shared;
    half.reset();
    let [known, last] = [-1, -1];
    while (input.each()) {
      const { key, value } = input;
      if (key[RANK] === OWN) {
        half.raw(value);
        // The next job need not look for the later documents of pairs in all sketches again.
        if (later?.has(u64At(a, 0)) === false) continue;
        out.key.kind(KINDS.signature).raw(a);
        out.write(value);
        continue;
      }
      const isMade = key[RANK + 1 + RANK] === MADE;
      // A document whose pairs are all known is asked for no signature.
      if (isMade && half.size === 0) throw withoutSignature(a);
      const b = u64At(key, RANK + 1);
      if (!isMade) known = b;
      else if (b === known) facts.add('pairs known', 1);
      else if (b === last) facts.add('pairs repeated', 1);
      else {
        last = b;
        facts.add('pairs to compare', 1);
        out.key
          .kind(KINDS.half)
          .raw(key, RANK + 1, RANK + 1 + RANK)
          .raw(a);
        out.write(half.view);
      }
    }
  }
}

/**
 * Joins pairs with the signature of their earlier document, each pair once; leaves out pairs that were compared earlier. Passes the
 * signatures of later documents on.
 */
export const leftSignatures: StreamStage = {
  kinds: [...SIGNATURE_KINDS, KINDS.pair, ...COMPARED_KINDS],
  shuffles: ['a'],
  prefix: RANK,
  map: mapLefts,
  reduce: reduceLefts,
};

const NO_ROW = -1;

/** Compares the pairs of one later document after the other. */
interface PairBlock {
  /** Begins a later document. `signature`: the value of its record. */
  hold(rank: Uint8Array, signature: Uint8Array): void;
  /** Adds a pair of the held document; the earlier document stands at the end of the key. */
  add(key: Uint8Array, value: Uint8Array): void;
  finish?(): void;
}

/** Pairs of several later documents, with the signatures of both documents, compared together. */
class AgreementBlock implements PairBlock {
  private readonly rank = new Uint8Array(RANK);
  private readonly rows: StreamedSignatures;
  private readonly place = new Uint8Array(PLACE);
  private readonly held: Uint8Array;
  /** Row of the held signature in `rows`; NO_ROW: it is not there yet. */
  private row = NO_ROW;
  private readonly a = new Uint32Array(ROWS);
  private readonly b = new Uint32Array(ROWS);
  /** Bytes of the pair in a key, and of pair and places together. */
  private readonly pair: number;
  private readonly head: number;
  private readonly heads: Uint8Array;
  private readonly names = new FieldWriter();
  /** Bytes of the slots of a signature. */
  private readonly slots: number;
  private count = 0;
  private readonly evidence: EvidenceReader;
  private readonly blockOf = new Uint32Array(ROWS);
  private readonly columnOf = Uint32Array.from({ length: ROWS }, (_, row) => row);
  private readonly out: StageSink;
  private readonly here: StagePlace;

  constructor(out: StageSink, here: StagePlace) {
    const { params } = here.manifest;
    const { hashes } = signatureParams(params).sketch;
    this.rows = new StreamedSignatures(hashes, ROWS);
    this.evidence = new EvidenceReader(params);
    this.slots = 4 * hashes;
    this.held = new Uint8Array(this.slots + crossingBytes(params));
    this.pair = pairBytes(params);
    this.head = this.pair + 2 * PLACE;
    this.heads = new Uint8Array(ROWS * this.head);
    this.out = out;
    this.here = here;
  }

  hold(rank: Uint8Array, signature: Uint8Array): void {
    this.rank.set(rank);
    this.place.set(signature.subarray(0, PLACE));
    this.held.set(signature.subarray(OF_SIGNATURE.slots));
    this.row = NO_ROW;
  }

  add(key: Uint8Array, value: Uint8Array): void {
    if (this.rows.count + 2 > ROWS) this.flush();
    const { rows, heads, count, pair, slots } = this;
    if (this.row === NO_ROW) this.row = rows.add(this.held, 0, slots);
    this.a[count] = rows.add(value, PLACE, PLACE + slots);
    this.b[count] = this.row;
    const at = count * this.head;
    heads.set(key.subarray(RANK + 1), at);
    heads.set(this.rank, at + RANK);
    if (pair > 2 * RANK) {
      const [a, b] = [u64At(key, RANK + 1), u64At(this.rank, 0)];
      const names = appendNames(this.names.reset(), [a, value, PLACE + slots], [b, this.held, slots]);
      heads.set(names.view, at + 2 * RANK);
    }
    heads.set(value.subarray(0, PLACE), at + pair);
    heads.set(this.place, at + pair + PLACE);
    this.count++;
  }

  finish(): void {
    this.flush();
  }

  private flush(): void {
    const { a, b, count, rows, blockOf, columnOf, heads, head, pair, out } = this;
    const { stride, hashes, slots } = rows;
    const signatures = { blocks: [slots], blockOf, columnOf, stride, hashes };
    const equal = agreements({ a, b, count }, signatures);
    for (let i = 0; i < count; i++) {
      const at = i * head;
      out.key.kind(this.evidence.kindOf(equal[i]!)).raw(heads, at, at + pair);
      out.value.f64(equal[i]!).raw(heads, at + pair, at + head);
      out.write();
    }
    this.here.facts.add('compared pairs', count);
    rows.clear();
    this.row = NO_ROW;
    this.count = 0;
  }
}

/** Whether the sample of the second document is larger than that of the first: of whole ones, by all of their fingerprints. */
function isLarger({ size, sampled, whole }: SampleSizes): boolean {
  const of = whole[0] === 1 && whole[1] === 1 ? size : sampled;
  return of[1]! > of[0]!;
}

/** Compares pairs by their samples, one after the other. */
class EstimateBlock implements PairBlock {
  private readonly rank = new Uint8Array(RANK);
  private readonly place = new Uint8Array(PLACE);
  private readonly samples = new HeldSamples(2);
  private readonly by: ReturnType<typeof sampleRuleOf>;
  private readonly isRuled: boolean;
  private readonly evidence: EvidenceReader;
  private readonly out: StageSink;
  private readonly facts: StagePlace['facts'];
  private readonly isContained: boolean;
  private readonly crossing: number;
  private readonly ownCrossing = new FieldWriter();

  /** @param isRuled only pairs that pass the rule of candidates are pairs */
  constructor(out: StageSink, { manifest, facts }: StagePlace, isRuled: boolean) {
    this.out = out;
    this.facts = facts;
    this.by = sampleRuleOf(manifest.params);
    this.evidence = new EvidenceReader(manifest.params);
    this.isRuled = isRuled;
    this.isContained = manifest.params.measure === 'containment';
    this.crossing = crossingBytes(manifest.params);
  }

  hold(rank: Uint8Array, signature: Uint8Array): void {
    this.rank.set(rank);
    this.place.set(signature.subarray(0, PLACE));
    const end = signature.length - this.crossing;
    this.samples.read(1, signature, OF_SIGNATURE.slots, end);
    this.ownCrossing.reset().raw(signature, end);
  }

  add(key: Uint8Array, value: Uint8Array): void {
    const { samples, by, out, crossing } = this;
    const [a, b, end] = [u64At(key, RANK + 1), u64At(this.rank, 0), value.length - crossing];
    const own = this.ownCrossing.view;
    // Pairs of one group are made with all others of a fingerprint, and compared only where a similarity is asked for.
    if (crossing > 0 && this.isRuled && comparedGroup(value, end, a) === comparedGroup(own, 0, b)) return;
    samples.read(0, value, PLACE, end);
    const estimateOf = this.isRuled ? passingEstimate : sampleEstimate;
    const estimate = estimateOf(samples, by.params, by.rule, 0, 1);
    if (estimate === null) return;
    this.facts.add('compared pairs', 1);
    out.key
      .kind(this.evidence.kindOf(estimate))
      .raw(key, RANK + 1)
      .raw(this.rank);
    if (crossing > 0) appendNames(out.key, [a, value, end], [b, own, 0]);
    out.value.f64(estimate).raw(value, 0, PLACE).raw(this.place);
    if (this.isContained) out.value.u8(isLarger(samples.sizes) ? 2 : 1);
    out.write();
  }
}

function reduceRights(input: StageSource, block: PairBlock): void {
  while (input.group()) {
    let isHeld = false;
    while (input.each()) {
      const { key, value } = input;
      if (key[RANK] === OWN) {
        block.hold(input.shared, value);
        isHeld = true;
      } else if (isHeld) block.add(key, value);
      else throw withoutSignature(key);
    }
  }
  block.finish?.();
}

/** Joins pairs, with the sketch of their earlier document, with that of the later one, and compares the two. */
export const rightSignatures: StreamStage = {
  ...mapOf({ [KINDS.signature]: tagged(RANK, OWN), [KINDS.half]: tagged(RANK, OTHERS) }),
  shuffles: ['b'],
  prefix: RANK,
  reduce(input, out, here) {
    const isSampled = isSample(here.manifest.params.sketch);
    reduceRights(input, isSampled ? new EstimateBlock(out, here, false) : new AgreementBlock(out, here));
  },
};

/** The same for samples; pairs that share too few fingerprints are left out: they are no candidates. */
export const rightSamples: StreamStage = {
  ...rightSignatures,
  reduce: (input, out, here) => reduceRights(input, new EstimateBlock(out, here, true)),
};

/** Where the places of a pair begin in the value of `compared`. */
const PLACES = 8;

/** Value of a place that a pair needs. */
const ASKED = Uint8Array.of(0);

/** Documents that a task remembers: pairs of a document mostly come near each other, and name it once. */
const REMEMBERED = 2 ** 12;

/** unverified -> both places; documents -> their places / bits, where their sets are split. */
function mapWanted(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const documents = new RankedDocuments(manifest, true);
  const known = new Float64Array(REMEMBERED).fill(-1);
  const ask = (rank: number, value: Uint8Array, at: number): void => {
    const slot = rank % REMEMBERED;
    if (known[slot] === rank) return;
    known[slot] = rank;
    out.put(value.subarray(at, at + PLACE), ASKED);
  };
  while (input.next()) {
    const { key, value } = input;
    if (documents.take(input)) while (documents.next()) putLarge(documents.value, out, manifest.rangeHashes);
    if (key[0] !== KINDS.unverified) continue;
    ask(u64At(key, KIND), value, PLACES);
    ask(u64At(key, KIND + RANK), value, PLACES + PLACE);
  }
}

function putLarge(ranked: Uint8Array, out: RecordSink, rangeHashes: number): void {
  const bits = rangeBits(f64At(ranked, OF_RANKED.occurrences), rangeHashes);
  if (bits > 0) out.put(ranked.subarray(OF_RANKED.place, OF_RANKED.place + PLACE), Uint8Array.of(bits));
}

function reduceWanted(input: StageSource, out: StageSink, { facts }: StagePlace): void {
  while (input.group()) {
    let [isAsked, bits] = [false, 0];
    while (input.each()) {
      if (input.value[0] === 0) isAsked = true;
      else bits = input.value[0]!;
    }
    if (!isAsked) continue;
    facts.add('wanted documents', 1);
    out.key.kind(KINDS.wanted).raw(input.shared);
    out.write(Uint8Array.of(bits));
  }
}

/** The documents whose sets must be compared, each once, with the bits of sets that are split. */
export const wanted: StreamStage = {
  kinds: [KINDS.unverified, ...DOCUMENT_KINDS],
  shuffles: ['place'],
  prefix: PLACE,
  map: mapWanted,
  reduce: reduceWanted,
};
