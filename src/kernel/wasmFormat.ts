/**
 * Rows of result files in the kernel: columns go in by thousands of rows, bytes come out by the megabyte.
 *
 * Floor 1. It must never know what the columns mean. Arenas are kept from table to table and only ever enlarged.
 */
import type { IdTable } from '../blocks/idTable.js';
import type { RowBatch, RowFormatting, RowLayout } from './rowFormat.js';
import { Arena } from './wasmArena.js';
import { WasmCells } from './wasmFormatCells.js';
import { RowProgram } from './wasmFormatProgram.js';
import type { KernelMemory } from './wasmMemory.js';

/** Bytes collected before they are handed on. */
const PIECE = 1 << 20;

/** Rows whose columns are in the kernel at a time. */
const CHUNK = 8192;

/** Ids that are kept as cells all together: above, those of a chunk of rows are gathered. */
const MOST_ID_BYTES = 1 << 25;

export interface RowFormattingLimits {
  readonly chunk?: number;
  readonly idBytes?: number;
  readonly piece?: number;
}

class WasmRows {
  private readonly memory: KernelMemory;
  private readonly program: RowProgram;
  private readonly cells: WasmCells;
  /** Texts of a batch, which few tables have. */
  private texts: WasmCells | null = null;
  private readonly out: Arena;
  private readonly chunk: number;
  private readonly idBytes: number;
  private readonly piece: number;
  private readonly run: (...values: number[]) => number;

  constructor(memory: KernelMemory, limits: RowFormattingLimits) {
    this.memory = memory;
    this.chunk = limits.chunk ?? CHUNK;
    this.idBytes = limits.idBytes ?? MOST_ID_BYTES;
    this.piece = limits.piece ?? PIECE;
    this.program = new RowProgram(memory, this.chunk);
    this.cells = new WasmCells(memory);
    this.out = new Arena(memory);
    this.run = memory.call.formatRows!;
  }

  format(
    layout: RowLayout,
    ids: IdTable,
    batches: Iterable<RowBatch>,
    sink: (piece: Uint8Array) => void,
  ): void {
    const { program, cells } = this;
    program.install(layout);
    cells.begin(layout.escapes);
    const texts = this.textsOf(layout);
    const whole = layout.fields.some(({ kind }) => kind === 'id') && this.fit(ids);
    if (whole) cells.addAll(ids);
    let waiting = 0;
    for (const { rows, columns, texts: told } of batches) {
      texts?.clear();
      texts?.addAll(told!);
      for (let from = 0; from < rows; from += this.chunk) {
        const taken = Math.min(this.chunk, rows - from);
        if (!whole) cells.clear();
        program.load(layout, columns, from, taken, whole ? null : { cells, ids });
        waiting = this.rows(taken, waiting, sink);
      }
    }
    if (waiting > 0) sink(this.written(waiting));
  }

  /** Formats the rows of a chunk behind the `waiting` bytes, and returns how many bytes wait then. */
  private rows(count: number, waiting: number, sink: (piece: Uint8Array) => void): number {
    const { program, cells, texts, out, piece } = this;
    const widest = program.widest(cells.longest, texts?.longest ?? 0);
    if (out.bytes < piece + widest) {
      // What waits would have to be copied.
      if (waiting > 0) sink(this.written(waiting));
      waiting = 0;
      out.reserve(piece + widest);
    }
    program.place({ id: cells, text: texts });
    for (let row = 0; row < count; ) {
      row = this.run(program.address, row, count, out.address + waiting, out.address + piece);
      waiting = program.end() - out.address;
      if (waiting < piece) continue;
      sink(this.written(waiting));
      waiting = 0;
    }
    return waiting;
  }

  private written(bytes: number): Uint8Array {
    return this.memory.bytes.subarray(this.out.address, this.out.address + bytes);
  }

  private textsOf({ fields, escapes }: RowLayout): WasmCells | null {
    if (!fields.some(({ kind }) => kind === 'text')) return null;
    this.texts ??= new WasmCells(this.memory);
    this.texts.begin(escapes);
    return this.texts;
  }

  private fit({ bytes, offsets }: IdTable): boolean {
    return bytes.length + 4 * offsets.length <= this.idBytes;
  }
}

/** `formatRows` in this memory. Limits are for tests: the bytes do not depend on them, only how they are cut. */
export function createWasmRowFormatting(
  memory: KernelMemory,
  limits: RowFormattingLimits = {},
): RowFormatting {
  let rows: WasmRows | null = null;
  return (layout, ids, batches, sink) => {
    // Most workers of a run never write a row: no memory before the first.
    rows ??= new WasmRows(memory, limits);
    rows.format(layout, ids, batches, sink);
  };
}
