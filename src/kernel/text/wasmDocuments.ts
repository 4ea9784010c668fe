/**
 * Sketches documents of up to a block in one kernel call each: text in, a row of the signature matrix out.
 *
 * The general stream sketches documents that the kernel declines (longer ones, and those with segments that only the
 * reference can normalise) from their start, and their rows are copied in. The results are the same either way.
 */

import type { SketchParams } from '../../sketch/params.js';
import {
  type RowColumns,
  type ScannedLines,
  type ShingleParams,
  type ShingleSink,
  ShingleStream,
  TAKEN,
  type TextRows,
} from '../../text/shingles.js';
import { type DocumentSketches, type Kernel, ROW_WORDS, StreamedSketches } from '../kernel.js';
import { Arena, ArenaRows, type KernelMemory, once, oncePer } from '../wasmMemory.js';
import { type PlacedScheme, type PlacedSketcher, placedScheme } from '../wasmSketch.js';
import {
  BLOCK,
  type BlockArenas,
  blockArenas,
  NO_SET,
  parameterWords,
  readFacts,
  STATE,
  writeParameters,
} from './wasmState.js';
import type { TextTables } from './wasmTables.js';

/** Bytes of the arena of rows. A task of files has about 0.5 MB of rows, a task of the shortest records about 100 MB. */
const ARENA = 1 << 23;

/** Positions in a plan, in words. assembly/text/document.ts has the layout. */
const TOKENS = 9;
const OCCURRENCES = 10;
const PLAN = 48;

const UNITS = ['words', 'chars', 'bytes'];

/** Whether the kernel can process documents with these shingles in one call: not prepared texts, which arrive in pieces. */
function isPlanned({ unit, bag, normalize }: ShingleParams): boolean {
  return UNITS.includes(unit) && !bag && normalize === undefined;
}

/**
 * The memory of the current document. All plans of a kernel share it, because each document is finished before the next. Zeros that
 * are never overwritten precede its hashes.
 */
interface TextArenas extends BlockArenas {
  /** The struct of the rows of texts, and their columns. */
  readonly rows: number;
  readonly columns: readonly number[];
}

function arenasIn(memory: KernelMemory): TextArenas {
  const rows = memory.allocate(4 * (ID_BYTES + 2));
  const columns = WIDTHS.map((width) => memory.allocate(width * ROWS));
  columns.push(memory.allocate(ID_ROOM));
  memory.words.set(columns, rows / 4 + COLUMNS);
  memory.words[rows / 4 + ID_BYTES + 1] = ID_ROOM;
  return { rows, columns, ...blockArenas(memory, 0, BLOCK) };
}

/** Maximum number of rows: a batch of small files has about 800. */
const ROWS = 1024;
/** Positions in the struct of rows, in words. assembly/text/document.ts has the layout. */
const LEAST = 4;
const COLUMNS = 5;
const ID_BYTES = 14;
/** Bytes of the columns by row, in their order; the ids follow. */
const WIDTHS = [4, 4, 8, 8, 1, 16, 16, 4];
/** Bytes for the ids of rows; an id must not be longer (MOST_ID_BYTES of the readers). */
const ID_ROOM = 64 << 10;

/** Who receives the shingles of each document; undefined: nobody. */
interface ShingleTarget {
  sink: ShingleSink | undefined;
}

/** Texts that are processed in place, in memory that all streams of a kernel share. */
class PlacedTexts implements TextRows {
  readonly at: number;
  readonly most = BLOCK;

  private readonly memory: KernelMemory;
  private readonly plan: number;
  /** Addresses: of the struct of rows, and of its columns. */
  private readonly struct: number;
  private readonly columns: readonly number[];
  /** Null: the stream keeps no signatures. */
  private readonly kept: ArenaRows | null;
  private readonly column: BlockArenas['column'];
  /** Receives the shingles of each text; without it many texts are taken per call. */
  private readonly target: ShingleTarget;
  private readonly run: (...values: number[]) => number;

  constructor(
    memory: KernelMemory,
    { source, rows, columns, column }: TextArenas,
    plan: DocumentPlan,
    kept: ArenaRows | null,
    target: ShingleTarget,
  ) {
    this.memory = memory;
    this.at = source;
    this.plan = plan.address;
    this.struct = rows;
    this.columns = columns;
    this.kept = kept;
    this.target = target;
    this.column = column;
    this.run = memory.call.textRow!;
    this.end();
  }

  get bytes(): Uint8Array {
    return this.memory.bytes;
  }

  get count(): number {
    return this.memory.words[this.struct / 4]!;
  }

  take(length: number, file: number, probed: number): number {
    const answer = this.run(this.plan, this.at, length, file, probed, this.struct);
    if (answer === TAKEN) this.give();
    return answer;
  }

  takeLines({ bytes, at, from, to, file, longest, seeksPages }: ScannedLines): number {
    const { memory, plan, struct, target } = this;
    // The shingles of a document are passed on before those of the next one overwrite them.
    if (bytes !== memory.bytes || target.sink !== undefined) return 0;
    const [row, end] = [at + 4 * ROW_WORDS * from, at + 4 * ROW_WORDS * to];
    return memory.call.textLines!(
      ...[plan, row, end, file, Math.min(longest, this.most), Number(seeksPages), struct],
    );
  }

  /** Passes the shingles of the text that the kernel processed to the sink. */
  give(): void {
    const { sink } = this.target;
    if (sink === undefined) return;
    const count = this.memory.words[this.plan / 4 + OCCURRENCES]!;
    if (count > 0) sink(this.column.words, count);
  }

  open(least: number): void {
    const { kept, struct, memory } = this;
    // Growth of the memory detaches earlier `words`.
    const from = kept?.next() ?? 0;
    memory.words.set([0, ROWS, from, kept?.end ?? 0, least], struct / 4);
    memory.words[struct / 4 + ID_BYTES] = 0;
  }

  close(): RowColumns | null {
    const { count, memory, kept } = this;
    this.end();
    if (count === 0) return null;
    kept?.added(count);
    const { words } = memory;
    const { buffer } = words;
    const [file, tokens, occurrences, textBytes, flags, contentKey, textKey, idEnds, ids] = this.columns;
    return {
      file: new Uint32Array(buffer, file, count),
      tokens: new Uint32Array(buffer, tokens, count),
      occurrences: new Float64Array(buffer, occurrences, count),
      textBytes: new Float64Array(buffer, textBytes, count),
      flags: new Uint8Array(buffer, flags, count),
      contentKey: new Uint32Array(buffer, contentKey, 4 * count),
      textKey: new Uint32Array(buffer, textKey, 4 * count),
      idEnds: new Uint32Array(buffer, idEnds, count),
      idBytes: new Uint8Array(buffer, ids, words[this.struct / 4 + ID_BYTES]!),
    };
  }

  /** Discards the rows; the next `take` returns FULL. */
  private end(): void {
    this.memory.words.fill(0, this.struct / 4, this.struct / 4 + LEAST);
  }

  /**
   * The address of a text of at most BLOCK bytes: its own address if it is in kernel memory, else that of the room, to which it
   * is copied.
   */
  placed(text: Uint8Array): number {
    if (this.memory.holds(text)) return text.byteOffset;
    this.memory.bytes.set(text, this.at);
    return this.at;
  }

  /** The text for the general streams: a copy if it is in kernel memory, which may grow while they read. */
  outside(text: Uint8Array): Uint8Array {
    return this.memory.holds(text) ? text.slice() : text;
  }

  /** A copy of a text that was placed. */
  copy(address: number, length: number): Uint8Array {
    return this.memory.bytes.slice(address, address + length);
  }
}

/** The parameters of one-call documents in kernel memory, and the state with the results of a document. */
interface DocumentPlan {
  readonly address: number;
  readonly state: number;
}

/** Writes a plan into kernel memory; without a scheme it makes shingles only. */
function placePlan(
  memory: KernelMemory,
  { folded, hashes, column }: TextArenas,
  shingle: ShingleParams,
  scheme: PlacedScheme = [0, 0, 0, 0],
): DocumentPlan {
  const state = memory.allocate(STATE + PLAN);
  const address = state + STATE;
  writeParameters(memory, state, parameterWords(shingle), shingle.size, NO_SET);
  const arenas = [folded, hashes, column.address];
  memory.words.set([state, UNITS.indexOf(shingle.unit), ...scheme, ...arenas], address / 4);
  return { address, state };
}

/**
 * Processes whole documents of up to a block in one call of the kernel: computes their shingles for the sink, and sketches them if
 * rows are kept. The general stream processes documents that arrive in pieces, that are longer, or that the kernel declines.
 */
class PlannedStream<Rows extends ArenaRows | null> extends ShingleStream {
  override readonly texts: PlacedTexts;
  readonly rows: Rows;

  private readonly memory: KernelMemory;
  private readonly plan: DocumentPlan;
  private readonly general: ShingleStream;
  private readonly run: (plan: number, source: number, length: number, row: number) => number;

  constructor(
    memory: KernelMemory,
    arenas: TextArenas,
    plan: DocumentPlan,
    general: ShingleStream,
    rows: Rows,
    target: ShingleTarget,
  ) {
    super();
    this.memory = memory;
    this.texts = new PlacedTexts(memory, arenas, plan, rows, target);
    this.rows = rows;
    this.plan = plan;
    this.general = general;
    this.run = memory.call.textDocument!;
  }

  begin(): void {
    this.general.begin();
  }

  push(bytes: Uint8Array): void {
    this.general.push(bytes);
  }

  end(): void {
    this.general.end();
    this.found(this.general);
  }

  override whole(text: Uint8Array): void {
    const { texts, rows, plan } = this;
    const { length } = text;
    if (length > BLOCK) {
      super.whole(texts.outside(text));
      return;
    }
    // Making room for a row may enlarge the memory; the address of the text remains valid.
    const address = texts.placed(text);
    if (this.run(plan.address, address, length, rows?.next() ?? 0) === 0) {
      super.whole(texts.copy(address, length));
      return;
    }
    rows?.added(1);
    this.readFacts();
    texts.give();
  }

  private readFacts(): void {
    const { memory, plan } = this;
    const results = plan.address / 4;
    this.tokens = memory.words[results + TOKENS]!;
    this.occurrences = memory.words[results + OCCURRENCES]!;
    readFacts(memory, plan.state, this);
  }
}

/** Reused sketches, and a second consumer of their shingles. */
interface GivingSketches {
  readonly sketches: DocumentSketches;
  readonly target: ShingleTarget;
}

/** Memory and streams for documents. `general` processes any document. */
interface DocumentParts {
  readonly general: (params: ShingleParams, sink: ShingleSink) => ShingleStream;
  readonly sketcher: (params: SketchParams) => PlacedSketcher;
  readonly tables: () => TextTables;
}

/**
 * Creates streams and sketches of documents in this memory, with the results of `general` and of the plain sketches of kernel.ts. A
 * plan, and an object that sketches, is made once for each set of parameters, because kernel memory is never freed, and every task
 * makes one.
 */
export function createWasmDocuments(
  memory: KernelMemory,
  { general, sketcher, tables }: DocumentParts,
): Pick<Kernel, 'shingleStream' | 'documentSketches'> {
  const arenasOf = once(() => {
    tables();
    return arenasIn(memory);
  });
  const planOf = oncePer((params: ShingleParams) => placePlan(memory, arenasOf(), params));
  const rowArena = new Arena(memory, ARENA);
  const sketchesOf = oncePer(([shingle, sketch]: [ShingleParams, SketchParams]): GivingSketches => {
    const target: ShingleTarget = { sink: undefined };
    const give: ShingleSink = (hashes, count) => target.sink?.(hashes, count);
    const scheme = sketcher(sketch);
    const rows = new ArenaRows(rowArena, scheme.stride);
    const streamed = new StreamedSketches((sink) => general(shingle, sink), scheme, rows, give);
    if (!isPlanned(shingle)) return { sketches: streamed, target };
    const placed = placedScheme(sketch.sketch, scheme);
    const plan = placePlan(memory, arenasOf(), shingle, placed);
    return { sketches: new PlannedStream(memory, arenasOf(), plan, streamed, rows, target), target };
  });
  return {
    shingleStream(params, sink) {
      const stream = general(params, sink);
      if (!isPlanned(params)) return stream;
      return new PlannedStream(memory, arenasOf(), planOf(params), stream, null, { sink });
    },
    documentSketches(shingle, sketch, sink) {
      const { sketches, target } = sketchesOf([shingle, sketch]);
      target.sink = sink;
      // A task that failed may have left rows.
      sketches.texts?.close();
      sketches.rows.clear();
      return sketches;
    },
  };
}
