/** The place of a document of a result, and whether the run could never drop it: of a reference, or protected. */

import type { Manifest } from '../../output/manifest.js';
import { readStats } from '../../output/readManifest.js';
import { pathFilter } from '../../readers/list/filter.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { type AskedResult, readAgain } from './pairTexts.js';

/** Reasons for which a document is never dropped. */
export interface DocumentStanding {
  /** Whether the document is of the reference (--against). */
  readonly isReference: boolean;
  /** Whether a glob of --protect matches its file. */
  readonly isProtected: boolean;
}

const NONE: DocumentStanding = { isReference: false, isProtected: false };

/** Matches the number of a record and the number of a unit behind the place of a file. */
const ENDS = /(#\d+)?(#[pl]\d+)?$/;

/** The standing of the document at a place (binary string; null: unknown). */
export function standingOf(folder: string, { parameters }: Manifest, place: string | null): DocumentStanding {
  const { protect, groups } = parameters;
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
