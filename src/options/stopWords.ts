/**
 * The stop words of `stopwords:k`: from a file, from a list, or the built-in ones.
 *
 * Floor 4. Reads the file; faults go to whoever asks.
 */
import { readFileSync } from 'node:fs';
import { ENGLISH_STOP_WORDS, parseStopWords } from '../sketch/stopWords.js';
import { type ShingleSpec, shownValue } from './kinds.js';

/** The stop words, distinct and sorted, so that neither their order nor repetition decides the result. */
export function stopWordsOf(
  values: { readonly shingle: ShingleSpec; readonly stopWords: string | readonly string[] | null },
  report: (option: 'stopWords', detail: string) => unknown,
): readonly string[] {
  const given = values.stopWords;
  if (values.shingle.unit !== 'stopwords') {
    if (given !== null)
      report('stopWords', '--stop-words: expected together with --shingle stopwords:k only');
    return [];
  }
  if (given === null) return distinctSorted(ENGLISH_STOP_WORDS);
  const place = typeof given === 'string' ? `--stop-words ${shownValue(given)}` : '--stop-words';
  let text: string;
  try {
    text = typeof given === 'string' ? readFileSync(given, 'utf8') : given.join('\n');
  } catch {
    report('stopWords', `${place}: the file cannot be read`);
    return [];
  }
  const { words, bad } = parseStopWords(text);
  if (bad.length > 0) {
    const more = bad.length > 1 ? ` and ${bad.length - 1} more` : '';
    report('stopWords', `${place}: ${shownValue(bad[0])}${more}: expected one word a line`);
  } else if (words.length === 0) {
    report('stopWords', `${place}: expected at least one word`);
  }
  return distinctSorted(words);
}

function distinctSorted(words: readonly string[]): readonly string[] {
  return [...new Set(words)].sort((a, b) => (a < b ? -1 : 1));
}
