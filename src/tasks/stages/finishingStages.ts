/**
 * Stages that give rows the ids of both documents, in the order of the result: `secondIds` joins each row with its second
 * document, `resultRows` sorts all documents, each followed by its rows.
 *
 * Each holds one document at a time. With --expand-identical `secondIds` holds 24 bytes for each member of one class of
 * identical documents, and writes all pairs of the class.
 */

import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { ResultParams } from '../../sketch/params.js';
import { hasGroups, namesOfPair } from '../stream/crossing.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import {
  IDENTICAL,
  KIND,
  KINDS,
  OF_DOCUMENT,
  OF_RANKED,
  ORDER,
  SAME_TOKENS,
  TABLES,
} from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, type RecordSink, type RecordSource, u32At, u64At } from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

/** Tags of records for the second document of rows, in this order. */
const THE_DOCUMENT = 0;
const A_ROW = 1;
/** A later member of the class whose first member the document is. */
const A_MEMBER = 2;

/** In keys of `secondIds`: where the tag stands, and where the field after it begins. */
const TAG_AT = 8;
const BEHIND_TAG = 9;

const TEXT_KEY = 16;
const FLAGS_AT = OF_DOCUMENT.ranked + OF_RANKED.facts;
const TEXT_KEY_AT = FLAGS_AT + 1;

/** Where the value of a row of the drop list begins in `dropped`: after the kept document. */
const BEHIND_KEPT = 8;

class SecondsMap {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly evidence: EvidenceReader;
  private readonly expands: boolean;
  private readonly seconds: RankBits | null;
  private readonly out: RecordSink;

  constructor(out: RecordSink, here: StagePlace) {
    const { params } = here.manifest;
    this.evidence = new EvidenceReader(params);
    this.expands = expandsHere(params);
    this.seconds = RankBits.from(here, PAIRED);
    this.out = out;
  }

  take(record: RecordSource): void {
    const { key } = record;
    const kind = key[0];
    if (kind === KINDS.document) {
      const rank = u64At(key, KIND);
      if (this.seconds?.has(rank) !== false) this.document(rank, record.value);
      return;
    }
    const { value } = record;
    if (kind === KINDS.dropped) {
      this.row(TABLES.dropped, u64At(key, KIND), u64At(value, 0), value.subarray(BEHIND_KEPT));
    } else if (kind === KINDS.row) {
      this.row(key[KIND]!, u64At(key, KIND + 1), u64At(key, KIND + 9), value);
    } else if (this.evidence.read(record)) this.candidate(key);
  }

  private document(rank: number, value: Uint8Array): void {
    const { key, out, expands } = this;
    const told = this.value.reset();
    if (expands) told.raw(value, TEXT_KEY_AT, TEXT_KEY_AT + TEXT_KEY);
    appendSecond(told, value);
    out.put(key.reset().u64(rank).u8(THE_DOCUMENT).view, told.view);
    const first = u64At(value, OF_DOCUMENT.first);
    if (expands && first !== rank) out.put(key.reset().u64(first).u8(A_MEMBER).u64(rank).view, told.view);
  }

  private candidate(key: Uint8Array): void {
    const { agreement, accepted, jaccard, aInB, bInA } = this.evidence;
    const { a, b } = namesOfPair(key);
    const value = this.value
      .reset()
      .f64(agreement)
      .u8(accepted ? 1 : 0)
      .f64(jaccard)
      .f64(a < b ? aInB : bInA)
      .f64(a < b ? bInA : aInB);
    this.row(TABLES.candidates, Math.min(a, b), Math.max(a, b), value.view);
  }

  private row(table: number, a: number, b: number, value: Uint8Array): void {
    this.out.put(this.key.reset().u64(b).u8(A_ROW).u8(table).u64(a).view, value);
  }
}

/** Whether `secondIds` makes the rows of all pairs of a class: with groups, `identicalRows` makes them. */
export const expandsHere = (params: ResultParams): boolean => params.expandIdentical && !hasGroups(params);

/**
 * Appends the fields of a row's second document: flags u8, isNamed u8, place, id. `value`: that of a record of kind `document`.
 */
function appendSecond(out: FieldWriter, value: Uint8Array): void {
  const { place, contentKey, isNamed } = OF_RANKED;
  const from = OF_DOCUMENT.ranked;
  out.u8(value[FLAGS_AT]!).u8(value[from + isNamed]!);
  out.raw(value, from + place, from + contentKey).raw(value, from + isNamed + 1);
}

class SecondsReduce {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly kind = new FieldWriter();
  private readonly out: RecordSink;
  private readonly expands: boolean;
  /** The document whose rows come now; -1: none yet. */
  private rank = -1;
  private readonly second = new FieldWriter();
  /** Members of the document's class so far, itself first: their ranks, and the text key of each as four u32. */
  private readonly members = new Float64Column();
  private readonly texts = new Uint32Column();

  constructor(out: RecordSink, { manifest: { params } }: StagePlace) {
    this.out = out;
    this.expands = expandsHere(params);
  }

  take({ key, value }: RecordSource): void {
    const rank = u64At(key, 0);
    const tag = key[TAG_AT];
    if (tag === THE_DOCUMENT) this.begin(rank, value);
    else if (rank !== this.rank) {
      throw new Error(`no document of rank ${rank}, which rows name: our own defect`);
    } else if (tag === A_MEMBER) this.member(u64At(key, BEHIND_TAG), value);
    else this.named(key[BEHIND_TAG]!, u64At(key, BEHIND_TAG + 1), rank, value, this.second.view);
  }

  private begin(rank: number, value: Uint8Array): void {
    this.rank = rank;
    this.second.reset().raw(this.expands ? value.subarray(TEXT_KEY) : value);
    this.members.truncate(0);
    this.texts.truncate(0);
    if (this.expands) this.push(rank, value);
  }

  private push(rank: number, value: Uint8Array): void {
    this.members.push(rank);
    for (let at = 0; at < TEXT_KEY; at += 4) this.texts.push(u32At(value, at));
  }

  /** Writes a row of the member with each member before it. */
  private member(rank: number, value: Uint8Array): void {
    const { members, texts, kind } = this;
    const second = value.subarray(TEXT_KEY);
    const [one, two, three, four] = [0, 4, 8, 12].map((at) => u32At(value, at));
    const ranks = members.view;
    const keys = texts.view;
    for (let i = 0; i < ranks.length; i++) {
      const isSame =
        keys[4 * i] === one &&
        keys[4 * i + 1] === two &&
        keys[4 * i + 2] === three &&
        keys[4 * i + 3] === four;
      const like = kind.reset().u8(isSame ? IDENTICAL : SAME_TOKENS).view;
      this.named(TABLES.identical, ranks[i]!, rank, like, second);
    }
    this.push(rank, value);
  }

  private named(table: number, a: number, b: number, value: Uint8Array, second: Uint8Array): void {
    const key = this.key.kind(KINDS.named).u8(table).u64(a).u64(b).view;
    this.out.put(key, this.value.reset().raw(value).raw(second).view);
  }
}

/** Appends to each row the id and the place of its second document. */
export const secondIds: StreamStage = {
  reads: 'records',
  kinds: [KINDS.document, KINDS.dropped, KINDS.row, ...EVIDENCE_KINDS],
  shuffles: ['the second document'],
  prefix: 8,
  map(input, out, here) {
    const map = new SecondsMap(out, here);
    while (input.next()) map.take(input);
  },
  reduce(input, out, here) {
    const reduce = new SecondsReduce(out, here);
    while (input.next()) reduce.take(input);
  },
};

/** The part of the result's order in which the rows of a table stand. */
const ORDER_OF: Readonly<Record<number, number>> = {
  [TABLES.candidates]: ORDER.pairs,
  [TABLES.identical]: ORDER.pairs,
  [TABLES.dropped]: ORDER.dropped,
  [TABLES.clusters]: ORDER.clusters,
};

class FirstsMap {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly routes: readonly number[] | null;
  private readonly range: number;
  /** Whether other stages make the rows of identical documents. */
  private readonly hasRows: boolean;

  constructor(out: RecordSink, { manifest: { routes, range, params } }: StagePlace) {
    this.out = out;
    this.routes = routes;
    this.range = range;
    this.hasRows = params.expandIdentical || hasGroups(params);
  }

  take({ key, value }: RecordSource): void {
    if (key[0] === KINDS.document) this.document(u64At(key, KIND), value);
    else if (key[0] === KINDS.named) {
      this.row(key[KIND]!, u64At(key, KIND + 1), u64At(key, KIND + 9), value);
    }
  }

  private document(rank: number, value: Uint8Array): void {
    this.out.put(this.under(rank).u8(ORDER.document).view, value);
    const first = u64At(value, OF_DOCUMENT.first);
    if (this.hasRows || first === rank) return;
    const named = this.value.reset().u8(value[OF_DOCUMENT.kindOfPair]!);
    appendSecond(named, value);
    this.row(TABLES.identical, first, rank, named.view);
  }

  private row(table: number, a: number, b: number, value: Uint8Array): void {
    this.out.put(this.under(a).u8(ORDER_OF[table]!).u64(b).u8(table).view, value);
  }

  /** The beginning of the keys of a document and its rows. */
  private under(rank: number): FieldWriter {
    const range = Math.floor(rank / this.range);
    return this.key
      .reset()
      .u32(this.routes?.[range] ?? range)
      .u64(rank);
  }
}

export const resultRows: StreamStage = {
  reads: 'records',
  kinds: [KINDS.document, KINDS.named],
  shuffles: ['the range of the first document'],
  prefix: 4,
  map(input, out, here) {
    const map = new FirstsMap(out, here);
    while (input.next()) map.take(input);
  },
  reduce(input, out) {
    let rank = -1;
    while (input.next()) {
      const { key, value } = input;
      const own = u64At(key, ORDER.rankAt);
      if (key[ORDER.whatAt] === ORDER.document) rank = own;
      else if (own !== rank) throw new Error(`no document of rank ${own}, which has rows: our own defect`);
      out.put(key, value);
    }
  },
};
