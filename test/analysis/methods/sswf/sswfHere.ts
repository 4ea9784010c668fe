/** SSWF over texts, as its tests use it, and the licence texts that they compare. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { elementsOf } from '../../../../src/analysis/methods/elementStreams.js';
import type { MethodParams } from '../../../../src/analysis/methods/method.js';
import { sswf } from '../../../../src/analysis/methods/sswf/sswf.js';
import { ENGLISH_STOP_WORDS } from '../../../../src/text/stopWords.js';

const LICENSES = join(dirname(createRequire(import.meta.url).resolve('spdx-license-list')), 'licenses');

/** Words of a licence, with their punctuation. */
export function licenceWords(id: string): string[] {
  const { licenseText } = JSON.parse(readFileSync(join(LICENSES, `${id}.json`), 'utf8'));
  return (licenseText as string).split(/\s+/).filter((word) => word !== '');
}

export interface Answer {
  readonly resemblance: number;
  readonly containment: number;
  readonly matches: number;
  readonly distance: number;
  /** Symbols. */
  readonly base: number;
  readonly document: number;
}

const NOTHING: Answer = { resemblance: 0, containment: 0, matches: 0, distance: 0, base: 0, document: 0 };

type Wish = Partial<Pick<MethodParams, 'words' | 'pieces'>> & {
  readonly stopWords?: readonly string[];
  /** Least resemblance that is asked for. */
  readonly least?: number;
};

function paramsOf({ stopWords = ENGLISH_STOP_WORDS, ...wish }: Wish): MethodParams {
  const shingle = { unit: 'words', size: 5, bag: false, stopWords, seed: 1 } as const;
  return { shingle, words: 70, pieces: 1, noise: 5, guarantee: 9, ...wish };
}

/** By document, then base: the values of the method; zeros if it has none. */
export function compareAll(
  bases: readonly string[],
  documents: readonly string[],
  wish: Wish = {},
): Answer[][] {
  const params = paramsOf(wish);
  const elements = (text: string): Uint32Array =>
    elementsOf(new TextEncoder().encode(text), sswf.elements(params));
  const matcher = sswf.prepare(bases.map(elements), params, null, wish.least ?? 0);
  return documents.map((text) => {
    const answers = bases.map(() => NOTHING);
    const all = elements(text);
    matcher.begin();
    // In two steps, as a long document comes.
    const half = 2 * Math.floor(all.length / 4);
    matcher.take(all.subarray(0, half), half / 2);
    matcher.take(all.subarray(half), (all.length - half) / 2);
    matcher.end((n, [resemblance, containment, matches, distance, base, document]) => {
      answers[n] = {
        resemblance: resemblance!,
        containment: containment!,
        matches: matches!,
        distance: distance!,
        base: base!,
        document: document!,
      };
    });
    return answers;
  });
}

export function compared(base: string, document: string, wish: Wish = {}): Answer {
  return compareAll([base], [document], wish)[0]![0]!;
}
