/**
 * Stage 1 where the inputs are the characteristic matrix in row form: lines `set, element` -> column blocks of sets.
 *
 *      lines      range --rows--> setNames/k, setRows/k/r        a task a split: any byte range of any file
 *      names      setNames/* -> document numbers                 here, as splits arrive
 *      tiles      setRows/* /r --tilesOfSets--> setTiles/r/c     a task a row chunk: adds, labels, makes distinct
 *      columns    setTiles/* /c --labelled--> tiles/c/s          a task a column block; from here on as for documents
 *                 tiles/c/s --partials--> --minima--> signatures/c, bands/c
 *
 * Floor 4. Everything that goes in is counted where it comes out.
 */

import type { LineCounts } from '../../mappers/setRows.js';
import { decodeBlock } from '../blocks/block.js';
import { SETS_A_BLOCK } from '../blocks/setBlocks.js';
import { MinHashError } from '../errors.js';
import type { FileTable } from '../storage/fileTable.js';
import type { Corpus } from './corpus.js';
import { PlaceNames } from './corpusIds.js';
import { RepeatedSkips } from './corpusSkips.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import { SetCorpus } from './setCorpus.js';
import { SetHeaders } from './setHeaders.js';
import { SetNumbers } from './setNumbers.js';
import { type SetSource, TileSets } from './setSource.js';
import { type ColumnBlock, reduceSteps } from './sketching.js';
import { refuse, type SkipList } from './skipped.js';

/** What may go to disk where memory is short; only rows are ever as large as the inputs. */
const KEEP = {
  setRows: 'spill',
  setTiles: 'spill',
  signatures: 'spill',
  bands: 'spill',
  fingerprints: 'spill',
} as const;
/** A set in its tables: size, content key and flags, as they are gathered and as a document; column and block. */
const SET_BYTES = 63;
/** `--max-document` counts an element of a set as so many bytes. */
const ELEMENT_BYTES = 8;

/** A corpus of sets, sketched. */
export interface SketchedSets {
  readonly corpus: Corpus;
  readonly reader: SetSource;
  readonly textBytes: number;
  /** Sets, and places that were skipped. */
  readonly met: number;
}

interface Split {
  readonly block: ColumnBlock;
  readonly bytes: number;
  readonly report: SplitReport;
}

interface SplitReport extends LineCounts {
  /** Row chunks that have something of the split. */
  readonly chunks: readonly number[];
}

export class RowForm {
  private readonly run: Run;
  private readonly rowChunks: number;
  private readonly skipped: SkipList;
  private readonly headers: SetHeaders;
  private readonly numbers = new SetNumbers();
  private readonly skips: RepeatedSkips;
  /** By row chunk: the splits that have something in it. */
  private readonly splitsOf: number[][];
  private readonly nextLines = new Map<number, number>();
  private splits = 0;
  /** Splits taken in. */
  private taken = 0;
  private skippedPlaces = 0;
  private textBytes = 0;
  /** Over all splits. */
  private counts: LineCounts = { lines: 0, entries: 0, names: 0, skipped: 0, passed: 0 };
  /** Rows that tiles took. */
  private entriesTaken = 0;

  constructor(run: Run, files: FileTable, rowChunks: number, skipped: SkipList) {
    this.run = run;
    this.rowChunks = rowChunks;
    this.skipped = skipped;
    this.skips = new RepeatedSkips(new PlaceNames(files), skipped);
    this.splitsOf = Array.from({ length: rowChunks }, () => []);
    this.headers = new SetHeaders(run.params, run.engine.store, (file, code) => {
      skipped.addBinary(files.id(file), code);
      this.skippedPlaces++;
    });
  }

  /**
   * Turns all lines into rows by row chunk. `told`: bytes of lines, and of the files they stand for if that is known.
   *
   * @throws MinHashError COLUMNS_UNKNOWN where no file has the fields, INPUT_REFUSED with --on-error fail
   */
  async read(
    blocks: AsyncIterable<ColumnBlock>,
    told: (inputBytes: number | undefined, textBytes: number) => void,
  ): Promise<void> {
    const { run } = this;
    for await (const split of inOrder(this.withFields(blocks), 2 * run.engine.parallelism, (one) =>
      this.split(one),
    )) {
      this.take(split);
      if (run.params.onError === 'fail' && this.skipped.length > 0) refuse(this.skipped);
      told(split.block.inputBytes, split.bytes);
    }
    const { fault } = this.headers;
    if (fault !== null) throw new MinHashError(fault);
    const { lines, entries, names, skipped, passed } = this.counts;
    run.balance('lines', lines, {
      rows: entries,
      'that name a set alone': names,
      skipped,
      'passed over': passed,
    });
  }

  /** The rows that were read as column blocks of sets. */
  async sketch(): Promise<SketchedSets> {
    const { run } = this;
    const { ids, splits } = this.numbers.finish();
    const sets = new SetCorpus(ids);
    run.tables.take(`${sets.length} sets`, SET_BYTES * sets.length);
    splits.forEach((block, k) => {
      run.put(`setNumbers/${k}`, block);
    });
    const rowChunksOf = await this.tiles(sets);
    for (let k = 0; k < splits.length; k++) run.engine.store.delete(`setNumbers/${k}`);
    run.balance('rows of sets', this.counts.entries, { 'in tiles': this.entriesTaken });
    sets.close(Math.floor(run.params.maxDocument / ELEMENT_BYTES));
    for (const set of sets.tooLarge) this.skipped.add(sets.name(set), 'SETS_TOO_LARGE');
    if (run.params.onError === 'fail' && this.skipped.length > 0) refuse(this.skipped);
    if (!run.params.exactDuplicates) await this.columns(sets, rowChunksOf);
    if (run.params.exactDuplicates || run.params.verify !== 'exact') this.forget(rowChunksOf);
    const corpus = sets.finish();
    const met = sets.length + this.skippedPlaces - this.skips.repeated;
    return { corpus, reader: new TileSets(run, corpus, rowChunksOf), textBytes: this.textBytes, met };
  }

  private async *withFields(blocks: AsyncIterable<ColumnBlock>) {
    const { store } = this.run.engine;
    for await (const block of blocks) {
      const fields = this.headers.of(block);
      if (fields !== null) yield { block, fields, split: this.splits++ };
      else if (block.text !== null) store.delete(block.text);
    }
  }

  private async split(one: { block: ColumnBlock; fields: object; split: number }): Promise<Split> {
    const { run, rowChunks } = this;
    const { block, fields, split } = one;
    const { source, text, label } = block;
    const params = { split, source, text, fields, rowChunks };
    const result = await run.task({
      stage: 'rows',
      label,
      params: params as unknown as Record<string, never>,
      inputs: text === null ? [] : [text],
      keep: KEEP,
    });
    const bytes = this.bytesOf(block);
    if (text !== null && block.keepText !== true) run.engine.store.delete(text);
    return { block, bytes, report: result.report as unknown as SplitReport };
  }

  private bytesOf({ source, text }: ColumnBlock): number {
    if (source.kind === 'range') return source.to - source.from;
    return decodeBlock(this.run.engine.store.get(text!), 'text', text!).columns.bytes!.length;
  }

  /** Takes in what a split reported, in the order of splits. */
  private take({ block: { source }, report, bytes }: Split): void {
    const { store } = this.run.engine;
    const split = this.taken++;
    const name = `setNames/${split}`;
    const names = decodeBlock(store.get(name), 'setNames', name);
    store.delete(name);
    const before = this.numbers.bytes;
    this.numbers.add(names);
    this.run.tables.take(`${this.numbers.length} names of sets by split`, this.numbers.bytes - before);
    this.skips.add(names, this.firstLineOf(source, report.lines));
    this.skippedPlaces += names.columns.skipCode!.length;
    for (const chunk of report.chunks) this.splitsOf[chunk]!.push(split);
    this.counts = sumOf(this.counts, report);
    this.textBytes += bytes;
  }

  private firstLineOf(source: ColumnBlock['source'], lines: number): number | null {
    if (source.kind === 'chunk') return source.firstLine;
    if (source.kind !== 'range') return null;
    const first = this.nextLines.get(source.index) ?? 0;
    this.nextLines.set(source.index, first + lines);
    return first;
  }

  /** Reduces every row chunk; returns by column block which of them have a tile of it. */
  private async tiles(sets: SetCorpus): Promise<number[][]> {
    const { run } = this;
    const rowChunksOf = Array.from({ length: sets.blocks }, (): number[] => []);
    const chunks = this.splitsOf.flatMap((splits, chunk) => (splits.length > 0 ? [chunk] : []));
    let done = 0;
    const results = inOrder(chunks, run.engine.parallelism + 1, async (chunk) => ({
      chunk,
      ...(await this.tilesOf(chunk, sets.length)),
    }));
    for await (const { chunk, entries, blocks } of results) {
      const facts = `setFacts/${chunk}`;
      sets.add(decodeBlock(run.engine.store.get(facts), 'setFacts', facts));
      run.engine.store.delete(facts);
      for (const block of blocks) rowChunksOf[block]!.push(chunk);
      this.entriesTaken += entries;
      run.progress(++done, chunks.length + sets.blocks, 'blocks');
    }
    return rowChunksOf;
  }

  private async tilesOf(chunk: number, documents: number): Promise<{ entries: number; blocks: number[] }> {
    const { run } = this;
    const splits = this.splitsOf[chunk]!;
    const rows = splits.map((split) => `setRows/${split}/${chunk}`);
    const numbers = splits.map((split) => `setNumbers/${split}`);
    const { report } = await run.task({
      stage: 'tilesOfSets',
      label: `row chunk ${chunk} of ${this.rowChunks}`,
      params: { rowChunk: chunk, documents, splits },
      inputs: [...numbers, ...rows],
      keep: KEEP,
    });
    for (const name of rows) run.engine.store.delete(name);
    return report as unknown as { entries: number; blocks: number[] };
  }

  /** Sketches every column block. */
  private async columns(sets: SetCorpus, rowChunksOf: readonly (readonly number[])[]): Promise<void> {
    const { run } = this;
    const { parallelism } = run.engine;
    const chunks = this.splitsOf.filter((splits) => splits.length > 0).length;
    let done = chunks;
    let rows = 0;
    const blocks = Array.from({ length: sets.blocks }, (_, block) => block);
    for await (const made of inOrder(blocks, 2 * parallelism, (block) =>
      this.column(sets, block, rowChunksOf[block]!),
    )) {
      rows += made;
      run.progress(++done, chunks + blocks.length, 'blocks');
    }
    let elements = 0;
    for (let set = 0; set < sets.length; set++) elements += sets.sizes[set]!;
    let leftOut = 0;
    for (const set of sets.tooLarge) leftOut += sets.sizes[set]!;
    run.balance('elements of sets', elements, { 'in columns': rows, 'of sets that are too large': leftOut });
  }

  /** Nobody compares the sets themselves. */
  private forget(rowChunksOf: readonly (readonly number[])[]): void {
    rowChunksOf.forEach((list, block) => {
      for (const chunk of list) this.run.engine.store.delete(`setTiles/${chunk}/${block}`);
    });
  }

  private async column(sets: SetCorpus, block: number, rowChunks: readonly number[]): Promise<number> {
    const { run } = this;
    const label = `column block ${block} of sets`;
    const first = block * SETS_A_BLOCK;
    const without = Array.from(sets.tooLarge, (set) => set - first).filter(
      (column) => column >= 0 && column < sets.columnsOf(block),
    );
    const { report } = await run.task({
      stage: 'labelled',
      label,
      params: { block, columns: sets.columnsOf(block), rowChunks, without, ofMatrix: this.rowChunks },
      inputs: rowChunks.map((chunk) => `setTiles/${chunk}/${block}`),
    });
    const { steps, rows } = report as unknown as { steps: number; rows: number };
    for (const name of await reduceSteps(run, block, label, steps, KEEP)) run.engine.store.delete(name);
    return rows;
  }
}

function sumOf(a: LineCounts, b: LineCounts): LineCounts {
  return {
    lines: a.lines + b.lines,
    entries: a.entries + b.entries,
    names: a.names + b.names,
    skipped: a.skipped + b.skipped,
    passed: a.passed + b.passed,
  };
}
