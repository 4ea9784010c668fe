/**
 * The values of one column of one row group, row by row, so that several columns can advance together.
 *
 *      level of repetition   0: the value begins a row; greater: it is a further value of the same row
 *      level of definition   the column's maximum: the value exists; less: a node above it is empty
 */
import { ByteColumn } from '../../../arrays/growable.js';
import { betweenTexts } from '../fields.js';
import type { TextPart } from '../recordGiver.js';
import type { Chunk } from './footer.js';
import type { Leaf } from './leaves.js';
import { unpackedPage } from './pageCodecs.js';
import { dictionaryOf, type PageValues, readRuns, valuesOf } from './pageValues.js';
import {
  DATA_PAGE,
  DATA_PAGE_V2,
  DICTIONARY_PAGE,
  type KeptPage,
  type OpenPages,
  type PageHeader,
  PageWindow,
} from './pageWindow.js';
import { ParquetFault, type ThriftStruct } from './thrift.js';

const BETWEEN = Buffer.from(betweenTexts({}));

/** Values of one page; writers end pages at some 20,000. */
const MOST_VALUES = 1 << 24;

/** Smaller pages are seldom cut: each split that has a part of one unpacks it. */
const LEAST_KEPT = 4 << 20;
/** Larger pages are released when a split is read. */
const MOST_KEPT = 64 << 20;

/** The encodings of levels: runs, and an older one that is no longer written. */
const RLE = 3;

/** A page whose levels are read. */
interface Page {
  readonly count: number;
  /** Null: all values exist, or begin a row. */
  readonly definitions: Uint8Array | null;
  readonly repetitions: Uint8Array | null;
  readonly values: PageValues;
}

const EMPTY = new Uint8Array(0);
const NO_PAGE: Page = {
  count: 0,
  definitions: null,
  repetitions: null,
  values: { bytes: EMPTY, starts: new Uint32Array(0), ends: new Uint32Array(0), index: null },
};

/** The number of rows of a page, where its header has it; else null. */
export function rowsOfPage({ repeated }: Leaf, { kind, facts }: PageHeader): number | null {
  if (kind === DATA_PAGE_V2) return facts!.count(3);
  return kind === DATA_PAGE && repeated === 0 ? facts!.count(1) : null;
}

export class LeafCursor implements TextPart {
  readonly escaped = false;
  /** The value of the current row: bytes [from, to), valid until the next call. */
  bytes: Uint8Array = EMPTY;
  from = 0;
  to = 0;
  private readonly leaf: Leaf;
  private readonly codec: number;
  private readonly window: PageWindow;
  private readonly kept: KeptPage | null;
  private valuesLeft: number;
  private dictionary: PageValues | null = null;
  private page = NO_PAGE;
  /** The next entry of the page, and the next existing value. */
  private entry = 0;
  private value = 0;
  private readonly joined = new ByteColumn();
  private readonly between: Uint8Array;

  /** @param between separates the values of a row that has several */
  constructor(open: OpenPages, leaf: Leaf, chunk: Chunk, between: Uint8Array = BETWEEN) {
    this.between = between;
    this.leaf = leaf;
    this.codec = chunk.codec;
    this.window = new PageWindow(open, chunk);
    this.kept = open.kept;
    this.valuesLeft = chunk.values;
  }

  /** Moves to the next row; false: it is empty. @throws ParquetFault where there is none, or it cannot be read */
  next(): boolean {
    if (this.entry === this.page.count) this.load();
    return this.leaf.repeated === 0 ? this.one() : this.several();
  }

  /** Skips rows; pages that have no other rows are not unpacked. */
  skip(rows: number): void {
    while (rows > 0) {
      if (this.entry === this.page.count) rows -= this.passPages(rows);
      if (rows === 0) return;
      this.next();
      rows--;
    }
  }

  /** @throws ParquetFault where there are values after the last row */
  finish(): void {
    if (this.kept !== null) this.kept.bytes = null;
    if (this.entry < this.page.count || this.valuesLeft > 0) throw new ParquetFault();
  }

  private one(): boolean {
    const { definitions, values } = this.page;
    const entry = this.entry++;
    if (definitions !== null && definitions[entry] !== this.leaf.defined) return false;
    const at = this.value++;
    const k = values.index === null ? at : values.index[at]!;
    this.bytes = values.bytes;
    this.from = values.starts[k]!;
    this.to = values.ends[k]!;
    return true;
  }

  /** Reads the values of a row that may have any number of them: a row may go on in the next page. */
  private several(): boolean {
    if (this.page.repetitions![this.entry] !== 0) throw new ParquetFault();
    const { joined } = this;
    joined.truncate(0);
    let count = 0;
    do {
      if (this.one()) {
        count++;
        if (joined.length > 0 && this.to > this.from) joined.append(this.between);
        joined.append(this.bytes.subarray(this.from, this.to));
      }
      if (this.entry === this.page.count && this.valuesLeft > 0) this.load();
    } while (this.entry < this.page.count && this.page.repetitions![this.entry] !== 0);
    this.bytes = joined.view;
    this.from = 0;
    this.to = joined.length;
    return count > 0;
  }

  /** Skips pages of at most so many rows, and loads the next; returns the number of skipped rows. */
  private passPages(rows: number): number {
    let passed = 0;
    for (;;) {
      const header = this.nextHeader();
      const held = rowsOfPage(this.leaf, header);
      if (held === null || held > rows - passed) {
        this.loadPage(header);
        return passed;
      }
      this.takeValues(header.facts!.count(1));
      this.window.pass(header);
      passed += held;
      if (passed === rows) {
        this.page = NO_PAGE;
        this.entry = 0;
        return passed;
      }
    }
  }

  private load(): void {
    do this.loadPage(this.nextHeader());
    while (this.page.count === 0);
  }

  /** The header of the next page of values; a dictionary is read, and unknown pages are skipped. */
  private nextHeader(): PageHeader {
    for (;;) {
      if (this.window.isAtEnd) throw new ParquetFault();
      const header = this.window.header();
      if (header.kind === DATA_PAGE || header.kind === DATA_PAGE_V2) return header;
      if (header.kind !== DICTIONARY_PAGE) this.window.pass(header);
      else {
        const count = header.facts!.count(1);
        if (count > MOST_VALUES || this.dictionary !== null) throw new ParquetFault();
        const bytes = unpackedPage(this.codec, this.window.data(header), header.unpacked);
        this.dictionary = dictionaryOf(this.leaf.node, bytes, count);
      }
    }
  }

  private takeValues(count: number): void {
    if (count > this.valuesLeft) throw new ParquetFault();
    this.valuesLeft -= count;
  }

  private loadPage(header: PageHeader): void {
    const count = header.facts!.count(1);
    this.takeValues(count);
    if (count > MOST_VALUES) throw new ParquetFault('TOO_LARGE');
    // Released first, so that memory holds one page at a time.
    this.page = NO_PAGE;
    this.bytes = EMPTY;
    this.page = header.kind === DATA_PAGE ? this.pageOf(header, count) : this.pageOfV2(header, count);
    this.entry = 0;
    this.value = 0;
  }

  private pageOf(header: PageHeader, count: number): Page {
    const facts = header.facts!;
    const { defined, repeated } = this.leaf;
    const bytes = this.unpacked(header);
    let at = 0;
    const levels = (most: number, encoding: number): Uint8Array | null => {
      if (most === 0) return null;
      if (facts.number(encoding) !== RLE) throw new ParquetFault('PARQUET_ENCODING');
      if (at + 4 > bytes.length) throw new ParquetFault();
      const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
      at += 4 + length;
      return levelsIn(bytes, at - length, at, most, count);
    };
    const repetitions = levels(repeated, 4);
    const definitions = levels(defined, 3);
    return this.withValues({ count, definitions, repetitions }, bytes, at, facts.number(2));
  }

  /** A page as a whole. */
  private unpacked(header: PageHeader): Uint8Array {
    const { at } = this.window;
    const kept = header.unpacked < LEAST_KEPT || header.unpacked > MOST_KEPT ? null : this.kept;
    if (kept !== null && kept.bytes !== null && kept.at === at) {
      this.window.pass(header);
      return kept.bytes;
    }
    if (kept !== null) kept.bytes = null;
    const bytes = unpackedPage(this.codec, this.window.data(header), header.unpacked);
    if (kept !== null) {
      kept.at = at;
      kept.bytes = bytes;
    }
    return bytes;
  }

  private pageOfV2(header: PageHeader, count: number): Page {
    const facts: ThriftStruct = header.facts!;
    const { defined, repeated } = this.leaf;
    const data = this.window.data(header);
    const first = facts.count(6);
    const from = first + facts.count(5);
    if (from > data.length || from > header.unpacked) throw new ParquetFault();
    const repetitions = repeated === 0 ? null : levelsIn(data, 0, first, repeated, count);
    const definitions = defined === 0 ? null : levelsIn(data, first, from, defined, count);
    const codec = facts.isTrue(7, true) ? this.codec : 0;
    const bytes = unpackedPage(codec, data.subarray(from), header.unpacked - from);
    return this.withValues({ count, definitions, repetitions }, bytes, 0, facts.number(4));
  }

  private withValues(levels: Omit<Page, 'values'>, bytes: Uint8Array, at: number, encoding: number): Page {
    const { count, definitions } = levels;
    let there = count;
    if (definitions !== null) {
      there = 0;
      const { defined } = this.leaf;
      for (let i = 0; i < count; i++) if (definitions[i] === defined) there++;
    }
    return {
      ...levels,
      values: valuesOf(this.leaf.node, { bytes, at, count: there, encoding }, this.dictionary),
    };
  }
}

/** Levels from 0 to `most`. @throws ParquetFault */
function levelsIn(bytes: Uint8Array, from: number, to: number, most: number, count: number): Uint8Array {
  if (to > bytes.length || most > 255) throw new ParquetFault();
  const levels = new Uint8Array(count);
  readRuns(bytes, from, to, 32 - Math.clz32(most), levels);
  return levels;
}
