/** A comparison as lines of tables. Pure. */
import { methodMeasures } from '../../src/analysis/methods/table.js';
import type {
  ComparedEstimate,
  ComparedSketch,
  Comparison,
  EstimatedMeasure,
  MethodComparison,
  ShingleList,
  ShingleLists,
} from '../../src/index.js';
import { counted, grouped } from '../../src/result/wording/amounts.js';
import { valueText } from './answers.js';
import { cutToWidth } from './width.js';

/** Names of samples as in papers; signatures have the names of their option. */
const SKETCHES: Readonly<Partial<Record<ComparedSketch, string>>> = {
  'min-s': 'MIN_s',
  'mod-m': 'MOD_m',
  'l-i': 'L_i',
  'min-s-mod-m': 'MIN_s(MOD_m)',
  'min-s-rabin': 'MIN_s(Rabin)',
};

const MEASURES: Readonly<Record<EstimatedMeasure, string>> = {
  resemblance: 'Jaccard similarity',
  containmentAInB: 'containment of a in b',
  containmentBInA: 'containment of b in a',
};

/** The compared sets, their sizes, and whether they are equal. */
export function sizeLines({ a, b, identical, parameters, sets, bags }: Comparison): string[] {
  const { unit, size } = parameters;
  const rows: [string, string, string, string][] = [
    ['', 'a', 'b', 'both'],
    ['bytes', grouped(a.bytes), grouped(b.bytes), identical.bytes ? 'identical' : 'not identical'],
    [
      'canonical tokens',
      grouped(a.tokens),
      grouped(b.tokens),
      identical.tokens ? 'identical' : 'not identical',
    ],
    [`shingles ${unit}:${size}`, grouped(a.shingles), grouped(b.shingles), grouped(bags.common)],
    ['distinct shingles', grouped(a.distinct), grouped(b.distinct), grouped(sets.common)],
  ];
  return rows.map(
    ([name, ...cells]) =>
      `${name.padEnd(21)}${cells.map((cell, i) => cell.padStart(i === 2 ? 15 : 12)).join('')}`,
  );
}

/** The exact values of sets (option B) and bags (option A). */
export function exactLines({ sets, bags }: Comparison): string[] {
  const rows: [string, number | null, number][] = [
    ['Jaccard similarity', sets.resemblance, bags.resemblance],
    ['distance, 1 - similarity', sets.distance, bags.distance],
    ['containment of a in b', sets.containmentAInB, bags.containmentAInB],
    ['containment of b in a', sets.containmentBInA, bags.containmentBInA],
    ['bag similarity, sum of the sizes', null, bags.sumUnion],
    ['bag similarity, larger counts', null, bags.maxUnion],
  ];
  const header = `${'exactly'.padEnd(34)}${'sets (option B)'.padStart(16)}${'bags (option A)'.padStart(18)}`;
  return [
    header,
    ...rows.map(
      ([name, ofSets, ofBags]) =>
        `${name.padEnd(34)}${(ofSets?.toFixed(6) ?? '').padStart(16)}${ofBags.toFixed(6).padStart(18)}`,
    ),
  ];
}

/** The estimates of sets, and those of bags if they differ. */
export function estimateLines(comparison: Comparison): string[] {
  const { a, b, sets, bags, parameters } = comparison;
  const { hashes, samples, modulus, levelUnit, seed } = parameters;
  const isSets = a.shingles === a.distinct && b.shingles === b.distinct;
  const lines = [
    `estimates by signatures of ${hashes} slots, MIN_s with s = ${grouped(samples)}, MOD_m with m = ` +
      `${grouped(modulus)},`,
    `L_i of unit ${grouped(levelUnit)}; seed ${seed}`,
    '',
    ...tableOf(isSets ? 'of sets and bags' : 'of sets (option B)', sets.estimates),
  ];
  if (isSets) lines.push('no shingle is repeated, so bags are sets');
  else lines.push('', ...tableOf('of bags (option A)', bags.estimates));
  if ([...sets.estimates, ...bags.estimates].some(({ holds }) => !holds)) {
    lines.push('* the exact value is outside these bounds, which is expected of 5 in 100');
  }
  return lines;
}

function tableOf(title: string, estimates: readonly ComparedEstimate[]): string[] {
  const lines = [
    `${title.padEnd(25)}${'value'.padStart(8)}  ${'95 % bounds'.padEnd(21)}${'error'.padStart(9)}  samples`,
  ];
  let measure: EstimatedMeasure | null = null;
  for (const estimate of estimates) {
    if (estimate.measure !== measure) {
      measure = estimate.measure;
      lines.push(`${MEASURES[measure].padEnd(25)}${estimate.exact.toFixed(6)}  exact`);
    }
    lines.push(estimateLine(estimate));
  }
  return lines;
}

function estimateLine(estimate: ComparedEstimate): string {
  const { sketch, value, lower, upper, error, common, samples, complete, holds } = estimate;
  const name = `  ${SKETCHES[sketch] ?? sketch}`.padEnd(25);
  if (value === null || error === null) {
    return `${name}${'none'.padStart(8)}  ${'no sample, 0 to 1'.padEnd(21)}${''.padStart(9)}  0`;
  }
  const bounds = complete ? 'the whole, exact' : `${lower.toFixed(6)} to ${upper.toFixed(6)}`;
  const sign = error < 0 ? '-' : '+';
  const shown = `${sign}${Math.abs(error).toFixed(6)}`;
  const share = `${grouped(common)} of ${grouped(samples)}`;
  return `${name}${value.toFixed(6)}  ${bounds.padEnd(20)}${holds ? ' ' : '*'}${shown.padStart(9)}  ${share}`;
}

/** The values of each method. `documents`: in how many documents words were counted; null if they were counted in a and b. */
export function methodLines(methods: readonly MethodComparison[], documents: number | null): string[] {
  const lines = [`${'by method, a as base'.padEnd(28)}${'measure'.padEnd(36)}${'value'.padStart(14)}`];
  for (const { method, values, weighed } of methods) {
    const name = weighed === 'nowhere' ? method : `${method} *`;
    methodMeasures(method).forEach(({ name: measure, isCount }, i) => {
      const label = measure.replaceAll('_', ' ').padEnd(36);
      const value = valueText(values[measure]!, isCount).padStart(14);
      lines.push(`${(i === 0 ? name : '').padEnd(28)}${label}${value}`);
    });
  }
  if (methods.every(({ weighed }) => weighed === 'nowhere')) return lines;
  const place = documents === null ? 'a and b alone' : counted(documents, 'document');
  return [...lines, `* words weighed by how many documents have them, counted in ${place}`];
}

/** The shingles, one per line of at most `columns` columns. */
export function shingleLines(lists: ShingleLists, columns: number): string[] {
  return [
    ...listLines('in both', lists.shared, columns),
    '',
    ...listLines('in a alone', lists.onlyInA, columns),
    '',
    ...listLines('in b alone', lists.onlyInB, columns),
  ];
}

function listLines(title: string, { count, shown }: ShingleList, columns: number): string[] {
  const left = count - shown.length;
  const lines = [`${title}: ${counted(count, 'distinct shingle')}`];
  for (const { text, inA, inB } of shown) {
    const times = inA > 1 || inB > 1 ? `${inA} and ${inB} times: ` : '';
    // A shingle of lines can be very long; only the printed part is measured.
    lines.push(
      `  ${times}${cutToWidth(text.slice(0, 4 * columns), Math.max(8, columns - 2 - times.length))}`,
    );
  }
  if (left > 0) lines.push(`  and ${grouped(left)} more`);
  return lines;
}
