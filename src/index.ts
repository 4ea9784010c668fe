/**
 * The public library of mr-minhash.
 *
 * Floor 4: named exports only.
 */

export {
  type BagSimilarity,
  bagSimilarity,
  type ElementOptions,
  sketchOfElements,
  sumUnionOf,
} from './comparison/elementMeasures.js';
export type { ComparedEstimate, ComparedSketch, EstimatedMeasure } from './comparison/estimates.js';
export type { BagMeasures, ExactMeasures } from './comparison/exactMeasures.js';
export type { ShingleList, ShingleLists, ShingleText } from './comparison/shingleTexts.js';
export { sketchFromBytes, sketchToBytes } from './comparison/sketchBytes.js';
export {
  type CompareOptions,
  type Comparison,
  compareTexts,
  explainTexts,
  MOST_EXPLAINED_BYTES,
  type TextSizes,
} from './comparison.js';
export { ERRORS, type ErrorCode, type Fault, MinHashError } from './errors.js';
export { type OpenedResult, openResult, type PairTexts } from './inspection.js';
export {
  containment,
  type Estimate,
  estimateResemblance,
  fingerprint,
  resemblance,
  type ShingleOptions,
  type Sketch,
  type SketchOptions,
  sketchOf,
  type Text,
} from './measures.js';
export {
  type DuplicateCluster,
  type DuplicatePair,
  type Duplicates,
  findDuplicates,
  type MemoryOptions,
} from './memory.js';
export type { RunOptions } from './options.js';
export type { LowDisk } from './pipeline/diskWatch.js';
export type { Resumption } from './pipeline/resume.js';
export type { Progress } from './pipeline/run.js';
export { type RunHooks, run } from './pipeline.js';
export { type Plan, plan } from './plan.js';
export { type Report, summaryLines } from './report.js';
export {
  type BandingChoice,
  type BandingWish,
  type CurvePoint,
  candidateCurve,
  chooseBands,
  probabilityOfCandidate,
  type SlotParams,
  sCurve,
  thresholdOf,
} from './sketch/banding.js';
export { expectedCollisions } from './sketch/broder/collisions.js';
export { jaccardOf, minhashRows } from './sketch/characteristicMatrix.js';
export type {
  ClusterKind,
  InputKind,
  Measure,
  RepresentativeKind,
  ResultFormat,
  SampleName,
  ShingleUnit,
  SketchName,
  VerifyMode,
} from './sketch/params.js';
export type { RatingRule } from './sketch/rowRules.js';
export { canonicalTokens } from './sketch/tokens.js';
export type { GivenDocument, MemoryDocument } from './storage/memoryDocuments.js';
export type { SampleRuleFacts } from './storage/results/manifest.js';
export type { ResultFault, ResultFaultKind, Verification } from './storage/results/resultFaults.js';
export type {
  CandidateRow,
  ClusterRow,
  DropRow,
  PairKind,
  PairRow,
  SkippedRow,
} from './storage/results/resultReader.js';
export { type VerifyHooks, verifyResult } from './storage/results/verifyResult.js';
export { type AgreeRule, agreeRule, passesRule, type RulePoint } from './tuning/agreeRule.js';
export type { Ceiling, Choice, ChoiceReason } from './tuning/choice.js';
export {
  type CorpusEstimate,
  type CorpusQuestion,
  estimateCorpus,
  type PairsAtLeast,
  type SettingOnCorpus,
} from './tuning/corpusEstimate.js';
export type { Extrapolation } from './tuning/extrapolation.js';
export {
  leastSlots,
  probabilityWithin,
  type SampleSize,
  sampledStandardError,
  standardError,
} from './tuning/sampleSize.js';
export { curveTable, type Miss, missesOf, type Setting, settingOf, similarityAt } from './tuning/setting.js';
export {
  type ComparedSetting,
  compareSettings,
  type LengthWish,
  type SignatureLengths,
  signatureLengths,
  type TuneWish,
  type Tuning,
  tune,
} from './tuning.js';
export { VERSION } from './version.js';
