/** Refuses, before any job, files that an engine does not read or would read otherwise than a run on threads. */
import { closeSync, openSync } from 'node:fs';
import { type Fault, MinHashError } from '../../errors.js';
import type { ClusterExecution } from '../../options/check.js';
import { PACKING_PROBE, packingOf } from '../../readers/bytes/packings.js';
import { hasScheme } from '../../readers/bytes/remote/addresses.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatNamed, hasUnits } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import { fieldsRead, type ResultParams } from '../../sketch/params.js';
import { readAt } from '../../store/fileDoor.js';
import { skippedInputs } from '../sketch/corpus.js';
import type { Prepared } from '../start/prepare.js';

/** Most files that a message names; it counts the others. */
const MOST_NAMED = 5;

/** @throws MinHashError OPTION_INVALID for files that the engine does not read, INPUT_REFUSED under --on-error fail */
export function refuseUnread({ params, inputs }: Prepared, { engine }: ClusterExecution): void {
  // Tasks on this machine's disk read whatever threads read.
  if (engine !== 'disk') {
    const unread = [...unreadFaults(inputs.files, engine), ...fieldFaults(inputs.files, engine, params)];
    if (unread.length > 0) throw new MinHashError(unread);
  }
  skippedInputs(inputs, params);
}

/** The engines that read input files themselves. */
type ReadingEngine = Exclude<ClusterExecution['engine'], 'disk'>;

/** Faults of files of a form that the engine does not read, or of a name that it cannot take. */
function unreadFaults(files: FileTable, engine: ReadingEngine): Fault[] {
  const isRead = (i: number): boolean => {
    const { format, packing, utf16 } = files.file(i);
    if (utf16) return false;
    if (format === 'jsonl' || format === 'sets')
      return packing === null || packing === 'gzip' || packing === 'bzip2';
    if (engine !== 'spark' || packing !== null) return false;
    // Spark does not report that an empty file has no footer.
    return hasUnits(formatNamed(format)) || (format === 'parquet' && files.sizes[i] !== 0);
  };
  const lines = 'JSON lines in UTF-8 (.jsonl, also .gz and .bz2)';
  const reads = {
    hadoop: lines,
    spark: `${lines}, Parquet (no empty files) and plain text files`,
  };
  return [
    ...faultOfFiles(files, engine, (i) => !isRead(i), reads[engine]),
    ...faultOfFiles(files, engine, (i) => isRead(i) && !isTakenName(files.id(i)), NAMES_TAKEN),
    ...faultOfFiles(files, engine, (i) => engine === 'hadoop' && VARIABLE.test(files.path(i)), NO_VARIABLES),
    ...faultOfFiles(files, engine, (i) => isRead(i) && hasOtherContent(files, i), CONTENT_TAKEN),
  ];
}

/** Faults of Parquet files where the run needs further fields: an engine reads only texts and ids from columns. */
function fieldFaults(
  files: FileTable,
  engine: ReadingEngine,
  params: Pick<ResultParams, 'keep' | 'groups'>,
): Fault[] {
  if (fieldsRead(params).length === 0) return [];
  return faultOfFiles(files, engine, (i) => files.file(i).format === 'parquet', NO_FIELDS);
}

const NO_FIELDS = 'JSON lines with --keep field:NAME or --group-field';
const NAMES_TAKEN = 'names in UTF-8 without a colon, with no _ at their beginning';
/** Hadoop replaces `${NAME}` by the value of a setting. */
const VARIABLE = /\$\{/;
const NO_VARIABLES = 'names without ${';
const CONTENT_TAKEN = 'packed files under names that end in .gz or .bz2, and such names of no others';

/** Whether engines can take a name: they skip names that begin with _, and take a colon for the end of a scheme. */
function isTakenName(id: string): boolean {
  return !/(^|\/)_|:/.test(id) && !textOf(id).includes('\ufffd');
}

/** Endings of names by which engines unpack a file, where threads do not or do otherwise. */
const CODECS = /\.(deflate|lz4|lzo|snappy|zst|zstd|xz)$/i;
const PACKED_NAME = /\.(gz|bz2)$/;

/** Whether the name of a file, by which engines unpack, does not fit its first bytes; only files of this machine are read. */
function hasOtherContent(files: FileTable, i: number): boolean {
  const id = files.id(i);
  if (CODECS.test(id)) return true;
  if (hasScheme(files.path(i))) return false;
  const first = firstBytes(files.pathBytes(i));
  return first.length > 0 && (packingOf(first) !== null) !== PACKED_NAME.test(id);
}

/** The first bytes of a file; empty where it cannot be opened, which the engine reports. */
function firstBytes(path: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PACKING_PROBE);
  try {
    const file = openSync(Buffer.from(path), 'r');
    try {
      return bytes.subarray(0, readAt(file, bytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return bytes.subarray(0, 0);
  }
}

function faultOfFiles(
  files: FileTable,
  engine: ReadingEngine,
  isMeant: (i: number) => boolean,
  expected: string,
): Fault[] {
  const found = Array.from({ length: files.length }, (_, i) => i).filter(isMeant);
  if (found.length === 0) return [];
  const named = found.slice(0, MOST_NAMED).map((i) => JSON.stringify(textOf(files.id(i))));
  const more = found.length - named.length;
  const which = named.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const detail = `--engine ${engine}: ${which}: expected ${expected}; leave others out with --exclude`;
  return [{ code: 'OPTION_INVALID', detail }];
}
