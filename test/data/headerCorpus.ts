/** Documents under a licence header, and which pairs of them are near, by counting shingles in common one by one. */
import { edited, randomFrom, wordsFrom } from './seededTexts.js';

export interface HeaderCorpus {
  readonly files: Readonly<Record<string, string>>;
  /** The resemblance, or the containment of the smaller in the larger, of every pair that shares a shingle, by `a b`. */
  measured(measure: 'resemblance' | 'containment'): ReadonlyMap<string, number>;
}

/**
 * `bare` documents of a header of 100 words and 2 to 60 words of their own, `rich` ones with 150 to 250 words, of which every
 * third is an edit of the one before, and as many without a header.
 */
export function headerCorpus(bare: number, rich: number, seed: number): HeaderCorpus {
  const random = randomFrom(seed);
  const header = wordsFrom(random, 100);
  const files: Record<string, string> = {};
  const name = (kind: string, i: number): string => `${kind}-${String(i).padStart(4, '0')}`;
  for (let i = 0; i < bare; i++) {
    files[name('bare', i)] = [...header, ...wordsFrom(random, 2 + Math.floor(random() * 59))].join(' ');
  }
  let last: string[] = [];
  for (let i = 0; i < rich; i++) {
    last = i % 3 === 2 ? edited(random, last, 3) : wordsFrom(random, 150 + Math.floor(random() * 101));
    files[name('rich', i)] = [...header, ...last].join(' ');
    files[name('free', i)] = edited(random, last, 2).join(' ');
  }
  return { files, measured: (measure) => measuredPairs(files, measure) };
}

function measuredPairs(files: HeaderCorpus['files'], measure: string): ReadonlyMap<string, number> {
  const names = Object.keys(files).sort();
  const holders = new Map<string, number[]>();
  const sizes = names.map((name, i) => {
    const words = files[name]!.split(' ');
    const shingles = new Set(words.slice(0, -4).map((_, at) => words.slice(at, at + 5).join(' ')));
    for (const shingle of shingles) {
      const held = holders.get(shingle);
      if (held === undefined) holders.set(shingle, [i]);
      else held.push(i);
    }
    return shingles.size;
  });
  const common = new Uint32Array(names.length ** 2);
  for (const held of holders.values()) {
    for (let k = 0; k < held.length; k++)
      for (let l = k + 1; l < held.length; l++) common[held[k]! * names.length + held[l]!]!++;
  }
  const pairs = new Map<string, number>();
  for (const [i, a] of names.entries()) {
    for (let j = i + 1; j < names.length; j++) {
      const both = common[i * names.length + j]!;
      if (both === 0) continue;
      const all = measure === 'containment' ? Math.min(sizes[i]!, sizes[j]!) : sizes[i]! + sizes[j]! - both;
      pairs.set(`${a} ${names[j]}`, both / all);
    }
  }
  return pairs;
}
