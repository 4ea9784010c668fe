/**
 * Documents of up to a block by one call of the kernel each: text in, a row of the matrix of signatures out.
 *
 * Floor 1. What the kernel leaves (longer documents, and segments that only the reference can put into NFC) takes the
 * general way from its start, and its row is copied in. The results are the same either way.
 */
import type { ShingleParams, SketchParams } from '../sketch/params.js';
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import type { Thinning } from '../sketch/thinning.js';
import { type DocumentSketches, StreamedSketches } from './documentSketches.js';
import type { Kernel } from './kernel.js';
import type { KernelMemory } from './wasmMemory.js';
import { RowArena, WasmSignatureRows } from './wasmSignatureRows.js';
import { type PlacedSketcher, placedScheme } from './wasmSketch.js';
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
import { isPlaced, type PlacedThinning } from './wasmThinning.js';

class WasmDocuments implements DocumentSketches {
  tokens = 0;
  occurrences = 0;
  repaired = false;
  readonly contentKey = new Uint32Array(4);
  readonly textKey = new Uint32Array(4);
  looksLikeCode = false;
  readonly stride: number;

  private readonly memory: KernelMemory;
  private readonly source: number;
  private readonly plan: Plan;
  private readonly kept: WasmSignatureRows;
  private readonly general: StreamedSketches;
  private readonly run: (plan: number, source: number, length: number, row: number) => number;

  constructor(
    memory: KernelMemory,
    source: number,
    plan: Plan,
    rows: WasmSignatureRows,
    general: StreamedSketches,
  ) {
    this.memory = memory;
    this.source = source;
    this.plan = plan;
    this.kept = rows;
    this.general = general;
    this.stride = general.stride;
    this.run = memory.call.textDocument!;
  }

  get rows(): number {
    return this.kept.rows;
  }

  clear(): void {
    this.kept.clear();
  }

  whole(text: Uint8Array): void {
    if (text.length <= BLOCK && this.sketched(text)) return;
    this.general.whole(text);
    this.told(this.general);
  }

  begin(): void {
    this.general.begin();
  }

  push(bytes: Uint8Array): void {
    this.general.push(bytes);
  }

  end(): void {
    this.general.end();
    this.told(this.general);
  }

  copyRows(into: Uint32Array): void {
    this.kept.copyRows(into);
  }

  /** Whether the kernel could do the document. */
  private sketched(text: Uint8Array): boolean {
    const { memory, plan, source } = this;
    const row = this.kept.next();
    memory.bytes.set(text, source);
    if (this.run(plan.address, source, text.length, row) === 0) return false;
    this.kept.added();
    readResults(memory, plan, this);
    return true;
  }

  private told(stream: ShingleStream): void {
    takeResults(stream, this);
  }
}

/** Whether the kernel can be told of it: none at all, or one of its own. */
function isOwn(thinning: Thinning | undefined): thinning is PlacedThinning | undefined {
  return thinning === undefined || isPlaced(thinning);
}

/** What documents are made of in one kernel. */
export interface DocumentParts {
  readonly shingleStream: (params: ShingleParams, sink: ShingleSink) => ShingleStream;
  readonly sketcher: (params: SketchParams) => PlacedSketcher;
  readonly tables: TablesOnce;
  readonly arenas: () => TextArenas;
}

/**
 * Makes document sketches in this memory; equal to the plain way of documentSketches.ts. One is made for each pair of
 * parameters and then given again, since memory is never freed: so one of them may be in use at a time.
 */
export function createWasmDocuments(
  memory: KernelMemory,
  { shingleStream, sketcher, tables, arenas }: DocumentParts,
): Kernel['documentSketches'] {
  const made = new Map<string, DocumentSketches>();
  const arena = new RowArena(memory);
  const make = (shingle: ShingleParams, sketch: SketchParams, thinning?: Thinning): DocumentSketches => {
    const scheme = sketcher(sketch);
    const rows = new WasmSignatureRows(arena, scheme.stride);
    const general = new StreamedSketches((sink) => shingleStream(shingle, sink), scheme, rows, thinning);
    if (!isPlanned(shingle) || !isOwn(thinning)) return general;
    tables();
    const thinned = thinning?.address ?? 0;
    const plan = placePlan(memory, arenas(), shingle, placedScheme(sketch.sketch, scheme), thinned);
    return new WasmDocuments(memory, arenas().source, plan, rows, general);
  };
  return (shingle, sketch, thinning) => {
    if (!isOwn(thinning)) return make(shingle, sketch, thinning);
    const name = JSON.stringify([shingle, sketch, thinning?.address]);
    const sketches = made.get(name) ?? make(shingle, sketch, thinning);
    made.set(name, sketches);
    return sketches;
  };
}
