/**
 * Stop words: the frequent words that mark running prose, for shingles that start at one (Mining of Massive
 * Datasets, section 3.2.4).
 *
 * The list was written for this program: English articles, pronouns, auxiliary verbs, prepositions, conjunctions and particles,
 * and the parts of words with an apostrophe ("don't" is the words "don" and "t").
 */
import { canonicalTokens } from './tokens.js';

const ARTICLES_AND_DETERMINERS =
  'a an the this that these those each every either neither some any no all both few many much more ' +
  'most several such other another own same';
const PRONOUNS =
  'i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we ' +
  'us our ours ourselves they them their theirs themselves who whom whose which what one';
const AUXILIARIES =
  'am is are was were be been being have has had having do does did doing will would shall should can ' +
  'could may might must cannot';
const PREPOSITIONS =
  'about above across after against along among around as at before behind below beneath beside between ' +
  'beyond by despite down during except for from in inside into like near of off on onto out outside ' +
  'over since through throughout to toward under until up upon with within without';
const CONJUNCTIONS = 'and but or nor if because although though while whereas unless than whether';
const PARTICLES =
  'not so too very then there here when where why how again also just only even yet still ever never ' +
  'now once further';
const PIECES =
  's t d ll m re ve don doesn didn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn';

/** Function words of English in canonical form, all different. */
export const ENGLISH_STOP_WORDS: readonly string[] = [
  ARTICLES_AND_DETERMINERS,
  PRONOUNS,
  AUXILIARIES,
  PREPOSITIONS,
  CONJUNCTIONS,
  PARTICLES,
  PIECES,
].flatMap((group) => group.split(' '));

/**
 * Parses a list: one word per line, `#` starts a comment, blank lines are ignored. `words`: in canonical form and in order of first
 * appearance, without repetitions. `bad`: the original entries that are not exactly one word after canonicalisation ("don't" is two
 * words, "--" is none).
 */
export function parseStopWords(text: string): { words: string[]; bad: string[] } {
  const encoder = new TextEncoder();
  const words = new Set<string>();
  const bad: string[] = [];
  for (const line of text.split('\n')) {
    const written = line.split('#', 1)[0]!;
    const entry = encoder.encode(written);
    if (canonicalTokens(entry, { unit: 'chars' }).length === 0) continue;
    const tokens = canonicalTokens(entry, { unit: 'words' });
    if (tokens.length === 1) words.add(tokens[0]!);
    else bad.push(written.replace(/^[\t\r ]+|[\t\r ]+$/g, ''));
  }
  return { words: [...words], bad };
}
