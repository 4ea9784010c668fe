/**
 * A task that reads and fails: which file, line or document it fails of, and the same task without it.
 *
 *      task fails twice -> the source is read once more in many small parts; where it fails is the part in work
 *                       -> that part in smaller parts, until it is one file, line or document
 *                       -> that one alone: if it fails, too, it is left out (code UNPROCESSABLE), and the search goes on
 *      a part in many parts does not fail, or one alone does not: it is no document's fault, and the run fails
 *
 * The column block stays what it was, with a skip in the place of the document: boundaries and numbers of
 * everything else are those of a run in which the document was skipped for any other reason.
 */

import { decodeBlock } from '../../blocks/block.js';
import { MinHashError } from '../../errors.js';
import { memoryCount } from '../../readers/formats/memoryDocuments.js';
import { fileListIn } from '../../readers/list/fileList.js';
import type { Split } from '../../readers/split.js';
import type { Store } from '../../store/store.js';
import type { KindName, ParamsOf } from '../../tasks/table.js';
import type { ReadingTask, SourcePart } from '../../tasks/workplace.js';
import type { Done, Planned, Run } from '../context.js';

/** Parts of one attempt; a range of 4 MB is searched in two of them. */
const MOST_PARTS = 2048;

/** Of one column block. When more fail it is hardly their own fault, and every one costs two workers. */
const MOST_LOST = 32;

const LINE_FEED = 0x0a;

/** A task that reads a source, and what was left out of it. */
/** A task that reads documents. */
interface PlannedReading<K extends KindName> extends Planned<K> {
  readonly params: ParamsOf<K> & ReadingTask;
}

export interface ReadResult<K extends KindName> {
  readonly result: Done<K>;
  /** Whether a document of this file that is missing may have been left out. */
  isLost(file: number): boolean;
}

/** The smallest parts of a source, numbered from 0: `at` of a unit to `at` of the next. */
interface Units {
  readonly count: number;
  at(unit: number): number;
}

/** Units [from, to), read or left out. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly lost: boolean;
}

/**
 * Runs a task of the stages `keys`, `sketch`, `tiles`, `sets` or `fused`. What it fails of is left out.
 *
 * @throws MinHashError TASK_FAILED or WORKER_LOST where that is no single document's fault, or of too many
 */
export async function runReading<K extends KindName>(
  run: Run,
  task: PlannedReading<K>,
): Promise<ReadResult<K>> {
  try {
    return { result: await run.task(task), isLost: () => false };
  } catch (error) {
    if (!(error instanceof MinHashError) || !['TASK_FAILED', 'WORKER_LOST'].includes(error.code)) throw error;
    const { split, text } = task.params;
    const probe = (parts: readonly SourcePart[]) => run.probe(withParts(task, parts));
    const search = new Search(probe, unitsOf(split, text, run.engine.store));
    if ((split.kind === 'range' || split.kind === 'elements') && (await search.failsOfNothing())) {
      // It is not what stands in the file.
      const result = await run.task(withParts(task, search.all(2)));
      return { result, isLost: () => true };
    }
    const lost = await search.lostUnits(error);
    const result = await run.task(withParts(task, search.partsWithout(lost)));
    if (split.kind !== 'files') return { result, isLost: () => lost.length > 0 };
    const { indexes } = fileListIn(decodeBlock(run.engine.store.get(text!), 'text', text!));
    const files = new Set(lost.map((unit) => indexes[unit]!));
    return { result, isLost: (file) => files.has(file) };
  }
}

/** Nothing is written over by an attempt that may fail: its worker may not have ended yet when the next one begins. */
function withParts<K extends KindName>(
  task: PlannedReading<K>,
  parts: readonly SourcePart[],
): PlannedReading<K> {
  const { params } = task;
  return { ...task, params: { ...params, parts, ...('spent' in params ? { spent: [] } : {}) } };
}

function unitsOf(split: Split, text: string | null, store: Store): Units {
  if (split.kind === 'range') return { count: split.to - split.from, at: (unit) => split.from + unit };
  if (split.kind === 'elements') return { count: split.count, at: (unit) => unit };
  const block = decodeBlock(store.get(text!), 'text', text!);
  if (split.kind === 'chunk') {
    const starts = lineStarts(block.columns.bytes as Uint8Array);
    return { count: starts.length - 1, at: (unit) => starts[unit]! };
  }
  const count = split.kind === 'files' ? fileListIn(block).indexes.length : memoryCount(block);
  return { count, at: (unit) => unit };
}

/** Where the lines of some text start, and its end. */
function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    starts.push(at);
    const feed = bytes.indexOf(LINE_FEED, at);
    at = feed < 0 ? bytes.length : feed + 1;
  }
  return [...starts, bytes.length];
}

class Search {
  /** Tries the task with the source in these parts: the part it fails of, from 1; null: it succeeds. */
  private readonly probeParts: (parts: readonly SourcePart[]) => Promise<number | null>;
  private readonly units: Units;

  constructor(probeParts: (parts: readonly SourcePart[]) => Promise<number | null>, units: Units) {
    this.probeParts = probeParts;
    this.units = units;
  }

  /** Whether the task fails though nothing is read. */
  async failsOfNothing(): Promise<boolean> {
    const start = this.units.at(0);
    return (await this.probeParts([[start, start, 0]])) !== null;
  }

  /** All units as one part. */
  all(lost: SourcePart[2]): SourcePart[] {
    return [[this.units.at(0), this.units.at(this.units.count), lost]];
  }

  /** The units, ascending, without which the task succeeds. Throws `error` where there are none such. */
  async lostUnits(error: MinHashError): Promise<number[]> {
    const lost: number[] = [];
    for (;;) {
      const unit = await this.failingUnit(lost);
      if (unit === null) return lost;
      if (unit === 'none' || lost.length === MOST_LOST) throw error;
      lost.push(unit);
      lost.sort((a, b) => a - b);
    }
  }

  partsWithout(lost: readonly number[]): SourcePart[] {
    return this.parts(this.piecesWithout(lost, this.units.count));
  }

  /** A unit that fails alone; null when the rest without `lost` succeeds, 'none' when it fails, but no unit alone. */
  private async failingUnit(lost: readonly number[]): Promise<number | null | 'none'> {
    let pieces = this.piecesWithout(lost, Math.ceil(this.units.count / MOST_PARTS));
    let place = await this.probe(pieces);
    if (place === null) return null;
    for (;;) {
      const piece = pieces[place - 1];
      if (piece === undefined || piece.lost) return 'none';
      if (piece.to - piece.from === 1) {
        const alone = pieces.length === 1 || (await this.probe([piece])) !== null;
        return alone ? piece.from : 'none';
      }
      pieces = piecesOf(piece.from, piece.to, Math.ceil((piece.to - piece.from) / MOST_PARTS));
      place = await this.probe(pieces);
      if (place === null) return 'none';
    }
  }

  private probe(pieces: readonly Piece[]): Promise<number | null> {
    return this.probeParts(this.parts(pieces));
  }

  private parts(pieces: readonly Piece[]): SourcePart[] {
    return pieces.map(({ from, to, lost }) => [this.units.at(from), this.units.at(to), lost ? 1 : 0]);
  }

  /** All units, those of `lost` apart, the others in pieces of at most so many. */
  private piecesWithout(lost: readonly number[], most: number): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (const unit of lost) {
      pieces.push(...piecesOf(from, unit, most), { from: unit, to: unit + 1, lost: true });
      from = unit + 1;
    }
    pieces.push(...piecesOf(from, this.units.count, most));
    return pieces;
  }
}

function piecesOf(from: number, to: number, most: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = from; at < to; at += most)
    pieces.push({ from: at, to: Math.min(to, at + most), lost: false });
  return pieces;
}
