/**
 * The commands as data: their flags and arguments, and the texts of help and man page.
 *
 * Parser, help, docs/mr-minhash.1 and shell completions are made from this table. `--help` loads it, so it imports
 * nothing that is slow to load.
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
  /** The line in the list of commands. */
  readonly summary: string;
  readonly description: string;
  /** The arguments beside the flags: as in the usage line, and what they are. */
  readonly argument: { readonly usage: string; readonly text: string };
  /** The words that the argument can be; absent for files and directories. */
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
    'where an input of the run is now, to read its texts: one per PATH, in the same order; required if others can write to the result',
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
    short: 'with --clusters or --cluster: the page to list, with --top rows per page',
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
    short: 'why a document (id or location) is dropped or kept, and its similar documents',
  },
  clusters: { ...SWITCH, short: 'list clusters, the largest first' },
  cluster: {
    kind: { kind: 'integer', least: 1, most: Number.MAX_SAFE_INTEGER },
    placeholder: 'N',
    short: 'list the documents of one cluster, each kept or dropped',
  },
  around: {
    kind: { kind: 'name' },
    placeholder: 'T',
    short: 'list candidate pairs just above and below a similarity; the word threshold is that of the run',
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
    short: 'the port to listen on',
    defaultText: 'a free port',
  },
  host: {
    kind: { kind: 'name' },
    placeholder: 'NAME',
    short: 'listen on this address, for other machines too; the result and its texts are sent unencrypted',
    defaultText: '127.0.0.1, this machine only',
  },
  save: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short:
      'write one page with charts and pairs to a file instead (- for standard output); it replaces only an earlier page',
  },
  open: { ...SWITCH, short: 'open the page in a browser' },
  dropList: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'the file of the edited drop list',
    defaultText: 'DIR-drop-list.tsv',
  },
  corpus: TEXTS_FLAG,
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

export const TUNE_FLAGS = {
  error: {
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'E',
    short: 'the largest error of an estimate',
    defaultText: '0.05',
  },
  confidence: {
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'C',
    short: 'the probability that the error is not larger',
    defaultText: '0.95',
  },
  agree: {
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    short: 'evaluate the rule that at least M of N slots agree, without bands',
  },
  compare: {
    kind: { kind: 'name' },
    placeholder: 'LIST',
    short: 'compare settings, such as 20x5,16x8 (bands x rows)',
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
    short: 'write the S-curves to a file; --force replaces an existing file',
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
    short: 'A and B are ids of documents in PATH; can be repeated',
  },
  explain: { ...SWITCH, short: 'list shared and differing shingles' },
  most: {
    kind: { kind: 'integer', least: 0, most: 1_000_000 },
    placeholder: 'N',
    short: 'how many shingles to print per list',
    default: 20,
  },
  estimates: {
    ...SWITCH,
    short: 'print the estimate of every sketch, with bounds and error; sketch options imply this',
  },
  ...ESTIMATE_OPTIONS,
  method: {
    kind: { kind: 'choices', choices: [...METHOD_NAMES, 'all'] },
    placeholder: 'NAME',
    repeatable: true,
    short: 'print the values of a method, with A as base and B as document; can be repeated',
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
    short: 'a file with one base file name per line; all arguments are then PATHs',
  },
  format: {
    kind: { kind: 'choice', choices: ['tsv', 'csv', 'jsonl'] },
    placeholder: 'F',
    short: 'the format of the answers: tsv, csv or jsonl',
    defaultText: 'tsv',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

const QUERY_FLAGS = {
  baseList: QUERY_OWN.baseList,
  ...QUERY_OPTIONS,
  stopWords: {
    kind: { kind: 'words' },
    placeholder: 'FILE',
    short: 'sswf, scam and --shingle stopwords:k: the stop words, one per line',
    defaultText: 'built-in English list',
  },
  format: QUERY_OWN.format,
  failOnMatch: { ...SWITCH, short: 'exit with code 3 if there is an answer' },
  quiet: { ...SWITCH, letter: 'q', short: 'do not print progress or a summary; errors are still printed' },
  verbose: {
    ...SWITCH,
    short: 'list documents that are not read, and print the details of unexpected errors',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

export const FILTER_FLAGS = {
  against: {
    kind: { kind: 'path' },
    placeholder: 'PATH',
    repeatable: true,
    short: 'pass on records that resemble no document in PATH, instead of no earlier record; can be repeated',
  },
  index: {
    kind: { kind: 'path' },
    placeholder: 'INDEX',
    short: 'pass on records that resemble no document of an index, and use its options',
  },
  append: {
    ...SWITCH,
    short: 'compare with earlier records too, and add those passed on to the index at the end',
  },
  portion: {
    kind: { kind: 'name' },
    placeholder: 'NAME',
    short: 'the name of the portion that --append adds',
  },
  dropped: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'list the records that are not passed on, with the similar document or the reason',
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
    short: 'add, remove: the name of the portion',
  },
  ids: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'remove: the documents whose ids or locations are in the file, one per line',
  },
  notSeenSince: {
    kind: { kind: 'name' },
    placeholder: 'DATE',
    short: 'remove: documents added before this day that no later document resembled',
  },
  withoutSets: {
    ...SWITCH,
    short:
      'create: keep no shingle sets, half of the bytes; candidates are verified by their files, which are read again',
  },
  json: JSON_FLAG,
  quiet: { ...SWITCH, letter: 'q', short: 'print errors only: no progress, no answers' },
  verbose: VERBOSE_FLAG,
} as const satisfies Readonly<Record<string, OwnOption>>;

/** The flags that a command shares with a run, without those that it replaces with its own. */
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
    summary: 'find near-duplicates among files',
    description:
      'Reads the files below every PATH (- is JSON lines on standard input), finds near-duplicates, ' +
      'and writes pairs, clusters and a drop list into a folder. Every dropped document has a kept near-duplicate, ' +
      'listed with its similarity.',
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
      'Exit codes: 0 done, 1 failed, 2 usage error, 3 a pair was accepted (with --fail-on-duplicates), 130 interrupted.',
    ],
  },
  {
    name: 'apply',
    summary: 'write the corpus of a result without the dropped documents',
    description:
      'Writes the input files of a finished run without the documents of its drop list: the same folders, names, formats ' +
      'and compression, and every kept record byte for byte. Inputs are never changed.',
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
      'OUT is created or replaced only when it is complete, so an interrupted apply starts over. run --write OUT does both at once. ' +
        'Exit codes: 0 done, 1 failed, 2 usage error or inputs that changed since the run, 130 interrupted.',
    ],
  },
  {
    name: 'inspect',
    summary: 'print a result: counts, pairs, clusters, one document, two texts side by side',
    description:
      'Prints the counts and the most similar near pairs of a finished result; or one pair in full, with its texts and their ' +
      'differences marked; or clusters, or everything about one document, or the pairs around a threshold.',
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
    summary: 'browse a result: clusters, texts side by side, and a drop list editor',
    description:
      'Serves pages about a finished result to a browser on this machine, at the address that it prints: counts, clusters ' +
      'and their documents, two texts side by side. Edits of the drop list (keep this instead, keep both, drop) are saved at once to a ' +
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
      'The address has a token that every request needs. The result is not changed. Exit codes: 0 ended by an interrupt, ' +
        '1 failed, 2 no result or usage error.',
    ],
  },
  {
    name: 'verify',
    summary: 'check a result against its manifest',
    description:
      'Reads every file of a finished result and reports differences from its manifest: lengths, SHA-256, ' +
      'rows, missing files and unknown files.',
    argument: FOLDER,
    groups: [optionsGroup({ json: JSON_FLAG, verbose: VERBOSE_FLAG })],
    examples: ['mr-minhash verify result', 'mr-minhash verify result --json'],
    notes: ['Exit codes: 0 valid, 1 damaged, 2 no result or usage error.'],
  },
  {
    name: 'tune',
    summary: 'choose bands, rows and signature length, and see which pairs they miss',
    description:
      'Calculates the effect of settings without a run: bands and rows for a threshold, their S-curve and the pairs it ' +
      'misses, the error of a signature, and with PATH estimates for a corpus, from a sample.',
    argument: { usage: '[PATH...]', text: 'files and directories to sample' },
    groups: [optionsGroup(TUNE_FLAGS), ...groupsAlsoIn('tune', TUNE_FLAGS)],
    examples: [
      'mr-minhash tune --threshold 0.8 --recall 0.95 --hashes 128',
      'mr-minhash tune --compare 20x5,16x8,14x8 --svg curves.svg',
      'mr-minhash tune --error 0.05 --confidence 0.95',
      'mr-minhash tune --agree 90 --hashes 100',
      'mr-minhash tune texts/ --sample 2000',
      'mr-minhash tune texts/ --open',
    ],
    notes: [
      '--error or --confidence, --agree, --compare and a PATH each choose a part of the answer; without any of them ' +
        'the choice of bands and rows is printed in full.',
    ],
  },
  {
    name: 'compare',
    summary: 'measure how similar two documents are',
    description:
      'Prints the exact Jaccard similarity, distance and containment of two documents, as sets and as bags of shingles; with ' +
      '--estimates also the estimate of every sketch, and with --method the values of copy-detection systems.',
    argument: { usage: '<A> <B>', text: 'two files; with --in two ids' },
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
      `Methods: ${METHOD_NAMES.join(', ')}; all is all of them. Methods that weigh words count them in the documents of --in, or ` +
        'in A and B without --in.',
      'Without --in, A and B are files, each read as one text (.gz is decompressed). With --in they are ids of documents ' +
        'as in result files.',
      'Exit codes: 0 done, 2 usage error or a document that cannot be read.',
    ],
  },
  {
    name: 'query',
    summary: 'search a corpus for documents that resemble, contain or copy one document',
    description:
      'Finds the documents below every PATH that resemble BASE, contain it or are contained in it, with exact values, best ' +
      'first, in one pass over the corpus. --method chooses another copy-detection method.',
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
      'BASE is one text, for any name; a BASE that is itself below a PATH is not an answer. With --base-list the rows ' +
        'begin with the base.',
      'Exit codes: 0 done, 1 failed, 2 usage error, 3 there is an answer (with --fail-on-match), 130 interrupted.',
    ],
  },
  {
    name: 'filter',
    summary: 'pass on JSON lines that resemble no earlier one',
    description:
      'Reads JSON lines on standard input and passes on, unchanged and as soon as each is decided, those that resemble ' +
      'no earlier one that was passed on, or no document of --against.',
    argument: { usage: '< LINES', text: 'JSON lines on standard input' },
    groups: [optionsGroup(FILTER_FLAGS), ...groupsAlsoIn('filter', FILTER_FLAGS)],
    examples: [
      'mr-minhash filter < crawl.jsonl > distinct.jsonl',
      'zcat day.jsonl.gz | mr-minhash filter --against corpus/ > new.jsonl',
      'mr-minhash filter --index crawl.index < december.jsonl > new.jsonl',
      'tail -f feed.jsonl | mr-minhash filter --memory 2GB --dropped dropped.tsv',
    ],
    notes: [
      'Exit codes: 0 done, 1 failed, 2 usage error, 3 a line was dropped as a duplicate (with --fail-on-duplicates), ' +
        '130 interrupted. Every file under --against is read as run reads it.',
    ],
  },
  {
    name: 'index',
    summary: 'keep an index that grows: add portions, and see which of their documents are new',
    description:
      'Creates an index of documents and adds to it portion by portion, each completely or not at all. run --against INDEX, query and ' +
      'filter --index give the same answers from it as from the documents.',
    argument: {
      usage: 'ACTION INDEX [PATH...]',
      text: 'create, add, portions, stats, check, remove or compact; the folder of the index; with add files and directories',
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
      'Options that decide which documents are near are set by create and stored in the index. add prints the documents of the ' +
        'portion that resemble documents of the index.',
      'Exit codes: 0 done, 1 failed or damaged (check), 2 usage error or no index, 130 interrupted.',
    ],
  },
  {
    name: 'completion',
    summary: 'print a script that makes a shell complete commands and flags',
    description: 'Prints a script that makes TAB complete commands, flags, their values and file names.',
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
