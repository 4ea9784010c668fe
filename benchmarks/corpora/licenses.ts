/** The 728 SPDX licence texts and all their pairs, computed by counting in which texts each shingle occurs. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { resemblanceOf } from '../../src/sketch/similarity.js';
import { shingleSet } from '../../src/text/shingles.js';
import { canonicalTokens } from '../../src/text/tokens.js';

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
  /** By text: the first text, by name, with the same words. */
  readonly first: ReadonlyMap<string, string>;
  /** Distinct shingles. */
  readonly size: ReadonlyMap<string, number>;
  /** By `a b` with a before b: pairs of first texts that share a shingle. */
  readonly pairs: ReadonlyMap<string, LicensePair>;
}

/**
 * The number of shingles that each set shares with each set before it: the row is the earlier one, the column the
 * later one.
 */
export function sharedShingles(sets: readonly Uint32Array[]): Uint32Array {
  const shared = new Uint32Array(sets.length * sets.length);
  const holders = new Map<bigint, number[]>();
  for (const [later, set] of sets.entries()) {
    for (const shingle of new BigUint64Array(set.slice().buffer)) {
      const earlier = holders.get(shingle);
      if (earlier === undefined) {
        holders.set(shingle, [later]);
        continue;
      }
      for (const one of earlier) shared[one * sets.length + later]!++;
      earlier.push(later);
    }
  }
  return shared;
}

/** `words:5` of the whole text. */
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
  const shared = sharedShingles(firsts.map((i) => sets[i]!));
  for (const [at, i] of firsts.entries()) {
    for (const [other, j] of firsts.entries()) {
      const common = other <= at ? 0 : shared[at * firsts.length + other]!;
      if (common === 0) continue;
      const [x, y] = [sets[i]!.length / 2, sets[j]!.length / 2];
      const [a, b] = [names[i]!, names[j]!];
      const resemblance = resemblanceOf(common, x, y);
      pairs.set(`${a} ${b}`, { a, b, resemblance, aInB: common / x, bInA: common / y });
    }
  }
  return { names, first, size, pairs };
}
