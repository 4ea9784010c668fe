/**
 * Cuts the bytes of a file into records, numbered as places in results number them, while they stream.
 *
 *      lines       from 1, every line                        array       elements from 0
 *      table       from 1, neither first line nor blank ones archive     from 1, whatever a record holds
 *
 * Every byte is told once, in its order. What a reader of a run takes for one record is one here: tables and archives are cut by
 * the cutters of the readers, in the same windows.
 */
import { isUtf8 } from '../../../readers/bytes/encodings.js';
import type { InputFormat } from '../../../readers/list/fileList.js';
import { ArrayCutting } from './arrayCutting.js';
import { ChunkCutting } from './chunkCutting.js';
import { WHOLE_FILE } from './fates.js';
import { LineCutting } from './lineCutting.js';
import type { CutParams, Cutting, RecordTaker } from './recordTaker.js';

const NOTHING = Buffer.alloc(0);

/** A file that is one document. */
export class WholeCutting implements Cutting {
  readonly #taker: RecordTaker;

  constructor(taker: RecordTaker) {
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    this.#taker.record(WHOLE_FILE, bytes, 0, bytes.length, false);
  }

  end(): void {
    this.#taker.record(WHOLE_FILE, NOTHING, 0, 0, true);
  }
}

const BY_LINES: readonly InputFormat[] = ['jsonl', 'json5l', 'sets'];

/** Cuts a file of a format that has records. */
export function cuttingOf(format: InputFormat, params: CutParams, taker: RecordTaker): Cutting {
  if (BY_LINES.includes(format)) return new LineCutting(taker, isUtf8(params.encoding));
  if (format === 'json' || format === 'json-or-text') return new ArrayCutting(taker);
  if (format === 'csv' || format === 'tsv' || format === 'warc')
    return new ChunkCutting(format, params, taker);
  throw new Error(`${format} has no records that are cut as bytes`);
}
