/** Where a document of a result is, and whether the run could have dropped it: of a reference, or protected. */

import type { Manifest } from '../../output/manifest.js';
import { readStats } from '../../output/readManifest.js';
import { pathFilter } from '../../readers/list/filter.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { type AskedResult, readAgain } from './pairTexts.js';

/** Why a document stays whatever resembles it. */
export interface DocumentStanding {
  /** It is of --against. */
  readonly isReference: boolean;
  /** A glob of --protect matches its file. */
  readonly isProtected: boolean;
}

const NONE: DocumentStanding = { isReference: false, isProtected: false };

/** Behind the place of a file: the number of a record, and that of a unit. */
const ENDS = /(#\d+)?(#[pl]\d+)?$/;

/** What the run says of the document in a place (binary string; null: nobody knows). */
export function standingOf(folder: string, { parameters }: Manifest, place: string | null): DocumentStanding {
  // A result of an earlier version has none.
  const { protect = [], groups = null } = parameters as Partial<typeof parameters>;
  if (place === null || parameters.sets !== undefined) return NONE;
  if (protect.length === 0 && groups?.by !== 'against') return NONE;
  const file = place.replace(ENDS, '');
  const roots = readStats(folder)
    .places.map((root) => ({ ...root, prefix: binaryOf(root.prefix) }))
    .filter(({ prefix, kind }) =>
      kind === 'folder' ? prefix === '' || place.startsWith(`${prefix}/`) : [file, place].includes(prefix),
    )
    .sort((x, y) => y.prefix.length - x.prefix.length);
  const [root] = roots;
  const relative = root?.kind === 'folder' && root.prefix !== '' ? file.slice(root.prefix.length + 1) : file;
  const { wants } = pathFilter(protect, []);
  return {
    isReference: root?.isReference === true,
    isProtected: protect.length > 0 && [file, place, relative].some((path) => wants(path)),
  };
}

/** An id and its place, as binary strings. */
interface Whereabouts {
  readonly id: string;
  readonly place: string;
}

/** The document that is called so, or is in this place, read from the inputs of the run; null where these have none. */
export async function whereIs(result: AskedResult, asked: string): Promise<Whereabouts | null> {
  const found = await located(result, asked);
  const named = found.find(({ id }) => id === asked);
  if (named !== undefined) return named;
  const placed = found.find(({ place }) => place === asked);
  if (placed === undefined) return null;
  // Only the first document that names an id has it: others are called by their place.
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
