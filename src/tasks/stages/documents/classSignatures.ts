/**
 * The signatures of classes as tasks read them: from records of kind `sketch`, of which every copy may have one, so that a side
 * file says which are copies; or of kind `signature`, where documents have groups, or are units, whose ranks are too far apart for
 * such a file.
 */
import { isThinned } from '../../../sketch/family.js';
import { isSample, type ResultParams, signatureParams } from '../../../sketch/params.js';
import { CROSSING_BYTES, crossingBytes } from '../../stream/crossing.js';
import { isFirstMember, KIND, KINDS, OF_SIGNATURE, RANK } from '../../stream/kinds.js';
import { COPIES, PAIRED, RankBits } from '../../stream/rankBits.js';
import {
  compareKeys,
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  u64At,
} from '../../stream/records.js';
import { OF_SAMPLE } from '../../stream/sampleRecords.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
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

export const SIGNATURE_KINDS = [KINDS.sketch, KINDS.signature] as const;

export class ClassSignatures {
  /** Rank of the first member, and the record's value with the offsets of its slots or sample: as long as the record is. */
  rank = 0;
  value: Uint8Array = new Uint8Array(0);
  slotsAt = 0;
  slotsEnd = 0;
  private readonly here: StagePlace;
  private readonly bits: RankBits | null;
  private readonly areWanted: boolean;
  private readonly holdsNothing: ReturnType<typeof emptinessOf>;
  /** Bytes of the slots; null: samples are of any length. */
  private readonly slots: number | null;
  /** Bytes of the crossing behind a sample of a class. */
  private readonly crossing: number;
  private readonly joined = new FieldWriter();
  private places: RankedPlaces | null = null;
  private key: Uint8Array = new Uint8Array(0);

  private constructor(here: StagePlace, bits: RankBits | null, areWanted: boolean) {
    const { params } = here.manifest;
    this.here = here;
    this.bits = bits;
    this.areWanted = areWanted;
    this.holdsNothing = emptinessOf(params);
    this.slots = isSample(params.sketch) ? null : 4 * signatureParams(params).sketch.hashes;
    this.crossing = crossingBytes(params);
  }

  /** Those of all first members. */
  static ofFirsts(here: StagePlace): ClassSignatures {
    return new ClassSignatures(here, RankBits.from(here, COPIES), false);
  }

  /** Those of the documents that the job needs. */
  static ofPaired(here: StagePlace): ClassSignatures {
    return new ClassSignatures(here, RankBits.from(here, PAIRED), true);
  }

  /** Takes a signature; false: the record is none, or is not asked for. */
  take(record: RecordSource): boolean {
    const { key } = record;
    const isSketch = key[0] === KINDS.sketch;
    if (!isSketch && key[0] !== KINDS.signature) return false;
    this.places ??= isSketch ? new RankedPlaces(this.here.manifest) : null;
    const rank = isSketch ? this.places!.rankOf(key) : u64At(key, KIND);
    if (rank < 0) return false;
    if (isSketch && this.holdsNothing?.(record.value) === true) {
      // All such sketches are equal, so the document gets none.
      this.here.facts.add('unsketched', 1);
      return false;
    }
    if (this.bits !== null && this.bits.has(rank) !== this.areWanted) return false;
    this.rank = rank;
    this.key = key;
    // A view of it costs as much as all of this, and most records are not asked for.
    this.value = record.value;
    this.slotsAt = isSketch ? 0 : OF_SIGNATURE.slots;
    if (this.slots !== null) this.slotsEnd = this.slotsAt + this.slots;
    else this.slotsEnd = this.value.length - (isSketch ? 0 : this.crossing);
    return true;
  }

  /** The value of a record of kind `signature`; valid until the next call. */
  get signature(): Uint8Array {
    const { key, value } = this;
    if (key[0] === KINDS.signature) return value;
    return this.places!.putPlace(key, this.joined.reset()).raw(value).view;
  }
}

/** Tags after the rank: what is known of a document comes before its signature. */
const [COPY, CROSSING, OWN] = [0, 1, 2];

/** Signatures -> rank, 2 / as signature; member, if it is not the first -> rank, 0; crossed -> rank, 1 / crossing. */
function mapSignatures(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const keys = new FieldWriter();
  const taken = ClassSignatures.ofFirsts(here);
  while (input.next()) {
    const { key, value } = input;
    if (taken.take(input)) out.put(keys.reset().u64(taken.rank).u8(OWN).view, taken.signature);
    else if (key[0] === KINDS.member && !isFirstMember(key))
      out.put(
        keys
          .reset()
          .raw(key, KIND + RANK)
          .u8(COPY).view,
        PRESENT,
      );
    else if (key[0] === KINDS.crossed)
      out.put(keys.reset().raw(key, KIND).u8(CROSSING).view, value.subarray(0, CROSSING_BYTES));
  }
}

function reduceSignatures(input: RecordSource, out: RecordSink): void {
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  const [crossing, copy] = [new FieldWriter(), new FieldWriter()];
  while (input.next()) {
    const { key, value } = input;
    if (key[RANK] === COPY) copy.reset().raw(key, 0, RANK);
    else if (key[RANK] === CROSSING) crossing.reset().raw(value);
    else if (compareKeys(copy.view, key.subarray(0, RANK)) !== 0) {
      keys.kind(KINDS.signature).raw(key, 0, RANK);
      out.put(keys.view, values.reset().raw(value).raw(crossing.view).view);
    }
  }
}

/** The signatures of classes, with their crossings, where there are groups. */
export const signatures: StreamStage = {
  reads: 'records',
  kinds: [KINDS.sketch, KINDS.member, KINDS.crossed],
  shuffles: ['document'],
  prefix: RANK,
  map: mapSignatures,
  reduce: reduceSignatures,
};
