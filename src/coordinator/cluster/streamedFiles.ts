/** The files of a run as tasks of an engine that sorts know them, with what decides which near-duplicate is kept, and their groups. */
import { UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { lookAt } from '../../readers/list/sizes.js';
import type { ResultParams } from '../../sketch/params.js';
import { type FileOrder, StreamedFiles } from '../../tasks/stream/fileColumns.js';
import type { TaskManifest } from '../../tasks/stream/taskManifest.js';
import { sourcesOf } from '../finish/precedence.js';
import { groupsOfFiles } from '../pair/documentGroups.js';

/** @param uriOf the address by which the engine names a file; null: it names files by their ids */
export function streamedFiles(
  params: ResultParams,
  files: FileTable,
  uriOf: ((file: number) => string) | null,
): Pick<TaskManifest, 'params' | 'files' | 'hasOrder'> {
  const order = orderOfFiles(params, files);
  // Sizes that are not known yet are filled in later, but the manifests of all jobs have the same.
  const streamed = new StreamedFiles({
    ...{ ids: files.ids, bytes: files.sizes.slice(), kinds: files.kinds.slice(), order },
    uris: uriOf && Array.from({ length: files.length }, (_, file) => uriOf(file)),
    roots: files.roots.map(({ path, prefix }) => [path, prefix]),
  });
  return { params, files: streamed, ...(order !== null && { hasOrder: true }) };
}

/** Null: documents survive in the order of their places, by resemblance, without decisions, and have no groups. */
function orderOfFiles(params: ResultParams, files: FileTable): FileOrder | null {
  const { tiers, isProtected } = sourcesOf(params, files);
  const isInOrder = tiers === null || tiers.every((tier, file) => file === 0 || tier >= tiers[file - 1]!);
  const groups =
    params.groups === null || params.groups.by === 'field' ? null : groupsOfFiles(params.groups, files);
  const isByPlace = params.keep[0]!.by === 'first' && isInOrder && isProtected === null;
  const isOfClasses =
    params.groups === null && params.decisions === undefined && params.measure === 'resemblance';
  if (isByPlace && isOfClasses) return null;
  const hasTimes = params.keep.some(({ by }) => by === 'newest' || by === 'oldest');
  const times = hasTimes ? Array.from(files.times, (_, file) => timeOf(files, file)) : null;
  const listed = (column: ArrayLike<number> | null) => column && Array.from(column);
  return { tiers: listed(tiers), isProtected: listed(isProtected), times, groups: listed(groups) };
}

/** The modification time of a file when it was listed; where the listing has none, its present time. */
function timeOf(files: FileTable, file: number): number {
  const listed = files.times[file]!;
  return listed === UNKNOWN ? lookAt(files, file).time : listed;
}
