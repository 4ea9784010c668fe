/**
 * Rows of result files in the kernel: columns go in by thousands of rows, bytes come out by the megabyte.
 * Arenas are kept from table to table and only ever enlarged.
 */
import type { Column } from '../blocks/block.js';
import type { IdTable } from '../blocks/ids.js';
import type { CellEscapes, RowBatch, RowField, RowFormatting, RowLayout } from './kernel.js';
import { Arena, type KernelMemory } from './wasmMemory.js';

/** Bytes and ids that become cells in one call. */
const PIECE_BYTES = 65536;
const PIECE_IDS = 8192;

/** Upper bound of the cell size of an id of `bytes` bytes: a byte takes up to 6, quotes two. */
const worst = (bytes: number, ids: number): number => 6 * bytes + 2 * ids + 16;

/**
 * Cells of ids in kernel memory: escaped once, used by any number of rows. They are those of all ids of a
 * table, or of some rows; ids reach the kernel in pieces, so only their cells need room.
 */
class WasmCells {
  /** Bytes of the longest cell. */
  longest = 0;
  private readonly memory: KernelMemory;
  private readonly escapes: number;
  private readonly cells: Arena;
  private readonly endsArena: Arena;
  private readonly raw: Arena;
  private readonly rawOffsets: number;
  private quoted = 0;
  private runs = 0;
  private count = 0;
  private readonly run: (...values: number[]) => number;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.escapes = memory.allocate(8 * 256);
    this.rawOffsets = memory.allocate(4 * (PIECE_IDS + 1));
    this.cells = new Arena(memory);
    this.endsArena = new Arena(memory);
    this.raw = new Arena(memory);
    this.run = memory.call.formatCells!;
  }

  get address(): number {
    return this.cells.address;
  }

  /** Address of the ends of the cells: cell i is the bytes [ends[i], ends[i + 1]). */
  get ends(): number {
    return this.endsArena.address;
  }

  /** Removes all cells, and sets the escapes of the next ones. */
  begin({ replacements, runs, quoted }: CellEscapes): void {
    const table = this.memory.bytes.subarray(this.escapes, this.escapes + 8 * 256);
    table.fill(0);
    replacements.forEach((text, byte) => {
      if (text === null) return;
      table.set(text, 8 * byte);
      table[8 * byte + 7] = text.length;
    });
    this.quoted = quoted;
    this.runs = runs ? 1 : 0;
    this.clear();
  }

  clear(): void {
    this.count = 0;
    this.longest = 0;
  }

  /** Creates the cells of all ids: cell i is that of id i. There must be no cells before. */
  addAll({ offsets, bytes }: IdTable): void {
    const ids = offsets.length - 1;
    // Most ids need no escape.
    this.cells.reserve(bytes.length + 2 * ids + worst(PIECE_BYTES, PIECE_IDS));
    this.endsArena.reserve(4 * (ids + 1));
    for (let from = 0; from < ids; ) {
      const start = offsets[from]!;
      let to = Math.min(ids, from + PIECE_IDS);
      while (to > from + 1 && offsets[to]! - start > PIECE_BYTES) to = (from + to) >>> 1;
      const length = offsets[to]! - start;
      // The engine copies word by word out of shared memory if both ends have the same alignment, else byte
      // by byte.
      const skew = (bytes.byteOffset + start) & 7;
      this.raw.reserve(length + 8);
      this.memory.words.set(offsets.subarray(from, to + 1), this.rawOffsets / 4);
      this.memory.bytes.set(bytes.subarray(start, start + length), this.raw.address + skew);
      this.add(this.raw.address + skew - start, to - from, length);
      from = to;
    }
  }

  /**
   * Adds the cells of ids column[from .. from + count) and writes their numbers at `numbers` (u32), one cell for equal
   * neighbours: the first column of a table is sorted.
   */
  gather({ offsets, bytes }: IdTable, column: Column, from: number, count: number, numbers: number): void {
    let pieceIds = 0;
    let length = 0;
    this.memory.words[this.rawOffsets / 4] = 0;
    for (let row = 0; row < count; row++) {
      const id = column[from + row]!;
      if (row === 0 || id !== column[from + row - 1]) {
        const start = offsets[id]!;
        const end = offsets[id + 1]!;
        if (pieceIds === PIECE_IDS || (pieceIds > 0 && length + end - start > PIECE_BYTES)) {
          this.add(this.raw.address, pieceIds, length);
          pieceIds = 0;
          length = 0;
        }
        this.raw.reserve(Math.max(PIECE_BYTES, end - start));
        const target = this.memory.bytes;
        for (let i = start, to = this.raw.address + length; i < end; i++) target[to++] = bytes[i]!;
        length += end - start;
        this.memory.words[this.rawOffsets / 4 + ++pieceIds] = length;
      }
      this.memory.words[numbers / 4 + row] = this.count + pieceIds - 1;
    }
    if (pieceIds > 0) this.add(this.raw.address, pieceIds, length);
  }

  /** Creates cells of `ids` ids, whose offsets are at `rawOffsets` and count from `origin`. */
  private add(origin: number, ids: number, length: number): void {
    const { cells, endsArena, memory } = this;
    const used = this.count === 0 ? 0 : memory.words[this.ends / 4 + this.count]!;
    endsArena.reserve(4 * (this.count + ids + 1), 4 * (this.count + 1));
    cells.reserve(used + worst(length, ids), used);
    memory.words[this.ends / 4 + this.count] = used;
    const longest = this.run(
      this.escapes,
      this.quoted,
      origin,
      this.rawOffsets,
      ids,
      cells.address,
      this.ends + 4 * this.count,
      this.runs,
    );
    this.longest = Math.max(this.longest, longest);
    this.count += ids;
  }
}

const HEADER = 4;
const FIELD = 8;
/** Words of a field. */
const KIND = 0;
const COLUMN = 1;
const ENDS = 2;
const CELLS = 3;
const BEFORE = 4;
const LENGTH = 5;

/** Kinds of assembly/format/rows.ts. */
const CELLS_OF: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2 };
const CELLS_32 = 2;
const FRACTION = 3;
const INTEGER = 4;
const BYTES = 5;

/** `1000.000000` and `4294967295`, and the bytes behind them that copying in steps of 16 touches. */
const NUMBER_BYTES = 11;
const OVERRUN = 32;

/** Most fields, and most bytes per entry of a column. */
const MOST_FIELDS = 16;
const WIDEST_ENTRY = 16;
const ALIGN = 8;

/** The source of ids when only those of a chunk become cells. */
export interface Gathering {
  readonly cells: WasmCells;
  readonly ids: IdTable;
}

class RowProgram {
  readonly address: number;
  private readonly memory: KernelMemory;
  private readonly texts: Arena;
  /** One stretch per field, with room to keep the alignment of a column. */
  private readonly columns: number;
  private readonly stretch: number;
  private textEnd = 0;
  private fields: readonly RowField[] = [];
  /** Bytes of the widest row without the cells of its ids. */
  private width = 0;

  constructor(memory: KernelMemory, chunk: number) {
    this.memory = memory;
    this.address = memory.allocate(4 * (HEADER + FIELD * MOST_FIELDS));
    this.texts = new Arena(memory);
    this.stretch = WIDEST_ENTRY * chunk + ALIGN;
    this.columns = memory.allocate(this.stretch * MOST_FIELDS);
  }

  /** Installs the layout of the next rows, as assembly/format/rows.ts draws it. */
  install({ fields, before, after }: RowLayout): void {
    if (fields.length > MOST_FIELDS) throw new RangeError(`${fields.length} fields`);
    this.fields = fields;
    this.textEnd = 0;
    this.texts.reserve(textBytes(fields, before, after));
    const { words } = this.memory;
    const program = words.subarray(this.address / 4);
    program.set([0, fields.length, this.text(after), after.length]);
    this.width = after.length + OVERRUN;
    fields.forEach((field, f) => {
      const at = HEADER + FIELD * f;
      program[at + BEFORE] = this.text(before[f]!);
      program[at + LENGTH] = before[f]!.length;
      this.width += before[f]!.length + this.installField(field, program, at);
    });
  }

  /** Returns the length of the widest cell, 0 for ids. */
  private installField(field: RowField, program: Uint32Array, at: number): number {
    if (field.kind === 'id' || field.kind === 'text') {
      program[at + KIND] = CELLS_32;
      return 0;
    }
    if (field.kind === 'cell') {
      const { ends, cells, longest } = this.cellTable(field.cells);
      program[at + ENDS] = ends;
      program[at + CELLS] = cells;
      return longest;
    }
    if (field.kind === 'bytes') {
      program[at + KIND] = BYTES;
      program[at + ENDS] = field.width;
      return field.width;
    }
    program[at + KIND] = field.kind === 'fraction' ? FRACTION : INTEGER;
    if (field.kind === 'fraction') {
      program[at + ENDS] = this.text(field.empty);
      program[at + CELLS] = field.empty.length;
      return Math.max(NUMBER_BYTES, field.empty.length);
    }
    return NUMBER_BYTES;
  }

  private cellTable(cells: readonly Uint8Array[]): { ends: number; cells: number; longest: number } {
    this.textEnd = Math.ceil(this.textEnd / 4) * 4;
    const ends = this.texts.address + this.textEnd;
    this.textEnd += 4 * (cells.length + 1);
    const start = this.texts.address + this.textEnd;
    const { words } = this.memory;
    let longest = 0;
    words[ends / 4] = 0;
    cells.forEach((cell, i) => {
      const end = this.text(cell) + cell.length;
      words[ends / 4 + i + 1] = end - start;
      longest = Math.max(longest, cell.length);
    });
    return { ends, cells: start, longest };
  }

  private text(bytes: Uint8Array): number {
    const at = this.texts.address + this.textEnd;
    this.memory.bytes.set(bytes, at);
    this.textEnd += bytes.length;
    return at;
  }

  /** Takes entries [from, from + count) of every column; with `gathering`, ids become numbers of gathered cells. */
  load(
    layout: RowLayout,
    columns: readonly Column[],
    from: number,
    count: number,
    gathering: Gathering | null,
  ): void {
    layout.fields.forEach((field, f) => {
      const column = columns[f]!;
      const at = HEADER + FIELD * f;
      if (field.kind === 'cell')
        this.memory.words[this.address / 4 + at + KIND] = CELLS_OF[column.BYTES_PER_ELEMENT]!;
      let address = this.columns + f * this.stretch;
      if (field.kind === 'id' && gathering !== null) {
        gathering.cells.gather(gathering.ids, column, from, count, address);
      } else {
        const entry = field.kind === 'bytes' ? field.width : column.BYTES_PER_ELEMENT;
        const start = column.byteOffset + entry * from;
        // The engine copies word by word out of shared memory if both ends have the same alignment, else byte
        // by byte.
        address += start % ALIGN;
        this.memory.bytes.set(new Uint8Array(column.buffer, start, entry * count), address);
      }
      this.memory.words[this.address / 4 + at + COLUMN] = address;
    });
  }

  /** Writes the current addresses of the cells of ids and of texts. */
  place(tables: { readonly id: WasmCells; readonly text: WasmCells | null }): void {
    const program = this.memory.words.subarray(this.address / 4);
    this.fields.forEach(({ kind }, f) => {
      if (kind !== 'id' && kind !== 'text') return;
      const cells = tables[kind]!;
      program[HEADER + FIELD * f + ENDS] = cells.ends;
      program[HEADER + FIELD * f + CELLS] = cells.address;
    });
  }

  /**
   * Upper bound of the length of a row, and of the bytes that writing it touches behind, if no cell of an id
   * or of a text is longer than these.
   */
  widest(longestId: number, longestText: number): number {
    const fieldsOf = (wanted: RowField['kind']): number =>
      this.fields.filter(({ kind }) => kind === wanted).length;
    return this.width + longestId * fieldsOf('id') + longestText * fieldsOf('text');
  }

  /** Where the last row written ended. */
  end(): number {
    return this.memory.words[this.address / 4]!;
  }
}

function textBytes(fields: readonly RowField[], before: readonly Uint8Array[], after: Uint8Array): number {
  let bytes = after.length;
  for (const text of before) bytes += text.length;
  for (const field of fields) {
    if (field.kind === 'fraction') bytes += field.empty.length;
    if (field.kind !== 'cell') continue;
    bytes += 4 * (field.cells.length + 2);
    for (const cell of field.cells) bytes += cell.length;
  }
  return bytes;
}

/** Bytes collected before they are passed on. */
const PIECE = 1 << 20;

/** Rows whose columns are in the kernel at a time. */
const CHUNK = 8192;

/** Ids of up to this many bytes are kept as cells together; above, only those of a chunk of rows. */
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
    for (const { rows, columns, texts: batchTexts } of batches) {
      texts?.clear();
      texts?.addAll(batchTexts!);
      for (let from = 0; from < rows; from += this.chunk) {
        const taken = Math.min(this.chunk, rows - from);
        if (!whole) cells.clear();
        program.load(layout, columns, from, taken, whole ? null : { cells, ids });
        waiting = this.rows(taken, waiting, sink);
      }
    }
    if (waiting > 0) sink(this.written(waiting));
  }

  /** Formats the rows of a chunk behind the `waiting` bytes, and returns the new number of waiting bytes. */
  private rows(count: number, waiting: number, sink: (piece: Uint8Array) => void): number {
    const { program, cells, texts, out, piece } = this;
    const widest = program.widest(cells.longest, texts?.longest ?? 0);
    if (out.bytes < piece + widest) {
      // Waiting bytes would have to be copied.
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

/** `formatRows` in this memory. Limits are for tests: they change where the bytes are cut, not the bytes. */
export function createWasmRowFormatting(
  memory: KernelMemory,
  limits: RowFormattingLimits = {},
): RowFormatting {
  let rows: WasmRows | null = null;
  return (layout, ids, batches, sink) => {
    // Most workers of a run never write a row: no memory is allocated before the first.
    rows ??= new WasmRows(memory, limits);
    rows.format(layout, ids, batches, sink);
  };
}
