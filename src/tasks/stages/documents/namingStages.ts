/**
 * Stages that give documents their ids and ranks.
 *
 *      read --order--> ranked, other        by id: the first of equal ones keeps it, the others wait for another name
 *           --clashes--> renamed, ending    only where ids repeat: others are called by their places
 *           --order--> ranked               of what was ranked and renamed
 *
 * The same names as those of `numberedRows` (src/coordinator/sketch/places.ts). No stage holds more than a record.
 */

import { HAS_ID } from '../../../blocks/documents.js';
import { bytesOf } from '../../../readers/list/pathIds.js';
import { ElementHash } from '../../../text/elements.js';
import { CorpusFiles } from '../../stream/corpusFiles.js';
import { CONTENT, FACTS, KIND, KINDS, OF_RANKED, PLACE, SPLIT } from '../../stream/kinds.js';
import {
  compareKeys,
  endedAt,
  FieldWriter,
  type RecordSink,
  type RecordSource,
  u32At,
  u64At,
} from '../../stream/records.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import type { TaskManifest } from '../../stream/taskManifest.js';

/** Samples that cut points are chosen from: those of the least hashes. */
const MOST_SAMPLES = 65_536;

/** What is known of the corpus as a whole -> the same in one place, in the order of keys. */
export const facts: StreamStage = {
  reads: 'records',
  shuffles: ['kind'],
  prefix: KIND,
  map(input, out) {
    while (input.next()) {
      const kind = input.key[0];
      const isWanted =
        kind === KINDS.split || kind === KINDS.skipped || kind === KINDS.passed || kind === KINDS.sample;
      if (isWanted) out.put(input.key, input.value);
    }
  },
  reduce(input, out) {
    let samples = 0;
    while (input.next()) {
      if (input.key[0] === KINDS.sample && ++samples > MOST_SAMPLES) continue;
      out.put(input.key, input.value);
    }
  },
};

/** In which range of ids an id is: how many cut points are not greater. */
class IdRanges {
  private readonly cuts: readonly Uint8Array[];

  constructor({ cuts }: Pick<TaskManifest, 'cuts'>) {
    this.cuts = (cuts ?? []).map(bytesOf);
  }

  of(id: Uint8Array): number {
    let [low, high] = [0, this.cuts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.cuts[middle]!, id) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The fields of keys of `order` behind the id: isNamed, file, record. */
const BEHIND_ID = 13;
/** Where fields of `read`, `renamed` and `other` begin. */
const OF_READ = { content: KIND, file: KIND + CONTENT, start: KIND + CONTENT + 4 } as const;
const READ_ORDINAL = KIND + CONTENT + SPLIT;
const OF_RENAMED = { clashes: 0, place: 1, contentKey: 1 + PLACE, end: 1 + PLACE + CONTENT + FACTS } as const;

/**
 * Brings documents of one name together, in the order of ids:
 *
 *      range u32, id (ended), isNamed u8, file u32, record u64      contentKey 16, facts
 */
class OrderKeys {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly files: CorpusFiles;
  private readonly ranges: IdRanges;
  private readonly clashEnd: Uint8Array;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.files = new CorpusFiles(here.manifest);
    this.ranges = new IdRanges(here.manifest);
    this.clashEnd = bytesOf(here.manifest.clashEnd);
  }

  /** A document as it was read. */
  read({ key, value }: RecordSource): void {
    const file = u32At(key, OF_READ.file);
    const record = this.files.recordOf(file, u64At(key, OF_READ.start), u32At(key, READ_ORDINAL));
    if (record < 0) {
      this.here.facts.add('documents of refused files', 1);
      return;
    }
    const isNamed = value[FACTS]! === 1;
    const name = isNamed ? value.subarray(FACTS + 1) : this.files.place(file, record);
    const contentKey = key.subarray(OF_READ.content, OF_READ.content + CONTENT);
    this.put(name, isNamed, file, record, contentKey, value.subarray(0, FACTS));
  }

  /** A document that keeps the name that it was given. */
  ranked({ value }: RecordSource): void {
    const [file, record] = [u32At(value, 0), u64At(value, 4)];
    const contentKey = value.subarray(OF_RANKED.contentKey, OF_RANKED.facts);
    const told = value.subarray(OF_RANKED.facts, OF_RANKED.isNamed);
    const isNamed = value[OF_RANKED.isNamed] === 1;
    this.put(value.subarray(OF_RANKED.id), isNamed, file, record, contentKey, told);
  }

  /** A document whose id is that of another. */
  renamed({ key, value }: RecordSource): void {
    const [file, record] = [u32At(key, KIND), u64At(key, KIND + 4)];
    const contentKey = value.subarray(OF_RENAMED.contentKey, OF_RENAMED.contentKey + CONTENT);
    const told = value.subarray(OF_RENAMED.contentKey + CONTENT, OF_RENAMED.end);
    const place = this.files.place(file, record);
    const name =
      value[OF_RENAMED.clashes] === 1 ? new FieldWriter().raw(place).raw(this.clashEnd).view : place;
    this.put(name, false, file, record, contentKey, told);
  }

  private put(
    name: Uint8Array,
    isNamed: boolean,
    file: number,
    record: number,
    contentKey: Uint8Array,
    told: Uint8Array,
  ): void {
    const { key, value, here } = this;
    key.reset().u32(this.ranges.of(name)).ended(name);
    key
      .u8(isNamed ? 1 : 0)
      .u32(file)
      .u64(record);
    this.out.put(key.view, value.reset().raw(contentKey).raw(told).view);
    here.facts.add('documents', 1);
    // Whatever it is called: its record names an id.
    if ((told[0]! & HAS_ID) !== 0) here.facts.add('named documents', 1);
  }
}

/** Gives ranks to documents that come in the order of their ids. */
class Ranking {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private range = -1;
  private next = 0;
  /** The id of the last one, as it stands in its key. */
  private readonly last = new FieldWriter();

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
  }

  add({ key, value }: RecordSource): void {
    const range = u32At(key, 0);
    if (range !== this.range) {
      this.range = range;
      this.next = 0;
      this.last.reset();
    }
    const behind = key.length - BEHIND_ID;
    const ended = key.subarray(4, behind);
    const isOther = compareKeys(ended, this.last.view) === 0;
    if (isOther) {
      this.key
        .reset()
        .u8(KINDS.other)
        .raw(key.subarray(behind + 1));
      this.here.facts.add('repeated ids', 1);
    } else {
      this.last.reset().raw(ended);
      this.key
        .reset()
        .u8(KINDS.ranked)
        .u32(range)
        .u32(this.next++);
    }
    this.value
      .reset()
      .raw(key.subarray(behind + 1))
      .raw(value.subarray(0, 4));
    this.value.raw(value).u8(key[behind]!).raw(idIn(ended));
    this.out.put(this.key.view, this.value.view);
  }
}

/** The id that is written with an end; a view where it can be. */
function idIn(ended: Uint8Array): Uint8Array {
  return ended.indexOf(0) === ended.length - 2 ? ended.subarray(0, -2) : endedAt(ended, 0).bytes;
}

/** Documents -> their ranks in the order of ids; of equal ids all but the first are `other`. */
export const order: StreamStage = {
  reads: 'records',
  shuffles: ['range of ids'],
  prefix: 4,
  map(input, out, here) {
    const keys = new OrderKeys(out, here);
    while (input.next()) {
      const kind = input.key[0];
      if (kind === KINDS.read) keys.read(input);
      else if (kind === KINDS.ranked) keys.ranked(input);
      else if (kind === KINDS.renamed) keys.renamed(input);
    }
  },
  reduce(input, out, here) {
    const ranking = new Ranking(out, here);
    while (input.next()) ranking.add(input);
  },
};

const TILDE = 0x7e;
/** Longer numbers are larger than all ids together. */
const MOST_DIGITS = 14;
/** Endings that a task remembers, so that it tells each once; more are told again. */
const MOST_ENDINGS = 65_536;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Tags of keys of `clashes`, behind the hash. */
const OF_NAME = 0;
const OF_ENDING = 1;

/**
 * Brings names together that are equal, and numbers behind `~`:
 *
 *      hash 8, 0, name (ended), 0             -                       a document keeps the name, which reads as a place
 *      hash 8, 0, name (ended), 1             place, contentKey, facts   a document could be called by its place
 *      hash 8, 1, number u64, digits u8       -
 */
class ClashKeys {
  private readonly key = new FieldWriter();
  private readonly out: RecordSink;
  private readonly files: CorpusFiles;
  private readonly hash = new ElementHash(0);
  private readonly words = new Uint32Array(2);
  private readonly told = new Set<number>();

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.files = new CorpusFiles(here.manifest);
  }

  ranked({ value }: RecordSource): void {
    const name = value.subarray(OF_RANKED.id);
    this.ending(name);
    // Places are distinct: only an id that a record names can be that of another.
    if (value[OF_RANKED.isNamed] === 1 && this.files.isLikePlace(name)) this.name(name, 0, ONE_BYTE);
  }

  other({ key, value }: RecordSource): void {
    const place = this.files.place(u32At(key, KIND), u64At(key, KIND + 4));
    this.ending(place);
    this.name(place, 1, value.subarray(0, OF_RANKED.isNamed));
  }

  private name(name: Uint8Array, who: number, value: Uint8Array): void {
    this.begin(name).u8(OF_NAME).ended(name).u8(who);
    this.out.put(this.key.view, value);
  }

  private ending(name: Uint8Array): void {
    let at = name.length - 1;
    let [number, unit] = [0, 1];
    while (at >= 0 && isDigit(name[at]!) && name.length - at <= MOST_DIGITS) {
      number += unit * (name[at--]! - 0x30);
      unit *= 10;
    }
    const digits = name.length - 1 - at;
    if (digits === 0 || at < 0 || name[at] !== TILDE) return;
    const told = number * 16 + digits;
    if (this.told.has(told)) return;
    if (this.told.size >= MOST_ENDINGS) this.told.clear();
    this.told.add(told);
    this.begin(name.subarray(at)).u8(OF_ENDING).u64(number).u8(digits);
    this.out.put(this.key.view, ONE_BYTE);
  }

  private begin(bytes: Uint8Array): FieldWriter {
    this.hash.write(bytes, 0, bytes.length, this.words, 0);
    return this.key.reset().u32(this.words[1]!).u32(this.words[0]!);
  }
}

const ONE_BYTE = Uint8Array.of(1);
const HASH_BYTES = 8;

/** Names that several documents could have, and numbers behind `~`. */
function findClashes(input: RecordSource, out: RecordSink, { facts: counts }: StagePlace): void {
  const [key, value, kept] = [new FieldWriter(), new FieldWriter(), new FieldWriter()];
  while (input.next()) {
    const tail = input.key.subarray(HASH_BYTES + 1);
    if (input.key[HASH_BYTES] === OF_ENDING) {
      if (compareKeys(tail, kept.view) !== 0) out.put(key.reset().u8(KINDS.ending).raw(tail).view, ONE_BYTE);
      kept.reset().raw(tail);
      continue;
    }
    const name = tail.subarray(0, -1);
    if (tail.at(-1) === 0) {
      kept.reset().raw(name);
      continue;
    }
    const clashes = compareKeys(name, kept.view) === 0;
    if (clashes) counts.add('clashes', 1);
    key.reset().u8(KINDS.renamed).raw(input.value.subarray(0, RECORD_END));
    out.put(
      key.view,
      value
        .reset()
        .u8(clashes ? 1 : 0)
        .raw(input.value).view,
    );
  }
}

/** File and record of a place, without the beginning of the content key. */
const RECORD_END = 12;

/** Documents whose ids repeat -> whether another is called as their places are; and what ids end with. */
export const clashes: StreamStage = {
  reads: 'records',
  shuffles: ['name'],
  prefix: HASH_BYTES,
  map(input, out, here) {
    const keys = new ClashKeys(out, here);
    while (input.next()) {
      if (input.key[0] === KINDS.ranked) keys.ranked(input);
      else if (input.key[0] === KINDS.other) keys.other(input);
    }
  },
  reduce: findClashes,
};
