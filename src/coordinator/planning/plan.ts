/** The plan of a run, from its inputs and options alone, for `--dry-run` and `--verbose`. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RunOptions } from '../../options/check.js';
import type { LeftOut } from '../../readers/list/inputs.js';
import { lookUpSizes } from '../../readers/list/sizes.js';
import { countPieces, planPieces } from '../../readers/pieces.js';
import { type Wording, wordingOf } from '../../result/wording/wording.js';
import type { CurvePoint } from '../../sketch/banding.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { hasSignatures, type ResultParams } from '../../sketch/params.js';
import { agreementShare } from '../../sketch/probability.js';
import { NODE_FILES } from '../../store/fileSystem.js';
import { LoopTurns } from '../../store/turns.js';
import { refuseNoFiles } from '../sketch/nothingRead.js';
import { check } from '../start/checked.js';
import { list } from '../start/prepare.js';
import { PROGRAM_BYTES, workEstimate } from './estimate.js';

/** The inputs and needs of a run; sizes in bytes. */
export interface Plan {
  /** What is compared, as text. */
  readonly compared: Pick<Wording, 'document' | 'documents' | 'shingle' | 'alike'>;
  readonly files: number;
  /** Bytes of the files as stored. */
  readonly bytes: number;
  /** Files and other locations that would be skipped, as far as listing shows. */
  readonly skipped: number;
  /** Entries below the PATHs that are not read. */
  readonly leftOut: LeftOut;
  /**
   * A stream (gzip-compressed lines, standard input) counts as one, because its batches are not known before it is
   * read. A large JSON array counts by its size.
   */
  readonly columnBlocks: number;
  /** The number of shards from which the signature of a document is computed. */
  readonly shards: number;
  readonly threshold: number;
  /**
   * The m-of-n rule: `least` of `hashes` slots must be equal, and the probability of this for a pair at the threshold;
   * otherwise null.
   */
  readonly agree: { readonly least: number; readonly hashes: number; readonly probability: number } | null;
  /** 0, without an S-curve, with --exact-duplicates. */
  readonly bands: number;
  readonly rows: number;
  /** Probability that a pair at the threshold becomes a candidate. */
  readonly probability: number;
  readonly sCurve: readonly CurvePoint[];
  /** Memory without a limit, including the program itself, without pairs and sets. */
  readonly memoryBytes: number;
  /** The part of `memoryBytes` that the budget does not count. */
  readonly programBytes: number;
  /** `--memory`. */
  readonly budgetBytes: number;
  /** Bytes in `.work` during the run, without lists of pairs and without sets; 0: the data fit into the budget. */
  readonly workBytes: number;
  /** Free bytes for the output folder; null if the system does not report them. */
  readonly freeBytes: number | null;
}

/**
 * The plan of a run: lists the inputs; reads and writes no file.
 *
 * @throws MinHashError: usage errors, or NOTHING_READ, as in `run`
 */
export async function plan(options: RunOptions): Promise<Plan> {
  const checked = await check(options);
  const { params, execution } = checked;
  const inputs = await list(checked);
  refuseNoFiles({ params, inputs });
  const pieces = planPieces(inputs, params);
  const { blocks } = countPieces(pieces);
  await lookUpSizes(inputs.files, new LoopTurns(undefined), true);
  const { sCurve, probabilityAtThreshold } = sketchFamilyOf(params).promise();
  const { bands, rows } = params.banding;
  const room = workEstimate(params, pieces, execution);
  const { document, documents, shingle, alike } = wordingOf(params);
  return {
    compared: { document, documents, shingle, alike },
    files: inputs.files.length,
    bytes: inputs.files.sizes.reduce((sum, size) => sum + size, 0),
    skipped: inputs.skipped.length,
    leftOut: inputs.leftOut,
    columnBlocks: blocks,
    shards: params.sets === undefined && hasSignatures(params) ? execution.shards : 1,
    threshold: params.threshold,
    agree: agreeOf(params),
    bands,
    rows,
    probability: probabilityAtThreshold,
    sCurve,
    ...room,
    programBytes: PROGRAM_BYTES,
    budgetBytes: execution.memory,
    freeBytes: freeAt(execution.out),
  };
}

function agreeOf(params: ResultParams): Plan['agree'] {
  const { agree, threshold } = params;
  const hashes = sketchFamilyOf(params).units;
  if (agree === null) return null;
  return { least: agree, hashes, probability: agreementShare(threshold, hashes) };
}

/** Free bytes in the folder, or in its nearest existing parent. */
function freeAt(out: string): number | null {
  let place = resolve(out);
  while (!existsSync(place)) place = dirname(place);
  return NODE_FILES.free(place);
}
