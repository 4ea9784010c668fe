/** Presets: named sets of options for a kind of documents. Options that are given win over those of the preset. */
import { flagName } from '../errors.js';
import type { RunOptions } from './runOptions.js';
import type { PresetName } from './table.js';

/** Words of records are too few for shingles of five: one that differs would change all of them. */
const PRESETS: Readonly<Record<PresetName, Pick<RunOptions, 'shingle' | 'threshold'>>> = {
  prose: { shingle: 'words:5', threshold: 0.8 },
  records: { shingle: 'chars:3', threshold: 0.4 },
  code: { shingle: 'lines:3', threshold: 0.7 },
};

/** The options of a preset; none without one, or of a name that does not exist. */
export function presetOptions(preset: unknown): Pick<RunOptions, 'shingle' | 'threshold'> {
  return PRESETS[preset as PresetName] ?? {};
}

/** What a preset sets, as flags: `--shingle chars:3 --threshold 0.4`. @param given options that are given, and so not set by it */
export function presetText(preset: PresetName, given: RunOptions = {}): string {
  return Object.entries(PRESETS[preset])
    .filter(([key]) => given[key as keyof RunOptions] === undefined)
    .map(([key, value]) => `${flagName(key)} ${value}`)
    .join(' ');
}
