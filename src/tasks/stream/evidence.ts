/** Reads what records of the kinds `compared` and `evidence` say of a candidate pair. */
import { decidingAgreements, leastNear } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { measuredBy } from '../../sketch/similarity.js';
import { KINDS, OF_EVIDENCE } from './kinds.js';
import { type FieldWriter, f64At, type RecordSource, u64At } from './records.js';

/** The kinds of records that say all of a pair; and those of a pair whose sketches were compared. */
export const EVIDENCE_KINDS = [KINDS.compared, KINDS.evidence] as const;
export const COMPARED_KINDS = [KINDS.compared, KINDS.unverified] as const;

export const isCompared = (kind: number | undefined): boolean =>
  kind === KINDS.compared || kind === KINDS.unverified;

/** The pair of the last record that was read. */
export class EvidenceReader {
  a = 0;
  b = 0;
  /** Equal slots of the signatures, or the estimate from the samples. */
  agreement = 0;
  accepted = false;
  /** Resemblance of the two sets; NaN: the sets were not compared. */
  jaccard = Number.NaN;
  aInB = Number.NaN;
  bInA = Number.NaN;
  private readonly isExact: boolean;
  private readonly margin: number;
  private readonly least: number;
  private readonly near: number;
  private readonly measure: ResultParams['measure'];

  constructor(params: ResultParams) {
    const { least, margin } = decidingAgreements(params);
    this.near = leastNear(params);
    this.measure = params.measure;
    this.isExact = params.verify === 'exact';
    this.margin = margin;
    this.least = least;
  }

  /** The kind of record for a pair with this agreement: whether its sets must be compared. */
  kindOf(agreement: number): number {
    return this.isExact && agreement >= this.margin ? KINDS.unverified : KINDS.compared;
  }

  /** Reads a record of kind `compared` or `evidence`; false: the record is of another kind. */
  read(record: Pick<RecordSource, 'key' | 'value'>): boolean {
    const kind = record.key[0];
    if (kind !== KINDS.compared && kind !== KINDS.evidence) return false;
    this.readCompared(record);
    if (kind === KINDS.evidence) {
      const { value } = record;
      this.accepted = value[OF_EVIDENCE.accepted] === 1;
      this.jaccard = f64At(value, OF_EVIDENCE.jaccard);
      this.aInB = f64At(value, OF_EVIDENCE.aInB);
      this.bInA = f64At(value, OF_EVIDENCE.bInA);
      return true;
    }
    this.accepted = this.agreement >= this.least;
    this.jaccard = this.aInB = this.bInA = Number.NaN;
    return true;
  }

  /** Reads the pair and its agreement of a record of kind `compared` or `unverified`. */
  readCompared({ key, value }: Pick<RecordSource, 'key' | 'value'>): void {
    this.a = u64At(key, 1);
    this.b = u64At(key, 9);
    this.agreement = f64At(value, OF_EVIDENCE.agreement);
  }

  /** Whether the pair is counted as near: where sets are compared, it is accepted. */
  get isNear(): boolean {
    return this.isExact ? this.accepted : this.agreement >= this.near;
  }

  /** The measure of the two sets; NaN: they were not compared. */
  get measured(): number {
    return measuredBy(this.measure, this.jaccard, this.aInB, this.bInA);
  }

  /**
   * Appends what an accepted pair is compared with others by, for a and for b: the similarity of the sets, else estimated from the
   * signatures; of containment the share of each document in the other.
   */
  appendShares(out: FieldWriter, hashes: number): FieldWriter {
    const { measure, jaccard, aInB, bInA } = this;
    if (measure === 'containment') return out.f64(aInB).f64(bInA);
    const resemblance = Number.isNaN(jaccard) ? this.agreement / hashes : jaccard;
    return out.f64(resemblance).f64(resemblance);
  }
}
