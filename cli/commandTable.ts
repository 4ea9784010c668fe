/**
 * The commands as data: their flags and words, and the texts of help and man page.
 *
 * Parser, help, docs/mr-minhash.1 and the completions of shells derive from this table. `--help` loads it, so it imports
 * nothing that takes time.
 */
import { METHOD_NAMES } from '../src/analysis/methods/method.js';
import {
  ESTIMATE_OPTIONS,
  METHOD_OPTIONS,
  type OwnOption,
  QUERY_OPTIONS,
} from '../src/options/queryOptions.js';
import { APPLY_OPTIONS } from '../src/options/resultOptions.js';
import { keysAlsoIn, type OtherUse } from '../src/options/table.js';
import { type FlagGroup, groupsOf, ownFlag, RUN_GROUPS } from './flags.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type CommandName =
  | 'run'
  | 'apply'
  | 'inspect'
  | 'view'
  | 'verify'
  | 'tune'
  | 'compare'
  | 'query'
  | 'filter'
  | 'index'
  | 'completion';

export interface CommandEntry {
  readonly name: CommandName;
  /** One line of the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** The words beside the flags: their form in the usage, and their meaning. */
  readonly argument: { readonly usage: string; readonly text: string };
  /** The words that the argument may be; absent: files and folders. */
  readonly words?: readonly string[];
  readonly groups: readonly FlagGroup[];
  readonly examples: readonly string[];
  /** The text after the examples. */
  readonly notes: readonly string[];
}

const SWITCH = { kind: { kind: 'switch' }, placeholder: null } as const;
const JSON_FLAG = { ...SWITCH, short: 'print one JSON object' } as const;
const VERBOSE_FLAG = { ...SWITCH, short: 'print the details of unexpected errors' } as const;

/** The flag of commands that show texts. */
const TEXTS_FLAG = {
  ...APPLY_OPTIONS.corpus,
  short:
    'where an input of the run is now, to read texts there: one for each of its PATHs, in their order; needed of a result that others may write to',
} as const;

export const INSPECT_FLAGS = {
  top: {
    kind: { kind: 'integer', least: 0, most: 1_000_000 },
    placeholder: 'N',
    short: 'how many pairs, clusters or documents to list',
    default: 10,
  },
  page: {
    kind: { kind: 'integer', least: 1, most: 1_000_000_000 },
    placeholder: 'N',
    short: 'of --clusters and --cluster: which so many of --top',
    default: 1,
  },
  pair: {
    kind: { kind: 'name' },
    placeholder: 'A B',
    short: 'all values of one pair, and its texts side by side',
  },
  document: {
    kind: { kind: 'name' },
    placeholder: 'ID',
    short: 'why a document (by id or place) is dropped or kept, and what resembles it',
  },
  clusters: { ...SWITCH, short: 'the clusters by size, the largest first' },
  cluster: {
    kind: { kind: 'integer', least: 1, most: Number.MAX_SAFE_INTEGER },
    placeholder: 'N',
    short: 'the documents of one cluster, and what becomes of each',
  },
  around: {
    kind: { kind: 'name' },
    placeholder: 'T',
    short: "candidate pairs just above and below a similarity; the word threshold is the run's",
  },
  corpus: TEXTS_FLAG,
  json: JSON_FLAG,
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

const APPLY_FLAGS = {
  ...APPLY_OPTIONS,
  json: JSON_FLAG,
  quiet: { ...SWITCH, letter: 'q', short: 'do not print progress or a summary; errors are still printed' },
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

export const VIEW_FLAGS = {
  port: {
    kind: { kind: 'integer', least: 1, most: 65_535 },
    placeholder: 'N',
    short: 'the port to listen at',
    defaultText: 'any that is free',
  },
  host: {
    kind: { kind: 'name' },
    placeholder: 'NAME',
    short:
      'listen there, for other machines too: all that is in the result and its texts goes over the net as it is',
    defaultText: '127.0.0.1, this machine alone',
  },
  save: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short:
      'write one page with charts and pairs to a file instead (- for standard output); replaces an earlier page only',
  },
  open: { ...SWITCH, short: 'open the page in a browser' },
  dropList: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'where the edited drop list is read and saved',
    defaultText: 'DIR-drop-list.tsv',
  },
  corpus: TEXTS_FLAG,
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

export const TUNE_FLAGS = {
  keys: {
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'K',
    short: 'choose with at most so many bands: the bucket keys a document costs',
  },
  ceiling: {
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'S P',
    short:
      'seek the shortest signature with which pairs of Jaccard similarity S are candidates with probability P at most',
  },
  error: {
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'E',
    short: 'how far an estimate may be off',
    defaultText: '0.05',
  },
  confidence: {
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'C',
    short: 'how surely it shall be no further off',
    defaultText: '0.95',
  },
  agree: {
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    short: 'the rule that at least M of the N slots agree, without bands',
  },
  compare: {
    kind: { kind: 'name' },
    placeholder: 'LIST',
    short: 'settings side by side, such as 20x5,16x8 (bands x rows)',
  },
  sample: {
    kind: { kind: 'integer', least: 2, most: 10_000 },
    placeholder: 'N',
    short: 'documents of the corpus to sketch, 2 to 10000',
    defaultText: '2000',
  },
  save: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'write pairs of the corpus side by side to a page of HTML; replaces an earlier page only',
  },
  open: { ...SWITCH, short: 'open pairs of the corpus side by side in a browser' },
  svg: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'draw the S-curves into a file; never replaces one without --force',
  },
  force: { ...SWITCH, short: 'replace the file of --svg' },
  json: JSON_FLAG,
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

export const COMPARE_FLAGS = {
  in: {
    kind: { kind: 'paths' },
    placeholder: 'PATH',
    repeatable: true,
    short: 'A and B are ids of the documents there; may be repeated',
  },
  explain: { ...SWITCH, short: 'list shared and differing shingles' },
  most: {
    kind: { kind: 'integer', least: 0, most: 1_000_000 },
    placeholder: 'N',
    short: 'how many shingles of each list to show',
    default: 20,
  },
  estimates: {
    ...SWITCH,
    short: 'print what every sketch estimates, with bounds and error; so do the options of sketches',
  },
  ...ESTIMATE_OPTIONS,
  method: {
    kind: { kind: 'choices', choices: [...METHOD_NAMES, 'all'] },
    placeholder: 'NAME',
    repeatable: true,
    short: 'the values of a method, with A as base and B as document; may be repeated',
  },
  ...METHOD_OPTIONS,
  json: JSON_FLAG,
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

/** Options that `query` has only on the command line. */
export const QUERY_OWN = {
  baseList: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'several bases: a file with the name of one a line; all words are PATHs then',
  },
  format: {
    kind: { kind: 'choice', choices: ['tsv', 'csv', 'jsonl'] },
    placeholder: 'F',
    short: 'the form of the answers: tsv, csv or jsonl',
    defaultText: 'tsv',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

const QUERY_FLAGS = {
  baseList: QUERY_OWN.baseList,
  ...QUERY_OPTIONS,
  stopWords: {
    kind: { kind: 'words' },
    placeholder: 'FILE',
    short: 'sswf, scam: words that are left out, one a line; also of --shingle stopwords:k',
    defaultText: 'built-in English list',
  },
  format: QUERY_OWN.format,
  failOnMatch: { ...SWITCH, short: 'end with exit code 3 when there is an answer' },
  quiet: { ...SWITCH, letter: 'q', short: 'do not print progress or a summary; errors are still printed' },
  verbose: {
    ...SWITCH,
    short: 'name every document that is not read, and print the details of unexpected errors',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

export const FILTER_FLAGS = {
  against: {
    kind: { kind: 'path' },
    placeholder: 'PATH',
    repeatable: true,
    short: 'pass on what resembles no document there, instead of none passed before; may be repeated',
  },
  index: {
    kind: { kind: 'path' },
    placeholder: 'INDEX',
    short: 'pass on what resembles no document of an index, which has the options',
  },
  append: {
    ...SWITCH,
    short: 'add what passes to the index when the stream ends, and compare later records with it',
  },
  portion: { kind: { kind: 'name' }, placeholder: 'NAME', short: 'the name of what --append adds' },
  dropped: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'list what is not passed on, with what it resembles or why',
  },
  counts: { kind: { kind: 'path' }, placeholder: 'FILE', short: 'write the counts as JSON' },
  force: { ...SWITCH, short: 'replace the files of --dropped and --counts' },
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

export const INDEX_SUBCOMMANDS = [
  'create',
  'add',
  'portions',
  'stats',
  'check',
  'remove',
  'compact',
] as const;

export const INDEX_FLAGS = {
  portion: {
    kind: { kind: 'name' },
    placeholder: 'NAME',
    short: 'add: the name of what is added; remove: what is removed',
  },
  ids: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'remove: the documents whose ids or locations are in the file, one per line',
  },
  notSeenSince: {
    kind: { kind: 'name' },
    placeholder: 'DATE',
    short: 'remove: documents that were added before this day and that no addition resembled since',
  },
  withoutSets: {
    ...SWITCH,
    short:
      'create: keep no shingle sets, half of the bytes; candidates are verified by their files, which are read again',
  },
  json: JSON_FLAG,
  quiet: { ...SWITCH, letter: 'q', short: 'print neither progress nor answers; errors stay' },
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

/** The flags of a run that a command shares, without those that its own flags replace. */
function groupsAlsoIn(use: OtherUse, own: Readonly<Record<string, OwnOption>>): FlagGroup[] {
  return groupsOf(keysAlsoIn(use).filter((key) => !(key in own)));
}

function optionsGroup(own: Readonly<Record<string, OwnOption>>): FlagGroup {
  return { title: 'Options', flags: Object.entries(own).map(([key, entry]) => ownFlag(key, entry)) };
}

const FOLDER = { usage: '<DIR>', text: 'the output folder of a run' } as const;

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'find the near-duplicates among files',
    description:
      'Reads the files under every PATH (- is JSON lines on standard input), finds their near-duplicates ' +
      'and writes pairs, clusters and a drop list into a folder. Every dropped document has a kept near-duplicate, ' +
      'named with its similarity.',
    argument: { usage: '[PATH...]', text: 'files and directories' },
    groups: RUN_GROUPS,
    examples: [
      'mr-minhash run texts/ --out result',
      'mr-minhash run mail.jsonl --text-field body --id-field message_id',
      "mr-minhash run src/ --include '**/*.ts' --shingle lines:3 --threshold 0.6",
      'mr-minhash run texts/ --hashes 100 --verify signature --agree 90',
      'zcat crawl.jsonl.gz | mr-minhash run - --verify signature --shards 16',
    ],
    notes: [
      'Exit codes: 0 done, 1 failed, 2 wrong use, 3 a pair was accepted (with --fail-on-duplicates), 130 interrupted.',
    ],
  },
  {
    name: 'apply',
    summary: 'write the corpus of a result without what was dropped',
    description:
      'Writes the files that a finished run read without the documents of its drop list: the same folders, names, formats ' +
      'and packings, and every kept record byte for byte. Inputs are never changed.',
    argument: FOLDER,
    groups: [optionsGroup(APPLY_FLAGS)],
    examples: [
      'mr-minhash apply result --to clean',
      'mr-minhash apply result --to clean --link',
      'mr-minhash apply result --to labelled --annotate',
      'mr-minhash apply result --to clean --corpus /mnt/copy/texts',
      'mr-minhash apply result --to clean --drop-list result-drop-list.tsv',
      'mr-minhash apply result --list dropped -0 | xargs -0 ls -l',
    ],
    notes: [
      'Until all is written OUT is not there, or as it was: an interrupted apply starts over. run --write OUT does both at once. ' +
        'Exit codes: 0 done, 1 failed, 2 wrong use or inputs that changed since the run, 130 interrupted.',
    ],
  },
  {
    name: 'inspect',
    summary: 'look at a result: counts, pairs, clusters, one document, two texts side by side',
    description:
      'Shows the counts and the most alike near pairs of a finished result; or one pair in full, with its texts as they are ' +
      'and what they share marked; or clusters, or all that is known of one document, or the pairs around a threshold.',
    argument: FOLDER,
    groups: [optionsGroup(INSPECT_FLAGS)],
    examples: [
      'mr-minhash inspect result --top 20',
      'mr-minhash inspect result --pair a.txt b.txt',
      "mr-minhash inspect result --pair '-#2' '-#3'",
      'mr-minhash inspect result --document b.txt',
      'mr-minhash inspect result --clusters --top 20 --page 2',
      'mr-minhash inspect result --cluster 1',
      'mr-minhash inspect result --around threshold',
    ],
    notes: [],
  },
  {
    name: 'view',
    summary: 'browse a result: clusters, texts side by side, and an editor of the drop list',
    description:
      'Serves pages about a finished result to a browser on this machine, at the address that it prints: counts, clusters ' +
      'and their documents, two texts side by side. Edits of the drop list (keep this instead, keep both, drop) are saved at once in a ' +
      'file for apply --drop-list. Ends when it is interrupted. --save FILE writes one page about the result instead, which needs no ' +
      'network, script or other file.',
    argument: FOLDER,
    groups: [optionsGroup(VIEW_FLAGS)],
    examples: [
      'mr-minhash view result',
      'mr-minhash view result --open',
      'mr-minhash view result --save found.html',
    ],
    notes: [
      'The address holds a token, without which nothing is answered. The result is only read. Exit codes: 0 ended by an interrupt, ' +
        '1 failed, 2 no result or wrong use.',
    ],
  },
  {
    name: 'verify',
    summary: 'check a result against its manifest',
    description:
      'Reads every file of a finished result and tells what is not as its manifest says: lengths, SHA-256, ' +
      'rows, files that are missing and files that do not belong there.',
    argument: FOLDER,
    groups: [optionsGroup({ json: JSON_FLAG, verbose: VERBOSE_FLAG })],
    examples: ['mr-minhash verify result', 'mr-minhash verify result --json'],
    notes: ['Exit codes: 0 sound, 1 damaged, 2 no result or wrong use.'],
  },
  {
    name: 'tune',
    summary: 'choose bands, rows and signature length, and see what they miss',
    description:
      'Calculates, without a run, what settings do: bands and rows for a threshold, their S-curve and what it ' +
      'misses, how exact a signature is, and with PATH what to expect of a corpus, from a sample.',
    argument: { usage: '[PATH...]', text: 'files and directories to sample' },
    groups: [optionsGroup(TUNE_FLAGS), ...groupsAlsoIn('tune', TUNE_FLAGS)],
    examples: [
      'mr-minhash tune --threshold 0.8 --recall 0.95 --hashes 128',
      'mr-minhash tune --threshold 0.9 --ceiling 0.6 0.01',
      'mr-minhash tune --compare 20x5,16x8,14x8 --svg curves.svg',
      'mr-minhash tune --error 0.05 --confidence 0.95',
      'mr-minhash tune --agree 90 --hashes 100',
      'mr-minhash tune texts/ --sample 2000',
      'mr-minhash tune texts/ --open',
    ],
    notes: [
      '--error or --confidence, --agree, --compare and a PATH each ask for a part of the answer; without any of them ' +
        'the choice of bands and rows is shown in full.',
    ],
  },
  {
    name: 'compare',
    summary: 'measure how similar two documents are',
    description:
      'Prints the exact Jaccard similarity, distance and containment of two documents, as sets and as bags of shingles; with ' +
      '--estimates also what every sketch estimates, and with --method the values of copy-detection systems.',
    argument: { usage: '<A> <B>', text: 'two files, or with --in two ids' },
    groups: [optionsGroup(COMPARE_FLAGS), ...groupsAlsoIn('compare', COMPARE_FLAGS)],
    examples: [
      'mr-minhash compare texts/a.txt texts/b.txt',
      'mr-minhash compare old.ts new.ts --shingle lines:2 --explain',
      'mr-minhash compare m1 m2 --in mail.jsonl --text-field body',
      'mr-minhash compare a.txt more/d.txt --in texts/ --estimates --hashes 256',
      'mr-minhash compare a.txt b.txt --method winnowing --noise 20 --guarantee 40',
      'mr-minhash compare a.txt more/d.txt --in texts/ --method all',
    ],
    notes: [
      `Methods: ${METHOD_NAMES.join(', ')}; all is every one. Those that weigh words count them in the documents of --in, else ` +
        'in A and B.',
      'Without --in, A and B are files, each read as one text (.gz is unpacked). With it they are ids of the documents ' +
        'that run would read there, as they stand in result files.',
      'Exit codes: 0 done, 2 wrong use or a document that cannot be read.',
    ],
  },
  {
    name: 'query',
    summary: 'one document against many: what resembles, contains or copies it',
    description:
      'Finds the documents under every PATH that resemble BASE, contain it or are contained in it, with exact values, best ' +
      'first, in one reading of the corpus. Other methods of detecting copies can be asked by --method.',
    argument: {
      usage: '<BASE> <PATH...|INDEX>',
      text: 'a file (- is standard input), then files and directories, or the folder of an index',
    },
    groups: [optionsGroup(QUERY_FLAGS), ...groupsAlsoIn('query', QUERY_FLAGS)],
    examples: [
      'mr-minhash query essay.txt texts/',
      'mr-minhash query essay.txt crawl.jsonl --method containment --explain',
      'mr-minhash query essay.txt crawl.index',
      'mr-minhash query --base-list bases.txt texts/ --top 3 --format jsonl',
      'mr-minhash query essay.txt texts/ --method sswf --pieces 10',
      'mr-minhash query - texts/ --distinct --fail-on-match < essay.txt',
    ],
    notes: [
      'BASE is one text, whatever its name; where it lies under a PATH itself it is no answer. With --base-list the rows ' +
        'begin with the base.',
      'Exit codes: 0 done, 1 failed, 2 wrong use, 3 there is an answer (with --fail-on-match), 130 interrupted.',
    ],
  },
  {
    name: 'filter',
    summary: 'pass on the JSON lines that resemble none passed before',
    description:
      'Reads JSON lines on standard input and passes on, as they are and as soon as each is decided, those that resemble ' +
      'none that was passed on before, or none of the documents of --against.',
    argument: { usage: '< LINES', text: 'JSON lines on standard input' },
    groups: [optionsGroup(FILTER_FLAGS), ...groupsAlsoIn('filter', FILTER_FLAGS)],
    examples: [
      'mr-minhash filter < crawl.jsonl > distinct.jsonl',
      'zcat day.jsonl.gz | mr-minhash filter --against corpus/ > new.jsonl',
      'mr-minhash filter --index crawl.index < december.jsonl > new.jsonl',
      'tail -f feed.jsonl | mr-minhash filter --memory 2GB --dropped dropped.tsv',
    ],
    notes: [
      'Exit codes: 0 done, 1 failed, 2 wrong use, 3 a line was dropped as a duplicate (with --fail-on-duplicates), ' +
        '130 interrupted. Every file under --against is read as run reads it.',
    ],
  },
  {
    name: 'index',
    summary: 'an index that grows: add portions, and see what of them is new',
    description:
      'Makes an index of documents and adds to it portion by portion, each at once or not at all. run --against INDEX, query and ' +
      'filter --index answer from it as from the documents themselves.',
    argument: {
      usage: 'ACTION INDEX [PATH...]',
      text: 'create, add, portions, stats, check, remove or compact; the folder of the index; for add files and directories',
    },
    words: INDEX_SUBCOMMANDS,
    groups: [optionsGroup(INDEX_FLAGS), ...groupsAlsoIn('index', INDEX_FLAGS)],
    examples: [
      'mr-minhash index create crawl.index --threshold 0.8',
      'mr-minhash index add crawl.index 2026-11/ --portion 2026-11 > near.tsv',
      'mr-minhash query page.html crawl.index',
      'mr-minhash run 2026-12/ --against crawl.index --append --portion 2026-12',
      'mr-minhash index remove crawl.index --portion 2026-09',
      'mr-minhash index compact crawl.index',
    ],
    notes: [
      'Options that decide what is near are given to create and pinned in the index. add prints what of the portion resembles ' +
        'documents that were there.',
      'Exit codes: 0 done, 1 failed or damaged (check), 2 usage error or no index, 130 interrupted.',
    ],
  },
  {
    name: 'completion',
    summary: 'print what makes a shell complete commands and flags',
    description:
      'Prints a script that lets the shell complete commands, flags, their values and files by TAB.',
    argument: { usage: '<SHELL>', text: SHELLS.join(', ') },
    words: SHELLS,
    groups: [],
    examples: [
      'source <(mr-minhash completion bash)   # in ~/.bashrc',
      'source <(mr-minhash completion zsh)    # in ~/.zshrc, after compinit',
      'mr-minhash completion fish | source    # in ~/.config/fish/config.fish',
    ],
    notes: [],
  },
];
