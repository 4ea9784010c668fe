/**
 * What a reader of a format is given: a file or a part of one, where its documents go, and the memory to work in.
 */
import type { TextSink } from '../../blocks/documents.js';
import { FieldValues } from '../../blocks/fieldValues.js';
import type { OpenedFiles } from '../bytes/wholeFiles.js';
import type { ReadBuffers, ReadParams } from '../documentSink.js';
import type { FileList } from '../list/fileList.js';
import { PagesInRecords } from '../sinks/pagesInRecords.js';
import { RecordsAsText } from '../sinks/recordsAsText.js';
import type { ChunkSplit, RangeSplit } from '../split.js';
import { JsonRecords } from './json/jsonRecord.js';
import { readsPages } from './web/pages.js';

/** File `i` of a list. */
export interface ListedFile {
  readonly kind: 'file';
  readonly list: FileList;
  readonly i: number;
}

/** Lines of a stream, with their bytes. */
export interface ChunkOfLines extends ChunkSplit {
  readonly bytes: Uint8Array;
}

export type LinesOfFile = RangeSplit | ChunkOfLines;

/** Where readers of records give their texts, which go on to `sink`. */
export function recordSink(sink: TextSink, params: ReadParams): TextSink {
  return readsPages(params) ? new PagesInRecords(sink, params) : sink;
}

/** One reading of one split: its readers share what they work with. */
export class FormatReading {
  readonly params: ReadParams;
  readonly sink: TextSink;
  readonly buffers: ReadBuffers;
  /** Null: nobody asks which files were opened. */
  readonly opened: OpenedFiles | null;
  /** Names of fields that are read beside id and text, and room for the values of one record; null: none are. */
  readonly asked: { readonly names: readonly string[]; readonly values: FieldValues } | null;
  #records: JsonRecords | null = null;
  #ofRecords: FormatReading | null = null;
  #ofRecordsAsText: FormatReading | null = null;

  constructor(params: ReadParams, sink: TextSink, buffers: ReadBuffers, opened: OpenedFiles | null = null) {
    this.params = params;
    this.sink = sink;
    this.buffers = buffers;
    this.opened = opened;
    const { fields: names = [] } = params;
    this.asked = names.length === 0 ? null : { names, values: new FieldValues(names.length) };
  }

  /** The same for formats of records: a text that is a page goes on as what is seen of it. */
  get ofRecords(): FormatReading {
    const { params, sink, buffers, opened } = this;
    this.#ofRecords ??= new FormatReading(params, recordSink(sink, params), buffers, opened);
    return this.#ofRecords;
  }

  /** The same for files of records that are compared as texts. */
  get ofRecordsAsText(): FormatReading {
    const { params, sink, buffers, opened } = this;
    this.#ofRecordsAsText ??= new FormatReading(params, new RecordsAsText(sink), buffers, opened);
    return this.#ofRecordsAsText;
  }

  /** Made once: a list may hold a thousand small files of JSON. */
  get records(): JsonRecords {
    this.#records ??= new JsonRecords(this.params, this.sink, this.buffers);
    return this.#records;
  }
}
