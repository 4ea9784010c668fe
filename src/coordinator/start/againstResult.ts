/**
 * `--against RESULT`: the documents that a finished run keeps are the reference. The result is replaced by its PATHs.
 * Documents below them that the run dropped or did not read are not part of the reference.
 */

import { flagName, MinHashError } from '../../errors.js';
import type { OptionProblem } from '../../options/check.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { lackOfResult } from '../../result/fileNames.js';
import { readManifest, readStats } from '../../result/readManifest.js';
import type { ResultParams } from '../../sketch/params.js';
import { appliedDrops } from '../apply/appliedDrops.js';
import { type CurrentCorpus, currentCorpus } from '../apply/currentCorpus.js';
import { type DocumentValues, readDropList, valueIn } from '../apply/dropList.js';
import { applyText, resultPaths } from '../resultPaths.js';

/** Parameters that decide how files are split into records. With other values, a result has other locations. */
const READING = [
  'input',
  'encoding',
  'separator',
  'quote',
  'records',
] as const satisfies (keyof ResultParams)[];

/** The PATHs of a reference, with results replaced by their PATHs, and why results cannot be used. */
export function pathsOfReference(
  against: readonly string[],
  params: ResultParams,
): { readonly paths: readonly string[]; readonly problems: readonly OptionProblem[] } {
  const problems: OptionProblem[] = [];
  const paths = against.flatMap((path) => {
    if (lackOfResult(path) !== null) return [path];
    try {
      return pathsOf(path, params, (expected) =>
        problems.push({
          code: 'OPTION_INVALID',
          option: 'against',
          detail: `--against ${path}: expected ${expected}`,
        }),
      );
    } catch (error) {
      if (!(error instanceof MinHashError)) throw error;
      problems.push(...error.problems.map((problem) => ({ ...problem, option: 'against' })));
      return [];
    }
  });
  return { paths, problems };
}

function pathsOf(
  folder: string,
  params: ResultParams,
  report: (expected: string) => unknown,
): readonly string[] {
  const { parameters } = readManifest(folder);
  const stats = readStats(folder);
  const { inputs } = stats;
  const unit = parameters.unit ?? 'document';
  if (parameters.sets !== undefined) report('a result of documents, not of sets');
  else if (unit !== 'document' || params.unit !== 'document') report('a result of whole documents');
  else if (inputs.paths.includes('-')) report('a result over files, not over standard input');
  if (params.measure === 'containment')
    report(`documents with --measure containment, not a result; ${applyText(folder)}`);
  for (const key of READING)
    if ((parameters[key] ?? null) !== (params[key] ?? null))
      report(`the same ${flagName(key)} as in its run: ${parameters[key] ?? 'the default'}`);
  return resultPaths(folder, stats, null).paths;
}

/** A result, and the current state of its corpus. */
interface KnownResult {
  readonly corpus: CurrentCorpus;
  readonly drops: DocumentValues;
  /** By source of a file: its number in the corpus. */
  readonly bySource: ReadonlyMap<string, number>;
  /** Real paths, or addresses, of the PATHs of the run. */
  readonly places: ReadonlySet<string>;
}

const CHANGED = 'run it again, or pass its current files: --against PATH';

/**
 * Returns whether a document, identified by file and record, was dropped or not read by the results among the PATHs of
 * a reference.
 *
 * @param files of the current run
 * @throws MinHashError INPUT_CHANGED if the inputs of a result differ from what it read; RESULT_DAMAGED
 */
export async function documentsLeftOut(
  results: readonly string[],
  files: FileTable,
  signal: AbortSignal | undefined,
): Promise<(file: number, record: number) => boolean> {
  const known: KnownResult[] = [];
  for (const folder of results) known.push(await knownResult(folder, signal));
  const keeping = (result: KnownResult, file: number, record: number): boolean => {
    const own = result.bySource.get(files.source(file));
    if (own === undefined) return false;
    const number = result.corpus.files.addressNumber(own, record, 0);
    return valueIn(result.drops, { file: own, number }) === undefined;
  };
  let [last, covering]: [number, readonly KnownResult[]] = [-1, []];
  return (file, record) => {
    if (file !== last) {
      const { place } = files.roots[files.root[file]!]!;
      covering = files.isReference(file) ? known.filter(({ places }) => places.has(place)) : [];
      last = file;
    }
    return covering.length > 0 && !covering.some((result) => keeping(result, file, record));
  };
}

async function knownResult(folder: string, signal: AbortSignal | undefined): Promise<KnownResult> {
  const manifest = readManifest(folder);
  try {
    const corpus = await currentCorpus(folder, manifest, null, signal);
    const { files } = corpus;
    const drops = await readDropList(folder, await appliedDrops(folder, manifest, {}), files);
    const [bySource, places] = [new Map<string, number>(), new Set<string>()];
    for (let i = 0; i < files.length; i++) {
      if (files.isReference(i)) continue;
      bySource.set(files.source(i), i);
      places.add(files.roots[files.root[i]!]!.place);
    }
    return { corpus, drops, bySource, places };
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    throw new MinHashError(
      error.problems.map((problem) =>
        problem.code === 'INPUT_CHANGED' ? { ...problem, remedy: CHANGED } : problem,
      ),
    );
  }
}
