/**
 * The stage that finds documents with the same tokens: classes, named by their first members.
 *
 * What `reducers/identityClasses.ts` finds in columns, over documents that come class by class, in the order of their ranks. It
 * holds a signature, and a number for every text of a class of two or more: 2^22 texts at most.
 */
import { EMPTY } from '../../../blocks/documents.js';
import { ElementHash } from '../../../text/elements.js';
import { CONTENT, IDENTICAL, KIND, KINDS, OF_RANKED, PLACE, RANK, SAME_TOKENS } from '../../stream/kinds.js';
import { FieldWriter, type RecordSink, type RecordSource, sharesPrefix } from '../../stream/records.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import { TextNumbers } from '../../stream/textNumbers.js';
import { RankedDocuments } from './namingStages.js';

/** Tags of keys, behind the content key. */
const OF_SKETCH = 0;
const OF_DOCUMENT = 1;

const TEXT_KEY = OF_RANKED.facts + 1;

/**
 * Brings documents of one content together, a sketch of it first:
 *
 *      contentKey 16, 0               slots
 *      contentKey 16, 1, rank         as ranked
 *
 * Empty documents are in no class: each comes by its rank alone.
 */
function classKeys(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const [key, rank] = [new FieldWriter(), new FieldWriter()];
  const documents = new RankedDocuments(here);
  while (input.next()) {
    if (input.key[0] === KINDS.sketch) {
      key.reset().raw(input.key, KIND).u8(OF_SKETCH);
      out.put(key.view, input.value);
      continue;
    }
    // Those that were read have their names from another job.
    if ((here.manifest.areNamed && input.key[0] === KINDS.read) || !documents.take(input)) continue;
    const { value } = documents;
    rank.reset().u64(documents.rank);
    key.reset();
    if (isEmpty(value)) key.raw(rank.view).raw(rank.view);
    else key.raw(value, OF_RANKED.contentKey, OF_RANKED.facts);
    out.put(key.u8(OF_DOCUMENT).raw(rank.view).view, value);
  }
}

const isEmpty = (ranked: Uint8Array): boolean => (ranked[OF_RANKED.facts]! & EMPTY) !== 0;

/** The class that is read. */
class ClassReading {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly hash: ElementHash;
  private readonly words = new Uint32Array(2);
  private readonly content = new FieldWriter();
  private readonly slots = new FieldWriter();
  /** Rank and text key of the first member. */
  private readonly first = new FieldWriter();
  private members = 0;
  private texts: TextNumbers | null = null;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.hash = new ElementHash(here.manifest.params.seed);
  }

  add({ key, value }: RecordSource): void {
    if (!sharesPrefix(key, this.content.view, CONTENT)) this.open(key);
    if (key[CONTENT] === OF_SKETCH) {
      if (this.slots.view.length === 0) this.slots.raw(value);
      return;
    }
    const rank = key.subarray(CONTENT + 1);
    if (isEmpty(value)) this.document(rank, rank, IDENTICAL, value);
    else if (this.members++ === 0) this.firstMember(rank, value);
    else this.member(rank, value);
  }

  private open(key: Uint8Array): void {
    this.content.reset().raw(key, 0, CONTENT);
    this.slots.reset();
    this.first.reset();
    this.members = 0;
    this.texts = null;
  }

  private firstMember(rank: Uint8Array, ranked: Uint8Array): void {
    const slots = this.slots.view;
    if (slots.length === 0) throw new Error('a document without a sketch: our own defect');
    this.first.raw(rank).raw(ranked, TEXT_KEY, TEXT_KEY + CONTENT);
    this.document(rank, rank, IDENTICAL, ranked);
    this.hash.write(ranked, OF_RANKED.id, ranked.length, this.words, 0);
    this.value.reset().raw(ranked, 0, PLACE).u32(this.words[1]!).u32(this.words[0]!).raw(slots);
    this.out.put(this.key.reset().u8(KINDS.signature).raw(rank).view, this.value.view);
  }

  private member(rank: Uint8Array, ranked: Uint8Array): void {
    const { facts } = this.here;
    const first = this.first.view.subarray(0, RANK);
    if (this.texts === null) {
      this.texts = new TextNumbers();
      this.texts.of(this.first.view.subarray(RANK));
      this.memberOf(first, first, IDENTICAL, 0);
      facts.add('identity classes', 1);
    }
    const text = this.texts.of(ranked.subarray(TEXT_KEY, TEXT_KEY + CONTENT));
    const kind = text === 0 ? IDENTICAL : SAME_TOKENS;
    this.document(rank, first, kind, ranked);
    this.memberOf(first, rank, kind, text);
    facts.add('identical documents', 1);
  }

  private document(rank: Uint8Array, first: Uint8Array, kind: number, ranked: Uint8Array): void {
    this.value.reset().raw(first).u8(kind).raw(ranked);
    this.out.put(this.key.reset().u8(KINDS.document).raw(rank).view, this.value.view);
  }

  private memberOf(first: Uint8Array, rank: Uint8Array, kind: number, text: number): void {
    this.key.reset().u8(KINDS.member).raw(first).raw(rank);
    this.out.put(this.key.view, this.value.reset().u8(kind).u32(text).view);
  }
}

/** Documents by rank, signatures of first members, members of classes of two or more. */
export const classes: StreamStage = {
  reads: 'records',
  shuffles: ['content key'],
  prefix: CONTENT,
  map: classKeys,
  reduce(input, out, here) {
    const reading = new ClassReading(out, here);
    while (input.next()) reading.add(input);
  },
};
