/** The 728 SPDX licence texts and every pair of them, by brute force over their shingle sets. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { shingleSet } from '../../src/sketch/shingles.js';
import { intersectionSize, resemblanceOf } from '../../src/sketch/similarity.js';
import { canonicalTokens } from '../../src/sketch/tokens.js';

export const LICENSES = join(
  dirname(createRequire(import.meta.url).resolve('spdx-license-list')),
  'licenses',
);

export interface LicensePair {
  readonly a: string;
  readonly b: string;
  readonly resemblance: number;
  readonly aInB: number;
  readonly bInA: number;
}

export interface LicenseTruth {
  readonly names: readonly string[];
  /** First by name of the texts with the same words, for each. */
  readonly first: ReadonlyMap<string, string>;
  /** Distinct shingles. */
  readonly size: ReadonlyMap<string, number>;
  /** By `a b` with a before b: pairs of first texts that share a shingle. */
  readonly pairs: ReadonlyMap<string, LicensePair>;
}

/** `words:5` of everything. */
export function licenseTruth(): LicenseTruth {
  const names = readdirSync(LICENSES).sort();
  const texts = names.map((name) => {
    const { licenseText } = JSON.parse(readFileSync(join(LICENSES, name), 'utf8')) as { licenseText: string };
    return new TextEncoder().encode(licenseText);
  });
  const known = new Map<string, string>();
  const first = new Map<string, string>();
  names.forEach((name, i) => {
    const words = canonicalTokens(texts[i]!, { unit: 'words' }).join(' ');
    if (!known.has(words)) known.set(words, name);
    first.set(name, known.get(words)!);
  });
  const params = { unit: 'words', size: 5, bag: false, stopWords: [], seed: 99 } as const;
  const sets = texts.map((text) => shingleSet(text, params));
  const size = new Map(names.map((name, i) => [name, sets[i]!.length / 2]));
  const firsts = names.flatMap((name, i) => (first.get(name) === name ? [i] : []));
  const pairs = new Map<string, LicensePair>();
  for (const i of firsts) {
    for (const j of firsts) {
      if (j <= i) continue;
      const [x, y] = [sets[i]!.length / 2, sets[j]!.length / 2];
      const common = intersectionSize(sets[i]!, 0, x, sets[j]!, 0, y);
      if (common === 0) continue;
      const [a, b] = [names[i]!, names[j]!];
      const resemblance = resemblanceOf(common, x, y);
      pairs.set(`${a} ${b}`, { a, b, resemblance, aInB: common / x, bInA: common / y });
    }
  }
  return { names, first, size, pairs };
}
