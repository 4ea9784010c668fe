/**
 * Symbolic links below the PATHs, counted by their targets. They are skipped: a link and its target would be a pair of identical
 * documents, and nothing would be left of both if the target is dropped.
 */

import { idOrder, type ListedLocations } from '../../blocks/ids.js';
import { type ErrorCode, LISTED_CODES } from '../../errors.js';
import type { LoopTurns } from '../../store/turns.js';
import type { FileTable } from './fileTable.js';
import type { PathFilter } from './filter.js';
import type { Root } from './pathIds.js';
import { nameOf } from './pathIds.js';
import { realPathOf, statOf } from './walk.js';

/** How many symbolic links were skipped, by their targets. */
export interface LinkCounts {
  /** To a file that is read below the PATHs under its own name, or is a PATH. */
  readonly inside: number;
  /** To a file that is not below the PATHs, or is excluded there. */
  readonly outside: number;
  /** To no file. */
  readonly broken: number;
}

/** The files that a run reads. */
export interface Walked {
  readonly roots: readonly Root[];
  /** Real paths of folders below them that are not walked. */
  readonly closed: ReadonlySet<string>;
  /** The filter of files below a PATH; null: all are read. */
  filterOf(root: Pick<Root, 'given'>): PathFilter | null;
}

/** The skipped links, in the order of the list of skipped inputs. `unwanted`: those that the filter excludes as it would files. */
interface LeftOutLinks {
  readonly links: ListedLocations;
  readonly counts: LinkCounts;
  readonly unwanted: number;
}

/** Finds the target of each link. `table`: the links, in the form of files. */
export async function leftOutLinks(
  table: FileTable,
  walked: Walked,
  turns: LoopTurns,
): Promise<LeftOutLinks> {
  const targets = new Targets(walked);
  const rows = new Uint32Array(table.length);
  const codes = new Uint8Array(table.length);
  const counts = { LINK_INSIDE: 0, LINK_OUTSIDE: 0, LINK_BROKEN: 0 };
  let length = 0;
  for (const i of idOrder(table.ids)) {
    await turns.give();
    const root = table.roots[table.root[i]!]!;
    const code = targets.codeOf(table.path(i), table.id(i).slice(root.prefix.length), walked.filterOf(root));
    if (code === null) continue;
    counts[code]++;
    rows[length] = i;
    codes[length++] = LISTED_CODES.indexOf(code);
  }
  return {
    links: { places: table.ids, rows: rows.slice(0, length), codes: codes.slice(0, length) },
    counts: { inside: counts.LINK_INSIDE, outside: counts.LINK_OUTSIDE, broken: counts.LINK_BROKEN },
    unwanted: table.length - length,
  };
}

type LinkCode = Extract<ErrorCode, `LINK_${string}`>;

class Targets {
  private readonly closed: ReadonlySet<string>;
  /** Real paths of PATHs. */
  private readonly files = new Set<string>();
  private readonly folders = new Map<string, PathFilter | null>();

  constructor({ roots, closed, filterOf }: Walked) {
    this.closed = closed;
    for (const root of roots) {
      const { real, kind, absolute } = root;
      if (kind === 'directory') this.folders.set(real, filterOf(root));
      else if (kind !== 'stdin' && filterOf(root)?.wants(nameOf(absolute)) !== false) this.files.add(real);
    }
  }

  /** Null: the filter does not want the link. `relative`: its path below its PATH. */
  codeOf(path: string, relative: string, filter: PathFilter | null): LinkCode | null {
    const real = realPathOf(path);
    // Only the filter needs to know whether the target is a folder.
    const isFolder = filter !== null && real !== null && (statOf(real)?.isDirectory() ?? false);
    if (filter !== null && !(isFolder ? !filter.excludesFolder(relative) : filter.wants(relative)))
      return null;
    if (real === null) return 'LINK_BROKEN';
    return this.isMet(real, isFolder) ? 'LINK_INSIDE' : 'LINK_OUTSIDE';
  }

  /** Whether a walk finds a real path: it is a PATH or below one, and no folder between is skipped. */
  private isMet(real: string, isFolder: boolean): boolean {
    if (this.files.has(real)) return true;
    for (let path = real; ; path = path.slice(0, path.lastIndexOf('/')) || '/') {
      if (this.closed.has(path)) return false;
      const filter = this.folders.get(path);
      if (filter !== undefined) return isWanted(filter, path, real, isFolder);
      if (path === '/' || nameOf(path).startsWith('.')) return false;
    }
  }
}

function isWanted(filter: PathFilter | null, root: string, real: string, isFolder: boolean): boolean {
  if (filter === null || real === root) return true;
  const relative = real.slice(root.endsWith('/') ? root.length : root.length + 1);
  return isFolder ? !filter.excludesFolder(relative) : filter.wants(relative);
}
