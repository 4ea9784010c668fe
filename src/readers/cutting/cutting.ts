/**
 * Cuts the bytes of a file into records, numbered as places in results number them, while they are read.
 *
 *      lines       from 1, every line                        array       elements, from 1
 *      in order    from 1, whatever a record holds: of tables neither the first line nor blank ones are one
 *
 * Every byte is passed on once, in order. Records are those of the readers of a run: lines and formats that are cut in order
 * are cut by the cutters of the readers, in the same windows.
 */
import { WHOLE_FILE } from '../../blocks/documents.js';
import type { InputFormat } from '../../sketch/formatNames.js';
import { formatNamed, hasValues, isCut } from '../list/formats.js';
import { ArrayCutting } from './arrayCutting.js';
import { ChunkCutting } from './chunkCutting.js';
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

export function cuttingOf(name: InputFormat, params: CutParams, taker: RecordTaker): Cutting {
  const format = formatNamed(name);
  if (isCut(format)) return new ChunkCutting(format, params, taker);
  if (hasValues(format)) return new ArrayCutting(taker);
  throw new Error(`${name} has no records that are cut as bytes`);
}
