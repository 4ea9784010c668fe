/** Wraps a kernel to remove the shingles of a table (`--ignore`). */
import type { FingerprintTable } from '../arrays/hashTable.js';
import { type ShingleParams, type ShingleSink, ShingleStream } from '../text/shingles.js';
import { type Kernel, StreamedSketches } from './kernel.js';

/** The kernel keeps objects for its first parameters, which is enough for a run. */
export function kernelIgnoring(kernel: Kernel, ignored: FingerprintTable): Kernel {
  const streamTo = (params: ShingleParams, sink: ShingleSink): ShingleStream =>
    new IgnoringStream((inner) => kernel.shingleStream(params, inner), ignored, sink);
  return {
    ...kernel,
    shingleStream: streamTo,
    documentSketches(shingle, sketch, also) {
      const { rows } = kernel.documentSketches(shingle, sketch);
      return new StreamedSketches((sink) => streamTo(shingle, sink), kernel.sketcher(sketch), rows, also);
    },
  };
}

/** Shingles of a stream without those of the table; `occurrences` counts the others. */
class IgnoringStream extends ShingleStream {
  readonly #stream: ShingleStream;
  #kept = 0;

  constructor(make: (sink: ShingleSink) => ShingleStream, ignored: FingerprintTable, sink: ShingleSink) {
    super();
    let room = new Uint32Array(0);
    this.#stream = make((hashes, count) => {
      // The list may be kernel memory, so it must not be changed.
      if (room.length < 2 * count) room = new Uint32Array(2 * count);
      let kept = 0;
      for (let i = 0; i < 2 * count; i += 2) {
        if (ignored.has(hashes[i]!, hashes[i + 1]!)) continue;
        room[2 * kept] = hashes[i]!;
        room[2 * kept++ + 1] = hashes[i + 1]!;
      }
      this.#kept += kept;
      if (kept > 0) sink(room, kept);
    });
  }

  begin(): void {
    this.#kept = 0;
    this.#stream.begin();
  }

  push(bytes: Uint8Array): void {
    this.#stream.push(bytes);
  }

  end(): void {
    this.#stream.end();
    this.found(this.#stream);
    this.occurrences = this.#kept;
  }
}
