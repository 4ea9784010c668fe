/**
 * Stages that give rows the ids of both documents, in the order of the result: `secondIds` joins each row with its second
 * document, `resultRows` sorts all documents, each followed by its rows.
 *
 * Each holds one document at a time.
 */

import { hasGroups, namesOfPair } from '../stream/crossing.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, OF_DOCUMENT, OF_RANKED, ORDER, TABLES } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, type RecordSink, type RecordSource, u64At } from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

/** Tags of records for the second document of rows, in this order. */
const THE_DOCUMENT = 0;
const A_ROW = 1;

/** In keys of `secondIds`: where the tag stands, and where the field after it begins. */
const TAG_AT = 8;
const BEHIND_TAG = 9;

const FLAGS_AT = OF_DOCUMENT.ranked + OF_RANKED.facts;

/** Where the value of a row of the drop list begins in `dropped`: after the kept document. */
const BEHIND_KEPT = 8;

class SecondsMap {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly evidence: EvidenceReader;
  private readonly seconds: RankBits | null;
  private readonly out: RecordSink;

  constructor(out: RecordSink, here: StagePlace) {
    const { params } = here.manifest;
    this.evidence = new EvidenceReader(params);
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
    const told = this.value.reset();
    appendSecond(told, value);
    this.out.put(this.key.reset().u64(rank).u8(THE_DOCUMENT).view, told.view);
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

/**
 * Appends the fields of a row's second document: flags u8, isNamed u8, place, id. `value`: that of a record of kind `document`.
 */
function appendSecond(out: FieldWriter, value: Uint8Array): void {
  const { place, contentKey, isNamed } = OF_RANKED;
  const from = OF_DOCUMENT.ranked;
  out.u8(value[FLAGS_AT]!).u8(value[from + isNamed]!);
  out.raw(value, from + place, from + contentKey).raw(value, from + isNamed + 1);
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
  reduce(input, out) {
    const [named, told, second] = [new FieldWriter(), new FieldWriter(), new FieldWriter()];
    let rank = -1;
    while (input.next()) {
      const { key, value } = input;
      const own = u64At(key, 0);
      if (key[TAG_AT] === THE_DOCUMENT) {
        rank = own;
        second.reset().raw(value);
        continue;
      }
      if (own !== rank) throw new Error(`no document of rank ${own}, which rows name: our own defect`);
      named
        .kind(KINDS.named)
        .u8(key[BEHIND_TAG]!)
        .raw(key, BEHIND_TAG + 1)
        .u64(rank);
      out.put(named.view, told.reset().raw(value).raw(second.view).view);
    }
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
