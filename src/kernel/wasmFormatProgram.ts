/**
 * The layout of a table in kernel memory, as assembly/formatRows.ts draws it, and the columns of a chunk of its rows.
 *
 * Floor 1.
 */
import type { Column } from '../blocks/block.js';
import type { IdTable } from '../blocks/idTable.js';
import type { RowField, RowLayout } from './rowFormat.js';
import { Arena } from './wasmArena.js';
import type { WasmCells } from './wasmFormatCells.js';
import type { KernelMemory } from './wasmMemory.js';

const HEADER = 4;
const FIELD = 8;
/** Words of a field. */
const KIND = 0;
const COLUMN = 1;
const ENDS = 2;
const CELLS = 3;
const BEFORE = 4;
const LENGTH = 5;

/** Kinds of assembly/formatRows.ts. */
const CELLS_OF: Readonly<Record<number, number>> = { 1: 0, 2: 1, 4: 2 };
const CELLS_32 = 2;
const FRACTION = 3;
const INTEGER = 4;
const BYTES = 5;

/** `1000.000000` and `4294967295`, and what copying in steps of 16 touches behind them. */
const NUMBER_BYTES = 11;
const OVERRUN = 32;

/** At most this many fields, and bytes an entry of a column. */
const MOST_FIELDS = 16;
const WIDEST_ENTRY = 16;
const ALIGN = 8;

/** Where ids come from when only those of a chunk are made cells. */
export interface Gathering {
  readonly cells: WasmCells;
  readonly ids: IdTable;
}

export class RowProgram {
  readonly address: number;
  private readonly memory: KernelMemory;
  private readonly texts: Arena;
  /** A stretch a field, with room to keep the alignment of a column. */
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

  /** Makes this the layout of the rows to come. */
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

  /** Returns the bytes of the widest cell, 0 for ids. */
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
        // Copied word by word out of shared memory if both ends are aligned alike, else byte by byte.
        address += start % ALIGN;
        this.memory.bytes.set(new Uint8Array(column.buffer, start, entry * count), address);
      }
      this.memory.words[this.address / 4 + at + COLUMN] = address;
    });
  }

  /** Says where the cells of ids and of texts are by now. */
  place(tables: { readonly id: WasmCells; readonly text: WasmCells | null }): void {
    const program = this.memory.words.subarray(this.address / 4);
    this.fields.forEach(({ kind }, f) => {
      if (kind !== 'id' && kind !== 'text') return;
      const cells = tables[kind]!;
      program[HEADER + FIELD * f + ENDS] = cells.ends;
      program[HEADER + FIELD * f + CELLS] = cells.address;
    });
  }

  /** Most bytes of a row, and what writing it may touch behind, if no cell of an id or of a text has more than these. */
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
