/**
 * Stages that give rows the ids of both documents, in the order of the result: `secondIds` joins each row with its second
 * document, `resultRows` sorts rows, and with them, where an engine has documents in another order, all documents, gathered where
 * they follow one another.
 *
 * Each holds one document, or one record of them.
 */

import { namesOfPair } from '../stream/crossing.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { GatheredRecords } from '../stream/gatheredRecords.js';
import { isFirstMember, KIND, KINDS, OF_MEMBER, OF_RANKED, ORDER, RANK, TABLES } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, type RecordSource, type StageSink, u64At } from '../stream/records.js';
import { joined, type StagePlace, type StreamStage } from '../stream/stage.js';
import { DOCUMENT_KINDS, RankedDocuments } from './documents/namingStages.js';

/** Tags of records for the second document of rows, in this order. */
const THE_DOCUMENT = 0;
const A_ROW = 1;

/** Where the value of a row of the drop list begins in `dropped`: after the kept document. */
const BEHIND_KEPT = 8;

class SecondsMap {
  private readonly value = new FieldWriter();
  private readonly evidence: EvidenceReader;
  private readonly seconds: RankBits | null;
  private readonly documents: RankedDocuments;
  private readonly out: StageSink;

  constructor(out: StageSink, here: StagePlace) {
    this.documents = new RankedDocuments(here.manifest, true);
    this.evidence = new EvidenceReader(here.manifest.params);
    this.seconds = RankBits.from(here, PAIRED);
    this.out = out;
  }

  take(record: RecordSource): void {
    const { key, value } = record;
    const kind = key[0];
    const { documents } = this;
    if (documents.take(record)) {
      while (documents.next())
        if (this.seconds?.has(documents.rank) !== false) this.document(documents.rank, documents.value);
    } else if (kind === KINDS.member) {
      if (isFirstMember(key)) return;
      const told = value.subarray(0, OF_MEMBER.text);
      this.row(TABLES.identical, u64At(key, KIND), u64At(key, KIND + RANK), told);
    } else if (kind === KINDS.dropped) {
      this.row(TABLES.dropped, u64At(key, KIND), u64At(value, 0), value.subarray(BEHIND_KEPT));
    } else if (kind === KINDS.row) {
      this.row(key[KIND]!, u64At(key, KIND + 1), u64At(key, KIND + 9), value);
    } else if (this.evidence.read(record)) this.candidate(key);
  }

  private document(rank: number, ranked: Uint8Array): void {
    const { out } = this;
    const { facts, place, contentKey, isNamed, id } = OF_RANKED;
    out.key.u64(rank).u8(THE_DOCUMENT);
    out.value.u8(ranked[facts]!).u8(ranked[isNamed]!).raw(ranked, place, contentKey).raw(ranked, id);
    out.write();
  }

  private candidate(key: Uint8Array): void {
    const { agreement, accepted, jaccard, aInB, bInA } = this.evidence;
    const { a, b } = namesOfPair(key);
    const told = this.value.reset().f64(agreement);
    told.u8(accepted ? 1 : 0).f64(jaccard);
    told.f64(a < b ? aInB : bInA).f64(a < b ? bInA : aInB);
    this.row(TABLES.candidates, Math.min(a, b), Math.max(a, b), told.view);
  }

  private row(table: number, a: number, b: number, value: Uint8Array): void {
    this.out.key.u64(b).u8(A_ROW).u8(table).u64(a);
    this.out.write(value);
  }
}

/**
 * Appends to each row the place and the id of its second document. Where members of classes come instead of rows of identical
 * documents, each but the first makes a row with the first.
 */
export const secondIds: StreamStage = {
  kinds: [...DOCUMENT_KINDS, KINDS.member, KINDS.dropped, KINDS.row, ...EVIDENCE_KINDS],
  shuffles: ['the second document'],
  prefix: RANK,
  map(input, out, here) {
    const map = new SecondsMap(out, here);
    while (input.next()) map.take(input);
  },
  reduce: joined(RANK, (second, { key, value, shared }, out) => {
    if (second.length === 0)
      throw new Error(`no document of rank ${u64At(key, 0)}, which rows name: our own defect`);
    out.key
      .kind(KINDS.named)
      .raw(key, RANK + 1)
      .raw(shared);
    out.value.raw(value).raw(second);
    out.write();
  }),
};

/** The part of the result's order in which the rows of a table stand. */
const ORDER_OF: Readonly<Record<number, number>> = {
  [TABLES.candidates]: ORDER.pairs,
  [TABLES.identical]: ORDER.pairs,
  [TABLES.dropped]: ORDER.dropped,
  [TABLES.clusters]: ORDER.clusters,
};

class FirstsMap {
  /** Documents of consecutive ranks: no other document, and no row of one, comes between them. */
  private readonly ordered: GatheredRecords;
  private last = -1;
  private readonly out: StageSink;
  private readonly routes: readonly number[] | null;
  private readonly range: number;
  private readonly documents: RankedDocuments;

  constructor(out: StageSink, { manifest }: StagePlace) {
    this.out = out;
    this.ordered = new GatheredRecords(ORDER.document, out);
    this.routes = manifest.routes;
    this.range = manifest.range;
    this.documents = new RankedDocuments(manifest, true);
  }

  take(record: RecordSource): void {
    const { key, value } = record;
    const { documents } = this;
    if (documents.take(record)) {
      while (documents.next()) this.document(documents.rank);
    } else if (key[0] === KINDS.named) {
      this.row(key[KIND]!, u64At(key, KIND + 1), u64At(key, KIND + 9), value);
    } else if (key[0] === KINDS.member && !isFirstMember(key)) {
      this.under(this.out.key, u64At(key, KIND + RANK)).u8(ORDER.member);
      this.out.write(key.subarray(KIND, KIND + RANK));
    }
  }

  private document(rank: number): void {
    const { ordered, last, range, documents } = this;
    documents.findId();
    const { idBytes, idFrom, idTo } = documents;
    if (rank !== last + 1 || rank % range === 0 || !ordered.hasRoom(OF_RANKED.id + idTo - idFrom)) {
      ordered.flush();
      this.under(ordered.key, rank).u8(ORDER.document);
    }
    this.last = rank;
    documents.appendFacts(ordered.add(idBytes, idFrom, idTo).u64(rank));
  }

  /** Writes the documents that are held. */
  end(): void {
    this.ordered.flush();
  }

  private row(table: number, a: number, b: number, value: Uint8Array): void {
    this.under(this.out.key, a).u8(ORDER_OF[table]!).u64(b).u8(table);
    this.out.write(value);
  }

  /** Begins a key of a document or of its rows. */
  private under(key: FieldWriter, rank: number): FieldWriter {
    const range = Math.floor(rank / this.range);
    return key
      .reset()
      .u32(this.routes?.[range] ?? range)
      .u64(rank);
  }
}

export const resultRows: StreamStage = {
  kinds: [...DOCUMENT_KINDS, KINDS.member, KINDS.named],
  shuffles: ['the range of the first document'],
  prefix: 4,
  map(input, out, here) {
    const map = new FirstsMap(out, here);
    while (input.next()) map.take(input);
    map.end();
  },
  reduce(input, out) {
    while (input.next()) out.put(input.key, input.value);
  },
};
