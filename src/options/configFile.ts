/**
 * Reads a `--config` file, and turns the options in effect into the content of one.
 *
 * The caller decides whether the file or the command line takes precedence.
 */

import { MinHashError, type Problem } from '../errors.js';
import type { Resolved } from './check.js';
import { excludedBy } from './conflicts.js';
import { readOptionFile } from './optionFile.js';
import { presetOptions } from './presets.js';
import type { RunOptions } from './runOptions.js';
import { OPTION_KEYS, OPTIONS } from './table.js';

const LARGEST_CONFIG = 1_000_000;

/**
 * The options of a JSON file, unchecked: `checkOptions` reports unknown keys and wrong values with all other errors.
 *
 * @throws MinHashError OPTION_INVALID when the file cannot be read or is not one JSON object
 */
export function readConfigFile(file: string): RunOptions {
  const read = readOptionFile(file, LARGEST_CONFIG);
  if ('problem' in read) throw new MinHashError(configProblem(file, read.problem));
  const { text } = read;
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    throw new MinHashError(configProblem(file, 'not valid JSON, expected one object'));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MinHashError(configProblem(file, 'expected one JSON object'));
  }
  return value as RunOptions;
}

function configProblem(file: string, problem: string): Problem {
  const remedy = 'give a file of one JSON object of options, as --print-config writes it';
  return { code: 'OPTION_INVALID', detail: `--config ${file}: ${problem}`, remedy };
}

/**
 * The options in effect, with defaults; a file with them gives the same parameters again.
 *
 * Therefore some options are present only if the user set them: bands and rows (else the recall chooses them), the text
 * field (its presence decides how `.json` files are read), and options that another option replaces. Options for shingles
 * and fields of JSON are absent for sets.
 */
export function effectiveOptions(options: RunOptions, resolved: Resolved): RunOptions {
  const effective: Record<string, unknown> = { paths: resolved.execution.paths };
  const excluded = excludedBy(options);
  const { sketch } = resolved.params.sketch;
  const known: Record<string, unknown> = {
    threads: resolved.execution.threads,
    ...(excluded.has('sketch') ? {} : { sketch }),
  };
  const ofPreset: RunOptions = presetOptions(options.preset);
  for (const key of OPTION_KEYS) {
    const usual = key === 'textField' || excluded.has(key) ? null : OPTIONS[key].default;
    const value = known[key] ?? options[key] ?? ofPreset[key] ?? usual;
    if (value !== null) effective[key] = value;
  }
  return effective as RunOptions;
}
