/**
 * The command that writes the corpus without the dropped documents of a new result. As far as options, formats and
 * locations of inputs show, apply accepts it.
 */
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MinHashError } from '../../errors.js';
import { addressOf, hasScheme } from '../../readers/list/addresses.js';
import { formatNamed, hasRows, hasValues } from '../../readers/list/formats.js';
import type { RootPlace } from '../../readers/list/inputs.js';
import { binaryOf, textOf } from '../../readers/list/pathIds.js';
import { realPathOf } from '../../readers/list/walk.js';
import type { CorpusAdvice, Report } from '../../result/report.js';
import { loadDuckDb } from '../../store/duckdb.js';
import { whyUntrusted } from '../resultPaths.js';
import { corpusProblems } from './corpusFolder.js';
import { OF_ARRAYS, OF_PAGES, OF_UTF16, whyRecordsUncut, whyUnitsUncut } from './records/unitForms.js';

/** @param report of a result with dropped documents */
export function corpusAdvice(report: Report): CorpusAdvice {
  const places = report.inputs?.places ?? [];
  const own = places.filter(({ isReference }) => isReference !== true);
  const why = whyListed(report, own);
  if (why !== null) return { listed: why };
  const inputs = places.flatMap(({ path }) => realPathOf(binaryOf(path)) ?? []);
  const corpus = whyUntrusted(report.out) === null ? [] : own.map(({ path }) => path);
  for (const { to, force } of targets(report.out, inputs)) {
    if (corpusProblems(to, { inputs, results: [report.out] }, force).length === 0)
      return { to, ...(force && { force }), ...(corpus.length > 0 && { corpus }) };
  }
  return { listed: 'the documents to remove, by location; no folder beside the inputs can be written to' };
}

/** Why apply cannot write a corpus, and the use of a list of locations instead; null: no reason is known. */
function whyListed({ parameters, readAs }: Report, places: readonly RootPlace[]): string | null {
  if (parameters.sets !== undefined) return 'the sets to remove, by name';
  const piped = places.find(({ kind }) => kind === 'stdin');
  if (piped !== undefined) return 'the documents to remove, by location: -#line, from 1';
  const why = whyUncut(parameters, readAs, places);
  return why === null ? null : `the documents to remove, by location: ${why}`;
}

function whyUncut(
  parameters: Report['parameters'],
  readAs: Report['readAs'],
  places: readonly RootPlace[],
): string | null {
  if (readAs === undefined) return 'the content of the files is not known';
  // Files in the file system of an engine, which only the engine can read.
  if (places.some(({ path }) => hasScheme(path) && addressOf(path) === null))
    return 'only the engine can read it';
  const isWide = /^utf-16/.test(new TextDecoder(parameters.encoding).encoding);
  for (const { format: name, pages = 0 } of readAs.formats) {
    if (name === 'stdin') continue;
    const format = formatNamed(name);
    if (parameters.unit !== 'document') {
      // Whether a file is a JSON array is known only after reading it.
      const why = hasValues(format) ? OF_ARRAYS : pages > 0 ? OF_PAGES : whyUnitsUncut(format, parameters);
      if (why !== null) return why;
    }
    if (isWide && format.holds !== 'text') return OF_UTF16;
    const why = hasRows(format) ? whyParquetUncut() : whyRecordsUncut(format, parameters);
    if (why !== null) return why;
  }
  return null;
}

function whyParquetUncut(): string | null {
  try {
    loadDuckDb('Parquet');
    return null;
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    return 'Parquet is written by DuckDB, the package @duckdb/node-api';
  }
}

/** Names that are tried for each location, because existing folders are not replaced. */
const MOST_NAMES = 9;

/**
 * Folders beside the result and, because inputs may surround it, beside each input. An earlier corpus of apply may be
 * replaced.
 */
function* targets(out: string, inputs: readonly string[]): Generator<{ to: string; force: boolean }> {
  const besideInputs = inputs.map((input) => {
    const real = textOf(input);
    const near = relative('.', join(dirname(real), basename(real)));
    return near.startsWith('../../..') ? resolve(real) : near;
  });
  for (const place of [out.replace(/(.)\/+$/, '$1'), ...besideInputs]) {
    const clean = place === '' ? `../${basename(resolve('.'))}-clean` : `${place}-clean`;
    yield { to: clean, force: false };
    yield { to: clean, force: true };
    for (let n = 2; n <= MOST_NAMES; n++) yield { to: `${clean}-${n}`, force: false };
  }
}
