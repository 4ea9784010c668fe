/**
 * Where a run keeps signatures and sets: in shared memory, or in files of `.work`. This is decided before the first
 * task from the bytes and files of the inputs, and again if there are many more documents than estimated. It never
 * changes the result.
 */

import { countPieces, type Piece } from '../readers/pieces.js';
import { hasSignatures, type ResultParams } from '../sketch/params.js';
import type { Budget } from '../store/budget.js';
import { makeWorkFolder } from '../store/workFiles.js';

/** Bytes per record if nothing is known of the input, and bytes of text per compressed byte. */
const RECORD_BYTES = 256;
const PACKED_RATIO = 6;

/**
 * Bytes per document without its signature: its row in the table, number, duplicate group, and keys and flags while
 * bands are computed.
 */
export const DOCUMENT_BYTES = 100;

/** The share of the memory for data that signatures may take. Pairs, sets and tasks need the rest. */
const SIGNATURES = 1 / 2;

/** The share that shingle sets may take. */
const SETS = 1 / 4;

/** Bytes of a signature with the keys of its bands; 0 if documents have none. */
export function signatureBytes(
  params: Pick<ResultParams, 'sketch' | 'banding' | 'exactDuplicates' | 'measure'>,
): number {
  if (!hasSignatures(params)) return 0;
  const { sketch, banding } = params;
  return 2 * sketch.hashes + 4 * banding.bands;
}

/** An estimate of the number of documents in the pieces: files, and records of average length. */
export function documentsIn(pieces: readonly Piece[]): number {
  const { files, plainBytes, compressedBytes } = countPieces(pieces);
  return files + (plainBytes + PACKED_RATIO * compressedBytes) / RECORD_BYTES;
}

/** Where a run keeps its data, and whether it uses the files of an earlier attempt. */
export class Storage {
  /** The folder of work files; null: the run has none, for example with documents in memory. */
  readonly folder: string | null;
  /** Whether tasks use complete files of an earlier attempt. */
  readonly resumes: boolean;
  /** Whether signatures, tables of documents and sets are in files. */
  isInFiles = false;
  /** Bytes of memory for data. */
  private readonly data: number;
  /** Called before the first file is written. */
  private readonly onFiles: (folder: string) => void;

  constructor(
    folder: string | null,
    { data }: Pick<Budget, 'data'>,
    {
      resumes = false,
      onFiles = () => {},
    }: { readonly resumes?: boolean; readonly onFiles?: (folder: string) => void } = {},
  ) {
    this.folder = folder;
    this.resumes = resumes;
    this.data = data;
    this.onFiles = onFiles;
  }

  /**
   * Decides for a run over these inputs, before its first task.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  decide(params: ResultParams, pieces: readonly Piece[]): void {
    const bytes = documentsIn(pieces) * (signatureBytes(params) + DOCUMENT_BYTES);
    if (this.resumes || !this.fits(bytes)) this.useFiles();
  }

  /** The folder of work files if the run keeps its data there; otherwise null. */
  get filesIn(): string | null {
    return this.isInFiles ? this.folder : null;
  }

  /** Whether `bytes` of data fit in memory. A run without a folder keeps everything in memory. */
  fits(bytes: number): boolean {
    return this.folder === null || bytes <= SIGNATURES * this.data;
  }

  /**
   * The folder for sets of `bytes` in all: the folder of work files, with all other data, or null for memory. @throws
   * MinHashError WRITE_FAILED, DISK_FULL
   */
  folderOfSets(bytes: number): string | null {
    if (this.isInFiles) return this.folder;
    if (this.folder === null || bytes <= SETS * this.data) return null;
    makeWorkFolder(this.folder);
    return this.folder;
  }

  /** From now on data is kept in files. @throws MinHashError WRITE_FAILED, DISK_FULL */
  useFiles(): void {
    this.isInFiles = true;
    makeWorkFolder(this.folder!);
    this.onFiles(this.folder!);
  }
}
