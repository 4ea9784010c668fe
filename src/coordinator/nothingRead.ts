/**
 * Runs that read nothing: they have failed, and replace nothing.
 *
 * A document without text is a document that was read: a corpus of empty files has a result, which counts them.
 */
import { type ErrorCode, type Fault, MinHashError } from '../errors.js';
import { nothingReadText } from '../output/wording.js';
import { type LinesHead, missingTextField } from '../readers/firstRecords.js';
import type { Inputs, LeftOut } from '../readers/list/inputs.js';
import type { Executed, Prepared } from './run.js';
import type { SkipList } from './sketch/corpus.js';

const CODES: readonly ErrorCode[] = ['NOTHING_READ', 'TEXT_FIELD_MISSING'];

/** Whether a run ended for having read nothing: nothing that was kept of it is worth going on with. */
export function hasReadNothing(error: unknown): boolean {
  return error instanceof MinHashError && CODES.includes(error.code);
}

/** Undefined where no file was looked for: of standard input alone. */
export function leftOutOf({ roots, leftOut }: Inputs): LeftOut | undefined {
  return roots.some((root) => root !== '-') ? leftOut : undefined;
}

function nothingRead({ params, inputs }: Prepared, skipped: SkipList): Fault {
  return { code: 'NOTHING_READ', detail: nothingReadText(skipped.counts(), params, leftOutOf(inputs)) };
}

/** Before anything is read. @throws MinHashError NOTHING_READ where no file is there */
export function refuseNoFiles(prepared: Prepared, skipped: SkipList): void {
  if (prepared.inputs.files.length === 0) throw new MinHashError(nothingRead(prepared, skipped));
}

/**
 * When all is read, and read again.
 *
 * @param piped the first lines of standard input, for a message
 * @throws MinHashError TEXT_FIELD_MISSING where there were records and none had the text field, NOTHING_READ where no
 *   document is left
 */
export function refuseNothing(
  prepared: Prepared,
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
  skipped: SkipList,
  piped: LinesHead | null,
): void {
  const { params, inputs } = prepared;
  const read = { files: inputs.files, tables: corpus.tables, skipped: skipped.counts(), piped };
  const missing = params.sets === undefined ? missingTextField(read, params) : null;
  if (missing !== null) throw new MinHashError(missing);
  if (!outcome.withdrawn.includes(0)) throw new MinHashError(nothingRead(prepared, skipped));
}
