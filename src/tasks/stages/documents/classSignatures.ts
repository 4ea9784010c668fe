/**
 * The signatures of classes as tasks read them: from records of kind `sketch`, in which every copy may have one, so that a side
 * file says which are copies; or of kind `signature`, where documents have groups, or are units, whose ranks are too far apart for
 * such a file.
 */
import { isThinned } from '../../../sketch/family.js';
import { isSample, type ResultParams, signatureParams } from '../../../sketch/params.js';
import { CROSSING_BYTES, crossingBytes, hasGroups } from '../../stream/crossing.js';
import { GatheredReading } from '../../stream/gatheredRecords.js';
import { CONTENT_HEAD, isFirstMember, KIND, KINDS, OF_SIGNATURE, RANK } from '../../stream/kinds.js';
import { COPIES, PAIRED, RankBits } from '../../stream/rankBits.js';
import { FieldWriter, type RecordSource, u64At } from '../../stream/records.js';
import { OF_SAMPLE } from '../../stream/sampleRecords.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import type { TaskManifest } from '../../stream/taskManifest.js';
import { RankedPlaces } from './namingStages.js';

/** Each byte of EMPTY_SLOT. */
const EMPTY_BYTE = 0xff;

/**
 * Says whether a sketch holds nothing of its document: thinning left no shingle, or the text has none of the common words. Null: no
 * sketch does.
 */
export function emptinessOf(params: ResultParams): ((sketch: Uint8Array) => boolean) | null {
  if (params.sketch.sketch === 'sswf') return (sketch) => sketch.length === OF_SAMPLE.values;
  return isThinned(params) ? (sketch) => sketch.every((byte) => byte === EMPTY_BYTE) : null;
}

/** Whether the job `signatures` writes the signatures of classes: documents have groups, or are units. */
export function areJoined({ params, strides }: Pick<TaskManifest, 'params' | 'strides'>): boolean {
  return hasGroups(params) || strides !== null;
}

export const SIGNATURE_KINDS = [KINDS.sketch, KINDS.signature] as const;

/** Reads the signatures of records one after the other: `take` a record, then `next` until none is left in it. */
export class ClassSignatures {
  /** Rank of the first member, and the record's value with the offsets of its slots or sample: as long as the record is. */
  rank = 0;
  value: Uint8Array = new Uint8Array(0);
  slotsAt = 0;
  slotsEnd = 0;
  private readonly here: StagePlace;
  private readonly bits: RankBits | null;
  private readonly areWanted: boolean;
  private readonly takesSketches: boolean;
  private readonly holdsNothing: ReturnType<typeof emptinessOf>;
  /** Bytes of the slots; null: samples are of any length. */
  private readonly slots: number | null;
  /** Bytes of the crossing behind a sample of a class. */
  private readonly crossing: number;
  private readonly joined = new FieldWriter();
  private places: RankedPlaces | null = null;
  private readonly sketches = new GatheredReading();
  private isSketch = false;
  /** A record of kind `signature` has not passed. */
  private isLeft = false;

  private constructor(
    here: StagePlace,
    bits: RankBits | null,
    areWanted: boolean,
    takesSketches = !areJoined(here.manifest),
  ) {
    this.takesSketches = takesSketches;
    const { params } = here.manifest;
    this.here = here;
    this.bits = bits;
    this.areWanted = areWanted;
    this.holdsNothing = emptinessOf(params);
    this.slots = isSample(params.sketch) ? null : 4 * signatureParams(params).sketch.hashes;
    this.crossing = crossingBytes(params);
  }

  /** Sketches that are to be joined with the members of classes. */
  static toJoin(here: StagePlace): ClassSignatures {
    return new ClassSignatures(here, RankBits.from(here, COPIES), false, true);
  }

  /** Those of all first members. */
  static ofFirsts(here: StagePlace): ClassSignatures {
    return new ClassSignatures(here, RankBits.from(here, COPIES), false);
  }

  /** Those of the documents that the job needs. */
  static ofPaired(here: StagePlace): ClassSignatures {
    return new ClassSignatures(here, RankBits.from(here, PAIRED), true);
  }

  /** Takes a record; false: it has no signatures. */
  take({ key, value }: RecordSource): boolean {
    this.isSketch = this.takesSketches && key[0] === KINDS.sketch;
    if (!this.isSketch && key[0] !== KINDS.signature) return false;
    this.value = value;
    if (this.isSketch) {
      this.places ??= new RankedPlaces(this.here.manifest);
      this.sketches.open(value);
    } else {
      this.isLeft = true;
      this.rank = u64At(key, KIND);
      this.slotsAt = OF_SIGNATURE.slots;
      this.slotsEnd = this.slots === null ? value.length - this.crossing : this.slotsAt + this.slots;
    }
    return true;
  }

  /** Finds the next signature of the record that is asked for; false: none is left. */
  next(): boolean {
    const { sketches } = this;
    if (!this.isSketch) {
      const { isLeft } = this;
      this.isLeft = false;
      return isLeft && this.isAsked();
    }
    while (sketches.next()) {
      this.slotsAt = sketches.from;
      this.slotsEnd = sketches.to;
      this.rank = this.places!.rankOf(this.value, sketches.head + CONTENT_HEAD, sketches.headEnd);
      if (this.rank >= 0 && this.isAsked()) return true;
    }
    return false;
  }

  private isAsked(): boolean {
    const { isSketch, holdsNothing, bits, rank } = this;
    if (isSketch && holdsNothing?.(this.value.subarray(this.slotsAt, this.slotsEnd)) === true) {
      // All such sketches are equal, so the document gets none.
      this.here.facts.add('unsketched', 1);
      return false;
    }
    return bits === null || bits.has(rank) === this.areWanted;
  }

  /** The value of a record of kind `signature`; valid until the next call. */
  get signature(): Uint8Array {
    const { value, slotsAt, slotsEnd, joined, sketches } = this;
    if (!this.isSketch) return value;
    const { head, headEnd } = sketches;
    this.places!.putPlace(value, joined.reset(), head, head + CONTENT_HEAD, headEnd);
    return joined.raw(value, slotsAt, slotsEnd).view;
  }
}

/** Tags after the rank: what is known of a document comes before its signature. */
const [COPY, CROSSING, OWN] = [0, 1, 2];

/** The signatures of classes, with their crossings, where there are groups. */
export const signatures: StreamStage = {
  kinds: [KINDS.sketch, KINDS.member, KINDS.crossed],
  shuffles: ['document'],
  prefix: RANK,
  /** Signatures -> rank, 2 / as signature; member, if it is not the first -> rank, 0; crossed -> rank, 1 / crossing. */
  map(input, out, here) {
    const taken = ClassSignatures.toJoin(here);
    while (input.next()) {
      const { key, value } = input;
      if (taken.take(input)) {
        while (taken.next()) {
          out.key.u64(taken.rank).u8(OWN);
          out.write(taken.signature);
        }
      } else if (key[0] === KINDS.member && !isFirstMember(key)) {
        out.key.raw(key, KIND + RANK).u8(COPY);
        out.write();
      } else if (key[0] === KINDS.crossed) {
        out.key.tagged(key, RANK, CROSSING);
        out.write(value.subarray(0, CROSSING_BYTES));
      }
    }
  },
  reduce(input, out) {
    const crossing = new FieldWriter();
    while (input.group()) {
      let isCopy = false;
      crossing.reset();
      while (input.each()) {
        const { key, value } = input;
        if (key[RANK] === COPY) isCopy = true;
        else if (key[RANK] === CROSSING) crossing.raw(value);
        else if (!isCopy) {
          out.key.kind(KINDS.signature).raw(input.shared);
          out.value.raw(value).raw(crossing.view);
          out.write();
        }
      }
    }
  },
};
