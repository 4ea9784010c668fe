/**
 * What a run would do, known from its inputs and options alone: for `--dry-run` and `--verbose`.
 */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { atOnce } from '../../arrays/stepwise.js';
import type { RunOptions } from '../../options/check.js';
import { sampleRuleText, smallText, type Wording, wordingOf } from '../../output/wording/wording.js';
import type { LeftOut } from '../../readers/list/inputs.js';
import { lookUpAllSizes } from '../../readers/list/sizes.js';
import { countPieces, planPieces } from '../../readers/pieces.js';
import type { CurvePoint } from '../../sketch/banding.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { sampleParams } from '../../sketch/params.js';
import { agreementShare } from '../../sketch/probability.js';
import type { SampleRuleFacts } from '../../sketch/samples/sampleRule.js';
import { NODE_FILES } from '../../store/fileDoor.js';
import type { PlannedRun } from '../../tasks/task.js';
import type { RunHooks } from '../recipe.js';
import { refuseNoFiles } from '../sketch/nothingRead.js';
import { prepare, rowChunksOf, tellLeftOut } from '../start/prepare.js';
import { PROGRAM_BYTES, unpackedBytes, workEstimate } from './estimate.js';

/** How many tasks a stage of a run has. */
export interface StageTasks {
  readonly stage: string;
  /** Null: known only once the stages before are done. */
  readonly tasks: number | null;
  /** Present: most runs have none, because their data do not ask for it. */
  readonly ifNeeded?: true;
}

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
  readonly tasks: readonly StageTasks[];
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
 * @throws MinHashError: wrong use, or NOTHING_READ, as `run` would
 */
export async function plan(options: RunOptions, hooks: Pick<RunHooks, 'onLeftOut'> = {}): Promise<Plan> {
  const { params, execution, inputs } = await prepare(options);
  tellLeftOut(inputs, hooks);
  refuseNoFiles({ params, inputs });
  const pieces = planPieces(inputs, params);
  const rowChunks = rowChunksOf(params, execution, inputs.files);
  atOnce(lookUpAllSizes(inputs.files));
  const { blocks, arrays, isExact } = countPieces(pieces);
  const { sampleRule, sCurve, probabilityAtThreshold } = sketchFamilyOf(params).promise();
  const samples = sampleParams(params);
  const { bands, rows } = params.banding ?? { bands: 0, rows: 0 };
  const room = workEstimate(params, pieces, unpackedBytes(inputs.files), execution.threads);
  const { document, documents, shingle, alike } = wordingOf(params);
  return {
    compared: { document, documents, shingle, alike },
    files: inputs.files.length,
    bytes: inputs.files.totalBytes!,
    skipped: inputs.skipped.length,
    leftOut: inputs.leftOut,
    columnBlocks: blocks,
    rowChunks: params.exactDuplicates ? 0 : rowChunks,
    tasks: await plannedTasks({
      params,
      reads: readsOf(params, rowChunks),
      compared: params.exactDuplicates ? null : sketchFamilyOf(params).name,
      blocks: isExact ? blocks : 'later',
      arrays,
      rowChunks,
    }),
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

/** The tasks of a run, from the table of tasks. It is loaded here alone: no other work of this thread needs it. */
async function plannedTasks(run: PlannedRun): Promise<StageTasks[]> {
  const { TASKS } = await import('../../tasks/table.js');
  return Object.entries(TASKS).flatMap(([stage, { planned }]): StageTasks[] => {
    const tasks = planned(run);
    if (tasks === null) return [];
    if (typeof tasks === 'number') return [{ stage, tasks }];
    return [{ stage, tasks: null, ...(tasks === 'maybe' && { ifNeeded: true }) }];
  });
}

function readsOf({ sets, exactDuplicates }: ResultParams, rowChunks: number): PlannedRun['reads'] {
  if (sets !== undefined) return 'sets';
  if (exactDuplicates) return 'keys';
  return rowChunks === 1 ? 'whole' : 'row chunks';
}

function agreeOf(params: ResultParams): Plan['agree'] {
  const { agree, threshold } = params;
  const hashes = sketchFamilyOf(params).units;
  if (agree === null) return null;
  return { least: agree, hashes, probability: agreementShare(threshold, hashes) };
}

/** Free bytes where a folder is, or will be. */
function freeAt(out: string): number | null {
  let place = resolve(out);
  while (!existsSync(place)) place = dirname(place);
  return NODE_FILES.free(place);
}
