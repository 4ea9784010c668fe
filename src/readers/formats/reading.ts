/**
 * The arguments of a reader of a format: a file or a part of one, the sink of its documents, and working memory.
 */
import type { TextSink } from '../../blocks/documents.js';
import { FieldValues } from '../../blocks/fieldValues.js';
import type { OpenedFiles } from '../bytes/wholeFiles.js';
import type { ReadBuffers, ReadParams } from '../documentSink.js';
import type { FileList } from '../list/fileList.js';
import type { ChunkSplit, RangeSplit } from '../split.js';
import { JsonRecords } from './json/jsonRecord.js';

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

/** The reading of one split, with the memory that its readers share. */
export class FormatReading {
  readonly params: ReadParams;
  readonly sink: TextSink;
  readonly buffers: ReadBuffers;
  /** Null: opened files need not be noted. */
  readonly opened: OpenedFiles | null;
  /** Names of further fields that are read, and memory for their values of one record; null: there are none. */
  readonly extraFields: { readonly names: readonly string[]; readonly values: FieldValues } | null;
  #records: JsonRecords | null = null;

  constructor(params: ReadParams, sink: TextSink, buffers: ReadBuffers, opened: OpenedFiles | null = null) {
    this.params = params;
    this.sink = sink;
    this.buffers = buffers;
    this.opened = opened;
    const { fields: names = [] } = params;
    this.extraFields = names.length === 0 ? null : { names, values: new FieldValues(names.length) };
  }

  /** Gives the values of further fields, as texts, right before a document is given. */
  giveFields(fieldNamed: (name: string) => Uint8Array): void {
    if (this.extraFields === null) return;
    const { names, values } = this.extraFields;
    values.clear();
    for (const [i, name] of names.entries()) {
      const value = fieldNamed(name.toLowerCase());
      values.setText(i, value, 0, value.length);
    }
    this.sink.fields?.(values);
  }

  /** Made once: a list may hold a thousand small files of JSON. */
  get records(): JsonRecords {
    this.#records ??= new JsonRecords(this.params, this.sink);
    return this.#records;
  }
}
