/**
 * Shingle streams of the kernel: what src/sketch/shingles.ts says, done in WebAssembly a block at a time.
 *
 * Floor 1. A document of up to BLOCK bytes is one block, run at its end. Of a longer one every block leaves something
 * in front of the next: source bytes after the cut, a word in hand or a blank, and the window of the last tokens.
 *
 *      source [rest after cut | ...)    folded [word in hand | ...)    hashes (window | tokens ...)    column
 */
import type { ShingleParams } from '../sketch/params.js';
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import type { KernelMemory } from './wasmMemory.js';
import { TextFold } from './wasmTextFold.js';
import { readTextKey } from './wasmTextKey.js';
import { BLOCK, type Scratch, ScratchPool, TEXT_KEY } from './wasmTextScratch.js';
import { WasmShingles } from './wasmTextShingles.js';
import {
  CONTENT_KEY,
  type KernelSet,
  parameterWords,
  REPAIRED,
  type StateWords,
  writeParameters,
} from './wasmTextState.js';
import { installStopWords } from './wasmTextStopWords.js';
import { type TablesOnce, type TextTables, tablesOnce } from './wasmTextTables.js';

const BLANK = 0x20;

class WasmShingleStream implements ShingleStream {
  repaired = false;
  readonly contentKey = new Uint32Array(4);
  readonly textKey = new Uint32Array(4);
  looksLikeCode = false;

  private readonly memory: KernelMemory;
  private readonly pool: ScratchPool;
  private readonly params: ShingleParams;
  private readonly set: KernelSet | null;
  private readonly parameters: StateWords;
  private readonly shingles: WasmShingles;
  /** Undefined for bytes. */
  private readonly fold: TextFold | undefined;
  private scratch: Scratch | undefined;
  /** Bytes in the source arena, and in front of the folded one. */
  private filled = 0;
  private kept = 0;
  private atStart = true;

  constructor(
    memory: KernelMemory,
    tables: TextTables,
    pool: ScratchPool,
    params: ShingleParams,
    sink: ShingleSink,
    set: KernelSet | null,
  ) {
    this.memory = memory;
    this.pool = pool;
    this.params = params;
    this.set = set;
    this.parameters = parameterWords(params);
    this.shingles = new WasmShingles(memory, params, sink);
    if (params.unit !== 'bytes') this.fold = new TextFold(memory, tables, params.unit !== 'chars');
  }

  get tokens(): number {
    return this.shingles.tokens;
  }

  get occurrences(): number {
    return this.shingles.occurrences;
  }

  begin(): void {
    this.close();
    this.shingles.begin();
    this.fold?.begin();
    this.repaired = false;
    this.filled = 0;
    this.kept = 0;
    this.atStart = true;
  }

  push(bytes: Uint8Array): void {
    const { memory } = this;
    const { length } = bytes;
    const scratch = this.scratch ?? this.open();
    for (let from = 0; from < length; ) {
      if (this.filled === BLOCK) this.runBlock(scratch);
      const count = Math.min(length - from, BLOCK - this.filled);
      const part = count === length ? bytes : bytes.subarray(from, from + count);
      const to = scratch.source + this.filled;
      memory.bytes.set(part, to);
      memory.call.textKeyPush!(scratch.state + TEXT_KEY, to, to + count);
      this.filled += count;
      from += count;
    }
  }

  end(): void {
    const scratch = this.scratch ?? this.open();
    this.runLast(scratch);
    const { memory, params, contentKey } = this;
    const overBytes = params.unit === 'chars' || params.unit === 'bytes';
    memory.call.textFinishKey!(scratch.state, overBytes ? 1 : 0);
    memory.call.textKeyEnd!(scratch.state + TEXT_KEY);
    readTextKey(memory, scratch.state + TEXT_KEY, this);
    const state = scratch.state / 4;
    for (let i = 0; i < 4; i++) contentKey[i] = memory.words[state + CONTENT_KEY + i]!;
    this.repaired = memory.words[state + REPAIRED] !== 0;
    this.shingles.end(scratch);
    this.close();
  }

  /** Takes the memory for a document. */
  private open(): Scratch {
    const { memory, params } = this;
    const scratch = this.pool.take(this);
    if (scratch.owner !== this) {
      writeParameters(memory, scratch.state, this.parameters, params.size, this.set);
      scratch.owner = this;
    }
    // No character before the first one: as if white space were before it.
    memory.call.textBegin!(scratch.state, params.unit === 'chars' ? 1 : 0);
    memory.call.textKeyBegin!(scratch.state + TEXT_KEY);
    this.shingles.clearWindow(scratch);
    this.scratch = scratch;
    return scratch;
  }

  private close(): void {
    if (this.scratch !== undefined) this.pool.giveBack(this.scratch);
    this.scratch = undefined;
  }

  /** Takes the block in the arena, which is full, as far as it can be taken without what follows. */
  private runBlock(scratch: Scratch): void {
    const { memory, fold } = this;
    const { state, source, folded } = scratch;
    const limit = source + this.filled;
    if (fold === undefined) {
      this.takeBytes(scratch, limit);
      this.filled = 0;
      return;
    }
    const from = this.textStart(source);
    const cut = fold.cut(from, limit);
    const end = cut > 0 ? cut : fold.lastSequence(from, limit);
    const to = fold.fold(state, from, end, folded + this.kept, cut > 0);
    if (this.params.unit === 'chars') this.takeCharacters(scratch, to, false);
    else this.takeWords(scratch, to, false);
    memory.bytes.copyWithin(source, end, limit);
    this.filled = limit - end;
  }

  /** Takes the block in the arena as the last one. */
  private runLast(scratch: Scratch): void {
    const { fold } = this;
    const { state, source, folded } = scratch;
    const limit = source + this.filled;
    if (fold === undefined) {
      this.takeBytes(scratch, limit);
      return;
    }
    const to = fold.finish(state, fold.fold(state, this.textStart(source), limit, folded + this.kept, true));
    if (this.params.unit === 'chars') this.takeCharacters(scratch, to, true);
    else this.takeWords(scratch, to, true);
  }

  /** The place after a byte order mark at the beginning of the document. */
  private textStart(source: number): number {
    const { bytes } = this.memory;
    const { atStart, filled } = this;
    this.atStart = false;
    const marked = bytes[source] === 0xef && bytes[source + 1] === 0xbb && bytes[source + 2] === 0xbf;
    return atStart && filled >= 3 && marked ? source + 3 : source;
  }

  private takeWords(scratch: Scratch, to: number, last: boolean): void {
    const { call } = this.memory;
    const { state, folded, hashes } = scratch;
    const end = last ? to : call.textWordInHand!(folded, to);
    this.shingles.take(scratch, call.textTokens!(state, folded, end, hashes));
    if (!last) this.kept = call.textKeepWord!(state, end, to, folded) - folded;
  }

  private takeCharacters(scratch: Scratch, to: number, last: boolean): void {
    const { memory } = this;
    const { state, folded, hashes } = scratch;
    // A blank at the end waits for a character that follows.
    const blank = to > folded && memory.bytes[to - 1] === BLANK;
    const end = blank ? to - 1 : to;
    memory.call.textKeyBytes!(state, folded, end);
    this.shingles.take(scratch, memory.call.textCharacterValues!(state, folded, end, hashes));
    this.kept = blank && !last ? 1 : 0;
    if (blank) memory.bytes[folded] = BLANK;
  }

  private takeBytes(scratch: Scratch, limit: number): void {
    const { call } = this.memory;
    const { state, source, hashes } = scratch;
    call.textKeyBytes!(state, source, limit);
    this.shingles.take(scratch, call.textByteValues!(state, source, limit, hashes));
  }
}

/**
 * A maker of shingle streams that gives for every document what `createShingleStream` gives; null for a unit that the
 * kernel does not do (lines): there the caller uses the reference. Tables are made with the first stream. What a sink
 * gets is a view of kernel memory: it is gone once the sink allocates there.
 */
export function createWasmShingleStreams(
  memory: KernelMemory,
  tables: TablesOnce = tablesOnce(memory),
): (params: ShingleParams, sink: ShingleSink) => ShingleStream | null {
  const pool = new ScratchPool(memory);
  const sets = new Map<string, KernelSet>();
  const setOf = (params: ShingleParams): KernelSet => {
    const name = `${params.seed}\n${params.stopWords.join('\n')}`;
    const set = sets.get(name) ?? installStopWords(memory, params);
    sets.set(name, set);
    return set;
  };
  return (params, sink) => {
    if (params.unit === 'lines') return null;
    const set = params.unit === 'stopwords' ? setOf(params) : null;
    return new WasmShingleStream(memory, tables(), pool, params, sink, set);
  };
}
