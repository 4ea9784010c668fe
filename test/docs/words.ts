/** Words and phrases that the pages do not use, because readers know other ones. */
interface WordNotUsed {
  readonly word: RegExp;
  readonly instead: string;
  /** False: the word has a technical meaning in code. */
  readonly inCode?: false;
}

export const WORDS_NOT_USED: readonly WordNotUsed[] = [
  {
    word: /\bthe house\b|\bfloors?\b|\brooms?\b(?! for)/i,
    instead: 'codebase, layer, directory',
    inCode: false,
  },
  { word: /\brecipes?\b/i, instead: 'pipeline' },
  { word: /\bcolumn blocks?\b|\brow chunks?\b|\btiles?\b/i, instead: 'batch; shard' },
  { word: /\bhot buckets?\b/i, instead: 'large bucket' },
  { word: /\bsurvivors?\b/i, instead: 'keep order' },
  { word: /\bidentity class(es)?\b/i, instead: 'duplicate group' },
  { word: /\bwithdrawn\b|\bvoid\b/i, instead: 'the input changed during the run' },
  { word: /\bwrong use\b/i, instead: 'usage error' },
  { word: /\bpacked\b|\bpackings?\b|\bunpack/i, instead: 'compressed, codec, decompress' },
  { word: /\b(is|are|was|were) (told|said)\b|\bit says\b/i, instead: 'is reported, prints' },
  { word: /\bis no\b|\bare no\b/i, instead: 'is not a', inCode: false },
  {
    word: /\bmend|\banew\b|\bmade anew\b|\btakes? up\b(?! to\b)|\bheld against\b/i,
    instead: 'fix, again, compare with',
  },
  {
    word: /\bbut for\b|\bsave for\b|\bneither\b|\bwhoever\b|\bthereof\b/i,
    instead: 'except; a plain sentence',
  },
  { word: /\bwho (asks|looks|reads|takes|gives|writes|wants)\b/i, instead: 'name the subject' },
  {
    word: /\b(one|record|row|line|test|file|byte)s? a (record|line|document|row|step|test|task|file|folder)\b/i,
    instead: 'per',
  },
  { word: /\bdecides nothing\b/i, instead: 'is ignored' },
  { word: /\bgoes over to the disk\b/i, instead: 'continues with files' },
  {
    word: /\bevidence\b|\bmargin\b|\bpromise line\b/i,
    instead: 'similarity, prefilter cutoff, expected recall',
    inCode: false,
  },
  { word: /\bsound\b|\bfaults?\b(?! tolerance)/i, instead: 'valid; error, failure', inCode: false },
  { word: /\b(stands|stand|lies|lie) (in|on|for|at|below|behind|beside)\b/i, instead: 'is' },
  {
    word: /\b(pages?|messages?|summary|manifest|run|it|command|file|list) (says|tells|names|asks|hears)\b/i,
    instead: 'prints, reports, has',
  },
];

/** Statements that were on the pages and are false. */
export const FALSE_STATEMENTS: readonly RegExp[] = [
  /drop list loses nothing/i,
  /pip install mr-minhash,? and nothing else/i,
  /--html raw|`find`|mr-minhash (find|export|report)\b/,
  /orders? of ids/i,
];

/** Words and phrases that comments, errors, help and test titles do not use either. */
export const WORDS_NOT_USED_IN_CODE: readonly WordNotUsed[] = [
  { word: /\bhears?\b/i, instead: 'receives, is notified' },
  { word: /(?<!there )\b(is|are) no (?!longer|such)\b/i, instead: 'is not a' },
  { word: /\b(null|undefined|absent|empty|false|NaN|-1|0) where\b/i, instead: 'if' },
  { word: /\b(bytes|steps|words|hashes|calls|tokens) an? (?!time\b)[a-z]+[;,.:]/i, instead: 'per' },
  { word: /\b(is|are) (left out|told apart)\b/i, instead: 'is skipped, differs' },
  { word: /\bwhatever\b/i, instead: 'for any' },
  { word: /\bas (it|they) (lies?|stands?)\b/i, instead: 'unchanged' },
];

/** Files and folders whose comments, strings and titles follow these words. */
export const CODE_PATHS: readonly string[] = [
  'benchmarks',
  'cli',
  'mappers',
  'reducers',
  'scripts',
  'site/main.ts',
  'site/pages.ts',
  'src/errors.ts',
  ...[
    'arrays',
    'blocks',
    'engines',
    'index',
    'kernel',
    'options',
    'readers',
    'sketch',
    'store',
    'tasks',
    'text',
  ].map((name) => `src/${name}`),
  'src/coordinator',
  ...['hostile', 'pairs', 'runs', 'sets', 'sketch'].map((name) => `test/coordinator/${name}`),
  ...[
    'arrays',
    'blocks',
    'engines',
    'faults',
    'kernel',
    'kills',
    'mappers',
    'reducers',
    'sketch',
    'store',
    'tasks',
    'text',
  ].map((name) => `test/${name}`),
  ...['analysis/result', 'analysis/inspect.ts', 'result', 'view'].map((name) => `src/${name}`),
  ...['browser', 'cli', 'result', 'view'].map((name) => `test/${name}`),
  'src/analysis',
  ...['__init__.py', '__main__.py', '_duckdb.py', '_frames.py', '_index.py', '_process.py', '_tables.py'].map(
    (name) => `python/src/mr_minhash/${name}`,
  ),
  ...['examples', 'src/mr_minhash/bridge.mjs', 'src/mr_minhash/duckdb', 'tests'].map(
    (name) => `python/${name}`,
  ),
  ...['analysis', 'coordinator/filter', 'coordinator/query', 'index'].map((name) => `test/${name}`),
];

/** Not covered yet: most tests. */
export const CODE_EXCEPTIONS: readonly (readonly [path: string, phrase: string])[] = [
  ['src/text/stopWords.ts', 'either neither some'],
  ['scripts/release.mjs', 'unpackedSize'],
  ['', 'file names'],
  ['', 'File names'],
];
