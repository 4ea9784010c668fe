/**
 * The options for other rules than the usual ones: m of n slots, exact duplicates alone, thinned sketches, greedy clusters.
 *
 * Floor 4. A part of the table of options, data only like the rest of it.
 */
import type { OptionEntry } from './entry.js';
import type { RuleOptions } from './runOptions.js';

const PAIRS = { group: 'How pairs are found and verified', decides: 'result' } as const;

const SWITCH = { kind: { kind: 'switch' }, placeholder: null, default: false } as const;

export const RULE_OPTIONS: Readonly<Record<keyof RuleOptions, OptionEntry>> = {
  agree: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    default: null,
    defaultText: 'by --threshold',
    short: 'accept a candidate pair when at least M of the N slots of --hashes agree',
    long: 'With --verify signature only, and in the place of --threshold, which then is M/N.',
  },
  exactDuplicates: {
    ...PAIRS,
    ...SWITCH,
    short: 'look for documents with the same tokens alone: no sketches, no candidates',
    long:
      'What the tokens are follows from --shingle: words, characters, lines or bytes; ' +
      'the kind of a pair says whether the texts are the same bytes, too. ' +
      'Excludes every other option of this group but --seed.',
  },
  sample: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 65_536 },
    placeholder: 'N',
    default: 1,
    short: 'sketch only shingles whose hash is 0 mod N, about one in N, 1 to 65536',
    long:
      'Decides which pairs are candidates; --verify exact compares the full sets of all of them, and --verify signature ' +
      'the samples. A document without a sampled shingle is found by identity alone, and counted.',
  },
  maxShingleDocuments: {
    ...PAIRS,
    kind: { kind: 'integer', least: 2, most: 1_000_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: 'no limit',
    short: 'sketch no shingle that occurs in more than N documents, 2 to 1000000000',
    long:
      'They are counted first, which reads the input twice more, so it cannot be standard input, and listed in the ' +
      'file eliminated. Decides which pairs are candidates, as --sample does.',
  },
  cluster: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['components', 'greedy'] },
    placeholder: 'KIND',
    default: 'components',
    short: 'how clusters are made: components or greedy',
    long:
      'components: connected ones, which can chain. greedy: in the order of ids a document joins the cluster whose ' +
      'representative it resembles most, where the estimate of its sketch reaches the threshold, else it founds one. ' +
      'Pairs and drop list are the same.',
  },
  representative: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['first', 'popular'] },
    placeholder: 'WHAT',
    default: null,
    defaultText: 'first',
    short: 'what stands for a greedy cluster: its first member, or its popular fingerprints',
    long: 'popular: as many of its most popular fingerprints as a signature has slots. With --cluster greedy only.',
  },
};
