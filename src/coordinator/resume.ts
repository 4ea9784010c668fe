/**
 * The note in `.work` of a run over files: the version, result options and inputs from which its work files were
 * written. A later attempt uses those files only if all of this is equal.
 */

import type { Block } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { checkInputs, differencesFrom, inputsBlock } from '../readers/inputsRecord.js';
import { withoutSecrets } from '../readers/list/addresses.js';
import { STDIN } from '../readers/list/fileList.js';
import type { FileTable } from '../readers/list/fileTable.js';
import type { ResultParams } from '../sketch/params.js';
import { VERSION } from '../store/packageFiles.js';
import { workBlock, writeWorkFile } from '../store/workFiles.js';

const NOTE = 'inputs';
/** Differences of inputs that are listed; the others are counted. */
const MOST_NAMED = 3;

/**
 * Whether the work files of a run can be used again. Standard input cannot be read again, and an index may have grown.
 */
export function isResumable({ kinds }: FileTable, index: string | null): boolean {
  return index === null && !kinds.some((kind) => (kind & STDIN) !== 0);
}

/** Why a run without usable work files starts over. */
export const NOTHING_TO_RESUME = 'there are no work files of an earlier attempt';
export const NOT_RESUMABLE = 'a run that reads standard input or an index cannot be resumed';

/** Writes the note, before the first work file. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function writeNote(work: string, files: FileTable, params: ResultParams): void {
  writeWorkFile(work, NOTE, inputsBlock(files, { version: VERSION, params: withoutSecrets(params) }));
}

/** The note in a folder of work files; null if it is missing or incomplete. */
function noteIn(work: string): Block | null {
  try {
    return checkInputs(workBlock(work, NOTE, 'inputs'));
  } catch (error) {
    if (error instanceof MinHashError) return null;
    throw error;
  }
}

/**
 * Why the work files of an earlier attempt cannot be used, one text per difference; empty: they can be used; null:
 * there is no note.
 */
export function differencesFromNote(
  work: string,
  files: FileTable,
  params: ResultParams,
): readonly string[] | null {
  const note = noteIn(work);
  if (note === null) return null;
  if (note.meta.version !== VERSION) return [`version ${note.meta.version}, now ${VERSION}`];
  const [now, then] = [plain(withoutSecrets(params)), plain(note.meta.params)];
  const keys = [...new Set([...Object.keys(now), ...Object.keys(then)])];
  const changed = keys.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(then[key]));
  if (changed.length > 0) return [`other options (${changed.join(', ')})`];
  const { named: listed, count } = differencesFrom(files, note, MOST_NAMED);
  return count > listed.length ? [...listed, `${count - listed.length} more inputs`] : listed;
}

/** A value as it is after JSON serialization. */
function plain(value: unknown): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}
