/**
 * The corpus of a run that sorts on this machine's disk: the column blocks of a run on threads are the parts that Map
 * tasks read.
 */
import { decodeBlock } from '../../blocks/block.js';
import type { DiskPart, PlannedPart } from '../../engines/disk/corpusParts.js';
import type { Engine } from '../../engines/engine.js';
import { MinHashError } from '../../errors.js';
import { SetHeaders } from '../../readers/ahead/columns.js';
import type { LinesHead } from '../../readers/ahead/firstRecords.js';
import { inFileOrder, type Piece, planPieces } from '../../readers/pieces.js';
import { linesOf } from '../../readers/split.js';
import type { Budget } from '../../store/budget.js';
import { GarbageValve } from '../../store/garbage.js';
import { Run } from '../context.js';
import { countShingles, type ListedShingles } from '../sketch/sketchCorpus.js';
import { FilesSource } from '../sketch/source.js';
import type { Prepared } from '../start/prepare.js';

/** How the files of a run are read. */
export interface DiskReading {
  readonly budget: Budget;
  readonly signal?: AbortSignal | undefined;
  /** How standard input is read. */
  readonly options: ConstructorParameters<typeof FilesSource>[3];
  /** Default: the pieces of a run on threads. */
  readonly pieces?: readonly Piece[];
}

export class DiskCorpus {
  /** The first lines of standard input; null: nothing came, or nothing was read. */
  piped: LinesHead | null = null;
  private readonly prepared: Pick<Prepared, 'params' | 'inputs'>;
  private readonly reading: DiskReading;
  private readonly pieces: readonly Piece[];
  /** Whether the parts come in the order of the corpus. */
  readonly isInOrder: boolean;

  constructor(prepared: Pick<Prepared, 'params' | 'inputs'>, reading: DiskReading) {
    this.prepared = prepared;
    this.reading = reading;
    const planned = inFileOrder(reading.pieces ?? planPieces(prepared.inputs, prepared.params));
    this.pieces = planned.pieces;
    this.isInOrder = planned.isWhole;
  }

  /** The shingles that no sketch has, by worker threads with the tasks of a run on threads; null: they are not looked for. */
  async eliminated(start: () => Promise<Engine>): Promise<ListedShingles | null> {
    const { maxShingleDocuments } = this.prepared.params;
    if (maxShingleDocuments === null) return null;
    const workers = await start();
    try {
      const { run, source } = this.opened(workers);
      return await countShingles(run, source, maxShingleDocuments);
    } finally {
      await workers.close();
    }
  }

  private opened(workers: Engine): { readonly run: Run; readonly source: FilesSource } {
    const { params, inputs } = this.prepared;
    const { budget, signal, options } = this.reading;
    const run = new Run(params, workers, undefined, signal, budget);
    return { run, source: new FilesSource(run, inputs.files, this.pieces, options) };
  }

  /** The parts of the corpus, for one job, and last the faults of streams. @throws MinHashError what reading streams throws */
  async *parts(workers: Engine): AsyncGenerator<PlannedPart, void, undefined> {
    const { params } = this.prepared;
    const { run, source } = this.opened(workers);
    const garbage = new GarbageValve(this.reading.budget.collectEvery);
    const faults: DiskPart[] = [];
    const headers =
      params.sets === undefined
        ? null
        : new SetHeaders(params, (index, code) => faults.push({ index, line: 0, code }));
    for await (const block of source.first()) {
      const { split, text, inputBytes = null } = block;
      const held = text === null ? 0 : workers.store.get(text).byteLength;
      const done = (): void => {
        run.forgetText(block);
        garbage.released(held);
      };
      const fields = headers?.of(linesOf(split), () => decodeBlock(workers.store.get(text!), 'text', text!));
      if (fields === null) done();
      else yield { part: { split, text, ...(fields && { fields }) }, bytes: inputBytes, done };
    }
    this.piped = source.piped;
    if (headers !== null && headers.fault !== null) throw new MinHashError(headers.fault);
    for (const fault of [...faults, ...source.faults]) yield { part: fault, bytes: 0, done() {} };
  }
}
