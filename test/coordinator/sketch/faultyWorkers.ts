/**
 * Loaded before the command in all of its threads (`--import`): documents and elements of sets that hold one of these words
 * do to their worker what the word says, and a file of the name no-open.jsonl kills whoever opens it.
 *
 * The fault is in the worker itself, where the text arrives; nothing of the command knows of it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { DocumentRecorder } from '../../../src/blocks/documents.js';
import type { RowSink } from '../../../src/blocks/sets.js';
import { PlacedRows } from '../../../src/readers/sinks/placedSinks.js';

const FAULTS: Readonly<Record<string, () => void>> = {
  THROWS: () => {
    throw new TypeError('this text throws');
  },
  ALLOCATES: () => {
    new ArrayBuffer(Number.MAX_SAFE_INTEGER);
  },
  DIES: () => process.exit(7),
  HANGS: () => {
    fs.writeSync(2, 'a text hangs\n');
    // A loop would take a core; test/engines/failing has one.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
};

function meet(text: Uint8Array, again: boolean): void {
  const words = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1');
  for (const [word, fault] of Object.entries(FAULTS)) {
    if (words.includes(again ? `AGAIN-${word}` : `FIRST-${word}`)) fault();
  }
}

const { text, whole, take } = DocumentRecorder.prototype;

/** The second reading is the one that does not want every document. */
function readsAgain(recorder: DocumentRecorder): boolean {
  return (recorder as unknown as { handler: { wants?: unknown } }).handler.wants !== undefined;
}

DocumentRecorder.prototype.text = function (bytes) {
  meet(bytes, readsAgain(this));
  text.call(this, bytes);
};

DocumentRecorder.prototype.whole = function (file, record, id, bytes, repaired) {
  meet(bytes, readsAgain(this));
  whole.call(this, file, record, id, bytes, repaired);
};

DocumentRecorder.prototype.take = function (file, length, probed) {
  const { bytes, at } = this.room()!;
  meet(bytes.subarray(at, at + length), readsAgain(this));
  return take.call(this, file, length, probed);
};

const { row: rows, many } = PlacedRows.prototype;

PlacedRows.prototype.many = function (bytes, batch) {
  if ((this as unknown as { takesMany: boolean }).takesMany)
    meet(bytes.subarray(batch.from, batch.to), false);
  return many.call(this, bytes, batch);
};

/** Where the lines of sets arrive: behind the place that is named for them. */
PlacedRows.prototype.row = function (...given) {
  const placed = this as unknown as { sink: RowSink & { readonly isWatched?: true } };
  const { sink } = placed;
  if (sink.isWatched === undefined) {
    const row: RowSink['row'] = (bytes, setFrom, setTo, from, to, ...rest) => {
      meet(bytes.subarray(setFrom, setTo), false);
      meet(bytes.subarray(from, to), false);
      return sink.row(bytes, setFrom, setTo, from, to, ...rest);
    };
    placed.sink = { row, skip: (...skipped) => sink.skip(...skipped), isWatched: true };
  }
  return rows.apply(this, given);
};

if (!isMainThread) {
  const { openSync } = fs;
  fs.openSync = (...args: Parameters<typeof openSync>) => {
    if (String(args[0]).endsWith('no-open.jsonl')) process.exit(8);
    return openSync(...args);
  };
  syncBuiltinESMExports();
}
