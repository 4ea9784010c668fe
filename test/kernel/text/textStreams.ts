/** Shingle streams of the kernel and of the reference, run over the same pieces. */
import { createWasmShingleStreams } from '../../../src/kernel/text/wasmStream.js';
import type { ShingleParams, ShingleSink, ShingleStream, ShingleUnit } from '../../../src/text/shingles.js';
import { referenceStream } from '../referenceKernel.js';
import { newMemory } from '../sketchKernels.js';

export const kernelStreams = createWasmShingleStreams(newMemory());

export const paramsOf = (unit: ShingleUnit, size: number, bag = false, seed = 1): ShingleParams => ({
  unit,
  size,
  bag,
  stopWords: ['a', 'b', 'the', 'aa', 'é', '一'],
  seed,
});

/** Everything a stream says of a document; `calls` is the number of hashes of each call of the sink. */
export interface Streamed {
  readonly hashes: Uint32Array;
  readonly calls: readonly number[];
  readonly tokens: number;
  readonly occurrences: number;
  readonly repaired: boolean;
  readonly contentKey: readonly number[];
  readonly textKey: readonly number[];
}

type StreamMaker = (params: ShingleParams, sink: ShingleSink) => ShingleStream | null;

/** A function that runs one document after the other through one stream. */
export function runner(
  make: StreamMaker,
  params: ShingleParams,
): (pieces: readonly Uint8Array[]) => Streamed {
  let columns: Uint32Array[] = [];
  const stream = make(params, (hashes, count) => {
    columns.push(hashes.slice(0, 2 * count));
  })!;
  return (pieces) => {
    columns = [];
    stream.begin();
    for (const piece of pieces) stream.push(piece);
    stream.end();
    const hashes = new Uint32Array(columns.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const column of columns) {
      hashes.set(column, at);
      at += column.length;
    }
    const { tokens, occurrences, repaired } = stream;
    const calls = columns.map(({ length }) => length / 2);
    const keys = { contentKey: [...stream.contentKey], textKey: [...stream.textKey] };
    return { hashes, calls, tokens, occurrences, repaired, ...keys };
  };
}

const runners = new Map<string, [runner: ReturnType<typeof runner>, reference: ReturnType<typeof runner>]>();

/** Both results of a document. Streams are kept: each sees many documents. */
export function bothOf(pieces: readonly Uint8Array[], params: ShingleParams): [Streamed, Streamed] {
  const name = JSON.stringify(params);
  const pair = runners.get(name) ?? [runner(kernelStreams, params), runner(referenceStream, params)];
  runners.set(name, pair);
  return [pair[0](pieces), pair[1](pieces)];
}

const bytesOf = (words: Uint32Array): Buffer => Buffer.from(words.buffer, words.byteOffset, words.byteLength);

/** Whether two results are the same; quick, for loops of thousands. */
export function same(a: Streamed, b: Streamed): boolean {
  return (
    a.tokens === b.tokens &&
    a.occurrences === b.occurrences &&
    a.repaired === b.repaired &&
    a.calls.join() === b.calls.join() &&
    a.contentKey.join() === b.contentKey.join() &&
    a.textKey.join() === b.textKey.join() &&
    bytesOf(a.hashes).equals(bytesOf(b.hashes))
  );
}
