/**
 * Runs that read nothing: they fail and do not replace a result.
 *
 * A document without text counts as read: a corpus of empty files has a result, which counts them. With a reference,
 * there are two corpora, the reference and the new documents, and the run fails if either has no document.
 */

import { ERRORS, type ErrorCode, MinHashError, type Problem } from '../../errors.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import type { Inputs, LeftOut } from '../../readers/list/inputs.js';
import { leftOutText } from '../../result/details.js';
import { counted } from '../../result/wording/amounts.js';
import { wordingOf } from '../../result/wording/wording.js';
import type { ResultParams } from '../../sketch/params.js';
import type { Documents } from '../documentList.js';
import { skipListOf } from '../skips.js';
import { anyHolds, missingTextField, type Side, sidesOf } from '../start/missingFields.js';

interface ListedInputs {
  readonly params: ResultParams;
  readonly inputs: Inputs;
}

/** Skipped locations by reason. */
type SkipCounts = Readonly<Record<string, number>>;

/** Undefined if no file was searched for, as with standard input only. */
export function leftOutOf({ roots, leftOut }: Inputs): LeftOut | undefined {
  return roots.some((root) => root !== '-') ? leftOut : undefined;
}

/** Before anything is read. @throws MinHashError NOTHING_READ if there is no file, or none on one side of a reference */
export function refuseNoFiles(listed: ListedInputs): void {
  for (const side of sidesOf(listed.inputs.files))
    if (side.files.length === 0)
      throw new MinHashError(nothingRead(listed, side, skipListOf(listed.inputs.skipped).counts()));
}

/**
 * After reading.
 *
 * @param piped the first bytes of standard input, for a message
 * @param isIndexed whether the reference is an index, of which only documents that may be similar are read
 * @throws MinHashError TEXT_FIELD_MISSING if there were records and none had the text field, NOTHING_READ if no
 * document is left; also if this holds for one side of a reference
 */
export function refuseNothing(
  listed: ListedInputs,
  { facts, withoutRow }: Documents,
  skipped: SkipCounts,
  piped: Uint8Array | null,
  isIndexed: boolean,
): void {
  const { files } = listed.inputs;
  // Texts were read, but none of them is compared: that is a result, but not a reference.
  const hasOthers = withoutRow.tooShort + withoutRow.cut > 0;
  // Skips are not counted by side, so that those of a reference may be of the other side.
  const mustBeRecord = !files.hasReference && lackText(skipped, files);
  for (const side of sidesOf(files)) {
    if (side.isReference ? isIndexed : hasOthers) continue;
    const isRead = (file: number): boolean =>
      files.isReference(file) === side.isReference && (!mustBeRecord || mayHoldRecords(files, file));
    if (!facts.some(({ file }) => file.some(isRead)))
      throw new MinHashError(unread(listed, side, skipped, piped));
  }
}

/** A corpus without a document that was read. @throws MinHashError TEXT_FIELD_MISSING, NOTHING_READ */
export function refuseUnread(listed: ListedInputs, skipped: SkipCounts): never {
  throw new MinHashError(unread(listed, sidesOf(listed.inputs.files)[0]!, skipped, null));
}

function unread(listed: ListedInputs, side: Side, skipped: SkipCounts, piped: Uint8Array | null): Problem {
  if (!lackText(skipped, side.files)) return nothingRead(listed, side, skipped);
  const { detail, ...problem } = missingTextField(side.files, listed.params, piped);
  return { ...problem, detail: side.name + detail };
}

/** Whether records were skipped because they lack the text field. A record that is too large may have it. */
function lackText(skipped: SkipCounts, files: FileTable): boolean {
  const { JSON_NO_TEXT = 0, CSV_NO_TEXT = 0, TOO_LARGE = 0 } = skipped;
  return JSON_NO_TEXT + CSV_NO_TEXT > 0 && TOO_LARGE === 0 && anyHolds(files, 'records');
}

function mayHoldRecords(files: FileTable, file: number): boolean {
  const { holds } = formatOfKind(files.kinds[file]!);
  return holds === 'records' || holds === 'either';
}

/** What was searched, left out or skipped, and what to do. */
function nothingRead({ params, inputs }: ListedInputs, side: Side, skipped: SkipCounts): Problem {
  const { document, documents } = wordingOf(params);
  const byCount = Object.entries(skipped).sort(([, x], [, y]) => y - x);
  const reasons = byCount.map(([code, count]) => {
    const { text, remedy } = ERRORS[code as ErrorCode];
    return `${counted(count, 'location')} ${code}, ${text} (${remedy})`;
  });
  const skips = reasons.length === 0 ? '' : `; skipped: ${reasons.join('; ')}`;
  const leftOut = leftOutOf(inputs);
  if (leftOut === undefined) {
    const empty = skips || ', which was empty or had a header or blank lines only';
    const detail = `no ${document} came on standard input${empty}`;
    return { code: 'NOTHING_READ', detail, ...(skips === '' && { remedy: PIPE_RECORDS }) };
  }
  const { hidden, unwanted, results } = leftOut;
  const { length } = side.files;
  const flags = side.isReference ? '--against-include' : '--include and --exclude';
  const left = [
    leftOutText(leftOut, flags),
    results.length > 0 ? `${counted(results.length, 'folder')} with a result of mr-minhash` : '',
  ].filter((part) => part !== '');
  const parts = [
    `no ${document} was found${skips === '' && length > 0 ? ` in ${counted(length, 'file')}` : ''}${skips}`,
    left.length > 0 ? `left out: ${left.join(', ')}` : '',
    skips === '' && unwanted + hidden === 0 ? `pass PATHs with ${documents}` : '',
    unwanted > 0
      ? 'other globs may match: without a slash they match names in any folder, with a slash paths relative to a PATH, ' +
        '* within a folder, ** across'
      : '',
    hidden > 0 ? 'names of hidden entries begin with a dot: pass them as PATHs to read them' : '',
  ];
  const detail = side.name + parts.filter((part) => part !== '').join('; ');
  return { code: 'NOTHING_READ', detail, ...(side.isReference && { remedy: OTHER_REFERENCE }) };
}

const PIPE_RECORDS =
  'pipe records to it, such as: cat FILE.jsonl | mr-minhash run -, or pass PATHs instead of -';
const OTHER_REFERENCE =
  'name a reference with documents, or change the options that exclude them: --against-include, --input, --encoding';
