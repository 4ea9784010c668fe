/** The fields of the ordered records that a result is written from: documents are followed by their rows. */
import { WHOLE_FILE } from '../../../blocks/documents.js';
import type { StreamedDigest } from '../../../output/tables/digest.js';
import { GatheredReading } from '../../../tasks/stream/gatheredRecords.js';
import {
  OF_EVIDENCE,
  OF_RANKED,
  OF_SECOND,
  ORDER,
  RANK,
  TABLE_BYTES,
  TABLES,
  WHOLE_RECORD,
} from '../../../tasks/stream/kinds.js';
import type { PlacesInFiles } from '../../../tasks/stream/placesInFiles.js';
import { f64At, u32At, u64At } from '../../../tasks/stream/records.js';

/** The facts of a document that tables need. */
export interface NamedDocument {
  readonly id: Uint8Array;
  /** The number of its file, and the number of its record in the file, as readers count; of a unit its number, else 0. */
  readonly file: number;
  readonly record: number;
  readonly unit: number;
  readonly flags: number;
}

const NUMBER_AT = 4;

function readPlace(
  into: { file: number; record: number; unit: number },
  bytes: Uint8Array,
  at: number,
  numbered: PlacesInFiles,
): void {
  into.file = u32At(bytes, at);
  const number = u64At(bytes, at + NUMBER_AT);
  const record = numbered.recordOf(into.file, number);
  into.record = record === WHOLE_RECORD ? WHOLE_FILE : record;
  into.unit = numbered.unitOf(into.file, number);
}

/** Offsets in the head of a document. */
const PLACE_AT = RANK + OF_RANKED.place;
const CONTENT_AT = RANK + OF_RANKED.contentKey;
const FACTS_AT = RANK + OF_RANKED.facts;
const NUMBERS_AT = RANK + OF_RANKED.occurrences;

/** The documents of a record, one after the other: `open` it, then `next` until none is left. */
export class OrderedDocument implements NamedDocument {
  rank = -1;
  /** The rank of the first member of its identity class. */
  first = -1;
  file = 0;
  record = 0;
  unit = 0;
  flags = 0;
  occurrences = 0;
  textBytes = 0;
  tokens = 0;
  private readonly numbered: PlacesInFiles;
  private readonly gathered = new GatheredReading();
  private view: Uint8Array | null = null;

  constructor(numbered: PlacesInFiles) {
    this.numbered = numbered;
  }

  /** @param value of the record: read from as long as `next` is called */
  open(value: Uint8Array): void {
    this.gathered.open(value);
  }

  /** Whether a document is left. */
  get isLeft(): boolean {
    return this.gathered.isLeft;
  }

  next(): void {
    const { gathered } = this;
    gathered.next();
    const { bytes, head } = gathered;
    this.rank = this.first = u64At(bytes, head);
    readPlace(this, bytes, head + PLACE_AT, this.numbered);
    this.flags = bytes[head + FACTS_AT]!;
    this.occurrences = f64At(bytes, head + NUMBERS_AT);
    this.textBytes = f64At(bytes, head + NUMBERS_AT + 8);
    this.tokens = f64At(bytes, head + NUMBERS_AT + 16);
    this.view = null;
  }

  /** A view, made where it is asked for: most documents have no row, and a view costs as much as all else of a document. */
  get id(): Uint8Array {
    const { bytes, from, to } = this.gathered;
    this.view ??= bytes.subarray(from, to);
    return this.view;
  }

  addTo(digest: StreamedDigest): void {
    const { bytes, from, to, head } = this.gathered;
    digest.add(bytes, from, to, bytes, head + CONTENT_AT);
  }
}

const TABLE_AT = ORDER.whatAt + 9;

export class OrderedRow {
  table: number = TABLES.candidates;
  b = -1;
  readonly second = { id: new Uint8Array(0), file: 0, record: 0, unit: 0, flags: 0 };
  private value = new Uint8Array(0);
  private readonly numbered: PlacesInFiles;

  constructor(numbered: PlacesInFiles) {
    this.numbered = numbered;
  }

  read(key: Uint8Array, value: Uint8Array): void {
    this.table = key[TABLE_AT]!;
    this.b = u64At(key, ORDER.whatAt + 1);
    this.value = value as Uint8Array<ArrayBuffer>;
    const from = TABLE_BYTES[this.table]!;
    this.second.flags = value[from + OF_SECOND.flags]!;
    readPlace(this.second, value, from + OF_SECOND.place, this.numbered);
    this.second.id = value.subarray(from + OF_SECOND.id) as Uint8Array<ArrayBuffer>;
  }

  /** Number of agreeing slots of a candidate pair, or the estimate from its samples. */
  get agreement(): number {
    return f64At(this.value, OF_EVIDENCE.agreement);
  }

  get isAccepted(): boolean {
    return this.value[OF_EVIDENCE.accepted] === 1;
  }

  get jaccard(): number {
    return f64At(this.value, OF_EVIDENCE.jaccard);
  }

  get aInB(): number {
    return f64At(this.value, OF_EVIDENCE.aInB);
  }

  get bInA(): number {
    return f64At(this.value, OF_EVIDENCE.bInA);
  }

  /** IDENTICAL or SAME_TOKENS, for the row of an identical pair. */
  get kindOfPair(): number {
    return this.value[0]!;
  }

  /** The similarity of a dropped document to the kept one, or of a member of a cluster to its representative. */
  get similarity(): number {
    return f64At(this.value, 0);
  }

  /** The reason of a dropped document, or the basis of the similarity of a member. */
  get word(): number {
    return this.value[8]!;
  }
}
