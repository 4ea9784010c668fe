/**
 * Stages that give documents their ids. Their ranks follow from their places (CorpusFiles).
 *
 *      read --nameHashes-->                   where records have ids: whether two documents may have one; else nothing follows
 *           --names--> ranked, other        the first document keeps a repeated id, the others wait
 *           --clashes--> renamed, ending    only where ids repeat: the others are named by their places
 *
 * The rule is that of reducers/documentNames.ts. Each stage holds one record at a time.
 */

import { claimOf, endingOf } from '../../../../reducers/documentNames.js';
import { numberName } from '../../../../reducers/survivorKeys.js';
import { HAS_ID } from '../../../blocks/documents.js';
import { MISSING, NUMBER } from '../../../blocks/fieldValues.js';
import { bytesOf } from '../../../readers/list/pathIds.js';
import { fieldsRead } from '../../../sketch/params.js';
import { ElementHash } from '../../../text/elements.js';
import { unitMark } from '../../../text/units.js';
import { CorpusFiles } from '../../stream/corpusFiles.js';
import { GatheredReading } from '../../stream/gatheredRecords.js';
import { CONTENT, CONTENT_HEAD, FACTS, KIND, KINDS, OF_RANKED, RANK, SPLIT } from '../../stream/kinds.js';
import { PlacesInFiles } from '../../stream/placesInFiles.js';
import {
  compareKeys,
  endedAt,
  FieldWriter,
  GatheredRows,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  u32At,
  u64At,
} from '../../stream/records.js';
import { mapOf, type StagePlace, type StreamStage, unchanged } from '../../stream/stage.js';
import { valuesAt } from '../../stream/survivorOrder.js';
import { withdrawnIn } from '../withdrawnStages.js';

/** Sorts the records of splits, skips and counts into one place, in the order of keys. */
export const facts: StreamStage = {
  ...mapOf({ [KINDS.split]: unchanged, [KINDS.skipped]: unchanged, [KINDS.passed]: unchanged }),
  shuffles: ['kind'],
  prefix: KIND,
  reduce(input, out) {
    while (input.next()) out.put(input.key, input.value);
  },
};

/** Offsets of the fields in the keys of `valued` and `elements`. */
const OF_KEY = { content: KIND, file: KIND + CONTENT } as const;
const ORDINAL = 4;

/**
 * Finds the ranks of records by their splits and ordinals, which with the number of a unit, if any, stand in [at, end) of some bytes:
 * by default in a key of `valued` or `elements`.
 */
export class RankedPlaces {
  readonly files: CorpusFiles;

  constructor(manifest: ConstructorParameters<typeof CorpusFiles>[0]) {
    this.files = new CorpusFiles(manifest);
  }

  /** The number of the document in its file; -1: its file is refused. */
  numberOf(bytes: Uint8Array, at: number = OF_KEY.file, end = bytes.length): number {
    const file = u32At(bytes, at);
    const behind = at + SPLIT + ORDINAL;
    const record = this.files.recordOf(file, u64At(bytes, at + 4), u32At(bytes, at + SPLIT));
    if (record < 0) return -1;
    return this.files.numbered.numberOf(file, record, end > behind ? u64At(bytes, behind) : 0);
  }

  /** Appends the place of the document, whose file is not refused. `content`: where its content key begins. */
  putPlace(
    bytes: Uint8Array,
    into: FieldWriter,
    content: number = OF_KEY.content,
    at: number = OF_KEY.file,
    end = bytes.length,
  ): FieldWriter {
    return appendPlace(into, bytes, at, this.numberOf(bytes, at, end), content);
  }

  /** The rank of the document; -1: its file is refused. */
  rankOf(bytes: Uint8Array, at: number = OF_KEY.file, end = bytes.length): number {
    const number = this.numberOf(bytes, at, end);
    return number < 0 ? -1 : this.files.rankOf(u32At(bytes, at), number);
  }
}

/** Appends the place of the document of this number in its file. `at`: where its file stands; `content`: where its content key begins. */
function appendPlace(
  into: FieldWriter,
  bytes: Uint8Array,
  at: number,
  number: number,
  content: number,
): FieldWriter {
  return into
    .u32(u32At(bytes, at))
    .u64(number)
    .raw(bytes, content, content + CONTENT_HEAD);
}

/** Reads the documents of records of kind `read`: `open` a record, then `next` until none is left in it. */
export class ReadDocuments {
  rank = 0;
  /** The number in its file. */
  number = 0;
  /** The value of the record, with the offsets of the document's content key, its facts, and its id, if any. */
  bytes: Uint8Array = new Uint8Array(0);
  content = 0;
  facts = 0;
  id = 0;
  idEnd = 0;
  private readonly places: RankedPlaces;
  private readonly gathered = new GatheredReading();

  constructor(places: RankedPlaces) {
    this.places = places;
  }

  open(value: Uint8Array): void {
    this.bytes = value;
    this.gathered.open(value);
  }

  /** Finds the next document whose file is not refused; false: none is left. */
  next(): boolean {
    const { gathered, bytes, places } = this;
    while (gathered.next()) {
      const { head, headEnd } = gathered;
      this.content = head;
      this.facts = headEnd - FACTS - 1;
      this.number = places.numberOf(bytes, head + CONTENT, this.facts);
      if (this.number < 0) continue;
      this.rank = places.files.rankOf(this.file, this.number);
      this.id = gathered.from;
      this.idEnd = gathered.to;
      return true;
    }
    return false;
  }

  /** Whether its record has an id. */
  get isNamed(): boolean {
    return this.bytes[this.facts + FACTS] === 1;
  }

  /** The id of a document whose record has none. */
  get placeId(): Uint8Array {
    return this.places.files.placeOf(this.file, this.number);
  }

  get file(): number {
    return u32At(this.bytes, this.content + CONTENT);
  }

  /** The number of a unit. */
  get unit(): number {
    return u64At(this.bytes, this.content + CONTENT + SPLIT + ORDINAL);
  }

  /** Appends what the value of `ranked` has before the id. */
  appendFacts(into: FieldWriter): void {
    const { bytes, content, facts } = this;
    appendPlace(into, bytes, content + CONTENT, this.number, content)
      .raw(bytes, content, content + CONTENT)
      .raw(bytes, facts, facts + FACTS + 1);
  }
}

/** The kinds of records that are documents. */
export const DOCUMENT_KINDS = [KINDS.read, KINDS.ranked, KINDS.renamed] as const;

/**
 * Reads documents from records of the kinds `read`, `ranked` and `renamed`: `take` a record, then `next` until none is left in it. The
 * units of a document have its id, until their numbers are put behind it.
 */
export class RankedDocuments {
  rank = 0;
  /** Where the id is that `findId` found. */
  idBytes: Uint8Array = new Uint8Array(0);
  idFrom = 0;
  idTo = 0;
  private readonly written = new FieldWriter();
  private readonly made = new FieldWriter();
  /** The document that was found, of a record of the kind `read`. */
  readonly read: ReadDocuments;
  private readonly files: CorpusFiles;
  private readonly clashEnd: Uint8Array;
  private readonly mark: string | null;
  /** The job `names` has written all documents, so those of `read` are passed over. */
  private readonly areRanked: boolean;
  private record: DocumentRecord = NO_RECORD;
  private isRead = false;
  /** A record that is one document has not passed. */
  private isLeft = false;

  /** @param areFinal whether documents have their names: the number of a unit is put behind its id */
  constructor(manifest: RankedManifest, areFinal: boolean) {
    const { unit } = manifest.params;
    this.mark = areFinal && unit !== 'document' ? unitMark(unit) : null;
    this.areRanked = areFinal && manifest.areNamed;
    const places = new RankedPlaces(manifest);
    this.read = new ReadDocuments(places);
    this.files = places.files;
    this.clashEnd = bytesOf(manifest.clashEnd);
  }

  /** Takes a record; false: it has no documents. */
  take(record: DocumentRecord): boolean {
    const { key, value } = record;
    const [kind] = key;
    this.isRead = kind === KINDS.read && !this.areRanked;
    this.isLeft = kind === KINDS.ranked || kind === KINDS.renamed;
    this.record = record;
    if (this.isRead) this.read.open(value);
    return this.isRead || this.isLeft;
  }

  /** Finds the next document of the record; false: none is left in it. */
  next(): boolean {
    if (this.isRead) {
      if (!this.read.next()) return false;
      this.rank = this.read.rank;
      return true;
    }
    if (!this.isLeft) return false;
    this.isLeft = false;
    this.rank = u64At(this.record.key, KIND);
    return true;
  }

  /** The document as the value of `ranked` (kinds.ts), valid until the next call; made anew by each. */
  get value(): Uint8Array {
    return this.append(this.written.reset()).view;
  }

  /** Appends the document, as long as its record is read. */
  append(into: FieldWriter): FieldWriter {
    this.findId();
    return this.appendFacts(into).raw(this.idBytes, this.idFrom, this.idTo);
  }

  /** Appends what the value of `ranked` has before the id. */
  appendFacts(into: FieldWriter): FieldWriter {
    const { key, value } = this.record;
    if (this.isRead) this.read.appendFacts(into);
    else if (key[0] === KINDS.ranked) into.raw(value, 0, OF_RANKED.id);
    else into.raw(value, 1).u8(0);
    return into;
  }

  /** Finds the id, valid until the next call: `idBytes`[idFrom .. idTo). */
  findId(): void {
    const { read, record, made, mark } = this;
    const { key, value } = record;
    if (this.isRead) {
      if (read.isNamed) this.idIs(read.bytes, read.id, read.idEnd);
      else this.idIs(read.placeId);
    } else if (key[0] === KINDS.ranked) this.idIs(value, OF_RANKED.id);
    else {
      // An earlier document has its id.
      made.reset().raw(this.files.placeOf(u32At(value, 1), u64At(value, 1 + RECORD)));
      if (value[0] === 1) made.raw(this.clashEnd);
      this.idIs(made.view);
    }
    if (mark !== null)
      this.idIs(Buffer.concat([this.idBytes.subarray(this.idFrom, this.idTo), this.markOf(mark)]));
  }

  private idIs(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.idBytes = bytes;
    this.idFrom = from;
    this.idTo = to;
  }

  private markOf(mark: string): Uint8Array {
    const { key, value } = this.record;
    const at = key[0] === KINDS.renamed ? 1 : 0;
    const unit = this.isRead
      ? this.read.unit
      : this.files.numbered.unitOf(u32At(value, at), u64At(value, at + RECORD));
    return bytesOf(`${mark}${unit}`);
  }
}

/** What ranks and names of documents follow from. */
type RankedManifest = ConstructorParameters<typeof CorpusFiles>[0] &
  Pick<StagePlace['manifest'], 'clashEnd' | 'areNamed' | 'params'>;

type DocumentRecord = Pick<RecordSource, 'key' | 'value'>;

const NO_RECORD: DocumentRecord = { key: new Uint8Array(0), value: new Uint8Array(0) };

/** Counts a document, by its flags; and those whose record has an id, also where the document has another name. */
export function countDocument(counts: StagePlace['facts'], flags: number): void {
  counts.add('documents', 1);
  if ((flags & HAS_ID) !== 0) counts.add('named documents', 1);
}

/** Offset of the number in a place. */
const RECORD = 4;

/** Bytes after the name in keys of `names`: claim u8, rank u64. */
const BEHIND_NAME = 1 + RANK;
const HASH_BYTES = 8;

/** Appends the hash (8 bytes) of a name, by which equal names are grouped. */
class NameHash {
  private readonly hash = new ElementHash(0);
  private readonly words = new Uint32Array(2);

  append(key: FieldWriter, name: Uint8Array, from = 0, to = name.length): FieldWriter {
    this.hash.write(name, from, to, this.words, 0);
    return key.u32(this.words[1]!).u32(this.words[0]!);
  }
}

interface DocumentPlace {
  readonly file: number;
  readonly record: number;
}

const NO_DOCUMENT: DocumentPlace = { file: -1, record: -1 };

const isSame = (one: DocumentPlace, other: DocumentPlace): boolean =>
  one.file === other.file && one.record === other.record;

/** Documents -> rows: the hash of the name. */
function mapNameHashes(input: RecordSource, out: StageSink, { manifest }: StagePlace): void {
  const documents = new ReadDocuments(new RankedPlaces(manifest));
  const hash = new NameHash();
  const rows = new GatheredRows(out);
  while (input.next()) {
    documents.open(input.value);
    while (documents.next()) {
      if (documents.isNamed) hash.append(rows, documents.bytes, documents.id, documents.idEnd);
      else hash.append(rows, documents.placeId);
      rows.endRow();
    }
  }
  rows.flush();
}

/** Name of the fact that counts the documents whose name has the hash of another one's. */
export const EQUAL_HASHES = 'equal hashes of names';

function reduceNameHashes(input: StageSource, _out: RecordSink, { facts: counts }: StagePlace): void {
  const last = new Uint8Array(HASH_BYTES);
  let [equal, isFirst] = [0, true];
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    for (let at = 0; at < rows.length; at += HASH_BYTES) {
      let i = 0;
      while (i < HASH_BYTES && rows[at + i] === last[i]) i++;
      if (i === HASH_BYTES && !isFirst) equal++;
      isFirst = false;
      for (; i < HASH_BYTES; i++) last[i] = rows[at + i]!;
    }
  }
  counts.add(EQUAL_HASHES, equal);
}

/** Documents -> how many may have the name of another one: mostly none, and then no name moves. */
export const nameHashes: StreamStage = {
  kinds: [KINDS.read],
  shuffles: ['hash'],
  prefix: HASH_BYTES,
  row: () => HASH_BYTES,
  recurring: true,
  map: mapNameHashes,
  reduce: reduceNameHashes,
};

/** Documents -> hash 8, name (ended), claim u8, rank u64 / as ranked without the name. */
function mapNames(input: RecordSource, out: StageSink, here: StagePlace): void {
  const documents = new RankedDocuments(here.manifest, false);
  const hash = new NameHash();
  while (input.next()) {
    documents.take(input);
    while (documents.next()) {
      const { value, rank } = documents;
      countDocument(here.facts, value[OF_RANKED.facts]!);
      const name = value.subarray(OF_RANKED.id);
      hash
        .append(out.key, name)
        .ended(name)
        .u8(claimOf(value[OF_RANKED.isNamed] === 1))
        .u64(rank);
      out.write(value.subarray(0, OF_RANKED.id));
    }
  }
}

/** The first document with an id keeps it, all units of it. */
function reduceNames(input: RecordSource, out: StageSink, here: StagePlace): void {
  const { facts: counts, manifest } = here;
  const numbered = new PlacesInFiles(manifest.strides);
  const last = new FieldWriter();
  /** The document that keeps the id, and the one of the record before. */
  let [keeper, before] = [NO_DOCUMENT, NO_DOCUMENT];
  while (input.next()) {
    const { key, value } = input;
    const behind = key.length - BEHIND_NAME;
    const hashed = key.subarray(0, behind);
    const file = u32At(value, 0);
    const document = { file, record: numbered.recordOf(file, u64At(value, RECORD)) };
    if (compareKeys(hashed, last.view) !== 0) {
      last.reset().raw(hashed);
      keeper = document;
      counts.add('distinct ids', 1);
    }
    const isOther = !isSame(document, keeper);
    if (isOther) counts.add('repeated ids', 1);
    if (isOther && !isSame(document, before)) counts.add('documents with repeated ids', 1);
    before = document;
    out.key.kind(isOther ? KINDS.other : KINDS.ranked).raw(key, behind + 1);
    out.value.raw(value).raw(idIn(key.subarray(HASH_BYTES, behind)));
    out.write();
  }
}

/** The id that was written with `ended`; a view where possible. */
function idIn(ended: Uint8Array): Uint8Array {
  return ended.indexOf(0) === ended.length - 2 ? ended.subarray(0, -2) : endedAt(ended, 0).bytes;
}

/** Documents, where some may have one id -> the same by rank; all but the first document with an id are `other`. */
export const names: StreamStage = {
  kinds: [KINDS.read],
  shuffles: ['name'],
  prefix: HASH_BYTES,
  map: mapNames,
  reduce: reduceNames,
};

/** A task remembers so many endings, and writes each of them once; later ones may be written again. */
const MOST_ENDINGS = 65_536;

/** Tags in keys of `clashes`, after the hash. */
const OF_NAME = 0;
const OF_ENDING = 1;
/** Tags after a name. */
const KEEPS = 0;
const WANTS = 1;

/**
 * Groups equal names, and numbers after `~`:
 *
 *      hash 8, 0, name (ended), 0             -                       a document keeps this name, which reads like a place
 *      hash 8, 0, name (ended), 1, rank       place, contentKey, facts   a document that is to be named by its place
 *      hash 8, 1, number u64, digits u8       -                       a name ends with `~` and the number
 */
class ClashKeys {
  private readonly out: StageSink;
  private readonly files: CorpusFiles;
  private readonly hash = new NameHash();
  private readonly told = new Set<number>();

  constructor(out: StageSink, here: StagePlace) {
    this.out = out;
    this.files = new CorpusFiles(here.manifest);
  }

  ranked({ value }: RecordSource): void {
    const name = value.subarray(OF_RANKED.id);
    this.ending(name);
    // Places are distinct: only the id of a record can equal the place of another document.
    if (value[OF_RANKED.isNamed] !== 1 || !this.files.isLikePlace(name)) return;
    this.begin(name).u8(OF_NAME).ended(name).u8(KEEPS);
    this.out.write();
  }

  other({ key, value }: RecordSource): void {
    const place = this.files.placeOf(u32At(value, 0), u64At(value, RECORD));
    this.ending(place);
    this.begin(place).u8(OF_NAME).ended(place).u8(WANTS).raw(key, KIND);
    this.out.write(value.subarray(0, OF_RANKED.isNamed));
  }

  private ending(name: Uint8Array): void {
    const told = endingOf(name, 0, name.length);
    if (told < 0 || this.told.has(told)) return;
    if (this.told.size >= MOST_ENDINGS) this.told.clear();
    this.told.add(told);
    const digits = told % 16;
    const key = this.begin(name.subarray(-digits - 1)).u8(OF_ENDING);
    key.u64(Math.floor(told / 16)).u8(digits);
    this.out.write();
  }

  private begin(bytes: Uint8Array): FieldWriter {
    return this.hash.append(this.out.key, bytes);
  }
}

/** Finds the names that two documents would share, and the numbers after `~`. */
function findClashes(input: RecordSource, out: StageSink, { facts: counts }: StagePlace): void {
  const kept = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    const tail = key.subarray(HASH_BYTES + 1);
    if (key[HASH_BYTES] === OF_ENDING) {
      if (compareKeys(tail, kept.view) === 0) continue;
      kept.reset().raw(tail);
      out.key.kind(KINDS.ending).raw(tail);
      out.write();
    } else if (value.length === 1) {
      // A value of one byte: a document keeps the name.
      kept.reset().raw(tail, 0, tail.length - 1);
    } else {
      const behind = tail.length - BEHIND_NAME;
      const clashes = compareKeys(tail.subarray(0, behind), kept.view) === 0;
      if (clashes) counts.add('clashes', 1);
      out.key.kind(KINDS.renamed).raw(tail, behind + 1);
      out.value.u8(clashes ? 1 : 0).raw(value);
      out.write();
    }
  }
}

/** Documents with repeated ids -> whether another document has their place as its id; and the numbers after `~`. */
export const clashes: StreamStage = {
  kinds: [KINDS.ranked, KINDS.other],
  shuffles: ['name'],
  prefix: HASH_BYTES,
  map(input, out, here) {
    const keys = new ClashKeys(out, here);
    while (input.next()) {
      if (input.key[0] === KINDS.ranked) keys.ranked(input);
      else keys.other(input);
    }
  },
  reduce: findClashes,
};

const NO_NAME = new Uint8Array(0);

/** valued -> hash 8, name of the group (ended), rank u64 / contentKey 16, isEmpty u8. */
function mapGroups(input: RecordSource, out: StageSink, here: StagePlace): void {
  const { manifest } = here;
  const { groups } = manifest.params;
  const fields = fieldsRead(manifest.params);
  const at = groups?.by === 'field' ? fields.indexOf(groups.field) : -1;
  const places = new RankedPlaces(manifest);
  const isWithdrawn = withdrawnIn(here);
  const [hash, own] = [new NameHash(), new FieldWriter()];
  while (input.next()) {
    const { key, value } = input;
    const rank = places.rankOf(key);
    if (rank < 0 || isWithdrawn(own.reset().u64(rank).view)) continue;
    const [kind, number, text] = valuesAt(value, 1, fields.length)[at]!;
    const name = kind === MISSING ? NO_NAME : kind === NUMBER ? numberName(number) : text();
    hash.append(out.key, name).ended(name).u64(rank);
    out.value.raw(key, KIND, KIND + CONTENT).u8(value[0]!);
    out.write();
  }
}

function reduceGroups(input: RecordSource, out: StageSink, { facts: counts }: StagePlace): void {
  const name = new FieldWriter();
  let [first, members] = [0, 0];
  while (input.next()) {
    const { key, value } = input;
    const behind = key.length - RANK;
    const hashed = key.subarray(0, behind);
    if (compareKeys(hashed, name.view) !== 0) {
      name.reset().raw(hashed);
      first = u64At(key, behind);
      members = 0;
      counts.add('groups', 1);
    }
    counts.add('pairs within groups', members++);
    // An empty document is in no pair, so it needs no group.
    if (value[CONTENT] === 1) continue;
    out.key.kind(KINDS.grouped).raw(value, 0, CONTENT).raw(key, behind);
    out.value.u64(first);
    out.write();
  }
}

/** Values of a field -> the groups of documents; the first document of a group names it. */
export const groups: StreamStage = {
  kinds: [KINDS.valued],
  shuffles: ['group'],
  prefix: HASH_BYTES,
  map: mapGroups,
  reduce: reduceGroups,
};
