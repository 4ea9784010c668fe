/** The public library of mr-minhash: the core, and everything that reads files, runs threads or writes. */

export { type OpenedResult, openResult } from './analysis/inspect.js';
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
export type { Extrapolation } from './analysis/tune/corpusEstimate.js';
export {
  type CorpusEstimate,
  type CorpusQuestion,
  estimateCorpus,
  type PairsAtLeast,
  type SettingOnCorpus,
} from './analysis/tune/corpusEstimate.js';
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
export type { ReasonLeftOut } from './blocks/documents.js';
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
  createIndex,
  type IndexAnswer,
  type IndexRemoval,
  type NearDuplicateIndex,
  type NewIndexOptions,
  openIndex,
} from './coordinator/index/openIndex.js';
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
export type { CorpusOption } from './coordinator/resultPaths.js';
export { run } from './coordinator/run.js';
export type { RunHooks } from './coordinator/runFiles.js';
export * from './core.js';
export type { ErrorEntry, ErrorScope } from './errors.js';
export type { AddedPortion } from './index/format.js';
export type { PortionEntry } from './index/indexManifest.js';
export type { RunOptions } from './options/check.js';
export type { QueryOptions } from './options/queryOptions.js';
export type { GivenDocument, MemoryDocument } from './readers/formats/memoryDocuments.js';
export type { LeftOut, RootPlace } from './readers/list/inputs.js';
export type {
  Amount,
  DropsAtThreshold,
  ManifestCounts,
  ReportedNumbers,
  SourceNumbers,
} from './result/facts.js';
export type { ResultTable } from './result/fileNames.js';
export type {
  LackedValues,
  ReadAs,
  ReadFormat,
  SCurveFacts,
  SCurvePoint,
  StageStats,
} from './result/manifest.js';
export type {
  CandidateRow,
  ClusterRow,
  DropRow,
  PairKind,
  PairRow,
  SkippedRow,
} from './result/readResult.js';
export type { CorpusAdvice, Report, ReportedInputs } from './result/report.js';
export { summaryLines } from './result/summary.js';
export type { ResultProblem, ResultProblemKind, Verification } from './result/verifyResult.js';
export { type VerifyHooks, verifyResult } from './result/verifyResult.js';
export type { Wording } from './result/wording/wording.js';
export type { InputFormat } from './sketch/formatNames.js';
export type {
  BandingParams,
  GroupRule,
  KeepRule,
  ResultParams,
  SetsParams,
  SketchParams,
  TextFormat,
} from './sketch/params.js';
export type { WrittenFile } from './store/files.js';
export { VERSION } from './store/packageFiles.js';
export type { Normalization, NormalizeWord } from './text/preparedText.js';
export type { ShingleParams } from './text/shingles.js';
export { reportHtml } from './view/reportPage.js';
