/** The fields of the ordered records that a result is written from: each document is followed by its rows. */
import { WHOLE_FILE } from '../../../blocks/documents.js';
import {
  CONTENT,
  OF_DOCUMENT,
  OF_EVIDENCE,
  OF_RANKED,
  OF_SECOND,
  ORDER,
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

const RANKED = OF_DOCUMENT.ranked;
const FACTS_AT = RANKED + OF_RANKED.facts;
const NUMBERS_AT = FACTS_AT + 17;

/** The document of the last record read; its bytes are valid until the next `read`. */
export class OrderedDocument implements NamedDocument {
  rank = -1;
  id: Uint8Array = new Uint8Array(0);
  contentKey: Uint8Array = new Uint8Array(0);
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

  constructor(numbered: PlacesInFiles) {
    this.numbered = numbered;
  }

  read(key: Uint8Array, value: Uint8Array): void {
    this.rank = u64At(key, ORDER.rankAt);
    this.first = u64At(value, OF_DOCUMENT.first);
    readPlace(this, value, RANKED + OF_RANKED.place, this.numbered);
    const contentKey = RANKED + OF_RANKED.contentKey;
    this.contentKey = value.subarray(contentKey, contentKey + CONTENT);
    this.flags = value[FACTS_AT]!;
    this.occurrences = f64At(value, NUMBERS_AT);
    this.textBytes = f64At(value, NUMBERS_AT + 8);
    this.tokens = f64At(value, NUMBERS_AT + 16);
    this.id = value.subarray(RANKED + OF_RANKED.id);
  }
}

const TABLE_AT = ORDER.whatAt + 9;

export class OrderedRow {
  table: number = TABLES.candidates;
  a = -1;
  b = -1;
  readonly second = { id: new Uint8Array(0), file: 0, record: 0, unit: 0, flags: 0 };
  private value = new Uint8Array(0);
  private readonly numbered: PlacesInFiles;

  constructor(numbered: PlacesInFiles) {
    this.numbered = numbered;
  }

  read(key: Uint8Array, value: Uint8Array): void {
    this.table = key[TABLE_AT]!;
    this.a = u64At(key, ORDER.rankAt);
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
