/**
 * A filter ready for its first document. The documents of a reference, which are all documents that a run reads below its PATHs,
 * are put into an index in a temporary folder.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, MinHashError, SKIP_CODES } from '../../errors.js';
import { IndexWriter, makeIndex } from '../../index/indexFolder.js';
import { pinnedOf } from '../../index/indexManifest.js';
import type { Kernel } from '../../kernel/kernel.js';
import { quietly, temporaryFolder } from '../../store/files.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import type { Progress } from '../context.js';
import { addInputs } from '../index/addFiles.js';
import { list } from '../start/prepare.js';
import { DocumentFilter, type Forgotten } from './documentFilter.js';
import type { FilterSetup } from './filterOptions.js';
import { IndexedDocuments } from './indexedDocuments.js';

/** Callbacks of a filter. */
export interface FilterHooks {
  /** Called while the documents of `against` are read. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called when memory is full and the earliest kept documents are no longer compared. */
  readonly onForgotten?: ((forgotten: Forgotten) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Called for a document of `against` that was skipped. */
type AgainstSkip = (place: Uint8Array, code: ErrorCode) => void;

/** Counts of documents that were read. */
export interface AgainstCounts {
  readonly files: number;
  readonly documents: number;
  /** Files of records without the text field, which were read as texts. */
  readonly as_text: number;
}

export interface OpenedFilter {
  readonly filter: DocumentFilter;
  readonly kernel: Kernel;
  /** Null: there is no reference, and a document is compared with those kept before it. */
  readonly against: AgainstCounts | null;
  /** Whether documents that pass are compared with later ones. */
  readonly learns: boolean;
  readonly indexed: IndexedDocuments | null;
}

/**
 * @throws MinHashError NOTHING_READ, TEXT_FIELD_UNKNOWN, TEXT_FIELD_MISSING if `against` has no document,
 * INPUT_REFUSED with --on-error fail, WRITE_FAILED, DISK_FULL for the temporary folder; the reason of the signal
 */
export async function openFilter(
  setup: FilterSetup,
  hooks: FilterHooks,
  onSkip: AgainstSkip,
): Promise<OpenedFilter> {
  const { params, execution, against: paths, index } = setup;
  const kernel = await kernelHere();
  const folder = paths.length === 0 ? null : temporaryFolder('reference');
  try {
    const against = folder === null ? null : await addReference(join(folder, 'index'), setup, hooks, onSkip);
    const indexSetup = folder === null ? index : { folder: join(folder, 'index'), portion: null };
    const indexed = indexSetup === null ? null : new IndexedDocuments(kernel, indexSetup);
    const onForgotten = hooks.onForgotten ?? (() => {});
    const filter = new DocumentFilter(kernel, params, execution.memory, onForgotten, indexed);
    return { filter, kernel, against, learns: indexed === null || indexed.adds, indexed };
  } finally {
    // Files that are open can still be read, except on Windows, where the folder stays for the system to clean.
    if (folder !== null) quietly(() => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Reads the documents below the PATHs of `against` into an index. */
async function addReference(
  folder: string,
  { params, execution, against: paths }: FilterSetup,
  { onProgress, signal }: FilterHooks,
  onSkip: AgainstSkip,
): Promise<AgainstCounts> {
  makeIndex(folder, pinnedOf(params), true);
  const writer = new IndexWriter(folder);
  try {
    const place = { ...execution, paths, threads: 0, out: folder };
    const inputs = await list({ params, execution: place }, signal);
    const setup = { params, execution: place, inputs };
    const { documents, empty, asText, skipped } = await addInputs(writer, setup, 'against', {
      onProgress,
      signal,
    });
    const { places, codes } = skipped.columns();
    for (const [i, code] of codes.entries())
      onSkip(places.bytes.slice(places.offsets[i]!, places.offsets[i + 1]!), SKIP_CODES[code]!);
    return { files: inputs.files.length, documents: documents + empty, as_text: asText };
  } catch (error) {
    if (!(error instanceof MinHashError) || error.code !== 'NOTHING_READ') throw error;
    const ofPaths = `--against ${paths.join(' ')}: `;
    throw new MinHashError(
      error.problems.map((problem) => ({ ...problem, detail: ofPaths + problem.detail })),
    );
  } finally {
    writer.close();
  }
}
