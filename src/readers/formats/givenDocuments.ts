/**
 * Input that a program passes to the library: documents, or pieces of a stream, read until they end, fail or
 * are aborted.
 */
import { Readable } from 'node:stream';
import type { Block } from '../../blocks/block.js';
import { kindOf, MinHashError } from '../../errors.js';
import { type DocumentPacker, type GivenDocument, isText } from './memoryDocuments.js';

/** An iterable, synchronous or not. */
export type Values<T> = Iterable<T> | AsyncIterable<T>;

/** Describes the position in the source, for the message of its failure. */
type Place = () => string;

/** An error of the source becomes the cause, with its message; a MinHashError is passed on. */
function failed(error: unknown, place: Place): MinHashError {
  if (error instanceof MinHashError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new MinHashError({ code: 'INPUT_FAILED', detail: `${place()}: ${message}` }, { cause: error });
}

/** The values of a synchronous source. @throws MinHashError INPUT_FAILED */
function* valuesAtHand<T>(values: Iterable<T>, place: Place): Generator<T> {
  try {
    for (const value of values) yield value;
  } catch (error) {
    throw failed(error, place);
  }
}

type Outcome<T> = { readonly next: IteratorResult<T> } | { readonly error: unknown } | 'stopped';

/**
 * The values of an asynchronous source; a source that never answers is abandoned when the signal fires.
 *
 * @param place null: errors of the source are passed on unchanged
 * @throws MinHashError INPUT_FAILED; the signal's reason
 */
export async function* valuesInTime<T>(
  values: AsyncIterable<T>,
  place: Place | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let wake: (outcome: Outcome<T>) => void = () => {};
  const stop = (): void => wake('stopped');
  signal?.addEventListener('abort', stop);
  let source: AsyncIterator<T> | null = null;
  try {
    const iterator = values[Symbol.asyncIterator]();
    source = iterator;
    for (;;) {
      signal?.throwIfAborted();
      const outcome = await new Promise<Outcome<T>>((resolve) => {
        wake = resolve;
        // One listener for all: a race against one long promise would retain every value.
        Promise.resolve(iterator.next()).then(
          (next) => resolve({ next }),
          (error) => resolve({ error }),
        );
      });
      if (outcome === 'stopped') throw signal!.reason;
      if ('error' in outcome || outcome.next.done === true) source = null;
      if ('error' in outcome) throw place === null ? outcome.error : failed(outcome.error, place);
      if (outcome.next.done === true) return;
      yield outcome.next.value;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Not awaited: a source that hangs would never answer.
    if (source !== null) closed(source);
  }
}

function closed(source: AsyncIterator<unknown>): void {
  try {
    source.return?.()?.then(undefined, () => {});
  } catch {
    // The loop was left for another error, which is reported.
  }
}

/** The values of any source; see `valuesInTime`. */
const valuesOf = <T>(values: Values<T>, place: Place, signal: AbortSignal | undefined) =>
  Symbol.asyncIterator in values ? valuesInTime(values, place, signal) : valuesAtHand(values, place);

/**
 * The values of a source of documents, which `packer` counts.
 *
 * @throws MinHashError INPUT_FAILED with the error of the source as its cause; the signal's reason
 */
export async function* givenValues<T>(
  documents: Values<T>,
  packer: Pick<DocumentPacker, 'count'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  const place: Place = () => `after ${packer.count} ${packer.count === 1 ? 'document' : 'documents'}`;
  yield* valuesOf(documents, place, signal);
}

/**
 * The documents in blocks of about 4 MB, each as soon as it is full.
 *
 * @throws MinHashError DOCUMENT_INVALID; INPUT_FAILED with the error of the source as its cause; the signal's
 * reason
 */
export async function* packGiven(
  documents: Values<GivenDocument>,
  packer: DocumentPacker,
  signal: AbortSignal | undefined,
): AsyncGenerator<Block> {
  for await (const document of givenValues(documents, packer, signal)) {
    const block = packer.add(document);
    if (block !== null) yield block;
  }
  const last = packer.end();
  if (last !== null) yield last;
}

/**
 * Checks that a value is a collection of documents; a string alone would yield its characters. @throws
 * MinHashError DOCUMENT_INVALID
 */
export function checkDocuments(documents: unknown): void {
  const isObject = typeof documents === 'object' && documents !== null && !ArrayBuffer.isView(documents);
  if (isObject && (Symbol.iterator in documents || Symbol.asyncIterator in documents)) return;
  const detail = `documents: expected an array, an iterable or an async iterable of documents, got ${kindOf(documents)}`;
  throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
}

/**
 * The stream of JSON lines that a program passes: text or bytes, and failures by their cause.
 *
 * @internal no part of the library's types
 */
export function givenStream(stream: Values<string | Uint8Array>, signal: AbortSignal | undefined): Readable {
  let count = 0;
  const place: Place = () => `after ${count} ${count === 1 ? 'piece' : 'pieces'} of the stream`;
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    for await (const piece of valuesOf(stream, place, signal)) {
      if (!isText(piece)) {
        const detail = `piece ${count} of the stream: expected a string or a Uint8Array, got ${kindOf(piece)}`;
        throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
      }
      count++;
      yield piece;
    }
  }
  return Readable.from(pieces());
}
