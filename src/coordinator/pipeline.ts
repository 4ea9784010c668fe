/**
 * The pipeline of a run, in memory or over files. Read this file first.
 *
 *      documents --sketch--> signatures            Map per batch; with --shards N: partials (Map), element-wise minima (Reduce)
 *        --number--> keep order, duplicate groups  here: one number per document, in keep order
 *        --pairs--> pairs with agreement           bands (Map per band), then lists of all bands made distinct (Reduce)
 *        --verify--> exact pairs                   shingle sets of candidates (Map per batch, second reading), intersections (Reduce)
 *        --decide--> drop list, thresholds, clusters
 *        --write--> result files
 *
 * With `--measure containment` there are no signatures: reading gives the pairs (contained.ts).
 *
 * Each step is a call that takes the result of the previous one. All steps after `number` use document numbers: the
 * smaller number of a pair is kept, and pairs are sorted by it.
 */

import type { PairRules } from '../../reducers/groupPairs.js';
import { leastKept, sketchFamilyOf } from '../sketch/family.js';
import { hasSignatures } from '../sketch/params.js';
import { signatureAgreements } from './agreements.js';
import { ContainmentReading } from './contained.js';
import type { Run } from './context.js';
import { countedPairs, type DecidedRun, decide } from './decide.js';
import type { IndexReference } from './index/indexReference.js';
import { type NumberedDocuments, numbering, rowsTakingPart } from './number.js';
import { PairList } from './pairList.js';
import type { BandPairs } from './pairs.js';
import { pairs } from './pairs.js';
import type { Source } from './sketch/source.js';
import { type Sketched, sketch } from './sketch.js';
import type { SkipList } from './skips.js';
import { type ExactSizes, exactSizes } from './verify.js';

/** The results of all steps except the last. */
export interface PipelineResult {
  readonly sketched: Sketched;
  readonly numbered: NumberedDocuments;
  /** Null: documents have no signatures. */
  readonly pairs: BandPairs | null;
  /** Null outside exact mode. */
  readonly exact: ExactSizes | null;
  readonly decided: DecidedRun;
  /** Documents of an index that were not read, because they share no bucket with another one. */
  readonly unread: number;
}

/**
 * Runs the pipeline up to the decisions; `write` (src/coordinator/write.ts) takes its result.
 *
 * @param reference an index in place of PATHs of `--against`
 * @param isLeftOut whether a reference document, identified by file and record, is excluded from comparison; null: none
 * is
 * @param read called with all documents after they are read; an error that it throws ends the run
 * @throws MinHashError of the steps
 */
export async function pipeline(
  run: Run,
  source: Source,
  shards: number,
  skipped: SkipList,
  read: (sketched: Sketched) => void,
  reference: IndexReference | null = null,
  isLeftOut: ((file: number, record: number) => boolean) | null = null,
): Promise<PipelineResult> {
  const { params } = run;
  if (params.ignore !== undefined) await (await import('./ignored.js')).readIgnored(run);
  const contained = params.measure === 'containment' ? new ContainmentReading(run) : null;
  const sketched = await sketch(run, source, shards, skipped, reference, contained);
  read(sketched);
  const files = source.input?.files ?? null;
  const numbered = numbering(sketched.documents, params, files, run.budget.data / 4, isLeftOut);
  const { groups, references } = numbered;
  const rules = { groups, references, onlyAgainst: params.groups?.only === true };
  const others = reference === null ? 0 : reference.index.documents - reference.length;
  const bandPairs = hasSignatures(params) ? await candidates(run, sketched, numbered, rules, others) : null;
  const containing = contained?.pairs(numbered) ?? null;
  const counted = containing?.pairs ?? countedPairs(rules, bandPairs?.list ?? new PairList());
  // After this step only estimates need signatures, unless documents are added to an index.
  const agreements = signatureAgreements(
    run,
    sketched.batches,
    numbered,
    bandPairs === null || reference !== null ? null : counted,
  );
  const exact =
    containing?.exact ??
    (params.verify === 'exact' ? await verified(run, source, sketched, numbered, counted, reference) : null);
  const decided = await run.stage('decide', () => decide(params, rules, counted, exact, agreements));
  return { sketched, numbered, pairs: bandPairs, exact, decided, unread: others };
}

function candidates(
  run: Run,
  { batches }: Sketched,
  numbered: NumberedDocuments,
  { references, onlyAgainst }: PairRules,
  others: number,
): Promise<BandPairs> {
  const { params, storage, budget } = run;
  const { numberOf, rowOf } = numbered;
  return pairs(run, {
    ...{ numberOf, rowOf, references, onlyAgainst, others },
    takesPart: rowsTakingPart(numbered),
    batches: batches.map(({ report }) => report.documents),
    ...{ folder: storage.filesIn, resume: storage.resumes, room: budget.task },
    ...{ cutoff: leastKept(params), near: sketchFamilyOf(params).least(), hotBucket: params.hotBucket },
  });
}

function verified(
  run: Run,
  source: Source,
  { documents, batches }: Sketched,
  numbered: NumberedDocuments,
  counted: PairList,
  reference: IndexReference | null,
): Promise<ExactSizes> {
  const indexSets = reference === null ? null : (documents: Uint32Array) => reference.sets(documents);
  const reading = { batches, source, locationOf: (row: number) => documents.locationOf(row), indexSets };
  return exactSizes(run, documents, numbered, reading, counted, sketchFamilyOf(run.params).margin());
}
