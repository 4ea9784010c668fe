/** Converts a text into the elements that a method compares: 64-bit hashes in text order, while the text is read. */

import { concatenated } from '../../arrays/growable.js';
import { canonicalStream, type Normalization, prepared, type TextStream } from '../../text/preparedText.js';
import { CharacterShingles, HashColumn, TokenShingles } from '../../text/rolling.js';
import { createShingleStream, type ShingleParams, type ShingleSink } from '../../text/shingles.js';
import { CharacterTokens, keptLetters, SentenceTokens } from '../../text/tokenizers.js';

/** The rule for the elements of a text. JSON. */
export type ElementRule =
  | {
      /** The shingles of a run; single words are shingles of one word. */
      readonly kind: 'shingles';
      readonly shingle: ShingleParams;
    }
  | {
      /**
       * `letters`: every `size` (1..63) consecutive letters, marks and numbers of the text in lower case without other
       * characters. `sentences`: every `size` (1..63) consecutive sentences, as src/text/tokenizers.ts defines them.
       * With both, a text with fewer than `size` has one element, the whole text.
       */
      readonly kind: 'letters' | 'sentences';
      readonly size: number;
      readonly seed: number;
      readonly normalize?: Normalization;
    };

/** Creates streams of shingles: with the reference implementation, or with a kernel. */
export type ShingleStreams = (params: ShingleParams, sink: ShingleSink) => TextStream;

/** A stream that passes elements to `sink`, at most 65,536 per call; a text without tokens has no elements. */
export function createElementStream(
  rule: ElementRule,
  sink: ShingleSink,
  shingleStreams: ShingleStreams = createShingleStream,
): TextStream {
  if (rule.kind === 'shingles') return shingleStreams(rule.shingle, sink);
  const stream = rule.kind === 'letters' ? letterStream(rule, sink) : sentenceStream(rule, sink);
  return prepared(rule.normalize, stream);
}

type ChunkRule = Exclude<ElementRule, { kind: 'shingles' }>;

function letterStream({ size, seed }: ChunkRule, sink: ShingleSink): TextStream {
  const column = new HashColumn(sink);
  const shingles = new CharacterShingles(seed, size, column);
  const characters = new CharacterTokens((codePoints, count) =>
    shingles.push(codePoints, keptLetters(codePoints, count)),
  );
  return canonicalStream(characters, [shingles, column]);
}

function sentenceStream({ size, seed }: ChunkRule, sink: ShingleSink): TextStream {
  const column = new HashColumn(sink);
  const shingles = new TokenShingles(seed, size, column);
  const sentences = new SentenceTokens(seed, (hashes, count) => shingles.push(hashes, count));
  return canonicalStream(sentences, [shingles, column]);
}

/** All elements of a text in order: pairs (low, high). */
export function elementsOf(
  text: Uint8Array,
  rule: ElementRule,
  shingleStreams?: ShingleStreams,
): Uint32Array {
  const parts: Uint32Array[] = [];
  const sink: ShingleSink = (hashes, count) => void parts.push(hashes.slice(0, 2 * count));
  const stream = createElementStream(rule, sink, shingleStreams);
  stream.whole(text);
  return concatenated(parts);
}

/** The parameters of shingles that all rules share; `normalize` is absent if texts are not normalized. */
type Shared = Pick<ShingleParams, 'seed' | 'normalize'>;

/** The rule whose elements are single words. */
export function wordRule(shared: Shared): Extract<ElementRule, { kind: 'shingles' }> {
  const shingle = { unit: 'words', size: 1, bag: false, stopWords: [], ...seeded(shared) } as const;
  return { kind: 'shingles', shingle };
}

export function seeded({ seed, normalize }: Shared): Shared {
  return normalize === undefined ? { seed } : { seed, normalize };
}

/**
 * The elements of single words, one per entry of `words`. An entry with several words has an element for each; an entry
 * without words has none.
 */
export function wordElements(words: readonly string[], shared: Shared): Uint32Array {
  return elementsOf(new TextEncoder().encode(words.join('\n')), wordRule(shared));
}
