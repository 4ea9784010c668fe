/**
 * Numbers among the flags that a command has for itself, beside those of a run.
 *
 * The face. Knows how a value is checked and told, not what it is for.
 */
import { checkValue, shownValue, type ValueKind, valueFromText } from '../src/options/kinds.js';
import type { ParsedFlags } from './flags.js';

/** Reads the number of a flag by its key; null where it was not given, or is none: then `say` is told why. */
export function numberReader<Kinds extends Readonly<Record<string, ValueKind>>>(
  kinds: Kinds,
  flags: ParsedFlags,
  say: (detail: string) => void,
): (key: keyof Kinds & string) => number | null {
  return (key) => {
    const text = flags[key];
    if (text === undefined) return null;
    const kind = kinds[key]!;
    const value = valueFromText(kind, String(text));
    const checked = checkValue(kind, value);
    if (checked.ok) return checked.value as number;
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    say(`--${flag} ${shownValue(value)}: expected ${checked.expected}`);
    return null;
  };
}
