/**
 * A filter ready for its first document: the kernel and the documents of the reference, which are all documents that a
 * run reads below its PATHs.
 */
import { numbersBelow } from '../../arrays/growable.js';
import { AS_TEXT, type PAGE } from '../../blocks/documents.js';
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { readBuffers } from '../../readers/documentSink.js';
import { readParts } from '../../readers/find.js';
import { FormatReading } from '../../readers/formats/reading.js';
import { UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Inputs, listInputs } from '../../readers/list/inputs.js';
import { bytesOf, idOfBytes, placeEnd } from '../../readers/list/pathIds.js';
import type { ResultParams } from '../../sketch/params.js';
import { LoopTurns } from '../../store/turns.js';
import { kernelHere } from '../../tasks/kernelHere.js';
import type { Progress } from '../context.js';
import { nothingRead, refuseNoFiles } from '../sketch/nothingRead.js';
import { refusal } from '../skips.js';
import { BatchSink, type DocumentIdentity } from './batch.js';
import { DocumentFilter, type Forgotten } from './documentFilter.js';
import type { FilterSetup } from './filterOptions.js';
import { IndexedDocuments } from './indexedDocuments.js';

/** A batch is closed when it has this many bytes of text. */
const BATCH_BYTES = 256 << 10;

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
  /** The location of a document of `against`, a binary string. */
  placeOf(like: DocumentIdentity): string;
}

/**
 * @throws MinHashError MEMORY_BUDGET if the documents of `against` do not fit, NOTHING_READ if there are none,
 * UNPACKER_MISSING, INPUT_REFUSED with --on-error fail; the reason of the signal
 */
export async function openFilter(
  { params, memory, against: paths, index }: FilterSetup,
  hooks: FilterHooks,
  onSkip: AgainstSkip,
): Promise<OpenedFilter> {
  const inputs =
    paths.length === 0 ? null : await listInputs({ paths, outFolder: null, params }, hooks.signal);
  if (inputs !== null && inputs.problems.length > 0) throw new MinHashError(inputs.problems);
  if (inputs !== null) refuseNoFiles({ params, inputs });
  const kernel = await kernelHere();
  const indexed = index === null ? null : new IndexedDocuments(kernel, index);
  const filter = new DocumentFilter(kernel, params, memory, hooks.onForgotten, indexed);
  if (inputs === null) {
    const learns = indexed === null || indexed.adds;
    return { filter, kernel, against: null, learns, indexed, placeOf: () => '' };
  }
  const skips: Record<string, number> = {};
  const skipped = (place: Uint8Array, code: ErrorCode): void => {
    onSkip(place, code);
    skips[code] = (skips[code] ?? 0) + 1;
    if (params.onError === 'fail') throw refusal(idOfBytes(place), code);
  };
  try {
    const against = await learnAgainst(filter, kernel, inputs, params, hooks, skipped);
    if (against.documents === 0) {
      const { detail, ...problem } = nothingRead({ params, inputs }, skips);
      throw new MinHashError({ ...problem, detail: `--against ${paths.join(' ')}: ${detail}` });
    }
    const placeOf = ({ file, number }: DocumentIdentity): string => inputs.files.id(file) + placeEnd(number);
    return { filter, kernel, against, learns: false, indexed, placeOf };
  } catch (error) {
    filter.end();
    throw error;
  } finally {
    inputs.files.close();
  }
}

/**
 * Adds all documents to the filter.
 *
 * @throws MinHashError MEMORY_BUDGET if they do not fit; what `onSkip` throws; the reason of the signal
 */
async function learnAgainst(
  filter: DocumentFilter,
  kernel: Kernel,
  { files, skipped }: Inputs,
  params: ResultParams,
  hooks: FilterHooks,
  onSkip: AgainstSkip,
): Promise<AgainstCounts> {
  for (const { place, code } of skipped) onSkip(bytesOf(place), code);
  const begun = performance.now();
  const learner = new Learner(filter, files, onSkip);
  const reading = new FormatReading(params, learner, readBuffers(undefined, kernel));
  const turns = new LoopTurns(undefined);
  let reported = 0;
  const tell = (): void => {
    const { documents: done, bytes } = learner;
    reported = done;
    const elapsedMs = performance.now() - begun;
    hooks.onProgress?.({ stage: 'index', done, total: null, unit: 'documents', bytes, elapsedMs });
  };
  for await (const part of readParts(files, numbersBelow(files.length), params, reading, learner)) {
    if (typeof part !== 'number') {
      learner.firstLine = 0;
      learner.skip(part.index, part.problem === 'TOO_LARGE' ? part.line : -1, part.problem, null);
    }
    if (learner.documents > reported) tell();
    await turns.give();
    hooks.signal?.throwIfAborted();
  }
  learner.flush();
  tell();
  return { files: files.length, documents: learner.documents, as_text: learner.asText };
}

/** Passes documents to the filter while they are read. */
class Learner extends BatchSink {
  /** Documents added to the filter, and bytes of their texts. */
  documents = 0;
  bytes = 0;
  asText = 0;
  readonly #filter: DocumentFilter;
  readonly #files: FileTable;
  readonly #onSkip: AgainstSkip;
  #last = 0;

  constructor(filter: DocumentFilter, files: FileTable, onSkip: AgainstSkip) {
    super(filter.batch);
    this.#filter = filter;
    this.#files = files;
    this.#onSkip = onSkip;
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    if (what === AS_TEXT) this.asText++;
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#onSkip(id ?? this.identity(file, record, null).id, code);
  }

  /** Adds the documents of the batch. @throws MinHashError MEMORY_BUDGET */
  flush(): void {
    const filter = this.#filter;
    const { batch } = this;
    filter.close();
    this.documents += batch.count;
    this.bytes += batch.bytes;
    for (let i = 0; i < batch.count; i++) if (!filter.learn(i)) this.#refuse();
    filter.clear();
  }

  protected override added(): void {
    if (this.batch.bytes >= BATCH_BYTES) this.flush();
  }

  protected override identity(file: number, record: number, id: Uint8Array | null): DocumentIdentity {
    this.#last = file;
    const number = this.#files.addressNumber(file, record, this.firstLine);
    return { id: id ?? bytesOf(this.#files.id(file) + placeEnd(number)), file, number };
  }

  #refuse(): never {
    const { totalBytes, length } = this.#files;
    const isKnown = totalBytes !== null && totalBytes !== UNKNOWN && this.bytes > 0;
    const times = isKnown ? totalBytes / this.bytes : length / (this.#last + 1);
    const enough = Math.ceil(this.#filter.memoryFor(1.05 * Math.max(1, times)) / 1e6);
    const detail = `the first ${this.documents} documents of --against fill it; --memory ${enough}MB is about enough for all`;
    throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
  }
}
