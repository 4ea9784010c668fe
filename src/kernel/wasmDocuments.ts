/**
 * Documents of up to a block by one call of the kernel each: text in, a row of the matrix of signatures out.
 *
 * Floor 1. What the kernel leaves (longer documents, and segments that only the reference can put into NFC) takes the
 * general way from its start, and its row is copied in. The results are the same either way.
 */
import type { ShingleParams, SketchParams } from '../sketch/params.js';
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import { type DocumentSketches, StreamedSketches } from './documentSketches.js';
import { type KernelMemory, PADDING } from './wasmMemory.js';
import { RowArena, WasmSignatureRows } from './wasmSignatureRows.js';
import type { PlacedSketcher } from './wasmSketch.js';
import { BLOCK, LONGEST_WINDOW, STATE } from './wasmTextScratch.js';
import { CONTENT_KEY, parameterWords, REPAIRED, writeParameters } from './wasmTextState.js';
import type { TablesOnce } from './wasmTextTables.js';

/** Places in the plan, in words; assembly/textDocument.ts draws it. */
const TOKENS = 10;
const OCCURRENCES = 11;
const PLAN = 48;

const UNITS = ['words', 'chars', 'bytes'];
const SCHEMES = ['fss', 'classic', 'oph'];

/** Memory of the document in hand, one for all plans of a kernel: no document is left half done. */
interface Arenas {
  readonly source: number;
  readonly folded: number;
  /** Zeros lie before it, which nobody writes over. */
  readonly hashes: number;
  readonly column: number;
}

function arenasIn(memory: KernelMemory): Arenas {
  const padded = (bytes: number): number => memory.allocate(bytes + PADDING);
  return {
    source: padded(BLOCK),
    folded: padded(3 * BLOCK),
    hashes: padded(8 * (LONGEST_WINDOW + BLOCK)) + 8 * LONGEST_WINDOW,
    column: padded(8 * BLOCK),
  };
}

/** A plan and the state it names: where the results of a document are read. */
interface Plan {
  readonly address: number;
  readonly state: number;
}

function planFor(
  memory: KernelMemory,
  arenas: Arenas,
  shingle: ShingleParams,
  { sketch }: SketchParams,
  { hashes, stride, constants, raw }: PlacedSketcher,
): Plan {
  const state = memory.allocate(STATE + PLAN);
  const address = state + STATE;
  writeParameters(memory, state, parameterWords(shingle), shingle.size, null);
  memory.words.set(
    [
      state,
      UNITS.indexOf(shingle.unit),
      SCHEMES.indexOf(sketch),
      hashes,
      stride,
      constants,
      raw,
      arenas.folded,
      arenas.hashes,
      arenas.column,
    ],
    address / 4,
  );
  return { address, state };
}

class WasmDocuments implements DocumentSketches {
  tokens = 0;
  occurrences = 0;
  repaired = false;
  readonly contentKey = new Uint32Array(4);
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
    const { memory } = this;
    const { length } = text;
    const place = memory.holds(text) ? text.byteOffset : null;
    if (length <= BLOCK && this.sketched(text, place)) return;
    // Room made for a row detaches what was a view of this memory.
    this.general.whole(place === null ? text : memory.bytes.subarray(place, place + length));
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

  /** Whether the kernel could do the document. `place`: where the text is in this memory; null: it is not. */
  private sketched(text: Uint8Array, place: number | null): boolean {
    const { memory, plan } = this;
    const { length } = text;
    const row = this.kept.next();
    const source = place ?? this.source;
    if (place === null) memory.bytes.set(text, source);
    if (this.run(plan.address, source, length, row) === 0) return false;
    this.kept.added();
    const { words } = memory;
    const results = plan.address / 4;
    const state = plan.state / 4;
    this.tokens = words[results + TOKENS]!;
    this.occurrences = words[results + OCCURRENCES]!;
    this.repaired = words[state + REPAIRED] !== 0;
    for (let i = 0; i < 4; i++) this.contentKey[i] = words[state + CONTENT_KEY + i]!;
    return true;
  }

  /** Takes over what the stream says of the document it ended. */
  private told({ tokens, occurrences, repaired, contentKey }: ShingleStream): void {
    this.tokens = tokens;
    this.occurrences = occurrences;
    this.repaired = repaired;
    this.contentKey.set(contentKey);
  }
}

/** What documents are made of in one kernel. */
export interface DocumentParts {
  readonly shingleStream: (params: ShingleParams, sink: ShingleSink) => ShingleStream;
  readonly sketcher: (params: SketchParams) => PlacedSketcher;
  readonly tables: TablesOnce;
}

/**
 * Makes document sketches in this memory; equal to the plain way of documentSketches.ts. One is made for each pair of
 * parameters and then given again, since memory is never freed: so one of them may be in use at a time.
 */
export function createWasmDocuments(
  memory: KernelMemory,
  { shingleStream, sketcher, tables }: DocumentParts,
): (shingle: ShingleParams, sketch: SketchParams) => DocumentSketches {
  const made = new Map<string, DocumentSketches>();
  const arena = new RowArena(memory);
  let arenas: Arenas | undefined;
  const make = (shingle: ShingleParams, sketch: SketchParams): DocumentSketches => {
    const scheme = sketcher(sketch);
    const rows = new WasmSignatureRows(arena, scheme.stride);
    const general = new StreamedSketches((sink) => shingleStream(shingle, sink), scheme, rows);
    if (!UNITS.includes(shingle.unit) || shingle.bag) return general;
    tables();
    arenas ??= arenasIn(memory);
    const plan = planFor(memory, arenas, shingle, sketch, scheme);
    return new WasmDocuments(memory, arenas.source, plan, rows, general);
  };
  return (shingle, sketch) => {
    const name = JSON.stringify([shingle, sketch]);
    const sketches = made.get(name) ?? make(shingle, sketch);
    made.set(name, sketches);
    return sketches;
  };
}
