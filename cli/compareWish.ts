/**
 * The words of `compare`, checked: what is to be compared and how, or everything that is wrong.
 *
 * Floor 5. Values that `run` has too are checked by the same table.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Fault } from '../src/errors.js';
import { shownValue, type ValueKind } from '../src/options/kinds.js';
import { nearestName } from '../src/options/nearestName.js';
import { checkOptions, type RunOptions } from '../src/options.js';
import type { ResultParams } from '../src/sketch/params.js';
import { resolveRoots } from '../src/storage/walkRoots.js';
import { optionsFromFlags, type ParsedFlags } from './flags.js';
import { numberReader } from './numberFlags.js';
import type { WordFault } from './words.js';

/** What is asked for; null: not given. */
export interface CompareRequest {
  /** Files as typed, or ids as written where `places` are given. */
  readonly names: readonly [string, string];
  readonly places: readonly string[] | null;
  readonly params: ResultParams;
  readonly samples: number | null;
  readonly modulus: number | null;
  readonly levelUnit: number | null;
  readonly explain: boolean;
  /** Shingles shown of each list. */
  readonly most: number;
}

const USUAL_MOST = 20;
/** What says how a corpus is read says nothing of two files. */
const CORPUS_FLAGS = {
  input: '--input',
  textField: '--text-field',
  idField: '--id-field',
  include: '--include',
  exclude: '--exclude',
} as const;

const KINDS = {
  samples: { kind: 'integer', least: 1, most: 2 ** 24 },
  modulus: { kind: 'integer', least: 1, most: 2 ** 32 },
  levelUnit: { kind: 'integer', least: 1, most: 2 ** 24 },
  most: { kind: 'integer', least: 0, most: 1_000_000 },
} as const satisfies Record<string, ValueKind>;

/** Checks everything that can be checked without reading a document. */
export function readCompareRequest(
  names: readonly string[],
  flags: ParsedFlags,
  wordFaults: readonly WordFault[],
): { readonly request: CompareRequest; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const say = (detail: string): unknown => faults.push({ code: 'OPTION_INVALID', detail });
  for (const { detail } of wordFaults) say(detail);
  // The modulus of a run, where short documents are kept whole, is another.
  const { modulus: _, ...options } = optionsFromFlags(flags);
  const { params, faults: optionFaults } = paramsOf(options);
  faults.push(...optionFaults);
  const number = numberReader(KINDS, flags, say);
  const places = (flags.in ?? null) as readonly string[] | null;
  const request: CompareRequest = {
    names: [names[0] ?? '', names[1] ?? ''],
    places,
    params,
    samples: number('samples'),
    modulus: number('modulus'),
    levelUnit: number('levelUnit'),
    explain: flags.explain === true,
    most: number('most') ?? USUAL_MOST,
  };
  for (const detail of conflicts(names, flags)) say(detail);
  faults.push(...(places === null ? fileFaults(names) : placeFaults(places)));
  return { request, faults };
}

function paramsOf(options: RunOptions): { params: ResultParams; faults: readonly Fault[] } {
  // Bands are not compared, but the check of --hashes must not find fault with them.
  const { resolved, faults } = checkOptions({ ...options, bands: 1, rows: 1 });
  return { params: resolved.params, faults: faults.filter(({ code }) => code !== 'NO_INPUT') };
}

function conflicts(names: readonly string[], flags: ParsedFlags): string[] {
  const details: string[] = [];
  if (names.length !== 2) details.push(`A B: expected two documents, got ${names.length}`);
  if (flags.most !== undefined && flags.explain !== true)
    details.push('--most: expected together with --explain only');
  if (flags.input === 'sets')
    details.push('--input sets: expected documents; inspect shows two sets of a result');
  if (flags.in !== undefined) return details;
  for (const [key, name] of Object.entries(CORPUS_FLAGS)) {
    if (flags[key] !== undefined) details.push(`${name}: expected together with --in only`);
  }
  return details;
}

function placeFaults(places: readonly string[]): readonly Fault[] {
  const named = places.filter((path) => path !== '-');
  const detail = '--in -: expected files and directories, standard input cannot be compared';
  const stdin: Fault[] = named.length < places.length ? [{ code: 'OPTION_INVALID', detail }] : [];
  return [...stdin, ...(named.length === 0 ? [] : resolveRoots(named, null).faults)];
}

/** Files that are none, one by one: what lies in a folder that another names is no less a file. */
function fileFaults(names: readonly string[]): Fault[] {
  return names.slice(0, 2).flatMap((name): Fault[] => {
    if (name === '-') {
      const detail = '-: expected the name of a file, standard input cannot be compared';
      return [{ code: 'OPTION_INVALID', detail }];
    }
    const { roots, faults } = resolveRoots([name], null);
    if (faults.some(({ code }) => code === 'PATH_MISSING')) {
      return [{ code: 'PATH_MISSING', detail: JSON.stringify(name) + suggestion(name) }];
    }
    if (faults.length === 0 && roots[0]!.kind !== 'directory') return [];
    const detail = `${shownValue(name)}: a directory, expected a file; name the documents in it by --in ${name}`;
    return [{ code: 'OPTION_INVALID', detail }];
  });
}

function suggestion(path: string): string {
  const folder = dirname(path);
  let entries: string[];
  try {
    entries = readdirSync(folder).sort();
  } catch {
    return '';
  }
  const near = nearestName(basename(path), entries);
  const named = near === null || !path.includes('/') ? near : join(folder, near);
  return named === null ? '' : `, did you mean ${named}?`;
}
