/**
 * The public library of mr-minhash.
 *
 * Named exports only.
 */

export {
  type CompareByOptions,
  CorpusWords,
  compareBy,
  type MethodComparison,
} from './analysis/compare/byMethod.js';
export {
  type CompareOptions,
  type Comparison,
  compareTexts,
  explainTexts,
  MOST_EXPLAINED_BYTES,
  type TextSizes,
} from './analysis/compare/compare.js';
export {
  type BagSimilarity,
  bagSimilarity,
  type ElementOptions,
  sketchOfElements,
  sumUnionOf,
} from './analysis/compare/elementMeasures.js';
export type { BagMeasures, ExactMeasures } from './analysis/compare/exactMeasures.js';
export type { ShingleList, ShingleLists, ShingleText } from './analysis/compare/shingleTexts.js';
export { sketchFromBytes, sketchToBytes } from './analysis/compare/sketchBytes.js';
export type {
  ComparedEstimate,
  ComparedSketch,
  EstimatedMeasure,
} from './analysis/compare/sketchEstimates.js';
export { type OpenedResult, openResult } from './analysis/inspect.js';
export {
  canonicalTokens,
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
} from './analysis/measures.js';
export { type CorpusFacts, METHOD_NAMES, type MethodName } from './analysis/methods/method.js';
export { type MethodMeasure, methodMeasures } from './analysis/methods/table.js';
export type { DocumentView, SomeRows } from './analysis/result/document.js';
export type { PairTexts } from './analysis/result/pairTexts.js';
export type {
  AroundView,
  ClusterMember,
  ClusterPage,
  ClusterSize,
  ClusterView,
  NearPair,
  RowPage,
} from './analysis/result/questions.js';
export type { PieceKind, SharedRuns, TextPiece, TextStretch } from './analysis/result/sharedRuns.js';
export { jaccardOf, minhashRows } from './analysis/textbook.js';
export type { Extrapolation } from './analysis/tune/corpusEstimate.js';
export {
  type CorpusEstimate,
  type CorpusQuestion,
  estimateCorpus,
  type PairsAtLeast,
  type SettingOnCorpus,
} from './analysis/tune/corpusEstimate.js';
export {
  leastSlots,
  probabilityWithin,
  type SampleSize,
  sampledStandardError,
} from './analysis/tune/sampleSize.js';
export type { Ceiling, Choice, ChoiceReason } from './analysis/tune/setting.js';
export {
  type AgreeRule,
  agreeRule,
  curveTable,
  type Miss,
  missesOf,
  passesRule,
  type RulePoint,
  type Setting,
  settingOf,
  similarityAt,
} from './analysis/tune/setting.js';
export {
  type ComparedSetting,
  compareSettings,
  type LengthWish,
  type SignatureLengths,
  signatureLengths,
  type TuneWish,
  type Tuning,
  tune,
} from './analysis/tune/tune.js';
export { applyResult } from './coordinator/apply/apply.js';
export type {
  ApplyHooks,
  ApplyMode,
  ApplyOptions,
  ApplyReport,
  ListKind,
} from './coordinator/apply/applyOptions.js';
export type { Progress } from './coordinator/context.js';
export type { Forgotten } from './coordinator/filter/documentFilter.js';
export {
  type FilteredDocument,
  type FilterOptions,
  filterDocuments,
} from './coordinator/filter/filterDocuments.js';
export type { FilterRules } from './coordinator/filter/filterOptions.js';
export type { FilterHooks } from './coordinator/filter/openFilter.js';
export {
  type DuplicateCluster,
  type DuplicatePair,
  type Duplicates,
  findDuplicates,
  type MemoryOptions,
} from './coordinator/inMemory.js';
export { type Plan, plan } from './coordinator/planning/plan.js';
export {
  type Passage,
  type PassagePlace,
  type QueryAnswer,
  type QueryBase,
  type QueryHooks,
  type QueryRead,
  type QuerySource,
  query,
} from './coordinator/query/query.js';
export type { RunHooks } from './coordinator/recipe.js';
export type { CorpusOption } from './coordinator/resultPaths.js';
export { run } from './coordinator/run.js';
export type { Resumption } from './coordinator/start/resume.js';
export { ERRORS, type ErrorCode, type Fault, MinHashError } from './errors.js';
export type { RunOptions } from './options/check.js';
export type { QueryOptions } from './options/queryOptions.js';
export { type ExportOptions, type ExportReport, exportResult } from './output/exportResult.js';
export type { ExportFormat, ResultTable } from './output/fileNames.js';
export type {
  CandidateRow,
  ClusterRow,
  DropRow,
  PairKind,
  PairRow,
  SkippedRow,
} from './output/readResult.js';
export { type Report, summaryLines } from './output/report.js';
export type { ResultFault, ResultFaultKind, Verification } from './output/verifyResult.js';
export { type VerifyHooks, verifyResult } from './output/verifyResult.js';
export type { GivenDocument, MemoryDocument } from './readers/formats/memoryDocuments.js';
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
export type {
  ClusterKind,
  InputKind,
  Measure,
  RepresentativeKind,
  RunMethod,
  SampleName,
  SketchName,
  VerifyMode,
} from './sketch/params.js';
export { expectedCollisions, standardError } from './sketch/probability.js';
export {
  type RabinTables,
  rabinCollisionBound,
  rabinFingerprint,
  rabinTables,
  rabinTablesOf,
  rabinWindows,
} from './sketch/samples/rabin.js';
export type { SampleRuleFacts } from './sketch/samples/sampleRule.js';
export type { LowDisk } from './store/disk.js';
export { VERSION } from './store/packageFiles.js';
export type { RatingRule } from './text/elements.js';
export type { ShingleUnit } from './text/shingles.js';
export { reportHtml } from './view/reportPage.js';
