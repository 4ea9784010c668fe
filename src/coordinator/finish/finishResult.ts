/**
 * The end of a run: its manifest and statistics finish the result folder, and its report goes to the caller.
 */

import type { Stepwise } from '../../arrays/stepwise.js';
import { MinHashError } from '../../errors.js';
import { othersIn } from '../../output/folder.js';
import {
  countFaults,
  type ManifestFacts,
  manifestOf,
  promiseIn,
  type ReadAs,
  type Stats,
  sourceOrder,
  statsOf,
} from '../../output/manifest.js';
import { type Report, reportOf } from '../../output/report.js';
import type { ReportedNumbers } from '../../output/wording/reportedNumbers.js';
import type { LinesHead } from '../../readers/ahead/firstRecords.js';
import { shownPath } from '../../readers/bytes/remote/addresses.js';
import { inputsText } from '../../readers/inputsRecord.js';
import { textOf } from '../../readers/list/pathIds.js';
import { VERSION } from '../../store/packageFiles.js';
import type { Run } from '../context.js';
import { leftOutOf } from '../sketch/nothingRead.js';
import { lackedValuesOf } from '../start/askedFields.js';
import { notedOptions } from '../start/noted.js';
import type { Prepared } from '../start/prepare.js';
import type { Begun } from '../start/resume.js';
import { lackedFieldsOf } from './lackedFields.js';
import type { Executed } from './makeFacts.js';
import { numbersOf } from './numbers.js';
import { readAsOf } from './readAs.js';

/** What manifest and statistics tell, and takes a while to make. */
interface Told {
  readonly numbers: ReportedNumbers;
  readonly readAs: ReadAs | null;
  /** The states of the files that were read, packed. */
  readonly files: string;
}

/** Makes it; `run` may still write. */
export function* toldOf({ seen }: Begun, prepared: Prepared, executed: Executed): Stepwise<Told> {
  const numbers = yield* numbersOf(executed, prepared.inputs.files);
  yield;
  const readAs = readAsOf(prepared, executed);
  yield;
  return { numbers, readAs, files: inputsText(seen(executed.corpus.tables.length)) };
}

/**
 * Writes manifest and statistics, and returns the report.
 *
 * @param said when the run began by the clock of this thread, and the first lines of standard input
 * @throws MinHashError with a fault for each count of the manifest that does not fit the others: our own defect
 */
export async function finishResult(
  { output, attempt, store, note }: Begun,
  prepared: Prepared,
  run: Run,
  executed: Executed,
  facts: Omit<ManifestFacts, 'version'>,
  { readAs, files }: Omit<Told, 'numbers'>,
  said: { readonly start: number; readonly piped: LinesHead | null },
): Promise<Report> {
  const unbalanced = countFaults(facts.counts, facts.files, facts.numbers);
  if (unbalanced.length > 0) throw new MinHashError(unbalanced);
  const sources = sourceOrder(prepared.inputs.places);
  const manifest = manifestOf({ ...facts, version: VERSION, sources });
  const resumed = attempt.statsOf(executed.corpus.tables.length);
  const lacked = lackedFieldsSaid(prepared, executed, said.piped);
  const elapsedMilliseconds = performance.now() - said.start;
  const times = { stages: stagesOf(run), elapsedMilliseconds, resumed, ...lacked };
  // The folder of the work is removed when the result is whole, unless it is to stay.
  if (prepared.execution.keepWork) note(executed.corpus.tables.length);
  await store.close();
  output.finish(
    manifest,
    statsOfRun(prepared, run, executed, facts.counts.read, { ...times, readAs, files }),
  );
  const { unmatched } = executed.outcome.order;
  const place = textOf(prepared.inputs.files.id(0));
  return reportOf({
    version: VERSION,
    counts: facts.counts,
    ...(facts.numbers && { numbers: facts.numbers }),
    ...promiseIn(manifest),
    ...(unmatched.length > 0 && { unmatchedGlobs: { globs: unmatched, place } }),
    files: facts.files,
    ...saidOfPlaces(prepared, output.folder),
    ...times,
    ...(readAs !== null && { readAs }),
  });
}

/** What a report says of inputs and output. */
function saidOfPlaces({ params, execution, inputs }: Prepared, folder: string) {
  const others = othersIn(folder);
  const leftOut = leftOutOf(inputs);
  return {
    out: execution.out,
    ...(others.length > 0 && { others }),
    parameters: params,
    inputs: { places: inputs.places },
    ...(leftOut !== undefined && { leftOut }),
  };
}

type Times = Pick<
  Parameters<typeof statsOf>[0],
  | 'stages'
  | 'elapsedMilliseconds'
  | 'resumed'
  | 'missingIdField'
  | 'lackedTextFields'
  | 'lackedValues'
  | 'readAs'
  | 'files'
>;

function lackedFieldsSaid(
  prepared: Prepared,
  { corpus }: Executed,
  piped: LinesHead | null,
): Pick<Times, 'missingIdField' | 'lackedTextFields' | 'lackedValues'> {
  const { idField } = prepared.options;
  const lackedTextFields = lackedFieldsOf(prepared, piped);
  const lackedValues = lackedValuesOf(corpus, prepared.params);
  return {
    ...(idField !== undefined && corpus.places === null ? { missingIdField: idField } : {}),
    ...(lackedTextFields.length > 0 ? { lackedTextFields } : {}),
    ...(lackedValues.length > 0 ? { lackedValues } : {}),
  };
}

function stagesOf({ times }: Run): Times['stages'] {
  return times.map(({ stage, tasks, ms, bytes }) => ({ stage, tasks, milliseconds: ms, bytes }));
}

function statsOfRun(
  { options, execution, inputs }: Prepared,
  run: Run,
  { outcome, textBytes }: Executed,
  documents: number,
  times: Times,
): Stats {
  return statsOf({
    version: VERSION,
    execution: {
      ...execution,
      paths: undefined,
      against: undefined,
      documents_read_again: outcome.counts.documentsReadAgain,
    },
    options: { ...notedOptions(options) },
    inputs: execution.paths.map(shownPath),
    against: execution.against.map(shownPath),
    directory: process.cwd(),
    places: inputs.places,
    ...times,
    documents,
    textBytes,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    balances: run.ledger.balances,
    leftOut: leftOutOf(inputs) ?? null,
  });
}
