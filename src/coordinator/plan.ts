/**
 * What a run would do, known from its inputs and options alone: for `--dry-run` and `--verbose`.
 */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RunOptions } from '../options/check.js';
import { sampleRuleText, smallText, type Wording, wordingOf } from '../output/wording.js';
import type { LeftOut } from '../readers/list/inputs.js';
import { lookUpAllSizes } from '../readers/list/sizes.js';
import { countPieces, planPieces } from '../readers/plan.js';
import type { CurvePoint } from '../sketch/banding.js';
import { familyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { isSample, sampleParams } from '../sketch/params.js';
import { agreementShare } from '../sketch/probability.js';
import type { SampleRuleFacts } from '../sketch/samples/sampleRule.js';
import { NODE_FILES } from '../store/fileDoor.js';
import { PROGRAM_BYTES, unpackedBytes, workEstimate } from './estimate.js';
import { prepare, rowChunksOf, tellLeftOut } from './prepare.js';
import type { RunHooks } from './run.js';

/** What a run would do, and what it would need; sizes in bytes. */
export interface Plan {
  /** What is compared, in words. */
  readonly compared: Pick<Wording, 'document' | 'documents' | 'shingle' | 'alike'>;
  readonly files: number;
  /** Bytes of the files as they are stored. */
  readonly bytes: number;
  /** Files and places that would be skipped, as far as the walk can tell. */
  readonly skipped: number;
  /** What lies below the PATHs and is not read. */
  readonly leftOut: LeftOut;
  /**
   * Streams (gzipped lines, standard input) count as one here, large JSON arrays as what their size makes: how many they
   * are is not known before they are read.
   */
  readonly columnBlocks: number;
  /** Of each column block; 0 where there is no matrix: of exact duplicates alone. */
  readonly rowChunks: number;
  /** Null: known only once the stages before are done. */
  readonly tasks: readonly { readonly stage: string; readonly tasks: number | null }[];
  readonly threshold: number;
  /** The m-of-n rule: so many of `hashes` slots have to agree, which a pair at the threshold does so probably; else null. */
  readonly agree: { readonly least: number; readonly hashes: number; readonly probability: number } | null;
  /** Sketches are of one shingle in so many. */
  readonly sample: number;
  /** No shingle in more documents is in a sketch; null: all are. */
  readonly maxShingleDocuments: number | null;
  /** Where samples of fingerprints are compared: the rule of candidates in words, and what is left to chance. */
  readonly sampling?: SampleRuleFacts & { readonly rule: string; readonly chances: string | null };
  /** 0 for samples of fingerprints, and, without an S-curve, for exact duplicates alone. */
  readonly bands: number;
  readonly rows: number;
  /** That a pair at the threshold becomes a candidate; of samples at least. */
  readonly probability: number;
  readonly sCurve: readonly CurvePoint[];
  /** What a run would hold if nothing bounded it, the program itself with it, without pairs and sets. */
  readonly memoryBytes: number;
  /** The part of `memoryBytes` that the budget does not count. */
  readonly programBytes: number;
  /** `--memory`. */
  readonly budgetBytes: number;
  /** What goes to `.work` while the run lasts, without lists of pairs; where those are many, more. */
  readonly workBytes: number;
  /** Bytes that may be written in the output folder; null where the system does not tell. */
  readonly freeBytes: number | null;
}

/**
 * The plan of a run; nothing is read but the listing, nothing is written.
 *
 * @throws MinHashError: wrong use, as `run` would
 */
export async function plan(options: RunOptions, hooks: Pick<RunHooks, 'onLeftOut'> = {}): Promise<Plan> {
  const { params, execution, inputs } = prepare(options);
  tellLeftOut(inputs, hooks);
  const pieces = planPieces(inputs, params);
  const rowChunks = rowChunksOf(params, execution, inputs.files);
  lookUpAllSizes(inputs.files);
  const { blocks, arrays, isExact: isCounted } = countPieces(pieces);
  const { sampleRule, sCurve, probabilityAtThreshold } = familyOf(params).promise();
  const samples = sampleParams(params);
  const { bands, rows } = params.banding ?? { bands: 0, rows: 0 };
  const room = workEstimate(params, pieces, unpackedBytes(inputs.files), execution.threads);
  const counted = (tasks: number): number | null => (isCounted ? tasks : null);
  const fused = [{ stage: 'sketch', tasks: counted(blocks) }];
  const chunked = [
    { stage: 'tiles', tasks: counted(blocks) },
    // As many as steps of tiles: a column block is one, unless it is large.
    { stage: 'partials', tasks: null },
    { stage: 'minima', tasks: counted(blocks) },
  ];
  const sets = [
    { stage: 'rows', tasks: counted(blocks) },
    { stage: 'tilesOfSets', tasks: rowChunks },
    // As many as blocks of sets, which are known when all names are.
    { stage: 'labelled', tasks: null },
    { stage: 'partials', tasks: null },
    { stage: 'minima', tasks: null },
  ];
  const keys = [{ stage: 'keys', tasks: counted(blocks) }];
  const texts = params.exactDuplicates ? keys : rowChunks === 1 ? fused : chunked;
  const paired = [
    { stage: 'candidates', tasks: bands },
    { stage: 'agreement', tasks: null },
  ];
  const shared = [
    { stage: 'lists', tasks: null },
    { stage: 'sharing', tasks: null },
  ];
  const exact = [
    { stage: params.sets === undefined ? 'sets' : 'gathered', tasks: null },
    { stage: 'verified', tasks: null },
  ];
  const { document, documents, shingle, alike } = wordingOf(params);
  return {
    compared: { document, documents, shingle, alike },
    files: inputs.files.length,
    bytes: inputs.files.totalBytes!,
    skipped: inputs.skipped.length,
    leftOut: inputs.leftOut,
    columnBlocks: blocks,
    rowChunks: params.exactDuplicates ? 0 : rowChunks,
    tasks: [
      ...(arrays === 0 ? [] : [{ stage: 'cuts', tasks: arrays }]),
      ...(params.maxShingleDocuments === null ? [] : [{ stage: 'counts', tasks: null }]),
      ...(params.sets === undefined ? texts : params.exactDuplicates ? sets.slice(0, 2) : sets),
      ...(params.exactDuplicates ? [] : samples === null ? paired : shared),
      ...(params.verify === 'exact' ? exact : []),
      { stage: 'write', tasks: null },
    ],
    threshold: params.threshold,
    agree: agreeOf(params),
    sample: params.sample,
    maxShingleDocuments: params.maxShingleDocuments,
    bands,
    rows,
    ...(samples !== null &&
      sampleRule !== undefined && {
        sampling: {
          ...sampleRule,
          rule: sampleRuleText(samples, sampleRule, wordingOf(params)),
          chances: smallText(String(params.threshold), sampleRule, wordingOf(params)),
        },
      }),
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
  const hashes = familyOf(params).units;
  if (agree === null) return null;
  const name = isSample(params.sketch) ? 'fss' : params.sketch.sketch;
  return { least: agree, hashes, probability: agreementShare(threshold, hashes, name) };
}

/** Free bytes where a folder is, or will be. */
function freeAt(out: string): number | null {
  let place = resolve(out);
  while (!existsSync(place)) place = dirname(place);
  return NODE_FILES.free(place);
}
