/**
 * Step 1 for lines `set, element`: rows are grouped in memory by set. Each set is a document whose shingles are its
 * elements.
 *
 *      split --rows--> setRows/k           a task per split: any byte range of any file
 *      setRows/* --> records of a batch    here: sets are numbered in the order of their first lines, SETS_PER_BATCH per batch
 *      records --elements--> documents/k, signatures/k, elements/k
 */

import { Uint32Column } from '../arrays/growable.js';
import { NameTable } from '../arrays/hashTable.js';
import { type Block, decodeBlock, newBlock, typedColumns } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import { type RowWeights, SETS_PER_BATCH } from '../blocks/sets.js';
import { MinHashError } from '../errors.js';
import type { SetFields } from '../readers/formats/setLines.js';
import type { FileTable } from '../readers/list/fileTable.js';
import { SetHeaders } from '../readers/setHeaders.js';
import { LineNumbers, type LinesSplit, lineBytes, linesOf } from '../readers/split.js';
import type { RowsReport } from '../tasks/kinds/rowTasks.js';
import type { Run } from './context.js';
import type { ReadingProgress, SketchedBatch, Source, SourceBatch } from './sketch/source.js';
import { RepeatedSkips, refuseSkipped, type SkipList } from './skips.js';

const COUNTED = ['lines', 'entries', 'names', 'skipped', 'passed'] as const;

/** A split of lines with known fields, and the number of such splits before it. */
interface LinesBatch {
  readonly batch: SourceBatch;
  readonly lines: LinesSplit;
  readonly fields: SetFields;
  readonly number: number;
}

interface ReadLines extends LinesBatch {
  readonly bytes: number;
  readonly report: RowsReport;
}

/** Counts of reading lines that the tables of sets do not have. */
export interface LinesTotals {
  textBytes: number;
  /** Locations that were skipped, each once. */
  skipped: number;
}

/**
 * Reads all lines, then yields the batches of sets in order. Adds to `totals`.
 *
 * @throws MinHashError COLUMNS_UNKNOWN if no file has the fields, INPUT_REFUSED with --on-error fail, MEMORY_BUDGET
 */
export async function* sketchedSets(
  run: Run,
  source: Source,
  skipped: SkipList,
  totals: LinesTotals,
  progress: ReadingProgress,
): AsyncGenerator<SketchedBatch> {
  const lines = new SetLinesReading(run, source.input!.files, skipped);
  for await (const read of run.each(lines.withFields(source.first()), (batch) => lines.rowsOf(batch))) {
    lines.take(read);
    refuseSkipped(run.params, skipped);
    progress.add(read.bytes);
  }
  lines.end();
  totals.textBytes += lines.textBytes;
  totals.skipped += lines.skippedPlaces;
  const { storage } = run;
  const sketchOne = async (records: Block, block: number): Promise<SketchedBatch> => {
    const name = NAMES.setRows('sets', block);
    const label = `batch ${block} of sets`;
    run.put(name, records);
    const params = { block, folder: storage.filesIn, records: name };
    const { isResumed, ...report } = await run.task({ kind: 'elements', label, params, inputs: [name] });
    run.engine.store.delete(name);
    // The second reading takes the elements from memory.
    return {
      block,
      split: { kind: 'memory' },
      text: NAMES.elements(block),
      keepText: true,
      label,
      report,
      isResumed,
    };
  };
  yield* run.each(lines.batches().entries(), ([block, records]) => sketchOne(records, block));
}

/** The lines of a run as records, and their sets by name. A set that occurs in several splits is one document. */
class SetLinesReading {
  textBytes = 0;
  skippedPlaces = 0;
  private readonly run: Run;
  private readonly headers: SetHeaders;
  private readonly skips: RepeatedSkips;
  private readonly lines = new LineNumbers();
  private readonly names = new NameTable();
  /** By collector: the numbers of its sets in `names`. */
  private readonly numbers = new Map<number, Uint32Column>();
  /** By split: its collector. */
  private readonly collectors: number[] = [];
  /** By set: its records. */
  private readonly records = new Uint32Column();
  private readonly counts = { lines: 0, entries: 0, names: 0, skipped: 0, passed: 0 };
  private splits = 0;

  constructor(run: Run, files: FileTable, skipped: SkipList) {
    this.run = run;
    this.skips = new RepeatedSkips(files, skipped, false);
    this.headers = new SetHeaders(run.params, (file) => {
      skipped.addBinary(files.id(file), 'SETS_NO_COLUMN');
      this.skippedPlaces++;
    });
  }

  async *withFields(batches: AsyncIterable<SourceBatch>): AsyncGenerator<LinesBatch> {
    for await (const batch of batches) {
      const lines = linesOf(batch.split);
      const fields = this.headers.of(lines, () => this.besideOf(batch));
      if (fields !== null) yield { batch, lines, fields, number: this.splits++ };
      else this.run.forgetText(batch);
    }
  }

  rowsOf(linesBatch: LinesBatch): Promise<ReadLines> {
    const { batch, lines, fields, number } = linesBatch;
    const { text, label } = batch;
    return this.run.withText(batch, async () => {
      const params = { number, split: lines, text, fields };
      const inputs = text === null ? [] : [text];
      const report = await this.run.task({ kind: 'rows', label, params, inputs });
      return { ...linesBatch, bytes: lineBytes(lines, () => this.besideOf(batch)), report };
    });
  }

  /** Adds the records of the next split. */
  take({ lines, number, report, bytes }: ReadLines): void {
    const block = this.rows(number);
    const types = { bytes: 'u8', offsets: 'u32', hashes: 'u32', sets: 'u32' } as const;
    const { bytes: names, offsets, hashes, sets } = typedColumns(block, types);
    const numbers = this.numbers.get(report.collector) ?? new Uint32Column();
    this.numbers.set(report.collector, numbers);
    const before = this.names.tableBytes;
    for (let i = 0; i + 1 < offsets.length; i++) {
      const set = this.names.numberOf(
        names,
        offsets[i]!,
        offsets[i + 1]!,
        hashes[2 * i]!,
        hashes[2 * i + 1]!,
      );
      numbers.push(set);
      if (set === this.records.length) this.records.push(0);
    }
    const { view } = numbers;
    const counts = this.records.view;
    for (let i = 0; i < sets.length; i++) counts[view[sets[i]!]!]!++;
    this.collectors[number] = report.collector;
    // While records are grouped, they are in memory twice.
    const more = this.names.tableBytes - before + 2 * block.buffer.byteLength;
    this.run.takeTables(`${this.names.length} sets`, more);
    this.skips.add(block, this.lines.firstOf(lines, report.lines));
    for (const what of COUNTED) this.counts[what] += report[what];
    this.textBytes += bytes;
  }

  /** Called after all lines are read. */
  end(): void {
    const { problem } = this.headers;
    if (problem !== null) throw new MinHashError(problem);
    const { lines, entries, names, skipped, passed } = this.counts;
    const outcomes = { rows: entries, 'that name a set alone': names, skipped, 'left out': passed };
    this.run.balance('lines', lines, outcomes);
    this.skippedPlaces += this.skips.taken - this.skips.repeated;
  }

  /** The records of all splits, by batch of sets. Removes the blocks of splits. */
  batches(): Block[] {
    const { names, records, run } = this;
    const { bytes, offsets } = names.columnsFrom(0);
    const weights = this.splits === 0 ? undefined : this.rows(0).columns.weights;
    const batches = Array.from({ length: Math.ceil(names.length / SETS_PER_BATCH) }, (_, k) => {
      const [from, to] = [k * SETS_PER_BATCH, Math.min(names.length, (k + 1) * SETS_PER_BATCH)];
      let count = 0;
      for (let set = from; set < to; set++) count += records.view[set]!;
      const block = newBlock(
        'setRows',
        {},
        {
          ...{ sets: ['u32', count], elements: ['u32', 2 * count] },
          ...{ offsets: ['u32', to - from + 1], bytes: ['u8', offsets[to]! - offsets[from]!] },
          ...(weights !== undefined && { weights: [weights instanceof Uint8Array ? 'u8' : 'f64', count] }),
        },
        true,
      );
      block.columns.bytes!.set(bytes.subarray(offsets[from]!, offsets[to]!));
      for (let set = from; set <= to; set++)
        block.columns.offsets![set - from] = offsets[set]! - offsets[from]!;
      return block;
    });
    const next = new Uint32Array(batches.length);
    for (let split = 0; split < this.splits; split++) {
      const { columns } = this.rows(split);
      const records = {
        sets: columns.sets as Uint32Array,
        elements: columns.elements as Uint32Array,
        weights: columns.weights as RowWeights | undefined,
      };
      scatter(records, this.numbers.get(this.collectors[split]!)!.view, batches, next);
      run.engine.store.delete(NAMES.setRows(split));
    }
    return batches;
  }

  private rows(split: number): Block {
    const name = NAMES.setRows(split);
    return decodeBlock(this.run.engine.store.get(name), 'setRows', name);
  }

  private besideOf({ text }: SourceBatch): Block {
    return decodeBlock(this.run.engine.store.get(text!), 'text', text!);
  }
}

/** Appends the records of a split to those of their batches; `next`: by batch, the number of its records so far. */
function scatter(
  { sets, elements, weights }: { sets: Uint32Array; elements: Uint32Array; weights: RowWeights | undefined },
  numbers: Uint32Array,
  batches: readonly Block[],
  next: Uint32Array,
): void {
  for (let i = 0; i < sets.length; i++) {
    const set = numbers[sets[i]!]!;
    const batch = Math.floor(set / SETS_PER_BATCH);
    const { columns } = batches[batch]!;
    const at = next[batch]!++;
    columns.sets![at] = set - batch * SETS_PER_BATCH;
    columns.elements![2 * at] = elements[2 * i]!;
    columns.elements![2 * at + 1] = elements[2 * i + 1]!;
    if (weights !== undefined) columns.weights![at] = weights[i]!;
  }
}
