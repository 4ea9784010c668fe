/**
 * The one table of everything that can go wrong: a code, what it means, and what to do about it.
 *
 * Floor 0: imports nothing but a part of itself. Users read these texts on the terminal, in `skipped.tsv` and in `manifest.json`, so they
 * never carry words of the platform (those differ between machines and would break "same input, same bytes").
 */

import { ERRORS_OF_SETS } from './errors/ofSets.js';

/** Who has to act: the user's options (`use`), one document (`document`), or the whole run (`run`). */
export type ErrorScope = 'use' | 'document' | 'run';

export interface ErrorEntry {
  readonly scope: ErrorScope;
  /** What is wrong, as a sentence without a full stop. */
  readonly text: string;
  /** What the user can do, as a sentence without a full stop. */
  readonly remedy: string;
}

export const ERRORS = {
  // Wrong use: exit code 2, nothing was read or written.
  OPTION_INVALID: {
    scope: 'use',
    text: 'an option has a value that cannot be used',
    remedy: 'mr-minhash run --help lists every option with its values',
  },
  NO_INPUT: {
    scope: 'use',
    text: 'no PATH was given',
    remedy: 'name at least one file or directory, or - for JSON lines on standard input',
  },
  PATH_MISSING: {
    scope: 'use',
    text: 'a PATH does not exist or may not be read',
    remedy: 'check its spelling and permissions',
  },
  PATH_IN_RESULT: {
    scope: 'use',
    text: 'a PATH is or lies in a result of mr-minhash or the output folder',
    remedy: 'name the corpus itself, or move it out of the result',
  },
  COLUMNS_UNKNOWN: {
    scope: 'use',
    text: 'no file has the fields that --columns names',
    remedy: 'name fields as the first line of the files does, or by number (from 1) where no line names them',
  },
  OUTPUT_EXISTS: {
    scope: 'use',
    text: 'the output folder holds a finished result',
    remedy: 'choose another --out, or replace the result with --force',
  },
  OUTPUT_UNFINISHED: {
    scope: 'use',
    text: 'the output folder holds an unfinished run',
    remedy: 'take it up with --resume, start over with --force, or choose another --out',
  },
  RESUME_MISMATCH: {
    scope: 'use',
    text: 'the run in the output folder is another one',
    remedy:
      'start over with --force, or give again what it was given: --resume --out DIR alone takes all flags from it',
  },
  OUTPUT_LOCKED: {
    scope: 'use',
    text: 'another run is writing to the output folder',
    remedy: 'wait for its end, or choose another --out',
  },
  OUTPUT_FOREIGN: {
    scope: 'use',
    text: 'the output folder holds files that are no result of mr-minhash',
    remedy: 'choose another --out or delete the folder yourself; --force removes results of mr-minhash only',
  },
  OUTPUT_UNWRITABLE: {
    scope: 'use',
    text: 'the output folder cannot be made or written to',
    remedy: 'check the path and its permissions, or choose another --out',
  },
  RESULT_MISSING: {
    scope: 'use',
    text: 'the folder holds no finished result',
    remedy: 'name the output folder of a finished run',
  },
  RESULT_DAMAGED: {
    scope: 'use',
    text: 'a file of the result is not the one its manifest describes',
    remedy: 'mr-minhash verify DIR tells more; run with --force makes the result anew',
  },
  DOCUMENT_UNKNOWN: {
    scope: 'use',
    text: 'no such document in this result',
    remedy: 'use an id as it stands in the result files',
  },

  // One document or place: named in skipped.tsv and counted; with --on-error fail the run fails.
  BINARY: {
    scope: 'document',
    text: 'binary file (a NUL byte in its first 8 KB)',
    remedy: 'exclude it with --exclude, name its --encoding, or compare bytes with --shingle bytes:k',
  },
  UNREADABLE: {
    scope: 'document',
    text: 'the file cannot be opened or read',
    remedy: 'check its permissions and that it still exists',
  },
  VANISHED: {
    scope: 'document',
    text: 'the file was listed but is no longer there',
    remedy: 'run again when nothing changes the inputs',
  },
  NOT_A_FILE: {
    scope: 'document',
    text: 'not a regular file (a device, pipe or socket)',
    remedy: 'exclude it with --exclude',
  },
  TOO_LARGE: {
    scope: 'document',
    text: 'the text, or the JSON around it, is larger than --max-document allows',
    remedy: 'raise --max-document; JSON is read up to 2 GB a record',
  },
  GZIP_DAMAGED: {
    scope: 'document',
    text: 'the gzip data are damaged or have something else after their end',
    remedy: 'make the file anew; records before the damage were read',
  },
  GZIP_TRUNCATED: {
    scope: 'document',
    text: 'the gzip data end too early',
    remedy: 'make the file anew; records before the end were read',
  },
  GZIP_BOMB: {
    scope: 'document',
    text: 'the gzip data unpack to more than 250 times their size',
    remedy: 'unpack the file yourself if it is meant to be read; records before that were read',
  },
  JSON_BROKEN: {
    scope: 'document',
    text: 'not valid JSON',
    remedy: 'mend the record, or use --input text if the file is not JSON',
  },
  JSON_NOT_AN_OBJECT: {
    scope: 'document',
    text: 'the JSON value is not an object',
    remedy: 'every record must be an object with the field named by --text-field',
  },
  JSON_NO_TEXT: {
    scope: 'document',
    text: 'the record lacks the text field, or that field is not a string',
    remedy: 'name the right field with --text-field',
  },
  JSON_BAD_ID: {
    scope: 'document',
    text: 'the id is neither a string nor a number, or is longer than 64 KB',
    remedy: 'name the right field with --id-field',
  },
  ...ERRORS_OF_SETS,
  CHANGED: {
    scope: 'document',
    text: 'the document changed while the run was reading it',
    remedy: 'run again when nothing changes the inputs',
  },
  UNPROCESSABLE: {
    scope: 'document',
    text: 'every worker that read it died, hung or ran out of memory',
    remedy: 'look at it; where it is only large, run it alone, with more memory or a longer --task-timeout',
  },

  // The run: exit code 1.
  TASK_FAILED: {
    scope: 'run',
    text: 'a task failed',
    remedy: 'the message names the stage and the file; run again with --threads 0 to see the true error',
  },
  WORKER_LOST: {
    scope: 'run',
    text: 'a worker died or hung twice on the same task',
    remedy: 'the message names it; give it more memory, fewer --threads or a longer --task-timeout',
  },
  WORKER_UNUSABLE: {
    scope: 'run',
    text: 'the worker threads cannot be started',
    remedy: 'run again with --threads 0 to see why',
  },
  INPUT_REFUSED: {
    scope: 'run',
    text: 'an input is unreadable or malformed and --on-error is fail',
    remedy: 'mend or exclude the input, or use --on-error skip',
  },
  MEMORY_BUDGET: {
    scope: 'run',
    text: 'a table of the run does not fit into --memory',
    remedy:
      'give the --memory that the message names; or make fewer pairs with a higher --threshold or (bands) more --rows, or smaller samples with fewer --hashes or a larger --modulus',
  },
  DISK_FULL: {
    scope: 'run',
    text: 'there is too little space for the result',
    remedy: 'make room there and go on with --resume, or choose an --out on another file system',
  },
  WRITE_FAILED: {
    scope: 'run',
    text: 'a result file cannot be written',
    remedy: 'check the free space and the permissions of the output folder',
  },
  COUNTS_UNBALANCED: {
    scope: 'run',
    text: 'documents in and documents out do not balance: a defect of mr-minhash',
    remedy: 'please report it with unbalanced.json from the output folder, and the command',
  },
  BLOCK_TRUNCATED: {
    scope: 'run',
    text: 'a block is shorter than its header says',
    remedy: 'go on with --resume: what is damaged is made anew',
  },
  BLOCK_CHECKSUM: {
    scope: 'run',
    text: 'a block does not match its checksum',
    remedy: 'go on with --resume: what is damaged is made anew',
  },
  BLOCK_FOREIGN: {
    scope: 'run',
    text: 'not a block of this version of mr-minhash, or of another kind than expected',
    remedy: 'start the run over with --force',
  },
  INTERRUPTED: {
    scope: 'run',
    text: 'interrupted',
    remedy: 'go on with --resume, or start over with --force',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes with scope `document`, in table order: a skipped document's reason is stored as an index into this list. */
export const SKIP_CODES: readonly ErrorCode[] = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => ERRORS[code].scope === 'document',
);

/** One fault: what is wrong, and the particulars (which option, which file, got, expected). */
export interface Fault {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** `text: detail. Remedy.` */
export function faultText(fault: Fault): string {
  const entry = ERRORS[fault.code];
  const detail = fault.detail === '' ? '' : `: ${fault.detail}`;
  return `${entry.text}${detail} (${entry.remedy})`;
}

/**
 * The only error class the product throws on purpose. It carries one fault, or all faults of the options at once.
 * Class and fields do not survive a thread boundary, so workers return faults as data and throw only for defects.
 */
export class MinHashError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];

  constructor(faults: Fault | readonly Fault[], options?: { cause?: unknown }) {
    const list: readonly Fault[] = Array.isArray(faults) ? faults : [faults as Fault];
    super(list.map(faultText).join('\n'), options);
    this.name = 'MinHashError';
    this.code = list[0]!.code;
    this.faults = list;
  }

  /** 2 for wrong use, 130 for an interrupted run, else 1. */
  get exitCode(): number {
    if (this.code === 'INTERRUPTED') return 130;
    return ERRORS[this.code].scope === 'use' ? 2 : 1;
  }
}
