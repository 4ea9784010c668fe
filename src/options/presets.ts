/** Presets: named sets of options for a kind of documents. Options that the user sets take precedence. */
import { flagName } from '../errors.js';
import type { RunOptions } from './runOptions.js';
import type { PresetName } from './table.js';

/** Records have too few words for shingles of five words: one different word would change all of them. */
const PRESETS: Readonly<Record<PresetName, Pick<RunOptions, 'shingle' | 'threshold'>>> = {
  prose: { shingle: 'words:5', threshold: 0.8 },
  records: { shingle: 'chars:3', threshold: 0.4 },
  code: { shingle: 'lines:3', threshold: 0.7 },
};

/** The options of a preset; empty without a preset, or for an unknown name. */
export function presetOptions(preset: unknown): Pick<RunOptions, 'shingle' | 'threshold'> {
  return PRESETS[preset as PresetName] ?? {};
}

/** The options that a preset sets, as flags: `--shingle chars:3 --threshold 0.4`. @param given options that override the preset */
export function presetText(preset: PresetName, given: RunOptions = {}): string {
  return Object.entries(PRESETS[preset])
    .filter(([key]) => given[key as keyof RunOptions] === undefined)
    .map(([key, value]) => `${flagName(key)} ${value}`)
    .join(' ');
}
