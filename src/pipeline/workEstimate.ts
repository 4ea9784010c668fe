/**
 * What a run will take, from what is known before it reads anything: estimates, which an input that is no text or has
 * longer or shorter records makes wrong.
 *
 * Floor 4.
 */
import { WORKER_BYTES } from '../options/memory.js';
import type { ResultParams, SampleParams } from '../sketch/params.js';
import { strideOf } from '../sketch/signature.js';
import { sampleParams, signatureParams } from '../sketch/sketchKind.js';
import type { SourcePlan } from '../storage/inputsPlan.js';
import { GZIP_RATIO } from './rowChunks.js';

/** Documents a megabyte of JSON lines is taken to hold where nothing is known: records of 2 KB. */
const RECORD_BYTES = 2048;

/** A document in the table of its column block: its id, its two keys, where it is. */
const TABLE_BYTES = 76;

/** What a process takes before it holds a document; no part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, the program's own with them, and on disk. */
export interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory and disk that the documents of so many bytes, unpacked, take. */
export function workEstimate(
  params: ResultParams,
  sources: readonly SourcePlan[],
  bytes: number,
  threads: number,
): WorkEstimate {
  const documents = documentsIn(sources);
  const samples = sampleParams(params);
  if (samples !== null) return sampleEstimate(documents, bytes, samples, threads);
  // Lines of a set and an element are about as long as what is held of them.
  const rowBytes = params.sets === undefined ? 0 : bytes;
  const { sketch, banding } = signatureParams(params);
  const hashes = params.exactDuplicates ? 0 : sketch.hashes;
  return {
    memoryBytes: memoryEstimate(documents, hashes, banding.bands, threads) + rowBytes,
    workBytes: diskEstimate(documents, hashes, banding.bands),
  };
}

/** A shingle a word, and a word with its blank 6 bytes. */
const BYTES_A_SHINGLE = 6;

/** A fingerprint in its sample, in its list, and its place there. */
const FINGERPRINT_BYTES = 16;

/**
 * The same of samples, which cannot leave memory: `memoryBytes` is the budget of whose half, the part for tables, they and
 * their lists take all.
 */
function sampleEstimate(
  documents: number,
  bytes: number,
  samples: SampleParams,
  threads: number,
): WorkEstimate {
  const shingles = bytes / BYTES_A_SHINGLE;
  const fingerprints =
    samples.sketch === 'min-s' ? Math.min(shingles, documents * samples.hashes) : shingles / samples.modulus;
  const held = documents * TABLE_BYTES + fingerprints * FINGERPRINT_BYTES;
  return {
    memoryBytes: Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + 2 * held),
    workBytes: Math.round(documents * TABLE_BYTES + fingerprints * 8),
  };
}

/** How many documents the sources may hold: files, and records where lines are read. */
function documentsIn(sources: readonly SourcePlan[]): number {
  let documents = 0;
  for (const source of sources) {
    if (source.kind === 'files') documents += source.files.length;
    else if (source.kind === 'range') documents += (source.to - source.from) / RECORD_BYTES;
    else documents += ((source.file.gzip ? GZIP_RATIO : 1) * source.file.bytes) / RECORD_BYTES;
  }
  return documents;
}

/** Bytes of what the sketching of so many documents leaves on disk until the run ends. */
export function diskEstimate(documents: number, hashes: number, bands: number): number {
  return Math.round(documents * (4 * strideOf(hashes) + 8 * bands + TABLE_BYTES));
}

/**
 * Bytes of signatures, bucket keys and the table of so many documents, beside what the workers take; pairs and sets come
 * on top.
 */
export function memoryEstimate(documents: number, hashes: number, bands: number, threads: number): number {
  const documentBytes = 4 * strideOf(hashes) + 8 * bands + 2 * TABLE_BYTES;
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + documents * documentBytes);
}
