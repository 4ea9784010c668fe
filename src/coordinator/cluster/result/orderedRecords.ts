/** The fields of the records that a result is written from: documents, and rows in their order. */
import { WHOLE_FILE } from '../../../blocks/documents.js';
import type { StreamedDigest } from '../../../output/tables/digest.js';
import { RankedDocuments } from '../../../tasks/stages/documents/namingStages.js';
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
import { f64At, type RecordSource, u32At, u64At } from '../../../tasks/stream/records.js';
import type { ClusterOutcome } from '../clusterRecipe.js';

/** The facts of a document that tables need. */
export interface NamedDocument {
  /** Where its id is: `idBytes`[idFrom .. idTo). */
  readonly idBytes: Uint8Array;
  readonly idFrom: number;
  readonly idTo: number;
  /** The number of its file, and the number of its record in the file, as readers count; of a unit its number, else 0. */
  readonly file: number;
  readonly record: number;
  readonly unit: number;
  readonly flags: number;
}

const NUMBER_AT = 4;
const NOTHING: Uint8Array = new Uint8Array(0);

function readPlace(
  into: { file: number; record: number; unit: number },
  bytes: Uint8Array,
  at: number,
  numbered: PlacesInFiles,
): void {
  setPlace(into, u32At(bytes, at), u64At(bytes, at + NUMBER_AT), numbered);
}

function setPlace(
  into: { file: number; record: number; unit: number },
  file: number,
  number: number,
  numbered: PlacesInFiles,
): void {
  into.file = file;
  const record = numbered.recordOf(file, number);
  into.record = record === WHOLE_RECORD ? WHOLE_FILE : record;
  into.unit = numbered.unitOf(file, number);
}

/** Offsets in the head of a document among the ordered records. */
const PLACE_AT = RANK + OF_RANKED.place;
const CONTENT_AT = RANK + OF_RANKED.contentKey;
const FACTS_AT = RANK + OF_RANKED.facts;
/** Behind the flags and the text key of the facts. */
const NUMBERS = OF_RANKED.occurrences - OF_RANKED.facts;

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
  /** Reads records of the corpus; null: documents are among the ordered records. */
  private readonly corpus: RankedDocuments | null;
  private readonly gathered = new GatheredReading();
  idBytes: Uint8Array = NOTHING;
  idFrom = 0;
  idTo = 0;
  private bytes: Uint8Array = NOTHING;
  private contentAt = 0;

  constructor(numbered: PlacesInFiles, corpus: ClusterOutcome['documents']) {
    this.numbered = numbered;
    this.corpus = corpus && new RankedDocuments(corpus.manifest, true);
  }

  /** @param record read from as long as `next` is called */
  open(record: Pick<RecordSource, 'key' | 'value'>): void {
    if (this.corpus === null) this.gathered.open(record.value);
    else this.corpus.take(record);
  }

  /** False: none is left, and the fields are those of the last one. */
  next(): boolean {
    return this.corpus === null ? this.nextOrdered() : this.nextOf(this.corpus);
  }

  private nextOrdered(): boolean {
    const { gathered } = this;
    if (!gathered.next()) return false;
    const { bytes, head, from, to } = gathered;
    this.rank = this.first = u64At(bytes, head);
    readPlace(this, bytes, head + PLACE_AT, this.numbered);
    this.contentAt = head + CONTENT_AT;
    this.readFacts(bytes, head + FACTS_AT);
    this.idIs(bytes, from, to);
    return true;
  }

  private nextOf(corpus: RankedDocuments): boolean {
    if (!corpus.next()) return false;
    corpus.findId();
    const { bytes, content, facts, file, number } = corpus.read;
    this.rank = this.first = corpus.rank;
    setPlace(this, file, number, this.numbered);
    this.contentAt = content;
    this.readFacts(bytes, facts);
    this.idIs(corpus.idBytes, corpus.idFrom, corpus.idTo);
    return true;
  }

  private readFacts(bytes: Uint8Array, at: number): void {
    this.bytes = bytes;
    this.flags = bytes[at]!;
    this.occurrences = f64At(bytes, at + NUMBERS);
    this.textBytes = f64At(bytes, at + NUMBERS + 8);
    this.tokens = f64At(bytes, at + NUMBERS + 16);
  }

  private idIs(bytes: Uint8Array, from: number, to: number): void {
    this.idBytes = bytes;
    this.idFrom = from;
    this.idTo = to;
  }

  get id(): Uint8Array {
    return this.idBytes.subarray(this.idFrom, this.idTo);
  }

  addTo(digest: StreamedDigest): void {
    digest.add(this.idBytes, this.idFrom, this.idTo, this.bytes, this.contentAt);
  }
}

const TABLE_AT = ORDER.whatAt + 9;

export class OrderedRow {
  table: number = TABLES.candidates;
  b = -1;
  /** Its id is a part of the row: a view would cost as much as all else of the row. */
  readonly second = { idBytes: NOTHING, idFrom: 0, idTo: 0, file: 0, record: 0, unit: 0, flags: 0 };
  private value = NOTHING;
  private readonly numbered: PlacesInFiles;

  constructor(numbered: PlacesInFiles) {
    this.numbered = numbered;
  }

  read(key: Uint8Array, value: Uint8Array): void {
    this.table = key[TABLE_AT]!;
    this.b = u64At(key, ORDER.whatAt + 1);
    this.value = value;
    const { second } = this;
    const from = TABLE_BYTES[this.table]!;
    second.flags = value[from + OF_SECOND.flags]!;
    readPlace(second, value, from + OF_SECOND.place, this.numbered);
    second.idBytes = value;
    second.idFrom = from + OF_SECOND.id;
    second.idTo = value.length;
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
