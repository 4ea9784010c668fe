/** The definitions of sets, bags and ratings, written apart from the pipeline: lines -> labelled elements -> resemblance. */
import type { RunOptions } from '../../../src/options/check.js';
import { randomFrom } from '../../data/seededTexts.js';

export interface Line {
  readonly set: string;
  readonly element: string;
  /** Null: the line has no third field. */
  readonly value: number | null;
}

export type SetOptions = Pick<RunOptions, 'bag' | 'ratings' | 'likedFrom'>;

/** The labelled elements of every set, sorted, in the order in which lines first name the sets. */
export function naiveSets(
  lines: readonly Line[],
  { bag, ratings, likedFrom = 4 }: SetOptions,
): Map<string, string[]> {
  const values = new Map<string, Map<string, number[]>>();
  for (const { set, element, value } of lines) {
    const elements = values.get(set) ?? new Map<string, number[]>();
    values.set(set, elements);
    elements.set(element, [...(elements.get(element) ?? []), value ?? 1]);
  }
  const labelled = (element: string, given: readonly number[]): string[] => {
    const highest = Math.max(...given);
    if (ratings === 'liked') return highest >= likedFrom ? [element] : [];
    if (ratings === 'liked-hated') return [`${element} ${highest >= likedFrom ? 'liked' : 'hated'}`];
    const sum = given.reduce((a, b) => a + b, 0);
    const times = ratings === 'stars' ? highest : bag === true ? Math.floor(sum + 1e-9) : sum > 0 ? 1 : 0;
    return Array.from({ length: times }, (_, i) => `${element} ${i}`);
  };
  const sets = [...values].map(([name, elements]): [string, string[]] => {
    return [name, [...elements].flatMap(([element, given]) => labelled(element, given)).sort()];
  });
  return new Map(sets);
}

export function naiveCommon(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b);
  return a.filter((element) => other.has(element)).length;
}

/** Families of alike sets and some strangers, their lines in random order, some of them twice. */
export function randomLines(seed: number, ratings: boolean): Line[] {
  const random = randomFrom(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const lines: Line[] = [];
  const add = (set: string, element: string): void => {
    const value = ratings ? 1 + upTo(5) : [null, 1, 0, 0.5, 2, 3][upTo(6)]!;
    lines.push({ set, element, value });
    if (random() < 0.1) lines.push({ set, element, value: ratings ? 1 + upTo(5) : value });
  };
  for (let family = 0; family < 8; family++) {
    const items = Array.from({ length: 6 + upTo(30) }, () => `item ${upTo(60)}`);
    const values = items.map(() => (ratings ? 1 + upTo(5) : 1));
    for (let member = 0; member < 7; member++) {
      const name = `s${upTo(1e6)}`;
      const edits = upTo(4);
      items.forEach((item, i) => {
        if (i < edits && random() < 0.7) add(name, `item ${upTo(60)}`);
        else lines.push({ set: name, element: item, value: values[i]! });
      });
    }
  }
  for (let i = lines.length - 1; i > 0; i--) {
    const j = upTo(i + 1);
    [lines[i], lines[j]] = [lines[j]!, lines[i]!];
  }
  return lines;
}

export function linesAsText(lines: readonly Line[], separator = '\t'): string {
  return lines
    .map(
      ({ set, element, value }) => `${[set, element, ...(value === null ? [] : [value])].join(separator)}\n`,
    )
    .join('');
}
