/** A result against the one of an undisturbed run, byte by byte. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resultBytes } from '../coordinator/runs/resultFiles.js';

export type Bytes = Readonly<Record<string, string>>;

/** Bytes that differ or are missing or too many, over all files but stats.json. */
export function bytesLost(expected: Bytes, folder: string): number {
  const found = existsSync(folder) ? resultBytes(folder) : {};
  let lost = 0;
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const [one, other] = [expected[name] ?? '', found[name] ?? ''];
    if (one === other && name in expected === name in found) continue;
    lost += Math.max(1, Math.abs(one.length - other.length));
    for (let i = 0; i < Math.min(one.length, other.length); i++) if (one[i] !== other[i]) lost++;
  }
  return lost;
}

/** What must not be in a folder whose run did not finish. */
export function looksFinished(folder: string): boolean {
  return existsSync(join(folder, '_SUCCESS'));
}
