/**
 * A shingle stream with a short way for whole documents of up to a block: one call of the kernel, and one of the sink.
 *
 * Floor 1. What the kernel leaves (longer documents, and segments that only the reference can put into NFC) takes the
 * general way from its start; the shingles are the same either way. It must never know what becomes of them.
 */
import type { ShingleParams } from '../sketch/params.js';
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import type { KernelMemory } from './wasmMemory.js';
import {
  isPlanned,
  type Plan,
  placePlan,
  readResults,
  type TextArenas,
  takeResults,
} from './wasmTextPlan.js';
import { BLOCK } from './wasmTextScratch.js';
import type { TablesOnce } from './wasmTextTables.js';

class WholeTexts implements ShingleStream {
  tokens = 0;
  occurrences = 0;
  repaired = false;
  readonly contentKey = new Uint32Array(4);
  readonly textKey = new Uint32Array(4);
  looksLikeCode = false;

  private readonly memory: KernelMemory;
  private readonly arenas: TextArenas;
  private readonly plan: Plan;
  private readonly general: ShingleStream;
  private readonly sink: ShingleSink;
  /** The column as the sink gets it; made anew when memory has grown. */
  private column: Uint32Array = new Uint32Array(0);

  constructor(
    memory: KernelMemory,
    arenas: TextArenas,
    plan: Plan,
    general: ShingleStream,
    sink: ShingleSink,
  ) {
    this.memory = memory;
    this.arenas = arenas;
    this.plan = plan;
    this.general = general;
    this.sink = sink;
  }

  begin(): void {
    this.general.begin();
  }

  push(bytes: Uint8Array): void {
    this.general.push(bytes);
  }

  end(): void {
    this.general.end();
    takeResults(this.general, this);
  }

  whole(text: Uint8Array): void {
    if (text.length <= BLOCK && this.shingled(text)) return;
    this.begin();
    if (text.length > 0) this.push(text);
    this.end();
  }

  /** Whether the kernel could do the document. */
  private shingled(text: Uint8Array): boolean {
    const { memory, plan } = this;
    const { source } = this.arenas;
    memory.bytes.set(text, source);
    if (memory.call.textShingles!(plan.address, source, text.length) === 0) return false;
    readResults(memory, plan, this);
    if (this.occurrences > 0) this.sink(this.shingles(), this.occurrences);
    return true;
  }

  private shingles(): Uint32Array {
    const { words } = this.memory;
    if (this.column.buffer !== words.buffer) {
      const at = this.arenas.column / 4;
      this.column = words.subarray(at, at + 2 * BLOCK);
    }
    return this.column;
  }
}

type StreamMaker = (params: ShingleParams, sink: ShingleSink) => ShingleStream;

/**
 * The streams of `general`, with the short way where there is one. A plan is kept for each set of parameters: kernel
 * memory is never freed, and every task makes a stream.
 */
export function createWasmWholeTexts(
  memory: KernelMemory,
  arenas: () => TextArenas,
  tables: TablesOnce,
  general: StreamMaker,
): StreamMaker {
  const plans = new Map<string, Plan>();
  return (params, sink) => {
    const stream = general(params, sink);
    if (!isPlanned(params)) return stream;
    tables();
    const name = JSON.stringify(params);
    const plan = plans.get(name) ?? placePlan(memory, arenas(), params);
    plans.set(name, plan);
    return new WholeTexts(memory, arenas(), plan, stream, sink);
  };
}
