/**
 * What a summary says of what was not read: links, hidden entries, results inside the corpus, and a corpus without a document.
 *
 * Floor 4. Pure.
 */
import { counted, grouped } from './promiseText.js';
import type { ResultParams } from './sketch/params.js';
import type { LeftOut } from './storage/inputs.js';
import type { ManifestCounts } from './storage/results/manifest.js';
import { wordingOf } from './wording.js';

/** So many folders are named. */
const MOST_NAMED = 3;

/** `out1, b/out2 and 3 more`. */
function named(places: readonly string[]): string {
  const more = places.length - MOST_NAMED;
  return `${places.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `3 symbolic links (1 to what lies below the PATHs, 2 to other places, 0 broken)`. */
function linksText({ inside, outside, broken }: LeftOut['links']): string {
  const where = `${grouped(inside)} to what lies below the PATHs, ${grouped(outside)} to other places, ${grouped(broken)} broken`;
  return `${counted(inside + outside + broken, 'symbolic link')} (${where})`;
}

/** Counts of what lies below the PATHs and is no document; no line where there is nothing. Results of ours have a note. */
export function leftOutLines(leftOut: LeftOut | undefined): string[] {
  if (leftOut === undefined) return [];
  const { hidden, links, unwanted } = leftOut;
  const parts = [
    links.inside + links.outside + links.broken > 0 ? linksText(links) : '',
    hidden > 0 ? counted(hidden, 'hidden entry', 'hidden entries') : '',
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`Left out    ${parts.join(', ')}`];
}

/** Earlier results below a PATH; null where there is none. */
export function resultsText(leftOut: LeftOut | undefined): string | null {
  const results = leftOut?.results ?? [];
  if (results.length === 0) return null;
  const [holds, was] = results.length === 1 ? ['holds', 'was'] : ['hold', 'were'];
  const folders = counted(results.length, 'folder');
  return `${folders} below the PATHs that ${holds} a result of mr-minhash ${was} left out: ${named(results)}.`;
}

/** What other people have in the output folder; null where there is nothing. */
export function othersText(out: string, others: readonly string[] = []): string | null {
  if (others.length === 0) return null;
  const [is, it] = others.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const places = counted(others.length, 'file or folder', 'files or folders');
  return `${places} in ${out} that ${is} not of mr-minhash stayed there: ${named(others)}. verify will name ${it}, too.`;
}

/** Names of files that a kind of input looks for. */
function lookedFor({ input, include, exclude }: ResultParams): string {
  const kinds =
    input === 'auto'
      ? 'files of any name (.jsonl and .ndjson are read as lines of records, .json as records, all others as texts)'
      : `files of any name, read as ${input}`;
  const globs = [
    ...include.map((glob) => ` --include ${glob}`),
    ...exclude.map((glob) => ` --exclude ${glob}`),
  ];
  return globs.length === 0 ? kinds : `${kinds}, with${globs.join('')}`;
}

/**
 * What was looked for, what was left out and what can be done, where not one document was read.
 *
 * @param leftOut undefined where no file was looked for: of standard input alone
 */
export function nothingReadText(
  counts: ManifestCounts,
  parameters: ResultParams,
  leftOut: LeftOut | undefined,
): string {
  const { document, documents } = wordingOf(parameters);
  if (counts.documents > 0) {
    return (
      `No ${document} was read: everything that was found was skipped, for the reasons counted; ` +
      `skipped.${parameters.format} names each place.`
    );
  }
  if (leftOut === undefined) return `No ${document} was found in what was given.`;
  const { hidden, links, unwanted, results } = leftOut;
  const parts = [
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
    `${counted(hidden, 'hidden entry', 'hidden entries')} (names with a leading dot)`,
    linksText(links),
    `${counted(results.length, 'folder')} with a result of mr-minhash`,
  ];
  const globs =
    unwanted > 0
      ? ', or other globs: without a slash they match names in any folder, with one paths relative to a PATH, * within a folder, ** across'
      : '';
  return (
    `No ${document} was found. Looked for: ${lookedFor(parameters)}. ` +
    `Left out: ${parts.filter((part) => part !== '').join(', ')}. Name PATHs that hold ${documents}${globs}.`
  );
}
