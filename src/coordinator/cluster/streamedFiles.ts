/** For tasks of an engine that sorts: the facts of a file that decide which near-duplicate is kept, and the group of the file. */
import { UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { lookAt } from '../../readers/list/sizes.js';
import type { ResultParams } from '../../sketch/params.js';
import type { StreamedFile } from '../../tasks/stream/taskManifest.js';
import { sourcesOf } from '../finish/precedence.js';
import { groupsOfFiles } from '../pair/documentGroups.js';

/** For runs whose documents survive in another order than that of their places, are decided, or have groups; by containment, too. */
export interface OrderOfFiles {
  of(file: number): Pick<StreamedFile, 'tier' | 'isProtected' | 'time' | 'group'>;
}

/** Null: documents survive in the order of their places, by resemblance, without decisions, and have no groups. */
export function orderOfFiles(params: ResultParams, files: FileTable): OrderOfFiles | null {
  const { tiers, isProtected } = sourcesOf(params, files);
  const isInOrder = tiers === null || tiers.every((tier, file) => file === 0 || tier >= tiers[file - 1]!);
  const groups =
    params.groups === null || params.groups.by === 'field' ? null : groupsOfFiles(params.groups, files);
  const isByPlace = params.keep[0]!.by === 'first' && isInOrder && isProtected === null;
  const isOfClasses =
    params.groups === null && params.decisions === undefined && params.measure === 'resemblance';
  if (isByPlace && isOfClasses) return null;
  const hasTimes = params.keep.some(({ by }) => by === 'newest' || by === 'oldest');
  return {
    of: (file) => ({
      ...(tiers !== null && { tier: tiers[file]! }),
      ...(isProtected?.[file] === 1 && { isProtected: true }),
      ...(hasTimes && { time: timeOf(files, file) }),
      ...(groups !== null && { group: groups[file]! }),
    }),
  };
}

/** The modification time of a file when it was listed; where the listing has none, its present time. */
function timeOf(files: FileTable, file: number): number {
  const listed = files.times[file]!;
  return listed === UNKNOWN ? lookAt(files, file).time : listed;
}
