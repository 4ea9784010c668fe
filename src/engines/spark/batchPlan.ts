/**
 * Turns the list of inputs into the rows of the tables `files` and `batches`, in the order of locations. Any executor may read a batch,
 * so every path must be readable on every machine of the cluster.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { firstWhere } from '../../arrays/search.js';
import { MinHashError } from '../../errors.js';
import { fileListOf } from '../../readers/list/fileTable.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { bytesOf } from '../../readers/list/pathIds.js';
import { type Piece, planPieces } from '../../readers/pieces.js';
import type { SplitReader } from '../../readers/reader.js';
import { elementSplits } from '../../readers/split.js';
import { ByteWriter } from '../../result/tables/escaping.js';
import type { ResultParams } from '../../sketch/params.js';
import { ROWS_OF_BATCH } from './statements.js';
import { batchCell } from './tasks/batchParts.js';

/** Document numbers are safe integers. */
const MOST_BATCHES = Number.MAX_SAFE_INTEGER / ROWS_OF_BATCH;

export const BATCH_COLUMNS = { batch: 'BIGINT', spec: 'STRING' } as const;
export const FILE_COLUMNS = {
  file: 'INT',
  location: 'STRING',
  location_hex: 'STRING',
  whole: 'STRING',
  whole_hex: 'STRING',
} as const;

export interface BatchPlan {
  /** The description of each batch, as a cell. */
  readonly batches: readonly string[];
  /** Number of reference documents, which have the smallest numbers. */
  readonly references: number;
  /** The rows of `files`. */
  files(): Generator<string>;
  /** A hash of the list of files, of their sizes and times, and of the batches. */
  readonly hash: string;
}

/**
 * Plans the batches.
 *
 * @throws MinHashError OPTION_INVALID if document numbers would exceed safe integers
 */
export function planBatches(inputs: Inputs, params: ResultParams, reader: SplitReader): BatchPlan {
  const { files } = inputs;
  const pieces = piecesInOrder(planPieces(inputs, params), (file) => files.isReference(file));
  const batches: string[] = [];
  let references = 0;
  for (const piece of pieces) {
    batches.push(...cellsOf(piece));
    if (files.isReference(firstFile(piece))) references = batches.length;
  }
  if (batches.length >= MOST_BATCHES)
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `--engine spark: the inputs are ${batches.length} batches, but document numbers allow only ${MOST_BATCHES}; split the corpus`,
    });
  return { batches, references: references * ROWS_OF_BATCH, files: rowsOfFiles, hash: hashOf() };

  function* cellsOf(piece: Piece): Generator<string> {
    const wholeFiles = (indexes: Uint32Array): string =>
      batchCell({ kind: 'files' }, fileListOf(files, indexes));
    if (piece.kind === 'files') yield wholeFiles(piece.files);
    else if (piece.kind === 'array') {
      const splits = [...elementSplits(piece, reader.cuts(piece, params))];
      if (splits.length === 0) yield wholeFiles(Uint32Array.of(piece.index));
      for (const split of splits) yield batchCell(split);
    } else yield batchCell(piece);
  }

  function* rowsOfFiles(): Generator<string> {
    const writer = new ByteWriter();
    for (let i = 0; i < files.length; i++) {
      const id = files.ids.bytes.subarray(files.ids.offsets[i]!, files.ids.offsets[i + 1]!);
      writer.clear();
      writer.appendEscaped(id, 0, id.length);
      const location = Buffer.from(writer.written()).toString('utf8');
      const hex = Buffer.from(id).toString('hex');
      const isMarked = files.marked?.[i] === 1;
      yield [i, location, hex, isMarked ? `${location}#` : location, isMarked ? `${hex}23` : hex].join('\t');
    }
  }

  function hashOf(): string {
    const hash = createHash('sha256');
    for (const row of rowsOfFiles()) hash.update(`${row}\n`);
    for (let i = 0; i < files.length; i++) hash.update(`${stateOf(files.path(i))}\n`);
    for (const batch of batches) hash.update(`${batch}\n`);
    return hash.digest('hex');
  }
}

/** Size and modification time of a file, to detect changed inputs. @param path a binary string */
function stateOf(path: string): string {
  const stat = statSync(bytesOf(path), { throwIfNoEntry: false });
  return stat === undefined ? 'missing' : `${stat.size} ${stat.mtimeMs}`;
}

/**
 * The pieces in the order of their files. A group of whole files is cut where files of other pieces are in between, and at the end of
 * the reference.
 */
function piecesInOrder(pieces: readonly Piece[], isReference: (file: number) => boolean): Piece[] {
  const others = pieces.flatMap((piece) => (piece.kind === 'files' ? [] : [piece.index]));
  const between = Float64Array.from(others).sort();
  const groupOf = (file: number): number =>
    firstWhere(0, between.length, (i) => between[i]! > file) + (isReference(file) ? 0 : 1);
  const cut = pieces.flatMap((piece): Piece[] => {
    if (piece.kind !== 'files') return [piece];
    const groups: Piece[] = [];
    const { files } = piece;
    for (let from = 0, to = 0; from < files.length; from = to) {
      to = firstWhere(from, files.length, (i) => groupOf(files[i]!) > groupOf(files[from]!));
      groups.push({ kind: 'files', files: files.subarray(from, to) });
    }
    return groups;
  });
  // Batches of one file keep their order.
  return cut.sort((one, other) => firstFile(one) - firstFile(other));
}

const firstFile = (piece: Piece): number => (piece.kind === 'files' ? piece.files[0]! : piece.index);
