/** Feeds of small documents for the tests of mappers and reducers. */
import type { DocumentFeed } from '../../src/blocks/documents.js';
import type { ErrorCode } from '../../src/errors.js';

/** A text, or a document that turns out to be unreadable after its first bytes. */
export type Fed = string | { readonly begun: string; readonly problem: ErrorCode };

/** Gives the documents in order as records 0, 1, ... of file 0; every third in two pieces. */
export function feedOf(documents: readonly Fed[]): DocumentFeed {
  const encoder = new TextEncoder();
  return (sink) => {
    documents.forEach((document, record) => {
      const text = typeof document === 'string' ? document : document.begun;
      if (!sink.begin(0, record, encoder.encode(`id${record}`))) return;
      const bytes = encoder.encode(text);
      const cut = record % 3 === 0 ? bytes.length >> 1 : 0;
      if (cut > 0) sink.text(bytes.subarray(0, cut));
      if (bytes.length > cut) sink.text(bytes.subarray(cut));
      if (typeof document === 'string') sink.end(false);
      else sink.skip(0, record, document.problem, null);
    });
  };
}

const WORDS = ['rose', 'is', 'a', 'flower', 'which', 'red', 'blue', 'and', 'the', 'of', 'tree', 'sea'];

/** `count` words from a small vocabulary, the same for the same seed. */
export function someText(count: number, seed: number): string {
  const words: string[] = [];
  let state = (seed + 1) * 2654435761;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words.push(`${WORDS[state % WORDS.length]}${(state >>> 8) % 97}`);
  }
  return words.join(' ');
}

export const SOME_DOCUMENTS: readonly Fed[] = [
  someText(300, 1),
  '',
  'two words',
  { begun: someText(80, 2), problem: 'GZIP_TRUNCATED' },
  someText(40, 3),
  someText(6000, 4),
  ' \n ',
  someText(300, 1),
];
