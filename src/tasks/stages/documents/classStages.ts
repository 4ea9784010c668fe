/**
 * The stage that finds classes: documents with the same tokens. The first member of a class names it.
 *
 * Finds what `reducers/identityClasses.ts` finds in columns, from documents that come class by class, in the order of ranks. It
 * holds a number for every text of a class that differs from that of the first member: 2^22 texts at most. A document is a row, for
 * most are alone in their classes; with an order of survivors it comes whole, and the member that comes first in that order leads the
 * class.
 */
import { NameTable } from '../../../arrays/hashTable.js';
import { EMPTY } from '../../../blocks/documents.js';
import { MISSING } from '../../../blocks/fieldValues.js';
import { fieldsRead } from '../../../sketch/params.js';
import { hasGroups } from '../../stream/crossing.js';
import { CONTENT, IDENTICAL, KIND, KINDS, OF_RANKED, RANK, SAME_TOKENS } from '../../stream/kinds.js';
import {
  compareKeys,
  FieldWriter,
  GatheredRows,
  type RecordSource,
  type StageSink,
  type StageSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../../stream/records.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import { SurvivorOrder, valuesAt } from '../../stream/survivorOrder.js';
import { withdrawnIn } from '../withdrawnStages.js';
import {
  countDocument,
  DOCUMENT_KINDS,
  RankedDocuments,
  RankedPlaces,
  ReadDocuments,
} from './namingStages.js';

const NOTHING = new Uint8Array(0);

/** Tags after the rank: the values and the group of a document come before its facts. */
const VALUES = 0;
const GROUP = 1;
const FACTS_OF_IT = 2;

/** Texts of a class that a task holds, 60 bytes each. */
const MOST_TEXTS = 2 ** 22;

const TEXT_KEY = OF_RANKED.facts + 1;
/** In the facts of a document. */
const TEXT_READ = 1;
/** Bytes of a row: content key, rank, text key. */
const ROW = CONTENT + RANK + CONTENT;
/** Bytes of the number of a text, before the key of the lead. */
const TEXT_NUMBER = 4;

/** Documents -> rows. Empty ones are in no class. */
function classRows(input: RecordSource, out: StageSink, { manifest, facts }: StagePlace): void {
  const documents = new ReadDocuments(new RankedPlaces(manifest));
  const rows = new GatheredRows(out);
  while (input.next()) {
    if (input.key[0] !== KINDS.read) continue;
    documents.open(input.value);
    while (documents.next()) {
      const { rank, bytes, content, facts: at } = documents;
      countDocument(facts, bytes[at]!);
      if ((bytes[at]! & EMPTY) !== 0) continue;
      rows.raw(bytes, content, content + CONTENT).u64(rank);
      rows.raw(bytes, at + TEXT_READ, at + TEXT_READ + CONTENT).endRow();
    }
  }
  rows.flush();
}

/**
 * With an order of survivors, documents by their content:
 *
 *      contentKey 16, rank, 0      values, where a run reads fields
 *      contentKey 16, rank, 1      its group, where a field is the group
 *      contentKey 16, rank, 2      as ranked
 */
function classKeys(input: RecordSource, out: StageSink, here: StagePlace): void {
  const documents = new RankedDocuments(here.manifest, true);
  const places = new RankedPlaces(here.manifest);
  const fields = fieldsRead(here.manifest.params);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.valued) {
      const rank = places.rankOf(key);
      if (rank < 0) continue;
      valuesAt(value, 1, fields.length).forEach(([kind], i) => {
        if (kind === MISSING) here.facts.add(WITHOUT + fields[i]!, 1);
      });
      // An empty document is in no pair, so it needs no values.
      if (value[0] === 1) continue;
      out.key
        .raw(key, KIND, KIND + CONTENT)
        .u64(rank)
        .u8(VALUES);
      out.write(value);
      continue;
    }
    if (key[0] === KINDS.grouped) {
      out.key.tagged(key, CONTENT + RANK, GROUP);
      out.write(value);
      continue;
    }
    documents.take(input);
    while (documents.next()) {
      const ranked = documents.value;
      const flags = ranked[OF_RANKED.facts]!;
      countDocument(here.facts, flags);
      if ((flags & EMPTY) !== 0) continue;
      out.key.raw(ranked, OF_RANKED.contentKey, OF_RANKED.facts).u64(documents.rank).u8(FACTS_OF_IT);
      out.write(ranked);
    }
  }
}

/** The count of documents with the tokens of one that is withdrawn. */
export const COPIES_OF_CHANGED = 'copies of changed documents';
/** Prefix of the fact that counts the documents without a value in a field. */
export const WITHOUT = 'documents without ';

class ClassReading {
  private readonly out: StageSink;
  private readonly here: StagePlace;
  private readonly content = new FieldWriter();
  /** Rank and text key of the first member. */
  private readonly first = new FieldWriter();
  private members = 0;
  /** The first member is withdrawn, and the others stay alone. */
  private isVoid = false;
  private readonly isWithdrawn: (rank: Uint8Array) => boolean;
  /** Keys of the texts that differ from that of the first member; null: none was met. */
  private texts: NameTable | null = null;
  private readonly order: SurvivorOrder | null;
  private readonly fields: number;
  /** Values of the next document. */
  private readonly values = new FieldWriter();
  /** Key of the first member in the order of survivors; and that of the lead, after the number of the lead's text. */
  private readonly orderOfFirst = new FieldWriter();
  private readonly lead = new FieldWriter();
  private protectedMembers = 0;
  private readonly isCross: boolean;
  /** With groups: that of the first member; rank and text of the first member of another group. */
  private group = 0;
  /** Group of the next document, where a field is the group. */
  private nextGroup = 0;
  private readonly other = { rank: -1, text: 0 };

  constructor(out: StageSink, here: StagePlace) {
    const { manifest } = here;
    this.order = manifest.hasOrder === true ? new SurvivorOrder(manifest) : null;
    this.fields = fieldsRead(manifest.params).length;
    this.isCross = hasGroups(manifest.params);
    this.isWithdrawn = withdrawnIn(here);
    this.out = out;
    this.here = here;
  }

  add({ key, value }: RecordSource): void {
    if (!sharesPrefix(key, this.content.view, CONTENT)) this.open(key);
    const tag = key[CONTENT + RANK];
    if (tag === VALUES) this.values.reset().raw(value);
    else if (tag === GROUP) this.nextGroup = u64At(value, 0);
    else
      this.take(key.subarray(CONTENT, CONTENT + RANK), value.subarray(TEXT_KEY, TEXT_KEY + CONTENT), value);
  }

  /** Takes the row at `at`, whose content is that of the row before; first takes the row `before`, if it opened no class yet. */
  addRow(rows: Uint8Array, at: number, before: Uint8Array, beforeAt: number): void {
    if (!sharesPrefix(rows.subarray(at, at + CONTENT), this.content.view, CONTENT)) {
      this.open(rows.subarray(at, at + CONTENT));
      this.row(before, beforeAt);
    }
    this.row(rows, at);
  }

  private row(rows: Uint8Array, at: number): void {
    const text = at + CONTENT + RANK;
    this.take(rows.subarray(at + CONTENT, text), rows.subarray(text, at + ROW), NOTHING);
  }

  /** Takes the next member. `ranked`: the document, with an order of survivors. */
  private take(rank: Uint8Array, text: Uint8Array, ranked: Uint8Array): void {
    if (this.isAlone(rank)) return;
    if (this.members === 1) this.firstMember(rank, text, ranked);
    else this.member(rank, text, ranked);
  }

  /** Counts a member: whether it is withdrawn, or has the tokens of a document that is. */
  private isAlone(rank: Uint8Array): boolean {
    if (this.members++ === 0) this.isVoid = this.isWithdrawn(rank);
    else if (this.isVoid) this.here.facts.add(COPIES_OF_CHANGED, 1);
    return this.isVoid;
  }

  /** Ends the class: writes its lead. */
  end(): void {
    const { members, first, lead, out, protectedMembers: ofClass } = this;
    if (members === 0 || this.isVoid || this.order === null) return;
    if (this.isCross) this.crossed(first.view.subarray(0, RANK));
    out.key.kind(KINDS.lead).raw(first.view, 0, RANK);
    out.value.raw(lead.view, 0, TEXT_NUMBER).u32(ofClass).raw(lead.view, TEXT_NUMBER);
    out.write();
  }

  /** Writes the crossing of the class, once all its members are read. */
  private crossed(first: Uint8Array): void {
    const { members, other, group, out, here } = this;
    out.key.kind(KINDS.crossed).raw(first);
    out.value.u64(group).u64(other.rank + 1);
    out.value.u32(other.text);
    out.write();
    if (other.rank < 0) return;
    here.facts.add('identity classes', 1);
    here.facts.add('identical documents', members - 1);
  }

  private groupOf(ranked: Uint8Array): number {
    return this.here.manifest.files.order.groups?.[u32At(ranked, OF_RANKED.place)] ?? this.nextGroup;
  }

  private open(key: Uint8Array): void {
    this.end();
    this.protectedMembers = 0;
    this.lead.reset();
    this.content.reset().raw(key, 0, CONTENT);
    this.first.reset();
    this.members = 0;
    this.isVoid = false;
    this.texts = null;
  }

  private firstMember(rank: Uint8Array, text: Uint8Array, ranked: Uint8Array): void {
    this.first.raw(rank).raw(text);
    if (this.isCross) {
      this.group = this.groupOf(ranked);
      this.other.rank = -1;
      this.other.text = 0;
    }
    const order = this.orderOf(rank, ranked, 0);
    if (order !== null) this.orderOfFirst.reset().raw(order);
  }

  /** The key of a member in the order of survivors, null without one. The member leads the class if it comes first. */
  private orderOf(rank: Uint8Array, ranked: Uint8Array, text: number): Uint8Array | null {
    if (this.order === null) return null;
    const values = this.fields === 0 ? [] : valuesAt(this.values.view, 1, this.fields);
    const order = this.order.of(rank, ranked, values);
    if (order[0] === 0) this.protectedMembers++;
    const { lead } = this;
    if (lead.view.length === 0 || compareKeys(order, lead.view.subarray(TEXT_NUMBER)) < 0)
      lead.reset().u32(text).raw(order);
    return order;
  }

  private member(rank: Uint8Array, textKey: Uint8Array, ranked: Uint8Array): void {
    const { facts } = this.here;
    const first = this.first.view.subarray(0, RANK);
    if (this.members === 2) {
      this.memberOf(first, first, IDENTICAL, 0, this.group, this.order && this.orderOfFirst.view);
      if (!this.isCross) facts.add('identity classes', 1);
    }
    const text = this.textOf(textKey);
    const kind = text === 0 ? IDENTICAL : SAME_TOKENS;
    const group = this.isCross ? this.groupOf(ranked) : 0;
    facts.add('copies', 1);
    this.memberOf(first, rank, kind, text, group, this.orderOf(rank, ranked, text));
    if (!this.isCross) facts.add('identical documents', 1);
    else if (group !== this.group && this.other.rank < 0) {
      this.other.rank = u64At(rank, 0);
      this.other.text = text;
    }
  }

  /**
   * The number of the text of a member, in the order of arrival: 0 is that of the first member.
   *
   * @throws RangeError where a class has more than MOST_TEXTS different texts
   */
  private textOf(key: Uint8Array): number {
    const first = this.first.view;
    let same = 0;
    while (same < CONTENT && key[same] === first[RANK + same]) same++;
    if (same === CONTENT) return 0;
    this.texts ??= new NameTable();
    const [low, high] = [u32At(key, 0), u32At(key, 4)];
    const text = 1 + this.texts.numberOf(key, 0, CONTENT, low, high);
    if (text < MOST_TEXTS) return text;
    throw new RangeError(
      `more than ${MOST_TEXTS} different texts have the same tokens; expected fewer; choose shingles that tell them apart (bytes, or chars)`,
    );
  }

  private memberOf(
    first: Uint8Array,
    rank: Uint8Array,
    kind: number,
    text: number,
    group: number,
    order: Uint8Array | null,
  ): void {
    const { out } = this;
    out.key.kind(KINDS.member).raw(first).raw(rank);
    out.value.u8(kind).u32(text);
    if (this.isCross) out.value.u64(group);
    if (order !== null) out.value.raw(order);
    out.write();
  }
}

function reduceRows(input: StageSource, reading: ClassReading): void {
  const last = new Uint8Array(ROW);
  let isFirst = true;
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    if (!isFirst && isOneClass(rows, 0, last, 0)) reading.addRow(rows, 0, last, 0);
    for (let at = ROW; at < rows.length; at += ROW)
      if (isOneClass(rows, at, rows, at - ROW)) reading.addRow(rows, at, rows, at - ROW);
    last.set(rows.subarray(rows.length - ROW));
    isFirst = false;
  }
}

function isOneClass(one: Uint8Array, at: number, other: Uint8Array, from: number): boolean {
  for (let i = 0; i < CONTENT; i++) if (one[at + i] !== other[from + i]) return false;
  return true;
}

/** Members of classes of two or more; with an order of survivors, what leads each class. */
export const classes: StreamStage = {
  kinds: [...DOCUMENT_KINDS, KINDS.valued, KINDS.grouped],
  shuffles: ['content key'],
  prefix: CONTENT,
  row: ({ hasOrder }) => (hasOrder === true ? 0 : ROW),
  recurring: true,
  map: (input, out, here) =>
    here.manifest.hasOrder === true ? classKeys(input, out, here) : classRows(input, out, here),
  reduce(input, out, here) {
    const reading = new ClassReading(out, here);
    if (here.manifest.hasOrder === true) while (input.next()) reading.add(input);
    else reduceRows(input, reading);
    reading.end();
  },
};
