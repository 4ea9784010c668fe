/**
 * Stage 1 where the inputs are the characteristic matrix in row form: lines `set, element` -> column blocks of sets.
 *
 *      lines      range --rows--> setNames/k, setRows/k/r        a task a split: any byte range of any file
 *      names      setNames/* -> document numbers                 here, as splits arrive
 *      tiles      setRows/* /r --tilesOfSets--> setTiles/r/c     a task a row chunk: adds, labels, makes distinct
 *      columns    setTiles/* /c --sketchedSets--> signatures/c   a task a column block; where columns have row chunks
 *                 setTiles/* /c --labelled--> tiles/c/s          the steps of documents instead:
 *                 tiles/c/s --partials--> --minima--> signatures/c
 *
 * All rows that go in are counted again where they come out.
 */

import { numbersBelow, Uint32Column } from '../../arrays/growable.js';
import { NameTable } from '../../arrays/hashTable.js';
import { type Block, decodeBlock, encodeBlock } from '../../blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED } from '../../blocks/documents.js';
import { idBlock, idsIn } from '../../blocks/idBlocks.js';
import { NAMES } from '../../blocks/names.js';
import { SETS_A_BLOCK } from '../../blocks/sets.js';
import { MinHashError } from '../../errors.js';
import { SetHeaders } from '../../readers/ahead/columns.js';
import type { SetFields } from '../../readers/formats/setLines.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { LineNumbers, type LinesSplit, lineBytes, linesOf } from '../../readers/split.js';
import type { RowsReport, TilesOfSetsReport } from '../../tasks/kinds/rowTasks.js';
import { addKeys } from '../../text/elements.js';
import type { Run } from '../context.js';
import { lineChunksOf } from '../planning/estimate.js';
import { type SetSource, TileSets } from '../verify/tileSets.js';
import { runReading } from './badRecords.js';
import {
  type ColumnTable,
  type Corpus,
  corpusOf,
  RepeatedSkips,
  refuseSkipped,
  type SkipList,
  sharedU32,
} from './corpus.js';
import { idsOfRows } from './places.js';
import { type ColumnBlock, inputsOf, reduceSteps } from './sketching.js';
import { ReadingProgress, type Source } from './source.js';

/**
 * The corpus of sets: the facts of every set from the tiles of all row chunks become document tables and one list, as for
 * documents.
 *
 * Column blocks are SETS_A_BLOCK sets in the order of their names: that follows from the inputs alone.
 */
class SetCorpus {
  /** By set: elements, copies counted. */
  readonly sizes: Float64Array;
  /** Sets that are larger than allowed, ascending. */
  tooLarge: Uint32Array = new Uint32Array(0);
  private readonly ids: Block;
  private readonly keys: Uint32Array;
  private readonly isCut: Uint8Array;

  /** @param ids names of the sets, by number */
  constructor(ids: Block) {
    const sets = idsIn(ids).offsets.length - 1;
    this.ids = ids;
    this.sizes = new Float64Array(sets);
    this.keys = sharedU32(4 * sets);
    this.isCut = new Uint8Array(sets);
  }

  /** Sets, including those that are too large. */
  get length(): number {
    return this.sizes.length;
  }

  get blocks(): number {
    return Math.ceil(this.length / SETS_A_BLOCK);
  }

  /** Sets in a column block. */
  columnsOf(block: number): number {
    return Math.min(SETS_A_BLOCK, this.length - block * SETS_A_BLOCK);
  }

  /** Adds the facts of a row chunk: kind `setFacts`. */
  add({ columns }: Block): void {
    const { documents, sizes, keys, isCut } = columns;
    for (let i = 0; i < documents!.length; i++) {
      const d = documents![i]!;
      this.sizes[d]! += sizes![i]!;
      addKeys(this.keys, 4 * d, keys as Uint32Array, 4 * i);
      this.isCut[d]! |= isCut![i]!;
    }
  }

  /** All row chunks were added: finds the sets of more than `most` elements. */
  close(most: number): void {
    this.tooLarge = numbersBelow(this.length).filter((set) => this.sizes[set]! > most);
  }

  name(set: number): Uint8Array {
    const { bytes, offsets } = idsIn(this.ids);
    return bytes.subarray(offsets[set]!, offsets[set + 1]!);
  }

  /** The sets that are not too large, numbered anew. */
  finish(): Corpus {
    const flags = new Uint8Array(this.length);
    for (let set = 0; set < this.length; set++)
      flags[set] = HAS_ID | (this.sizes[set] === 0 ? EMPTY : 0) | (this.isCut[set] === 1 ? REPAIRED : 0);
    const blocks = Array.from({ length: this.blocks }, (_, block) => block);
    const tables = blocks.map((block) => this.table(block, flags));
    const gone = new Set(this.tooLarge);
    const kept = gone.size === 0 ? null : numbersBelow(this.length).filter((set) => !gone.has(set));
    const ids = kept === null ? this.ids : idsOfRows(idsIn(this.ids), kept);
    const keysOf = (block: number): Uint32Array =>
      this.keys.subarray(4 * SETS_A_BLOCK * block, 4 * SETS_A_BLOCK * (block + 1));
    // A set stands in many lines, so its name is its place.
    return corpusOf({ contentKeys: blocks.map(keysOf), tables }, kept, ids, () => null);
  }

  /** The document table of a column block. Sets stand in no one file, so the file is 0 and the record the column. */
  private table(block: number, all: Uint8Array): ColumnTable {
    const from = block * SETS_A_BLOCK;
    const columns = this.columnsOf(block);
    const record = Float64Array.from(numbersBelow(columns));
    const flags = all.subarray(from, from + columns);
    const occurrences = this.sizes.subarray(from, from + columns);
    // A set has no text: equal sets are identical.
    const text = { unit: null, textBytes: null, textKey: null, tokens: occurrences };
    return { columns: { file: new Uint32Array(columns), record, occurrences, flags, ...text } };
  }
}

/**
 * The sets of all collectors of rows, joined by their names: a set that several of them met is one document, whose place is its first
 * line: documents are numbered in the order of these.
 *
 * Splits are added as they arrive: the workers would wait for any work that is left for the end.
 */
class SetNumbers {
  /** Sets of all collectors: a set that several met counts in each. */
  length = 0;
  private readonly names = new NameTable();
  /** By collector, by its sets: their numbers in `names`. */
  private readonly numbers = new Map<number, Uint32Column>();

  /** Takes the names of the next split, which this collector met first there: kind `setNames`. */
  add(collector: number, { columns }: Block): void {
    const { bytes, offsets, hashes } = columns as Record<'bytes', Uint8Array> & Record<string, Uint32Array>;
    const count = offsets!.length - 1;
    const numbers = this.numbers.get(collector) ?? new Uint32Column();
    this.numbers.set(collector, numbers);
    for (let i = 0; i < count; i++) {
      const [from, to] = [offsets![i]!, offsets![i + 1]!];
      numbers.push(this.names.numberOf(bytes, from, to, hashes![2 * i]!, hashes![2 * i + 1]!));
    }
    this.length += count;
  }

  /** Distinct sets. */
  get sets(): number {
    return this.names.length;
  }

  /** Bytes that it takes in memory. */
  get bytes(): number {
    return this.names.tableBytes + Uint32Array.BYTES_PER_ELEMENT * this.length;
  }

  /** The names by number; and by collector the block that says which document a set of it is, in column `numbers`. */
  finish(): { readonly ids: Block; readonly collectors: ReadonlyMap<number, Block> } {
    const ids = idBlock(this.names.columnsFrom(0));
    const collectors = new Map<number, Block>();
    for (const [collector, { view }] of this.numbers)
      collectors.set(collector, encodeBlock('documents', {}, { numbers: view }, true));
    this.numbers.clear();
    return { ids, collectors };
  }
}

/** Blocks that may go to disk where memory is short; only rows are ever as large as the inputs. */
const KEEP = {
  setRows: 'counted',
  setTiles: 'counted',
  signatures: 'counted',
  fingerprints: 'counted',
} as const;
const COUNTED = ['lines', 'entries', 'names', 'skipped', 'passed'] as const;
/** Bytes of a set in the tables: size, content key and flags, as they are gathered and as a document; column and block. */
const SET_BYTES = 63;
/** `--max-document` counts an element of a set as so many bytes. */
const ELEMENT_BYTES = 8;

interface SketchedSets {
  readonly corpus: Corpus;
  readonly reader: SetSource;
  readonly textBytes: number;
  /** Sets, and places that were skipped. */
  readonly met: number;
}

/** Lines whose fields are known, and the number of such blocks before. */
interface LinesBlock {
  readonly block: ColumnBlock;
  readonly lines: LinesSplit;
  readonly fields: SetFields;
  readonly number: number;
}

interface ReadLines extends LinesBlock {
  readonly bytes: number;
  readonly report: RowsReport;
}

export class RowForm {
  private readonly run: Run;
  /** Row chunks of columns, and of lines. */
  private readonly rowChunks: number;
  private readonly lineChunks: number;
  private readonly skipped: SkipList;
  private readonly headers: SetHeaders;
  private readonly numbers = new SetNumbers();
  private readonly skips: RepeatedSkips;
  /** By row chunk: the splits that have rows in it. */
  private readonly splitsOf: number[][];
  /** By split: the collector that took it. */
  private readonly collectorOf: number[] = [];
  private readonly lines = new LineNumbers();
  private splits = 0;
  private skippedPlaces = 0;
  private textBytes = 0;
  /** Over all splits. */
  private readonly counts = { lines: 0, entries: 0, names: 0, skipped: 0, passed: 0 };
  /** Rows that tiles took. */
  private entriesTaken = 0;

  constructor(run: Run, files: FileTable, rowChunks: number, skipped: SkipList) {
    this.run = run;
    this.rowChunks = rowChunks;
    this.lineChunks = lineChunksOf(files, rowChunks, run.engine.parallelism, run.budget);
    this.skipped = skipped;
    this.skips = new RepeatedSkips(files, skipped);
    this.splitsOf = Array.from({ length: this.lineChunks }, () => []);
    this.headers = new SetHeaders(run.params, (file, code) => {
      skipped.addBinary(files.id(file), code);
      this.skippedPlaces++;
    });
  }

  /**
   * Turns all lines into rows by row chunk.
   *
   * @throws MinHashError COLUMNS_UNKNOWN where no file has the fields, INPUT_REFUSED with --on-error fail
   */
  async read(source: Source): Promise<void> {
    const { run } = this;
    const progress = new ReadingProgress(run, source);
    for await (const read of run.each(this.withFields(source.first()), (one) => this.rowsOf(one))) {
      this.take(read);
      refuseSkipped(run.params, this.skipped);
      progress.add(read.block.inputBytes, read.bytes);
    }
    const { fault } = this.headers;
    if (fault !== null) throw new MinHashError(fault);
    const { lines, entries, names, skipped, passed } = this.counts;
    run.balance('lines', lines, {
      rows: entries,
      'that name a set alone': names,
      skipped,
      'left out': passed,
    });
    source.nameFaults(this.skipped);
    refuseSkipped(run.params, this.skipped);
  }

  /** The rows that were read as column blocks of sets. */
  async sketch(): Promise<SketchedSets> {
    const { run } = this;
    const { ids, collectors } = this.numbers.finish();
    const sets = new SetCorpus(ids);
    run.tables.take(`${sets.length} sets`, SET_BYTES * sets.length);
    for (const [collector, block] of collectors) run.put(NAMES.setNumbers(collector), block);
    const rowChunksOf = await this.tiles(sets);
    for (const collector of collectors.keys()) run.engine.store.delete(NAMES.setNumbers(collector));
    run.balance('rows of sets', this.counts.entries, { 'in tiles': this.entriesTaken });
    sets.close(Math.floor(run.params.maxDocument / ELEMENT_BYTES));
    for (const set of sets.tooLarge) this.skipped.add(sets.name(set), 'SETS_TOO_LARGE');
    refuseSkipped(run.params, this.skipped);
    if (!run.params.exactDuplicates) await this.columns(sets, rowChunksOf);
    const corpus = sets.finish();
    const reader = new TileSets(run, corpus, rowChunksOf);
    // Only the sketches are compared.
    if (run.params.exactDuplicates || run.params.verify !== 'exact') reader.forget();
    const met = sets.length + this.skippedPlaces - this.skips.repeated;
    return { corpus, reader, textBytes: this.textBytes, met };
  }

  private async *withFields(blocks: AsyncIterable<ColumnBlock>): AsyncGenerator<LinesBlock> {
    for await (const block of blocks) {
      const lines = linesOf(block.split);
      const fields = this.headers.of(lines, () => this.besideOf(block));
      if (fields !== null) yield { block, lines, fields, number: this.splits++ };
      else this.run.forgetText(block);
    }
  }

  private besideOf({ text }: ColumnBlock): Block {
    return decodeBlock(this.run.engine.store.get(text!), 'text', text!);
  }

  private async rowsOf(one: LinesBlock): Promise<ReadLines> {
    const { run, lineChunks: rowChunks } = this;
    const { block, lines, fields, number } = one;
    const { text, label } = block;
    return run.withText(block, async () => {
      const report = await runReading(run, {
        kind: 'rows',
        label,
        params: { number, split: lines, text, fields, rowChunks },
        inputs: inputsOf(block),
        keep: KEEP,
      });
      return { ...one, bytes: lineBytes(lines, () => this.besideOf(block)), report };
    });
  }

  /** Takes in what a split reported, in the order of splits. */
  private take({ lines, number, report, bytes }: ReadLines): void {
    const { store } = this.run.engine;
    const name = NAMES.setNames(number);
    const names = decodeBlock(store.get(name), 'setNames', name);
    store.delete(name);
    const before = this.numbers.bytes;
    this.numbers.add(report.collector, names);
    this.collectorOf[number] = report.collector;
    this.run.tables.take(`${this.numbers.length} names of sets`, this.numbers.bytes - before);
    // What their tables take after the reading is known now: a run without room for them reads no further.
    this.run.tables.expect(`${this.numbers.sets} sets`, SET_BYTES * this.numbers.sets);
    this.skips.add(names, this.lines.firstOf(lines, report.lines));
    this.skippedPlaces += names.columns.skipCode!.length;
    for (const chunk of report.chunks) this.splitsOf[chunk]!.push(number);
    for (const what of COUNTED) this.counts[what] += report[what];
    this.textBytes += bytes;
  }

  /** Reduces every row chunk; returns by column block which of them have a tile of it. */
  private async tiles(sets: SetCorpus): Promise<number[][]> {
    const { run } = this;
    const rowChunksOf = Array.from({ length: sets.blocks }, (): number[] => []);
    const chunks = this.splitsOf.flatMap((splits, chunk) => (splits.length > 0 ? [chunk] : []));
    const reduce = async (chunk: number) => ({ chunk, ...(await this.tilesOf(chunk, sets.length)) });
    const progress = { unit: 'blocks', total: chunks.length + sets.blocks };
    for await (const { chunk, entries, blocks } of run.each(chunks, reduce, { ahead: 1, progress })) {
      const facts = NAMES.setFacts(chunk);
      sets.add(decodeBlock(run.engine.store.get(facts), 'setFacts', facts));
      run.engine.store.delete(facts);
      for (const block of blocks) rowChunksOf[block]!.push(chunk);
      this.entriesTaken += entries;
    }
    return rowChunksOf;
  }

  private async tilesOf(chunk: number, documents: number): Promise<TilesOfSetsReport> {
    const { run } = this;
    const splits = this.splitsOf[chunk]!;
    const rows = splits.map((split) => NAMES.setRows(split, chunk));
    const collectors = splits.map((split) => this.collectorOf[split]!);
    const numbers = Array.from(new Set(collectors), (collector) => NAMES.setNumbers(collector));
    const report = await run.task({
      kind: 'tilesOfSets',
      label: `row chunk ${chunk} of ${this.lineChunks}`,
      params: { rowChunk: chunk, documents, splits, collectors },
      inputs: [...numbers, ...rows],
      keep: KEEP,
    });
    for (const name of rows) run.engine.store.delete(name);
    return report;
  }

  private async columns(sets: SetCorpus, rowChunksOf: readonly (readonly number[])[]): Promise<void> {
    const { run } = this;
    const chunks = this.splitsOf.filter((splits) => splits.length > 0).length;
    let rows = 0;
    const blocks = Array.from({ length: sets.blocks }, (_, block) => block);
    const sketch = (block: number) => this.column(sets, block, rowChunksOf[block]!);
    const progress = { unit: 'blocks', total: chunks + blocks.length, from: chunks };
    for await (const made of run.each(blocks, sketch, { progress })) rows += made;
    const elements = sets.sizes.reduce((sum, size) => sum + size, 0);
    const leftOut = sets.tooLarge.reduce((sum, set) => sum + sets.sizes[set]!, 0);
    run.balance('elements of sets', elements, { 'in columns': rows, 'of sets that are too large': leftOut });
  }

  private async column(sets: SetCorpus, block: number, rowChunks: readonly number[]): Promise<number> {
    const { run } = this;
    const label = `column block ${block} of sets`;
    const first = block * SETS_A_BLOCK;
    const without = Array.from(sets.tooLarge, (set) => set - first).filter(
      (column) => column >= 0 && column < sets.columnsOf(block),
    );
    const inputs = rowChunks.map((chunk) => NAMES.setTiles(chunk, block));
    const params = { block, columns: sets.columnsOf(block), rowChunks, without };
    if (this.rowChunks === 1) {
      const { rows } = await run.task({ kind: 'sketchedSets', label, params, inputs, keep: KEEP });
      return rows;
    }
    const { steps, rows } = await run.task({
      kind: 'labelled',
      label,
      params: { ...params, ofMatrix: this.rowChunks },
      inputs,
    });
    for (const name of await reduceSteps(run, block, label, steps, KEEP)) run.engine.store.delete(name);
    return rows;
  }
}
