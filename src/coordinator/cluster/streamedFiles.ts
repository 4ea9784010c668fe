/** The files of a run as tasks of an engine that sorts know them, with what decides which near-duplicate is kept, and their groups. */
import { UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { lookAt } from '../../readers/list/sizes.js';
import type { ResultParams } from '../../sketch/params.js';
import type { StreamedFile, TaskManifest } from '../../tasks/stream/taskManifest.js';
import { sourcesOf } from '../finish/precedence.js';
import { groupsOfFiles } from '../pair/documentGroups.js';

/** @param uriOf the address by which the engine names a file */
export function streamedFiles(
  params: ResultParams,
  files: FileTable,
  uriOf: (file: number) => string,
): Pick<TaskManifest, 'params' | 'files' | 'hasOrder'> {
  const orderOf = orderOfFiles(params, files);
  const streamed = Array.from({ length: files.length }, (_, i): StreamedFile => {
    const [id, bytes, kind] = [files.id(i), files.sizes[i]!, files.kinds[i]!];
    return { uri: uriOf(i), id, bytes, kind, ...orderOf?.(i) };
  });
  return { params, files: streamed, ...(orderOf !== null && { hasOrder: true }) };
}

/** By file; null: documents survive in the order of their places, by resemblance, without decisions, and have no groups. */
function orderOfFiles(
  params: ResultParams,
  files: FileTable,
): ((file: number) => Pick<StreamedFile, 'tier' | 'isProtected' | 'time' | 'group'>) | null {
  const { tiers, isProtected } = sourcesOf(params, files);
  const isInOrder = tiers === null || tiers.every((tier, file) => file === 0 || tier >= tiers[file - 1]!);
  const groups =
    params.groups === null || params.groups.by === 'field' ? null : groupsOfFiles(params.groups, files);
  const isByPlace = params.keep[0]!.by === 'first' && isInOrder && isProtected === null;
  const isOfClasses =
    params.groups === null && params.decisions === undefined && params.measure === 'resemblance';
  if (isByPlace && isOfClasses) return null;
  const hasTimes = params.keep.some(({ by }) => by === 'newest' || by === 'oldest');
  return (file) => ({
    ...(tiers !== null && { tier: tiers[file]! }),
    ...(isProtected?.[file] === 1 && { isProtected: true }),
    ...(hasTimes && { time: timeOf(files, file) }),
    ...(groups !== null && { group: groups[file]! }),
  });
}

/** The modification time of a file when it was listed; where the listing has none, its present time. */
function timeOf(files: FileTable, file: number): number {
  const listed = files.times[file]!;
  return listed === UNKNOWN ? lookAt(files, file).time : listed;
}
