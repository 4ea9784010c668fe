/**
 * Globs of --prefer and --protect over the files of a run. A glob of --protect that matches no file refuses the run, which could drop
 * documents that the user means to protect.
 */

import type { Fault } from '../../errors.js';
import { shown } from '../../readers/ahead/columns.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { pathFilter } from '../../readers/list/filter.js';
import { textOf } from '../../readers/list/pathIds.js';
import type { ResultParams } from '../../sketch/params.js';

/** Globs with the syntax of --include, matched against the places of files and against their paths below the PATH. */
export class SourceGlobs {
  private readonly globs: readonly string[];
  private readonly matchers: readonly ((path: string) => boolean)[];
  private readonly hasMatched: boolean[];

  constructor(globs: readonly string[]) {
    this.globs = globs;
    this.matchers = globs.map((glob) => pathFilter([glob], []).wants);
    this.hasMatched = globs.map(() => false);
  }

  /** The number of the first glob that matches a file; the number of globs where none does. */
  firstOf(files: FileTable, file: number): number {
    if (this.globs.length === 0) return 0;
    const place = files.id(file);
    const relative = files.relative(file);
    let first = this.globs.length;
    for (let i = this.globs.length - 1; i >= 0; i--) {
      if (!this.matchers[i]!(place) && !(relative !== place && this.matchers[i]!(relative))) continue;
      first = i;
      this.hasMatched[i] = true;
    }
    return first;
  }

  get unmatched(): readonly string[] {
    return this.globs.filter((_, i) => this.hasMatched[i] === false);
  }
}

/** A fault for every glob of --protect that matches no file; none where there are no files, which is another fault. */
export function unmatchedProtect(
  files: FileTable,
  { protect }: Pick<ResultParams, 'protect'>,
): readonly Fault[] {
  if (protect.length === 0 || files.length === 0) return [];
  const globs = new SourceGlobs(protect);
  for (let file = 0; file < files.length && globs.unmatched.length > 0; file++) globs.firstOf(files, file);
  return globs.unmatched.map((glob) => ({
    code: 'OPTION_INVALID',
    detail: `--protect ${shown(glob)}: no file matches; places look like ${JSON.stringify(textOf(files.id(0)))}`,
  }));
}
