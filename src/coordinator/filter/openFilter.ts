/** A filter that is ready for the first document: its kernel, and the reference to compare with. */
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { idOfBytes, placeEnd } from '../../readers/list/pathIds.js';
import { kernelHere } from '../../tasks/kernelHere.js';
import type { Progress } from '../context.js';
import { refusal } from '../sketch/corpus.js';
import { nothingRead } from '../sketch/nothingRead.js';
import { type AgainstCounts, learnAgainst } from './against.js';
import type { DocumentIdentity } from './batch.js';
import { DocumentFilter, type Forgotten } from './documentFilter.js';
import { type FilterSetup, inputsOf } from './filterOptions.js';

/** Callbacks of a filter. */
export interface FilterHooks {
  /** While the documents of `against` are read. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Memory is full, and the earliest kept documents are no longer compared. */
  readonly onForgotten?: ((forgotten: Forgotten) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A document of `against` that was not read. */
export type AgainstSkip = (place: Uint8Array, code: ErrorCode) => void;

export interface OpenedFilter {
  readonly filter: DocumentFilter;
  readonly kernel: Kernel;
  /** Whether kept documents are compared with later ones. */
  readonly learns: boolean;
  /** Null: documents are compared with one another. */
  readonly against: AgainstCounts | null;
  /** The place of a document of `against`, a binary string. */
  placeOf(like: DocumentIdentity): string;
}

/**
 * @throws MinHashError MEMORY_BUDGET where the documents of `against` do not fit, NOTHING_READ where there is none,
 * INPUT_REFUSED with --on-error fail; the reason of the signal
 */
export async function openFilter(
  setup: FilterSetup,
  { onProgress, onForgotten, signal }: FilterHooks,
  onSkip: AgainstSkip,
): Promise<OpenedFilter> {
  const { params, memory } = setup;
  const inputs = await inputsOf(setup, signal);
  const kernel = await kernelHere();
  const filter = new DocumentFilter(kernel, params, memory, onForgotten);
  if (inputs === null) return { filter, kernel, learns: true, against: null, placeOf: () => '' };
  const skips: Record<string, number> = {};
  const skipped = (place: Uint8Array, code: ErrorCode): void => {
    onSkip(place, code);
    skips[code] = (skips[code] ?? 0) + 1;
    if (params.onError === 'fail') throw refusal(idOfBytes(place), code);
  };
  try {
    const hooks = { onProgress, signal, onSkip: skipped };
    const against = await learnAgainst(filter, kernel, inputs, params, hooks);
    if (against.documents === 0) {
      const { detail, ...fault } = nothingRead({ params, inputs }, skips);
      throw new MinHashError({ ...fault, detail: `--against ${setup.against.join(' ')}: ${detail}` });
    }
    return { filter, kernel, learns: false, against, placeOf: (like) => placeIn(inputs.files, like) };
  } catch (error) {
    filter.end();
    throw error;
  } finally {
    inputs.files.spool?.close();
  }
}

function placeIn(files: FileTable, { file, number }: DocumentIdentity): string {
  return files.id(file) + placeEnd(number);
}
