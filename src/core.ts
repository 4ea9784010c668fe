/**
 * The part of the library that needs no file, thread or Node module: texts, sketches, bands, similarity and comparisons, for
 * browsers and other JavaScript runtimes. The library exports the same names.
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
export { jaccardOf, minhashRows } from './analysis/textbook.js';
export {
  leastSlots,
  probabilityWithin,
  type SampleSize,
} from './analysis/tune/sampleSize.js';
export type { Choice, ChoiceReason } from './analysis/tune/setting.js';
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
export { ERRORS, type ErrorCode, MinHashError, type Problem } from './errors.js';
export {
  type BandingChoice,
  type BandingRequirements,
  type CurvePoint,
  chooseBands,
  probabilityOfCandidate,
  sCurve,
  thresholdOf,
} from './sketch/banding.js';
export type { InputKind } from './sketch/formatNames.js';
export type {
  ClusterKind,
  Measure,
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
export type { RatingRule } from './text/elements.js';
export type { ShingleUnit } from './text/shingles.js';
