/**
 * How a text becomes the elements that a method compares: 64-bit hashes in the order of the text, one by one as it is read.
 */

import { createShingleStream, type ShingleParams, type ShingleSink } from '../../text/shingles.js';

/** What the elements of a text are. */
export type ElementRule = {
  /** The shingles of a run; words one by one are shingles of one word. */
  readonly kind: 'shingles';
  readonly shingle: ShingleParams;
};

/** Text in, elements out. One document at a time: begin, push any number of times, end. */
export interface ElementStream {
  begin(): void;
  /** UTF-8, in order, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Passes the last elements to the sink. */
  end(): void;
  /** Optional shortcut for a complete document: the same as begin, push, end. */
  whole?(text: Uint8Array): void;
  /** An invalid byte sequence was replaced. */
  readonly repaired: boolean;
}

/** Makes streams of shingles: the reference, or a kernel. */
export type ShingleStreams = (params: ShingleParams, sink: ShingleSink) => ElementStream;

/** A stream that passes elements to `sink`, at most 65,536 a call; a text without tokens has none. */
export function createElementStream(
  rule: ElementRule,
  sink: ShingleSink,
  shingleStreams: ShingleStreams = createShingleStream,
): ElementStream {
  return shingleStreams(rule.shingle, sink);
}

/** All elements of a text in their order: pairs (low, high). */
export function elementsOf(
  text: Uint8Array,
  rule: ElementRule,
  shingleStreams?: ShingleStreams,
): Uint32Array {
  const parts: Uint32Array[] = [];
  let length = 0;
  const sink: ShingleSink = (hashes, count) => {
    parts.push(hashes.slice(0, 2 * count));
    length += 2 * count;
  };
  const stream = createElementStream(rule, sink, shingleStreams);
  stream.begin();
  if (text.length > 0) stream.push(text);
  stream.end();
  const elements = new Uint32Array(length);
  let at = 0;
  for (const part of parts) {
    elements.set(part, at);
    at += part.length;
  }
  return elements;
}

/** Words one by one, as elements. */
export function wordRule(seed: number): ElementRule {
  return { kind: 'shingles', shingle: { unit: 'words', size: 1, bag: false, stopWords: [], seed } };
}

/** The elements of single words, each given as a text of its own; one that is no word or several has the elements of its parts. */
export function wordElements(words: readonly string[], seed: number): Uint32Array {
  return elementsOf(new TextEncoder().encode(words.join('\n')), wordRule(seed));
}
