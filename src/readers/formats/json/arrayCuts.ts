/**
 * Cuts large files that are one JSON array into document batches, and reads one of those.
 *
 *      [ aaaa, bbbb, cccc, dddd ]
 *       ^    ^           ^    ^      a block ends with the first element that ends `step` bytes or more behind its
 *       from to 1        to 2 to 3   beginning; the next block begins there, with the comma
 *
 * A file is cut only when all of it was valid: no record of a broken file is emitted.
 */

import { Float64Column } from '../../../arrays/growable.js';
import { type Block, encodeBlock } from '../../../blocks/block.js';
import type { ErrorCode } from '../../../errors.js';
import { sizeOf, withInput } from '../../bytes/wholeFiles.js';
import { type ReadBuffers, type ReadParams, refusesBinary } from '../../documentSink.js';
import type { InputFile } from '../../list/fileList.js';
import type { ElementsSplit } from '../../split.js';
import type { FormatReading } from '../reading.js';
import {
  ElementCounter,
  ElementGiver,
  type ElementScan,
  elementScan,
  elementWindow,
  type JsonWindow,
  peek,
  walkArray,
  walkElements,
} from './jsonArrays.js';
import { COMMA } from './jsonScanner.js';
import { RecordScanner } from './recordScanner.js';

/** A large file that may be one array, in UTF-8. */
export interface ArrayFile {
  readonly file: InputFile;
  readonly index: number;
  /** Bytes per cut. */
  readonly step: number;
}

/** Where the first block begins, and where all end, in bytes and in elements. */
interface Cuts {
  readonly from: number;
  readonly to: Float64Column;
  readonly ends: Float64Column;
}

class Cutter extends ElementCounter implements Cuts {
  from = 0;
  readonly to = new Float64Column();
  readonly ends = new Float64Column();
  override rowsUntil = 0;
  private readonly step: number;
  private lastEnd = 0;

  constructor(scan: ElementScan, step: number) {
    super(scan);
    this.step = step;
  }

  begin(place: number): void {
    this.from = place;
    this.rowsUntil = place + this.step;
  }

  override element(index: number, bytes: Uint8Array, end: number): boolean {
    super.element(index, bytes, end);
    this.lastEnd = end;
    if (end >= this.rowsUntil) this.cut();
    return true;
  }

  /**
   * Handles the elements behind the last cut; the last element of an array, which no comma follows, is always
   * scanned alone.
   */
  finish(): void {
    if (this.elements > (this.ends.view.at(-1) ?? 0)) this.cut();
  }

  private cut(): void {
    this.to.push(this.lastEnd);
    this.ends.push(this.elements);
    this.rowsUntil = this.lastEnd + this.step;
  }
}

/**
 * Finds the cuts of a file, as a block of kind `cuts`: `to` and `ends`, the offsets and the numbers of
 * elements before which document batches end, and `from`, where the first begins. Without cuts the file is read
 * as a whole: it is not an array, an empty one or broken, or a text (an array without a text field), or
 * cannot be read.
 *
 * @param progress called before every read
 */
export function arrayCuts(
  { file, step }: ArrayFile,
  params: ReadParams,
  buffers: ReadBuffers,
  progress: () => void,
): Block {
  const cut = (opened: number): Block => {
    if (typeof sizeOf(opened) === 'string') return cutsBlock(null);
    const scan = elementScan(new RecordScanner(params.textField, params.idField), params, buffers);
    const cutter = new Cutter(scan, step);
    const window = elementWindow(opened, file.id, params, buffers, { progress });
    const isArray = walkArray(window, scan, refusesBinary(params), cutter) === 'array';
    if (!isArray || (file.format === 'json-or-text' && !cutter.someText)) return cutsBlock(null);
    cutter.finish();
    return cutsBlock(cutter);
  };
  return withInput(file.path, cut, () => cutsBlock(null));
}

/** Null: the file is not cut. */
export function cutsBlock(cuts: Cuts | null): Block {
  if (cuts === null)
    return encodeBlock('cuts', { from: 0 }, { to: new Float64Array(), ends: new Float64Array() });
  const { from, to, ends } = cuts;
  return encodeBlock('cuts', { from }, { to: to.view.slice(), ends: ends.view.slice() });
}

/** The column blocks of a file that was cut; none where it was not. */
export function* elementSplits(
  { file, index }: ArrayFile,
  { meta, columns }: Block,
): Generator<ElementsSplit> {
  const { to, ends } = columns as { readonly to: Float64Array; readonly ends: Float64Array };
  for (let i = 0; i < to.length; i++) {
    const from = i === 0 ? (meta.from as number) : to[i - 1]!;
    const first = i === 0 ? 0 : ends[i - 1]!;
    yield { kind: 'elements', file, index, from, to: to[i]!, first, count: ends[i]! - first };
  }
}

/** Emits the elements. If the file changed since it was cut, the rest is skipped CHANGED. */
export function readElements(source: ElementsSplit, reading: FormatReading): void {
  const { params, sink, buffers, records } = reading;
  const { file, index, first, count } = source;
  if (sink.opensFile?.(index) === false) return;
  const fault = (code: ErrorCode): void => sink.skip(index, -1, code, null);
  const read = (opened: number): void => {
    const size = sizeOf(opened);
    if (typeof size === 'string') {
      fault(size);
      return;
    }
    const scan = elementScan(records.scanner, params, buffers);
    const giver = new ElementGiver(index, scan, reading, count, first);
    const window = elementWindow(opened, file.id, params, buffers, { from: source.from, to: source.to });
    const isWhole = walkSource(source, window, scan, giver);
    if (!isWhole || giver.seen !== count)
      sink.skip(index, first + Math.min(giver.seen, count), 'CHANGED', null);
  };
  withInput(file.path, read, fault);
}

/** Whether the bytes of the source contain elements only. */
function walkSource(
  { to, first }: ElementsSplit,
  window: JsonWindow,
  scan: ElementScan,
  giver: ElementGiver,
): boolean {
  if (first > 0) {
    if (peek(window, scan.scanner) !== COMMA) return false;
    window.at++;
  }
  const ended = walkElements(window, scan, giver);
  return typeof ended === 'object' && ended.next === -1 && window.over === 'end' && window.offset === to;
}
