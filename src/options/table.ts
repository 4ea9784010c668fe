/**
 * The one table of options, a row each: kind, default, group, texts, whether it decides the output bytes, and where it is valid.
 *
 * Types, checks, command line, help and the table of docs/options.md derive from it; an editor shows the comment of a row for the
 * option of the library. It holds data only and imports nothing that is slow to load, because `--help` loads it.
 */
import { INPUT_KINDS } from '../sketch/formatNames.js';
import { CANDIDATE_LISTINGS, SIGNATURE_NAMES, UNITS } from '../sketch/params.js';
import type { ValueKind } from './values.js';

/** Groups of options, in the order of the help. */
export const GROUPS = ['Input', 'Matching', 'Which copy is kept', 'Output', 'Performance', 'Spark'] as const;

const PRESET_NAMES = ['prose', 'records', 'code'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** Other uses of options of a run: `memory` is `findDuplicates` of the library, the others are commands. */
export type OtherUse = 'memory' | 'filter' | 'query' | 'compare' | 'tune' | 'index';

/** A row of the table: one option. */
export interface OptionEntry {
  readonly group: (typeof GROUPS)[number];
  readonly kind: ValueKind;
  /** The value as help shows it, such as `FILE`; null for a switch. */
  readonly placeholder: string | null;
  /**
   * The value when none is given; null if it depends on something else, which `defaultText` then describes.
   */
  readonly default: boolean | number | string | null;
  readonly defaultText?: string;
  /** The one-letter form, without its dash. */
  readonly letter?: string;
  /** Result parameters decide the output bytes; execution parameters never do. */
  readonly decides: 'result' | 'execution';
  /** The option is on the command line only: it is not a key of RunOptions. */
  readonly commandLineOnly?: true;
  /** Commands and functions other than `run` for which the option is valid. */
  readonly alsoIn?: readonly OtherUse[];
  /** The option changes only what the command line prints, or its exit code. */
  readonly terminal?: true;
  /** The option is not a parameter itself: src/options/check.ts computes parameters from it. */
  readonly computed?: true;
  /** The option may be repeated. */
  readonly repeatable?: true;
  /** One line, no full stop. */
  readonly short: string;
  /** Further sentences. */
  readonly long?: string;
}

const COMPARED = { group: 'Matching', decides: 'result' } as const;
const PAIRS = { group: 'Matching', decides: 'result' } as const;
const INPUT = { group: 'Input', decides: 'result' } as const;
const SURVIVORS = { group: 'Which copy is kept', decides: 'result' } as const;
const OUTPUT = { group: 'Output', decides: 'execution' } as const;
const EXECUTION = { group: 'Performance', decides: 'execution' } as const;
/** Options of Spark, which become one parameter. */
const SPARK = { group: 'Spark', decides: 'execution', computed: true } as const;
const SWITCH = { kind: { kind: 'switch' }, placeholder: null, default: false } as const;

const GLOBS =
  'A glob without a slash (*.py) matches names in any folder, one with a slash (docs/*.py, /*.py) the path relative to ' +
  'its PATH, one that ends with a slash (docs/) all below such a folder. * stays within a folder, ** does not.';

/** The rows with their literal types, from which other types derive. */
const ROWS = {
  /** Options for a kind of documents: `prose`, `records` or `code` (src/options/presets.ts). Default: none. */
  preset: {
    ...COMPARED,
    kind: { kind: 'choice', choices: PRESET_NAMES },
    placeholder: 'NAME',
    default: null,
    defaultText: 'none',
    alsoIn: ['memory', 'filter', 'query', 'tune'],
    computed: true,
    short: 'options for prose, records (people, companies, titles) or code; other flags take precedence',
    long:
      'prose: --shingle words:5 --threshold 0.8. records: --shingle chars:3 --threshold 0.4. ' +
      'code: --shingle lines:3 --threshold 0.7.',
  },
  /** `words:k`, `chars:k`, `bytes:k`, `lines:k` or `stopwords:k`, k 1..63. Default `words:5`. */
  shingle: {
    ...COMPARED,
    kind: { kind: 'shingle' },
    placeholder: 'SPEC',
    default: 'words:5',
    alsoIn: ['memory', 'filter', 'query', 'compare', 'tune', 'index'],
    computed: true,
    short: 'the shingles of a document: words:k, chars:k, bytes:k, lines:k or stopwords:k',
    long:
      'k consecutive tokens make one shingle, k from 1 to 63. ' +
      'stopwords:k is a stop word and the k-1 words after it.',
  },
  /** A file with one word per line, or the words. For `stopwords:k` only. Default: a built-in English list. */
  stopWords: {
    ...COMPARED,
    kind: { kind: 'words' },
    placeholder: 'FILE',
    default: null,
    defaultText: 'a built-in English list',
    alsoIn: ['memory', 'filter', 'query', 'compare', 'tune', 'index'],
    computed: true,
    short: 'the stop words of stopwords:k, one word per line',
    long: 'Blank lines and lines that begin with # are skipped.',
  },
  /** A shingle's n-th occurrence is its own element (Broder's option A). Default false. */
  bag: {
    ...COMPARED,
    ...SWITCH,
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    computed: true,
    short: 'count repeated shingles: the n-th occurrence is a separate element',
  },
  /** Files and directories whose shingles count in no document. Default: none. */
  ignore: {
    ...COMPARED,
    kind: { kind: 'paths' },
    placeholder: 'PATH',
    default: null,
    defaultText: 'nothing',
    repeatable: true,
    computed: true,
    short: 'ignore shingles of these files, such as licence headers or templates; may be repeated',
    long: 'A document without other shingles is counted as ignored, and is never dropped.',
  },
  /**
   * How texts are normalized before they are compared: `nfc` or `nfkc`, and any of `casefold`, `no-marks` and `no-digits`; several
   * in a list or separated by commas. Default `nfc`.
   */
  normalize: {
    ...COMPARED,
    kind: { kind: 'normalize' },
    placeholder: 'SPEC',
    default: 'nfc',
    alsoIn: ['memory', 'filter', 'query', 'compare', 'tune', 'index'],
    computed: true,
    repeatable: true,
    short: 'how texts are normalized before lower-casing: nfc, nfkc, casefold, no-marks, no-digits',
    long:
      'Separate several with commas. nfkc, instead of nfc: the ligature of f and i is fi, a circled 1 is 1. ' +
      'casefold: the sharp s is ss. no-marks: without combining marks, so that an accented e is e. ' +
      'no-digits: every run of numbers is the same token. Bytes (bytes:k) are compared as they are.',
  },
  /**
   * What makes a pair: `resemblance`, the Jaccard similarity; or with `against` `containment`, how much of a reference document is in a
   * document. Default `resemblance`.
   */
  measure: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['resemblance', 'containment'] },
    placeholder: 'WHAT',
    default: 'resemblance',
    short:
      'resemblance (Jaccard similarity), or with --against containment: how much of a reference text is in a document',
  },
  /** Least Jaccard similarity of a reported pair, in (0, 1]. Default 0.8. */
  threshold: {
    ...PAIRS,
    kind: { kind: 'fraction', above: 0, most: 1 },
    placeholder: 'T',
    default: 0.8,
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    short: 'minimum similarity (or containment) of a reported pair, above 0 and at most 1',
  },
  /** The kind of sketch. Default `fss`. */
  sketch: {
    ...PAIRS,
    kind: { kind: 'choice', choices: SIGNATURE_NAMES },
    placeholder: 'NAME',
    default: 'fss',
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    computed: true,
    short: 'how documents are sketched: fss or classic',
    long: 'fss: Fast Similarity Sketching. classic: independent minhash functions.',
  },
  /** Length of a signature, 16..1024. Default 128. */
  hashes: {
    ...PAIRS,
    kind: { kind: 'integer', least: 16, most: 1024 },
    placeholder: 'N',
    default: 128,
    alsoIn: ['memory', 'filter', 'compare', 'tune', 'index'],
    computed: true,
    short: 'slots of a signature, 16 to 1024',
  },
  /** Bands of a signature; bands x rows <= hashes. Default: chosen for `recall`. */
  bands: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'B',
    default: null,
    defaultText: 'chosen for --recall',
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    computed: true,
    short: 'bands of a signature; B x R is at most N',
    long: 'Two documents are a candidate pair when they agree in all rows of at least one band.',
  },
  /** Rows of a band. Default: chosen for `recall`. */
  rows: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'R',
    default: null,
    defaultText: 'chosen for --recall',
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    computed: true,
    short: 'rows of a band',
    long: 'Default: the largest R (fewest false candidates) that reaches --recall at the threshold.',
  },
  /** Least probability, in (0, 1), that a pair at the threshold becomes a candidate. Default 0.95. */
  recall: {
    ...PAIRS,
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'P',
    default: 0.95,
    alsoIn: ['memory', 'filter', 'tune', 'index'],
    short:
      'minimum probability 1-(1-T^R)^B that a pair at the threshold becomes a candidate, between 0 and 1',
    long:
      'Ignored if both --bands and --rows are given. ' +
      'This recall is that of --verify exact; --verify signature loses about half of the pairs right at T.',
  },
  /**
   * The most documents of a bucket that are paired all with all, 2..1,000,000; `auto`: as many as a budget of pairs allows.
   * Default `auto`.
   */
  hotBucket: {
    ...PAIRS,
    kind: { kind: 'integer', least: 2, most: 1_000_000, word: 'auto' },
    placeholder: 'N',
    default: 'auto',
    alsoIn: ['memory', 'filter', 'index'],
    short: 'the largest bucket in which all pairs are compared, 2 to 1000000 documents, or auto',
    long:
      'auto: the largest power of two, at least 256, that keeps the number of compared pairs within a fixed budget. ' +
      'Larger buckets are compared in linear time, and pairs that were not compared are counted.',
  },
  /** Which candidate pairs the result lists. Default `margin`. */
  candidates: {
    ...PAIRS,
    kind: { kind: 'choice', choices: CANDIDATE_LISTINGS },
    placeholder: 'WHICH',
    default: 'margin',
    short: 'which candidate pairs are listed: margin, all or none',
    long:
      'margin: pairs that reach the threshold or miss it by at most 0.05. ' +
      'All are counted, by agreement, in candidates/agreement.tsv.',
  },
  /** How candidate pairs are verified. Default `exact`. */
  verify: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['exact', 'signature', 'none'] },
    placeholder: 'MODE',
    default: 'exact',
    alsoIn: ['memory', 'filter'],
    short: 'how candidates are verified: exact, signature or none',
    long:
      'exact: by the Jaccard similarity of the shingle sets, so every reported pair reaches the threshold. ' +
      'signature: by the agreement of the signatures, an estimate. ' +
      'none: candidates only; clusters and drop list then contain only documents with the same tokens.',
  },
  /** Least number of equal slots of an accepted pair, 1..hashes, in place of `threshold`. With `verify: 'signature'`. */
  agree: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    default: null,
    defaultText: 'by --threshold',
    alsoIn: ['memory', 'index'],
    short: 'accept a candidate pair when at least M of the N slots of --hashes agree',
    long: 'Requires --verify signature. Replaces --threshold, which is then M/N.',
  },
  /** Find only identical documents: no document is sketched or bucketed. Default false. */
  exactDuplicates: {
    ...PAIRS,
    ...SWITCH,
    alsoIn: ['memory'],
    short: 'find only documents with the same tokens: no sketches, no candidates',
    long:
      'Tokens are those of --shingle: words, characters, lines or bytes; ' +
      'the kind of a pair shows whether the bytes of the texts are equal, too. ' +
      'Cannot be combined with other options about pairs, except --seed.',
  },
  /** How clusters are made; pairs and drop list are the same. Default `components`. */
  cluster: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['components', 'greedy'] },
    placeholder: 'KIND',
    default: 'components',
    alsoIn: ['memory'],
    short: 'how clusters are made: components or greedy',
    long:
      'components: connected components of the pairs, which can chain. greedy: each kept document with the documents ' +
      'that are dropped for it. Pairs and drop list are the same.',
  },
  /** The seed of all hash functions, 0..2^53-1. Default 1. */
  seed: {
    ...PAIRS,
    kind: { kind: 'integer', least: 0, most: Number.MAX_SAFE_INTEGER },
    placeholder: 'N',
    default: 1,
    alsoIn: ['memory', 'filter', 'query', 'compare', 'tune', 'index'],
    short: 'seed of all hash functions',
    long: 'From 0 to 9007199254740991.',
  },
  /** The format of the input. Default `auto`: by file name. */
  input: {
    ...INPUT,
    kind: { kind: 'choice', choices: INPUT_KINDS },
    placeholder: 'KIND',
    default: 'auto',
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: `what the files hold: ${INPUT_KINDS.slice(0, -1).join(', ')} or ${INPUT_KINDS.at(-1)}`,
    long:
      'auto: by the file name, or by the first bytes of a file without an extension; a .json file without the text field is a text document, ' +
      'unless --text-field is given. sets: a set and one of its elements per line, in any order, separated by a TAB, ' +
      'or by a comma in .csv files; with --bag, repeated elements and weights count.',
  },
  /**
   * With `input: 'sets'`: the fields of set, element and, if there is a third, weight or rating, as `1,2,3` or as names of
   * the first line; or a list of them. Default `1,2,3`.
   */
  columns: {
    ...INPUT,
    kind: { kind: 'columns' },
    placeholder: 'LIST',
    default: null,
    defaultText: '1,2,3',
    computed: true,
    short: 'with --input sets: the fields of set, element and, if there is a third, weight or rating',
    long:
      'As numbers from 1, or as names from the first line of every file. The first field is the set, and sets are compared: ' +
      'user,item finds similar users, item,user similar items. A missing weight is 1; a line without a rating is skipped; an element with weight 0 does not count.',
  },
  /** With `input: 'sets'`: the third field is a rating, and how ratings become elements. Default: the third field is a weight. */
  ratings: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['liked', 'liked-hated', 'stars'] },
    placeholder: 'RULE',
    default: null,
    defaultText: 'none: weights',
    computed: true,
    short: 'with --input sets: the third field is a rating, counted as liked, liked-hated or stars',
    long:
      'liked: an item rated --liked-from or more. liked-hated: liked or hated, two elements of an item. ' +
      'stars: an item counts once per star, 1 to 5. If an item is rated several times, the highest rating counts.',
  },
  /** With `ratings` `liked` or `liked-hated`: the least rating that is liked, above 0. Default 4. */
  likedFrom: {
    ...INPUT,
    kind: { kind: 'fraction', above: 0, most: 1_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: '4',
    computed: true,
    short: 'with --ratings liked or liked-hated: the lowest rating that is liked',
  },
  /**
   * Field of a JSON record that holds the text. Default `text`. If it is given, even as `text`, every `.json` file is read as
   * records.
   */
  textField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'text',
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'the field of a record that holds the text, or several, separated by commas',
    long: 'Several are joined by a line break. A name may be a dotted path (meta.title); a comma in a name is \\,; an array of strings is one text. A number is the position of a field in CSV and TSV without a header. If no record has the field, the run fails and lists the fields of the records.',
  },
  /** Field of a JSON record that holds its id. Default `id`. */
  idField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'id',
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'the field of a record that holds its id',
    long: 'A record without an id gets its location as id: path, or path#n with its line, row or position in an array, from 1. Can be a dotted path or a number, like --text-field.',
  },
  /** Dotted path of the array of records in JSON files that are one object, such as `items` or `data.items`. Default: none. */
  records: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: null,
    defaultText: 'none: the file is the array',
    alsoIn: ['query', 'compare', 'tune', 'index'],
    computed: true,
    short: 'the field of a JSON file that holds the array of its records, such as items or data.items',
    long: 'For files of up to 256 MB that are one object ({"items": [...]}), or one per line. Larger ones: jq -c \'.items[]\' FILE.',
  },
  /** The encoding of texts: a label that TextDecoder knows. Default `utf-8`. */
  encoding: {
    ...INPUT,
    kind: { kind: 'encoding' },
    placeholder: 'E',
    default: 'utf-8',
    alsoIn: ['query', 'compare', 'tune', 'index'],
    short: 'the encoding of the files',
    long: 'UTF-16 that begins with a byte order mark needs no flag; an HTML page may declare its own.',
  },
  /** The format of a text: `html`, whose visible text is compared; `text`, compared as it is; or `auto`. Default `auto`. */
  textFormat: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['auto', 'html', 'text'] },
    placeholder: 'WHAT',
    default: 'auto',
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'what a text is, in a file or in the field of a record: auto, html or text',
    long:
      'html: the visible text. text: the unchanged text. auto: HTML if the file name has an extension of HTML, or the text ' +
      'begins like an HTML page, with a doctype or <html>; a text that only mentions a tag is not changed.',
  },
  /** One character that separates the fields of CSV, TSV and sets. Default: a comma in `.csv` files, else a TAB. */
  separator: {
    ...INPUT,
    kind: { kind: 'separator' },
    placeholder: 'C',
    default: null,
    defaultText: 'by name',
    alsoIn: ['query', 'compare', 'tune', 'index'],
    short: 'the character between the fields of CSV, TSV and sets: one character, or tab',
    long: 'Default: a comma in .csv files, a TAB in all others.',
  },
  /** The character around fields of CSV and TSV, or `none`. Default: `"` in CSV, none in TSV. */
  quote: {
    ...INPUT,
    kind: { kind: 'quote' },
    placeholder: 'C',
    default: null,
    defaultText: 'by name',
    alsoIn: ['query', 'compare', 'tune', 'index'],
    short: 'the character around fields of CSV and TSV, or none',
    long: 'Default: a double quote in .csv files, none in .tsv files.',
  },
  /** Globs over relative paths of the files to read. Default: all text. */
  include: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'all text',
    repeatable: true,
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'read only files whose name or relative path matches; may be repeated',
    long: GLOBS,
  },
  /** Globs over relative paths of files not to read. Default: none. */
  exclude: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'nothing',
    repeatable: true,
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'skip files and folders whose name or relative path matches; may be repeated',
    long: 'Globs as in --include; a folder that matches is skipped with everything below it.',
  },
  /** The most bytes of a document, or a size such as `10MB` (1 KB = 1000 bytes, 1 KiB = 1024). Default `1 GB`. */
  maxDocument: {
    ...INPUT,
    kind: { kind: 'size', least: 1 },
    placeholder: 'SIZE',
    default: '1 GB',
    alsoIn: ['filter', 'query', 'compare', 'tune', 'index'],
    short: 'skip larger texts',
    long: 'The decompressed size counts; a set counts 8 bytes per element. 1 KB is 1000 bytes and 1 KiB is 1024; a plain number is bytes.',
  },
  /** Default `skip`. */
  onError: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['skip', 'fail'] },
    placeholder: 'WHAT',
    default: 'skip',
    alsoIn: ['filter', 'query', 'index'],
    short: 'what to do with an unreadable or malformed input: skip or fail',
    long: 'skip: count it; a run lists it in skipped.tsv. fail: end the command.',
  },
  /**
   * Which of near-duplicates is kept: `first`, `last`, `longest`, `shortest`, `newest`, `oldest`, `field:NAME` or
   * `field:NAME:asc`. Ties are decided by the location. Default `first`: the first in the input.
   */
  keep: {
    ...SURVIVORS,
    kind: { kind: 'keep' },
    placeholder: 'RULE',
    default: 'first',
    alsoIn: ['memory'],
    short:
      'which of near-duplicates is kept: first (in the input), last, longest, shortest, newest, oldest or field:NAME',
    long:
      'longest, shortest: by bytes of text. newest, oldest: by modification time of the file. field:NAME: the greatest value of a field ' +
      'of the records; field:NAME:asc: the least. Ties are decided by the location.',
  },
  /** Files and directories of a reference: its documents are never dropped, and never compared with each other. */
  against: {
    ...SURVIVORS,
    kind: { kind: 'paths' },
    placeholder: 'PATH',
    default: null,
    defaultText: 'none',
    decides: 'execution',
    repeatable: true,
    short: 'a reference: its documents are kept, and others are dropped for them; may be repeated',
    long:
      'Documents below PATH are never dropped, and never compared with each other. All other documents are compared with them and ' +
      'with each other. If PATH is a finished result, what it keeps is the reference.',
  },
  /** Globs over relative paths of files of `against` to read. Default: all text. */
  againstInclude: {
    ...SURVIVORS,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'all text',
    computed: true,
    repeatable: true,
    short: 'read only files of --against whose name or relative path matches; may be repeated',
  },
  /** Documents of `paths` are compared with those of `against` only. Default false. */
  onlyAgainst: {
    ...SURVIVORS,
    ...SWITCH,
    computed: true,
    short: 'compare documents with those of --against only, not with each other',
  },
  /** With an index as `against`: what is kept is added to it as the portion `portion`. Default false. */
  append: {
    ...SURVIVORS,
    ...SWITCH,
    decides: 'execution',
    short: 'with an index as --against: add the kept documents to it, as the portion --portion',
  },
  /** The name of what `append` adds. Default: none. */
  portion: {
    ...SURVIVORS,
    kind: { kind: 'name' },
    placeholder: 'NAME',
    default: null,
    defaultText: 'none',
    decides: 'execution',
    short: 'the name of what --append adds, such as 2026-11',
  },
  /** The unit of comparison. Default `document`. */
  unit: {
    ...SURVIVORS,
    kind: { kind: 'choice', choices: UNITS },
    placeholder: 'UNIT',
    default: 'document',
    short: 'what is compared: document, paragraph (separated by blank lines) or line',
    alsoIn: ['index'],
  },
  /** Units of fewer tokens are not compared or dropped. Default: 0 for documents, else k of `shingle`. */
  minTokens: {
    ...SURVIVORS,
    kind: { kind: 'integer', least: 0, most: 1_000_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: '0 for documents, else k of --shingle',
    short: 'skip units of fewer tokens: they are not compared or dropped',
    alsoIn: ['index'],
  },
  /** The folder for the result. Default `mr-minhash-out`. */
  out: {
    ...OUTPUT,
    kind: { kind: 'path' },
    placeholder: 'DIR',
    default: 'mr-minhash-out',
    letter: 'o',
    short: 'the folder for the result',
  },
  /** Replace a result or an unfinished run of ours in that folder. Default false. */
  force: {
    ...OUTPUT,
    ...SWITCH,
    short: 'replace a result or an unfinished run of mr-minhash in that folder',
    long:
      'The new result is written to the hidden folder .DIR.mr-minhash-new beside DIR. The old one is replaced when that is complete, ' +
      'so the disk holds both. Nothing else is ever replaced.',
  },
  /**
   * Takes the files of a run that was interrupted or killed with data in files, if options and inputs are the same; else starts over.
   * Default false.
   */
  resume: {
    ...OUTPUT,
    ...SWITCH,
    short: 'continue an interrupted run that kept its data in files (--memory)',
    long: 'If options or inputs differ, or there is nothing to resume, the run starts over. Ignored for standard input (-) and with an index.',
  },
  /**
   * After the run, writes the corpus without the dropped documents into this folder, as `applyResult` does. Default: no corpus is
   * written.
   */
  write: {
    ...OUTPUT,
    kind: { kind: 'path' },
    placeholder: 'OUT',
    default: null,
    defaultText: 'nothing is written',
    short: 'then write the corpus without the dropped documents into this folder, as apply does',
  },
  /** The command line ends with exit code 3 when a pair was accepted. Default false. */
  failOnDuplicates: {
    ...OUTPUT,
    ...SWITCH,
    alsoIn: ['filter'],
    terminal: true,
    short: 'exit with code 3 if there is a pair',
  },
  /** The command line prints JSON. Default false. */
  json: {
    ...OUTPUT,
    ...SWITCH,
    terminal: true,
    short: 'print the summary (or the plan) as one JSON object',
  },
  /** The command line does not print progress or a summary. Default false. */
  quiet: {
    ...OUTPUT,
    ...SWITCH,
    letter: 'q',
    alsoIn: ['filter'],
    terminal: true,
    short: 'do not print progress or a summary; errors are still printed',
    long: 'Requested output, such as that of --json and --dry-run, is still printed.',
  },
  /** The command line prints more. Default false. */
  verbose: {
    ...OUTPUT,
    ...SWITCH,
    terminal: true,
    short: 'print the plan first, and the details of unexpected errors',
  },
  /** Shards of the rows of the characteristic matrix, 1..64. Default 1. */
  shards: {
    ...EXECUTION,
    kind: { kind: 'integer', least: 1, most: 64 },
    placeholder: 'N',
    default: 1,
    alsoIn: ['memory'],
    short: 'shards of the rows of the characteristic matrix, 1 to 64',
    long:
      'A Map task computes a partial signature per shard of a long document, and a Reduce task takes their minima. The result is the same. ' +
      'Ignored with --input sets and --exact-duplicates.',
  },
  /** Worker threads, 0..256; 0 works in the calling thread. Default: the cores available. */
  threads: {
    ...EXECUTION,
    kind: { kind: 'integer', least: 0, most: 256 },
    placeholder: 'N',
    default: null,
    defaultText: 'cores available',
    letter: 't',
    alsoIn: ['memory', 'query', 'tune', 'index'],
    short: 'worker threads, 0 to 256; 0 works in the main thread',
    long: 'A run over 64 files or fewer starts at most one thread per 256 KB, and by default none for up to 128 KB.',
  },
  /**
   * Bytes, or a size such as `256MB`: the memory that the run may use besides the program itself; beyond it, blocks go to
   * disk, into the hidden folder `.OUT.mr-minhash-new` beside `out`. Default: half of the memory of the machine.
   */
  memory: {
    ...EXECUTION,
    kind: { kind: 'size', least: 1 },
    placeholder: 'SIZE',
    default: null,
    defaultText: 'half of RAM',
    alsoIn: ['filter', 'index'],
    short: 'the memory that a run may use; if it is not enough, data are kept in files',
    long:
      'For example 256MB or 4GiB. Includes workers; the program itself (about 90 MB) is added to it. ' +
      'A run keeps files in the hidden folder .DIR.mr-minhash-new beside its output folder DIR. If its tables do not fit, it fails and reports how much memory they need, as far as known.',
  },
  /**
   * Address of the server from which `s3://` is read, in place of AWS; it becomes AWS_ENDPOINT_URL_S3 of the process. Default:
   * the value of that variable, or of AWS_ENDPOINT_URL.
   */
  s3Endpoint: {
    ...EXECUTION,
    kind: { kind: 'address' },
    ...{ placeholder: 'URL', default: null, defaultText: 'AWS' },
    short: 'the server for s3:// addresses, instead of AWS_ENDPOINT_URL_S3',
  },
  config: {
    ...EXECUTION,
    kind: { kind: 'path' },
    placeholder: 'FILE',
    default: null,
    defaultText: 'none',
    commandLineOnly: true,
    short: 'read options from a JSON object; the command line takes precedence',
    long:
      'Keys are the names of the options in camel case, and paths. ' +
      'A switch that the file sets is unset by its --no- form, such as --no-bag.',
  },
  printConfig: {
    ...EXECUTION,
    ...SWITCH,
    commandLineOnly: true,
    short: 'print the effective options as JSON for --config, and exit',
  },
  /** The command line prints the plan and runs nothing. Default false. */
  dryRun: {
    ...EXECUTION,
    ...SWITCH,
    terminal: true,
    short: 'print the plan, the S-curve and a memory estimate, without reading or writing documents',
  },
  /** Where tasks run: on worker threads of this machine, or on the executors of Spark. Default `threads`. */
  engine: {
    ...SPARK,
    kind: { kind: 'choice', choices: ['threads', 'spark'] },
    placeholder: 'NAME',
    default: 'threads',
    short: 'where tasks run: on threads of this machine, or on spark',
    long: 'The result is the same. spark-submit is found by SPARK_HOME or on PATH; executors need Node and access to the PATHs (docs/spark.md).',
  },
  /** The master of Spark, such as `local[2,4]` or `yarn`. Default: that of its settings. */
  sparkMaster: {
    ...SPARK,
    kind: { kind: 'name' },
    placeholder: 'URL',
    default: null,
    defaultText: 'that of its settings',
    short: 'the master of Spark, such as local[2,4], yarn or spark://host:7077',
  },
  /** Settings of Spark, as texts `KEY=VALUE`. Default none. */
  sparkConf: {
    ...SPARK,
    kind: { kind: 'settings' },
    placeholder: 'KEY=VALUE',
    default: null,
    defaultText: 'none',
    repeatable: true,
    short: 'a setting of Spark, such as spark.executor.memory=4g',
  },
  /** Folder of the tables of a run, which all executors can read and write: a URI of Spark. Default: a hidden folder beside `out`. */
  sparkWork: {
    ...SPARK,
    kind: { kind: 'name' },
    placeholder: 'URI',
    default: null,
    defaultText: 'a hidden folder beside --out',
    short: 'a folder for tables that all executors can read and write, such as hdfs:///tmp/dedup',
  },
} as const satisfies Readonly<Record<string, OptionEntry>>;

export type OptionRows = typeof ROWS;
export type FlagKey = keyof OptionRows;
/** The keys of rows with such a property. */
export type KeysWith<Property> = {
  [Key in FlagKey]: OptionRows[Key] extends Property ? Key : never;
}[FlagKey];
/** The keys of RunOptions other than `paths`. */
export type OptionKey = Exclude<FlagKey, KeysWith<{ readonly commandLineOnly: true }>>;
/** The keys of options of a run that are also valid for `Use`. */
export type KeyAlsoIn<Use extends OtherUse> = {
  [Key in OptionKey]: OptionRows[Key] extends { readonly alsoIn: readonly (infer Other)[] }
    ? Use extends Other
      ? Key
      : never
    : never;
}[OptionKey];

export const OPTIONS: Readonly<Record<FlagKey, OptionEntry>> = ROWS;

export const FLAG_KEYS = Object.keys(OPTIONS) as readonly FlagKey[];

/** The flags of the short help (`-h`). */
export const MOST_USED: readonly FlagKey[] = [
  'out',
  'force',
  'threshold',
  'keep',
  'shingle',
  'verify',
  'against',
  'textField',
  'include',
  'threads',
];

/** The keys of RunOptions other than `paths`, in table order. */
export const OPTION_KEYS = FLAG_KEYS.filter(
  (key) => OPTIONS[key].commandLineOnly !== true,
) as readonly OptionKey[];

export const RUN_ROWS = Object.fromEntries(OPTION_KEYS.map((key) => [key, OPTIONS[key]])) as Readonly<
  Record<OptionKey, OptionEntry>
>;

/** The keys of options of a run that are also valid for `use`, with the same meaning. */
export function keysAlsoIn<Use extends OtherUse>(use: Use): readonly KeyAlsoIn<Use>[] {
  return OPTION_KEYS.filter((key): key is KeyAlsoIn<Use> => OPTIONS[key].alsoIn?.includes(use) === true);
}
