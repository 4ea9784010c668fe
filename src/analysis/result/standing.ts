/** Whether a run could never drop a document, because it is of the reference. */

import { binaryOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import { readStats } from '../../result/readManifest.js';

/** Why a document is never dropped. */
export interface DocumentStanding {
  /** Whether the document is of the reference (--against). */
  readonly isReference: boolean;
}

/** The standing of the document at a location (binary string; null: unknown). */
export function standingOf(folder: string, { parameters }: Manifest, place: string | null): DocumentStanding {
  if (place === null || parameters.groups === null) return { isReference: false };
  const file = place.replace(/(#\d+)?(#[pl]\d+)?$/, '');
  const [root] = readStats(folder)
    .places.map((root) => ({ ...root, prefix: binaryOf(root.prefix) }))
    .filter(({ prefix, kind }) =>
      kind === 'folder' ? prefix === '' || place.startsWith(`${prefix}/`) : [file, place].includes(prefix),
    )
    .sort((x, y) => y.prefix.length - x.prefix.length);
  return { isReference: root?.isReference === true };
}
