/** The place of a document of a result, and whether the run could never drop it: of a reference. */

import { binaryOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import { readStats } from '../../result/readManifest.js';
import { type AskedResult, readAgain } from './pairTexts.js';

/** Why a document is never dropped. */
export interface DocumentStanding {
  /** Whether the document is of the reference (--against). */
  readonly isReference: boolean;
}

/** The standing of the document at a place (binary string; null: unknown). */
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

/** An id and its place, as binary strings. */
interface Whereabouts {
  readonly id: string;
  readonly place: string;
}

/** The document with the id or place `asked`, found in the inputs of the run; null where they do not have it. */
export async function whereIs(result: AskedResult, asked: string): Promise<Whereabouts | null> {
  const found = await located(result, asked);
  const named = found.find(({ id }) => id === asked);
  if (named !== undefined) return named;
  const placed = found.find(({ place }) => place === asked);
  if (placed === undefined) return null;
  // Only the first document that names an id has it: the place of others is their id.
  const first = (await located(result, placed.id)).find(({ id }) => id === placed.id);
  return first?.place === asked ? placed : { id: asked, place: asked };
}

async function located(result: AskedResult, asked: string): Promise<Whereabouts[]> {
  const found: Whereabouts[] = [];
  const take = (id: string, place: string): void => {
    if (id === asked ? !found.some((one) => one.id === id) : place === asked) found.push({ id, place });
  };
  await readAgain(result, [asked], { located: take });
  return found;
}
