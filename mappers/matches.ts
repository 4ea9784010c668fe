/**
 * Map: documents -> matches: documents that share elements with a base, with the values of a method.
 *
 *      match        0        1        2   ...  in reading order
 *      base         u32      number of the base
 *      values       f64 x m  the values of the method, in its order
 *      file         u32      as in the document table
 *      record       f64      as in the document table
 *      named        u8       1: the record names its id
 *      idOffsets    u32      n+1 offsets into idBytes
 *
 * Skipped documents and places have columns of their own, as in the document table.
 */

import { createElementStream, type ElementRule } from '../src/analysis/methods/elementStreams.js';
import type { Matcher } from '../src/analysis/methods/method.js';
import { ByteColumn, Float64Column, numbersBelow, Uint32Column } from '../src/arrays/growable.js';
import { encodeBlock } from '../src/blocks/block.js';
import {
  AS_TEXT,
  type DocumentFeed,
  type DocumentSink,
  type PAGE,
  SkippedColumns,
  type TableEnd,
  WHOLE_FILE,
} from '../src/blocks/documents.js';
import type { ErrorCode } from '../src/errors.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { TextStream } from '../src/text/preparedText.js';

export interface MatchRule {
  /** Number of values of the method. */
  readonly measures: number;
  /** Minimum of the first value. */
  readonly threshold: number;
  /** Number of best matches per base; infinite: all. */
  readonly most: number;
  /** By base: the file of the corpus that is the base itself, which is not a match; -1: none. */
  readonly own: Int32Array;
}

export interface MatchCounts {
  readonly documents: number;
  /** Bytes of text. */
  readonly bytes: number;
  readonly repaired: number;
  /** Files of JSON without the text field, compared as texts. */
  readonly asText: number;
  /** All matches that reached the threshold, including those that are not among the best. */
  readonly matches: number;
}

/** The matches of a batch: kind `matches`. With equal values, the document that was read first ranks higher. */
export function matches(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream'>,
  elements: ElementRule,
  matcher: Matcher,
  rule: MatchRule,
): { readonly matches: TableEnd; readonly counts: MatchCounts } {
  const stream = createElementStream(
    elements,
    (hashes, count) => matcher.take(hashes, count),
    (params, sink) => kernel.shingleStream(params, sink),
  );
  const sink = new MatchSink(stream, matcher, rule);
  feed(sink);
  const { documents, bytes, repaired, asText, found } = sink;
  return { matches: sink.finish, counts: { documents, bytes, repaired, asText, matches: found } };
}

/** Passes documents through the elements to the matcher, and keeps the matches. */
class MatchSink implements DocumentSink {
  documents = 0;
  bytes = 0;
  repaired = 0;
  asText = 0;
  /** Matches, including those that are not among the best. */
  get found(): number {
    return this.base.length;
  }

  private readonly stream: TextStream;
  private readonly matcher: Matcher;
  private readonly rule: MatchRule;
  private readonly base = new Uint32Column();
  private readonly values = new Float64Column();
  private readonly file = new Uint32Column();
  private readonly record = new Float64Column();
  private readonly named = new ByteColumn();
  private readonly ids = new ByteColumn();
  private readonly idOffsets = new Uint32Column();
  private readonly skipped = new SkippedColumns();
  private current = { file: 0, record: 0, isNamed: false, isAsText: false };
  private readonly id = new ByteColumn();

  constructor(stream: TextStream, matcher: Matcher, rule: MatchRule) {
    this.stream = stream;
    this.matcher = matcher;
    this.rule = rule;
    this.idOffsets.push(0);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.opens(file, record, id);
    this.stream.begin();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.stream.push(bytes);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.current.isAsText ||= what === AS_TEXT;
  }

  end(repaired: boolean): void {
    this.stream.end();
    this.close(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.opens(file, record, id);
    this.bytes += text.length;
    this.stream.whole(text);
    this.close(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.skipped.push(file, record, code, id);
  }

  readonly finish: TableEnd = (lines) => {
    const rows = bestRows(this.base.view, this.values.view, this.rule);
    const { measures } = this.rule;
    const ids = new ByteColumn();
    const idOffsets = new Uint32Array(rows.length + 1);
    const values = new Float64Array(measures * rows.length);
    rows.forEach((row, i) => {
      ids.append(this.ids.view.subarray(this.idOffsets.view[row]!, this.idOffsets.view[row + 1]!));
      idOffsets[i + 1] = ids.length;
      values.set(this.values.view.subarray(measures * row, measures * (row + 1)), measures * i);
    });
    const columns = {
      base: rows.map((row) => this.base.view[row]!),
      file: rows.map((row) => this.file.view[row]!),
      record: Float64Array.from(rows, (row) => this.record.view[row]!),
      named: Uint8Array.from(rows, (row) => this.named.view[row]!),
      ...{ values, idOffsets, idBytes: ids.view },
      ...this.skipped.views(),
    };
    return encodeBlock('matches', { lines }, columns);
  };

  private opens(file: number, record: number, id: Uint8Array | null): void {
    this.current = { file, record, isNamed: id !== null, isAsText: false };
    // A copy: the id is scratch memory of the reader.
    this.id.truncate(0);
    if (id !== null) this.id.append(id);
    this.matcher.begin();
  }

  private close(repaired: boolean): void {
    const { rule, stream, current } = this;
    this.documents++;
    if (repaired || stream.repaired) this.repaired++;
    if (current.isAsText) this.asText++;
    this.matcher.end((base, values) => {
      if (!(values[0]! >= rule.threshold)) return;
      if (current.record === WHOLE_FILE && rule.own[base] === current.file) return;
      this.base.push(base);
      for (let i = 0; i < rule.measures; i++) this.values.push(values[i]!);
      this.file.push(current.file);
      this.record.push(current.record);
      this.named.push(current.isNamed ? 1 : 0);
      this.ids.append(this.id.view);
      this.idOffsets.push(this.ids.length);
    });
  }
}

/**
 * Compares matches of one base by the first value that differs, larger first. Below 0: `a` before `b`; 0: reading order decides.
 */
export function compareValues(a: ArrayLike<number>, b: ArrayLike<number>): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return b[i]! - a[i]!;
  return 0;
}

/** The rows of the best matches of every base, ascending. */
function bestRows(base: Uint32Array, values: Float64Array, { measures, most }: MatchRule): Uint32Array {
  const all = numbersBelow(base.length);
  if (base.length <= most) return all;
  const valuesOf = (row: number): Float64Array => values.subarray(measures * row, measures * (row + 1));
  all.sort((x, y) => base[x]! - base[y]! || compareValues(valuesOf(x), valuesOf(y)) || x - y);
  let rank = 0;
  return all
    .filter((row, i) => {
      rank = i > 0 && base[all[i - 1]!] === base[row] ? rank + 1 : 0;
      return rank < most;
    })
    .sort();
}
