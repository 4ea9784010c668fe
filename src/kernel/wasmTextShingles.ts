/**
 * Token hashes or character values in kernel memory -> shingle hashes in a column, and the column to the sink.
 *
 * Floor 1. It must never know what a token is. Labels of repeated shingles are the reference's.
 */
import { OccurrenceLabels } from '../sketch/occurrenceLabels.js';
import type { ShingleParams } from '../sketch/params.js';
import { SHINGLE_COLUMN } from '../sketch/shingleColumn.js';
import type { ShingleSink } from '../sketch/shingles.js';
import type { KernelMemory } from './wasmMemory.js';
import type { Scratch } from './wasmTextScratch.js';
import { ALL, ROLLING } from './wasmTextState.js';

export class WasmShingles {
  tokens = 0;
  occurrences = 0;

  private readonly memory: KernelMemory;
  private readonly params: ShingleParams;
  private readonly sink: ShingleSink;
  private readonly labels: OccurrenceLabels | undefined;
  /** Rolls the window over `count` tokens, all but the first `skip` with a shingle. */
  private readonly roll: (state: number, at: number, count: number, skip: number, out: number) => number;
  /** The column as the sink gets it; made anew when memory has grown. */
  private column: Uint32Array = new Uint32Array(0);
  private waiting = 0;

  constructor(memory: KernelMemory, params: ShingleParams, sink: ShingleSink) {
    const { textRollTokens, textRollStopWords, textRollCharacters } = memory.call;
    this.memory = memory;
    this.params = params;
    this.sink = sink;
    this.labels = params.bag ? new OccurrenceLabels(params.seed) : undefined;
    if (params.unit === 'words') this.roll = textRollTokens!;
    else this.roll = params.unit === 'stopwords' ? textRollStopWords! : textRollCharacters!;
  }

  /** Starts a document; its scratch is given with every call. */
  begin(): void {
    this.tokens = 0;
    this.occurrences = 0;
    this.waiting = 0;
    this.labels?.begin();
  }

  /** Before the first token there are zeros. */
  clearWindow({ hashes }: Scratch): void {
    this.memory.words.fill(0, hashes / 4 - 2 * this.params.size, hashes / 4);
  }

  /** Takes the `count` tokens that lie at `hashes`, and keeps the last ones as the window of the next. */
  take(scratch: Scratch, count: number): void {
    const { size, unit } = this.params;
    const { state, hashes, column } = scratch;
    for (let from = 0; from < count; ) {
      const left = count - from;
      const skip = Math.min(left, Math.max(0, size - 1 - this.tokens));
      const taken = Math.min(left, skip + SHINGLE_COLUMN - this.waiting);
      const found = this.roll(state, hashes + 8 * from, taken, skip, column + 8 * this.waiting);
      this.tokens += taken;
      this.added(scratch, unit === 'stopwords' ? found : taken - skip);
      from += taken;
    }
    this.memory.bytes.copyWithin(hashes - 8 * size, hashes + 8 * (count - size), hashes + 8 * count);
  }

  /** Ends the document: a document without a shingle so far has one, all its tokens. */
  end(scratch: Scratch): void {
    const { state, column } = scratch;
    const { call } = this.memory;
    const { unit } = this.params;
    if (this.tokens > 0 && this.occurrences === 0) {
      if (unit === 'words' || unit === 'stopwords') {
        call.textAllTokens!(state, unit === 'words' ? ROLLING : ALL, column);
      } else {
        call.textAllCharacters!(state, this.tokens, column);
      }
      this.added(scratch, 1);
    }
    if (this.waiting > 0) this.flush(scratch);
  }

  private added(scratch: Scratch, shingles: number): void {
    this.occurrences += shingles;
    this.waiting += shingles;
    if (this.waiting === SHINGLE_COLUMN) this.flush(scratch);
  }

  private flush({ column }: Scratch): void {
    const { words } = this.memory;
    if (this.column.buffer !== words.buffer || this.column.byteOffset !== column) {
      this.column = words.subarray(column / 4, column / 4 + 2 * SHINGLE_COLUMN);
    }
    const count = this.waiting;
    this.waiting = 0;
    this.labels?.label(this.column, count);
    this.sink(this.column, count);
  }
}
