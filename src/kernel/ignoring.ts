/** A kernel whose shingles lack those of a table (`--ignore`), and are otherwise those of another kernel. */
import type { FingerprintTable } from '../arrays/hashTable.js';
import { type ShingleParams, type ShingleSink, ShingleStream } from '../text/shingles.js';
import { type Kernel, StreamedSketches } from './kernel.js';

/** Kept objects of the kernel are made for its first parameters: a run has one set of them. */
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
      // The list may be memory of the kernel, which others read and write.
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
