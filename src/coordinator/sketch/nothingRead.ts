/**
 * Runs that read nothing: they fail and do not replace a result.
 *
 * A document without text counts as read: a corpus of empty files has a result, which counts them. With a reference,
 * there are two corpora, the reference and the new documents, and the run fails if either has no document.
 */

import { ERRORS, type ErrorCode, MinHashError, type Problem } from '../../errors.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatNamed, formatOfKind } from '../../readers/list/formats.js';
import type { Inputs, LeftOut } from '../../readers/list/inputs.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { fileWord, leftOutText } from '../../result/details.js';
import { counted } from '../../result/wording/amounts.js';
import { listed, wordingOf } from '../../result/wording/wording.js';
import type { InputFormat } from '../../sketch/formatNames.js';
import type { ResultParams } from '../../sketch/params.js';
import type { Documents } from '../documentList.js';
import { type SkipList, skipsOfListing } from '../skips.js';
import { missingTextField, recordsWithout, unknownTextField } from '../start/missingFields.js';

interface ListedInputs {
  readonly params: ResultParams;
  readonly inputs: Inputs;
}

/** Undefined if no file was searched for, as with standard input only. */
export function leftOutOf({ roots, leftOut }: Inputs): LeftOut | undefined {
  return roots.some((root) => root !== '-') ? leftOut : undefined;
}

/** The problem of a run that read nothing; `skipped`: skipped locations by reason. */
export function nothingRead(
  { params, inputs }: ListedInputs,
  skipped: Readonly<Record<string, number>>,
  isReference = false,
): Problem {
  const { files } = inputs;
  // After skips, the number of empty files is not known.
  const empty = Object.keys(skipped).length === 0 ? filesByFormat(files) : undefined;
  const detail = nothingReadText(skipped, params, leftOutOf(inputs), empty, isReference);
  const isPiped = leftOutOf(inputs) === undefined;
  const remedy = isReference ? OTHER_REFERENCE : isPiped && empty ? PIPE_RECORDS : undefined;
  return { code: 'NOTHING_READ', detail, ...(remedy !== undefined && { remedy }) };
}

const OTHER_REFERENCE =
  'name a reference with documents, or change the options that exclude them: --against-include, --input, --encoding';

const PIPE_RECORDS =
  'pipe records to it, such as: cat FILE.jsonl | mr-minhash run -, or pass PATHs instead of -';

function filesByFormat({ kinds, length }: FileTable): ReadonlyMap<InputFormat, number> {
  const counts = new Map<InputFormat, number>();
  for (let index = 0; index < length; index++) {
    const { name } = formatOfKind(kinds[index]!);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The reference, or the documents that are compared with it. */
interface Side {
  readonly isReference: boolean;
  /** The PATHs, for a message. */
  readonly paths: string;
  readonly inputs: Inputs;
  /** Whether a skipped location, a binary string, may belong to this side. For a record with an id this is unknown. */
  mayHave(place: string): boolean;
}

/** The two sides of a run with a reference; empty for any other run. */
function sidesOf({ params, inputs }: ListedInputs): readonly Side[] {
  if (params.groups?.by !== 'against') return [];
  const placesOf = (isReference: boolean) =>
    inputs.places.filter((place) => (place.isReference === true) === isReference);
  return [false, true].map((isReference) => {
    const others = placesOf(!isReference).map(({ prefix }) => binaryOf(prefix));
    const isOfOther = (place: string): boolean =>
      others.some((begin) => place.startsWith(begin) && !isName(place[begin.length]));
    const typed = listed(placesOf(isReference).map(({ path }) => path));
    return {
      isReference,
      paths: `${isReference ? '--against' : 'the new documents'}, ${typed}`,
      mayHave: (place) => !isOfOther(place),
      inputs: { ...inputs, files: inputs.files.ofSide(isReference) },
    };
  });
}

/** Whether a character continues a name. Otherwise a location ends there, or a subfolder, number or unit follows. */
const isName = (next: string | undefined): boolean => next !== undefined && next !== '/' && next !== '#';

/** The problem, with the side that it is about. */
function problemOf({ paths }: Side, { detail, ...problem }: Problem): Problem {
  return { ...problem, detail: `${paths}: ${detail}` };
}

/**
 * Before anything is read. @throws MinHashError NOTHING_READ if there is no file, or none on one side of a reference
 */
export function refuseNoFiles(prepared: ListedInputs): void {
  const { inputs, params } = prepared;
  const skipped = skipsOfListing(inputs);
  if (inputs.files.length === 0) throw new MinHashError(nothingRead(prepared, skipped.counts()));
  for (const side of sidesOf(prepared)) {
    if (side.inputs.files.length > 0) continue;
    const counts = skipped.counts(side.mayHave);
    const problem = nothingRead({ params, inputs: side.inputs }, counts, side.isReference);
    throw new MinHashError(problemOf(side, problem));
  }
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
  prepared: ListedInputs,
  documents: Documents,
  skipped: Pick<SkipList, 'counts'>,
  piped: Uint8Array | null,
  isIndexed: boolean,
): void {
  const { params, inputs } = prepared;
  // Texts were read, but none of them is compared.
  const hasOthers = documents.withoutRow.tooShort + documents.withoutRow.cut > 0;
  if (params.groups?.by !== 'against') {
    if (hasOthers) return;
    const hasRecord = (): boolean => anyRecord(documents, inputs.files);
    const read = { files: inputs.files, skipped: skipped.counts(), piped, hasRecord };
    const missing = params.sets === undefined ? missingTextField(read, params) : null;
    if (missing !== null) throw new MinHashError(missing);
    if (documents.rows === 0) throw new MinHashError(nothingRead(prepared, skipped.counts()));
    return;
  }
  for (const side of sidesOf(prepared)) {
    if (isIndexed && side.isReference) continue;
    // A reference without compared documents cannot match anything, even if it has other texts.
    if (hasDocument(side, documents, inputs.files) || (hasOthers && !side.isReference)) continue;
    const read = { files: side.inputs.files, skipped: skipped.counts(side.mayHave), piped, hasRecord: null };
    const problem =
      missingTextField(read, params) ??
      nothingRead({ params, inputs: side.inputs }, read.skipped, side.isReference);
    throw new MinHashError(problemOf(side, problem));
  }
}

/**
 * A corpus of which nothing was read, without a reference. @throws MinHashError TEXT_FIELD_MISSING if there were records
 * and none had the text field, otherwise NOTHING_READ
 */
export function refuseUnread(prepared: ListedInputs, skipped: Readonly<Record<string, number>>): never {
  const read = { files: prepared.inputs.files, skipped, piped: null, hasRecord: () => false };
  throw new MinHashError(missingTextField(read, prepared.params) ?? nothingRead(prepared, skipped));
}

/** Whether a side has a document. */
function hasDocument({ isReference }: Side, { facts }: Documents, files: FileTable): boolean {
  return facts.some(({ file }) => file.some((number) => files.isReference(number) === isReference));
}

/** Whether some document is certainly a record. A whole file may be a record or a text. */
function anyRecord({ facts }: Documents, files: FileTable): boolean {
  const isRecord = (file: number, record: number): boolean => {
    const { holds } = formatOfKind(files.kinds[file]!);
    return holds === 'records' || (holds === 'either' && record >= 0);
  };
  return facts.some(({ file, record }) => file.some((number, i) => isRecord(number, record[i]!)));
}

/** Before a run: the problems of `unknownTextField` for all inputs, otherwise for each side of a reference. */
export function unknownTextFields(prepared: ListedInputs): readonly Problem[] {
  const { params, inputs } = prepared;
  const unknown = unknownTextField(inputs.files, params);
  if (unknown !== null) return [unknown];
  return sidesOf(prepared).flatMap((side) => {
    const problem = recordsWithout(side.inputs.files, params);
    return problem === null ? [] : [problemOf(side, problem)];
  });
}

/** The names of files that an input kind matches. @param globs flags with globs */
function lookedFor({ input }: ResultParams, globs: readonly string[]): string {
  const kinds =
    input === 'auto'
      ? 'files of any name (records in .jsonl, .json, .csv, .tsv and .parquet, HTML pages in .html and .warc, all others are texts)'
      : `files of any name, read as ${input}`;
  return globs.length === 0 ? kinds : `${kinds}, with ${globs.join(' ')}`;
}

/** `2 BINARY: its meaning (its remedy)`, the most frequent reason first. */
function skippedText(skipped: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(skipped).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  return reasons
    .map(([code, count]) => {
      const { text, remedy } = ERRORS[code as ErrorCode];
      return `${counted(count, 'place')} ${code}, ${text} (${remedy})`;
    })
    .join('; ');
}

/** `: 1 CSV file without a record`. */
function emptyFilesText(files: ReadonlyMap<InputFormat, number>): string {
  const parts = [...files].map(([format, number]) => {
    const { holds } = formatNamed(format);
    const lacks = holds === 'texts' ? 'document' : holds === 'rows' ? 'row' : 'record';
    return `${counted(number, fileWord(format))} without a ${lacks}`;
  });
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** The text for standard input without documents and without skips. */
function emptyInputText({ input }: ResultParams): string {
  const isTable = input === 'csv' || input === 'tsv';
  return `, which was empty or had ${isTable ? 'a header or ' : ''}blank lines only`;
}

/**
 * The text of a run that read no document: what was searched, left out or skipped, and what to do.
 *
 * @param skipped number of locations by reason
 * @param leftOut undefined if no files were searched, with standard input only
 * @param empty number of empty files by format
 * @param isReference whether it is about the documents of --against, to which other globs apply
 */
function nothingReadText(
  skipped: Readonly<Record<string, number>>,
  parameters: ResultParams,
  leftOut: LeftOut | undefined,
  empty: ReadonlyMap<InputFormat, number> = new Map(),
  isReference = false,
): string {
  const { document, documents } = wordingOf(parameters);
  const { include, exclude, groups } = parameters;
  const globs = isReference
    ? (groups?.include ?? []).map((glob) => `--against-include ${glob}`)
    : [...include.map((glob) => `--include ${glob}`), ...exclude.map((glob) => `--exclude ${glob}`)];
  const reasons = skippedText(skipped);
  const skipsText = reasons === '' ? '' : `, everything found was skipped: ${reasons}`;
  if (leftOut === undefined) {
    return `no ${document} came on standard input${skipsText || emptyInputText(parameters)}`;
  }
  const { hidden, unwanted, results } = leftOut;
  const parts = [
    leftOutText(leftOut, isReference ? '--against-include' : '--include and --exclude'),
    results.length > 0 ? `${counted(results.length, 'folder')} with a result of mr-minhash` : '',
  ].filter((part) => part !== '');
  const advice = [
    skipsText === '' && unwanted + hidden === 0 ? `pass PATHs with ${documents}` : '',
    unwanted > 0
      ? 'other globs may match: without a slash they match names in any folder, with a slash paths relative to a PATH, ' +
        '* within a folder, ** across'
      : '',
    hidden > 0 ? 'names of hidden entries begin with a dot: pass them as PATHs to read them' : '',
  ].filter((part) => part !== '');
  return [
    `no ${document} was ${skipsText === '' ? `found${emptyFilesText(empty)}` : `read${skipsText}`}`,
    `looked for: ${lookedFor(parameters, globs)}`,
    ...(parts.length === 0 ? [] : [`left out: ${parts.join(', ')}`]),
    ...advice,
  ].join('; ');
}
