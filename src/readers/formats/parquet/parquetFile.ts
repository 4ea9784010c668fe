/**
 * Gives the rows of a Parquet file as documents: reads the footer first, then the needed columns alone, page by page.
 *
 * A row that cannot be read ends the reading of its row group, is named with its place, and the next row group goes on.
 */

import type { TextSink } from '../../../blocks/documents.js';
import type { ErrorCode } from '../../../errors.js';
import { sizeOf, stampOf, withInput } from '../../bytes/wholeFiles.js';
import type { ReadBuffers, ReadParams } from '../../documentSink.js';
import { PACKING_BITS, pathIn } from '../../list/fileList.js';
import { heldBytes, refuseRecord } from '../../recordRoom.js';
import type { ElementsSplit } from '../../split.js';
import { betweenTexts, idFieldOf, textFieldsOf } from '../fields.js';
import type { FormatReading, ListedFile } from '../reading.js';
import { RecordGiver } from '../recordGiver.js';
import { FieldCursors, fieldLeaf } from './fieldCursor.js';
import { chunkOf, type Footer, type RowGroup, readFooter } from './footer.js';
import { LeafCursor } from './leafCursor.js';
import { type Leaf, type WantedLeaves, wantedLeaves } from './leaves.js';
import type { KeptPage, OpenPages } from './pageWindow.js';
import { ParquetFault } from './thrift.js';

/** Pages hold many texts, some writers' all of a row group: they may be larger than a text. */
const LEAST_MOST_PAGE = 256 << 20;
const MOST_PAGE = 2_000_000_000;

/** The largest page that is unpacked, in bytes. */
export function mostPageOf({ maxDocument }: Pick<ReadParams, 'maxDocument'>): number {
  return Math.min(MOST_PAGE, Math.max(LEAST_MOST_PAGE, 2 * maxDocument));
}

/** Ends the run at a page that memory has no room for. */
export function pageRoom(params: ReadParams, name: string): (bytes: number) => void {
  return (bytes) => {
    if (bytes > heldBytes(params, bytes)) refuseRecord(params, `${name}: a page of a column`, bytes);
  };
}

/** An open file with its footer and the needed columns. */
export interface OpenParquet {
  readonly footer: Footer;
  readonly wanted: WantedLeaves;
  /** Of the fields that are read beside id and text; null: the file has it not. */
  readonly fields: readonly (Leaf | null)[];
}

/** The last footer and the last page by the memory of a thread: a large file is read in many splits. */
const FOOTERS = new WeakMap<
  ReadBuffers,
  { readonly stamp: string; readonly footer: Footer; readonly page: KeptPage }
>();

/** @throws ParquetFault */
export function openParquet(descriptor: number, params: ReadParams, buffers: ReadBuffers): OpenParquet {
  const footer = keptFooter(descriptor, buffers);
  const wanted = wantedLeaves(footer, textFieldsOf(params.textField), idFieldOf(params.idField));
  return { footer, wanted, fields: (params.fields ?? []).map((name) => fieldLeaf(footer, name)) };
}

function keptFooter(descriptor: number, buffers: ReadBuffers): Footer {
  const size = sizeOf(descriptor);
  if (typeof size === 'string') throw new ParquetFault(size);
  const stamp = stampOf(descriptor);
  if (stamp === null) throw new ParquetFault('UNREADABLE');
  const kept = FOOTERS.get(buffers);
  if (kept?.stamp === stamp) return kept.footer;
  const footer = readFooter(descriptor, size);
  FOOTERS.set(buffers, { stamp, footer, page: { at: -1, bytes: null } });
  return footer;
}

/** A place in the bytes of the file for a row: for progress, and to detect another file. */
export function placeOfRow({ rows, end }: Footer, row: number): number {
  return rows === 0 ? end : Math.floor(end * (row / rows));
}

/** Gives the rows of a file, or of a split of one. */
export function readParquet(file: ListedFile | ElementsSplit, reading: FormatReading): void {
  const { sink } = reading;
  const index = file.kind === 'file' ? file.list.indexes[file.i]! : file.index;
  if (file.kind === 'elements' && sink.opensFile?.(index) === false) return;
  const fault = (code: ErrorCode): void => sink.skip(index, -1, code, null);
  // The footer is at the end, which packed data do not reach directly.
  if (file.kind === 'file' && (file.list.kinds[file.i]! & PACKING_BITS) !== 0) {
    fault('PARQUET_PACKED');
    return;
  }
  const read = (opened: number): void => {
    if (file.kind === 'file') reading.opened?.note(index, opened);
    readOpened(file, index, opened, reading);
  };
  withInput(file.kind === 'file' ? pathIn(file.list, file.i) : file.file.path, read, fault);
}

function readOpened(
  file: ListedFile | ElementsSplit,
  index: number,
  descriptor: number,
  reading: FormatReading,
): void {
  const { params, sink, buffers } = reading;
  const isSplit = file.kind === 'elements';
  let parquet: OpenParquet;
  try {
    parquet = openParquet(descriptor, params, buffers);
  } catch (error) {
    // The footer was sound when the file was cut into splits.
    const code = faultOf(error);
    sink.skip(index, isSplit ? file.first : -1, isSplit ? 'CHANGED' : code, null);
    return;
  }
  const { footer } = parquet;
  const first = isSplit ? file.first : 0;
  const count = isSplit ? file.count : footer.rows;
  if (isSplit && !isAsCut(file, footer, descriptor)) {
    sink.skip(index, first, 'CHANGED', null);
    return;
  }
  const open = {
    descriptor,
    mostPage: mostPageOf(params),
    room: pageRoom(params, isSplit ? file.file.id : Buffer.from(pathIn(file.list, file.i)).toString()),
    kept: FOOTERS.get(buffers)?.page ?? null,
    progress: () => {},
  };
  const giver = new RowGiver(index, reading);
  for (const group of footer.groups) {
    const from = Math.max(first, group.first);
    const to = Math.min(first + count, group.first + group.rows);
    if (from < to) giver.rows(parquet, open, group, from - group.first, to - group.first);
  }
}

function isAsCut(
  { file, first, count, from, to }: ElementsSplit,
  footer: Footer,
  descriptor: number,
): boolean {
  return (
    sizeOf(descriptor) === file.bytes &&
    first + count <= footer.rows &&
    placeOfRow(footer, first) === from &&
    placeOfRow(footer, first + count) === to
  );
}

/** The code of a fault of the file; any other error is a defect. */
export function faultOf(error: unknown): ErrorCode {
  if (error instanceof ParquetFault) return error.code;
  throw error;
}

class RowGiver {
  private readonly index: number;
  private readonly sink: TextSink;
  private readonly giver: RecordGiver;
  private readonly between: Buffer;

  constructor(index: number, { params, sink, buffers }: FormatReading) {
    this.index = index;
    this.sink = sink;
    this.giver = new RecordGiver(params, sink, 'JSON_NO_TEXT', null, buffers.strings);
    this.between = Buffer.from(betweenTexts(params));
  }

  /** Rows [from, to) of a row group; the first that cannot be read is the last. */
  rows(parquet: OpenParquet, open: OpenPages, group: RowGroup, from: number, to: number): void {
    const { footer, wanted } = parquet;
    const { sink, index, giver } = this;
    const at = { group, end: footer.end, from };
    const fields = parquet.fields.length === 0 ? null : new FieldCursors(parquet.fields, open, at);
    let row = from;
    try {
      const cursorOf = (leaf: Leaf): LeafCursor =>
        new LeafCursor(open, leaf, chunkOf(group, leaf.node.column, footer.end), this.between);
      const texts = wanted.texts.map(cursorOf);
      const id = wanted.id === null ? null : cursorOf(wanted.id);
      for (const cursor of texts) cursor.skip(from);
      id?.skip(from);
      for (; row < to; row++) {
        const there = texts.filter((cursor) => cursor.next());
        const isNamed = id?.next() === true && id.to > id.from;
        const named = isNamed ? giver.id(id.bytes, id.from, id.to) : null;
        const values = fields?.next() ?? null;
        giver.give(index, group.first + row, named, there.length === 0 ? null : there, values);
      }
      if (to === group.rows) for (const cursor of texts) cursor.finish();
    } catch (error) {
      // A fault after the last row is reported at the last row.
      sink.skip(index, group.first + Math.min(row, to - 1), faultOf(error), null);
    }
  }
}
