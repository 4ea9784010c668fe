/**
 * The part of the table of options that says where the result goes, what is printed, and how a run works.
 *
 * Data only, as table.ts is.
 */

const OUTPUT = { group: 'Output', decides: 'execution' } as const;
const EXECUTION = { group: 'Execution', decides: 'execution' } as const;
export const SWITCH = { kind: { kind: 'switch' }, placeholder: null, default: false } as const;

export const OUTPUT_AND_EXECUTION = {
  out: {
    ...OUTPUT,
    kind: { kind: 'path' },
    placeholder: 'DIR',
    default: 'mr-minhash-out',
    letter: 'o',
    short: 'the folder for the result',
  },
  force: {
    ...OUTPUT,
    ...SWITCH,
    short: 'replace a result or an unfinished run of mr-minhash in that folder',
    long:
      'A finished result stays until the new one, made beside it in .new, is whole: the disk holds both. ' +
      'Never replaces anything else.',
  },
  resume: {
    ...OUTPUT,
    ...SWITCH,
    short: 'take up an unfinished run in that folder and do only what is missing',
    long:
      'Refused where the inputs, the flags that decide the result or the version are others than before; all other flags may ' +
      'change. Without PATH it has the PATHs and flags of the run. Where there is nothing to take up, a run begins.',
  },
  keepWork: {
    ...OUTPUT,
    ...SWITCH,
    short: 'keep the folder .work, which is removed when the result is finished',
  },
  format: {
    ...OUTPUT,
    kind: { kind: 'choice', choices: ['tsv', 'csv', 'jsonl', 'parquet'] },
    placeholder: 'F',
    default: 'tsv',
    decides: 'result',
    short: 'the form of the result files: tsv, csv, jsonl or parquet',
  },
  expandIdentical: {
    ...OUTPUT,
    ...SWITCH,
    decides: 'result',
    short: 'list every pair of documents with the same tokens, not only those with the first',
  },
  write: {
    ...OUTPUT,
    kind: { kind: 'path' },
    placeholder: 'OUT',
    default: null,
    defaultText: 'nothing is written',
    short: 'then write the corpus without what was dropped into this folder, as apply does',
  },
  failOnDuplicates: {
    ...OUTPUT,
    ...SWITCH,
    short: 'end with exit code 3 when a pair was accepted',
  },
  json: {
    ...OUTPUT,
    ...SWITCH,
    short: 'print the summary (or the plan) as one JSON object',
  },
  quiet: {
    ...OUTPUT,
    ...SWITCH,
    letter: 'q',
    short: 'print neither progress nor summary; errors stay',
    long: 'What --json, --dry-run or --print-config ask for is still printed.',
  },
  verbose: {
    ...OUTPUT,
    ...SWITCH,
    short: 'print the plan first, and the details of unexpected errors',
  },
  shards: {
    ...EXECUTION,
    kind: { kind: 'integer', least: 1, most: 65_536, word: 'auto' },
    placeholder: 'N',
    default: 'auto',
    short: 'row chunks of the characteristic matrix, 1 to 65536, or auto',
    long: 'auto: one chunk where a column block fits a worker, so that map and combine fuse.',
  },
  threads: {
    ...EXECUTION,
    kind: { kind: 'integer', least: 0, most: 256 },
    placeholder: 'N',
    default: null,
    defaultText: 'cores available',
    letter: 't',
    short: 'worker threads, 0 to 256; 0 works in the main thread',
    long: 'A run over 64 files or fewer starts one for every 256 KB at most.',
  },
  taskTimeout: {
    ...EXECUTION,
    kind: { kind: 'duration' },
    placeholder: 'DURATION',
    default: '10m',
    short: 'a worker in which nothing moves for so long counts as hung; 0: never',
    long:
      'Such as 30s, 10m or 1.5h; a plain number is seconds. Reading a document is a movement, so a long one is no hang, ' +
      'and a worker that is starting has a minute at least. Without effect with --threads 0.',
  },
  checkpointAfter: {
    ...EXECUTION,
    kind: { kind: 'duration' },
    placeholder: 'DURATION',
    default: '20s',
    short: 'finished work goes to disk, for --resume, once a run has lasted so long; 0: at once',
    long: 'A shorter run writes its result alone, and starts over when it was killed.',
  },
  memory: {
    ...EXECUTION,
    kind: { kind: 'size', least: 1 },
    placeholder: 'SIZE',
    default: null,
    defaultText: 'half of RAM',
    short: 'what the run may hold in memory; beyond it, blocks go to disk',
    long:
      'Such as 256MB or 4GiB. Workers count, the program itself (about 90 MB) comes on top. ' +
      'The disk is that of the output folder, under .work.',
  },
  s3Endpoint: {
    ...EXECUTION,
    kind: { kind: 'address' },
    ...{ placeholder: 'URL', default: null, defaultText: 'AWS' },
    short: 'the server that s3:// is read from, in place of AWS_ENDPOINT_URL_S3',
  },
  config: {
    ...EXECUTION,
    kind: { kind: 'path' },
    placeholder: 'FILE',
    default: null,
    defaultText: 'none',
    commandLineOnly: true,
    short: 'read options from a JSON object; the command line wins',
    long:
      'Keys are the names of the options in camel case, and paths. ' +
      'A switch that the file sets is unset by its --no- form, such as --no-bag.',
  },
  printConfig: {
    ...EXECUTION,
    ...SWITCH,
    commandLineOnly: true,
    short: 'print the effective options as JSON, fit for --config, and do nothing else',
  },
  dryRun: {
    ...EXECUTION,
    ...SWITCH,
    short: 'print the plan, the S-curve and a memory estimate; read no document, write nothing',
  },
} as const;
