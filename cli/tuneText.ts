/**
 * What `tune` calculated, as lines for people.
 *
 * Floor 5. Pure.
 */
import type { AgreeRule, ComparedSetting, Setting, SignatureLengths, Tuning } from '../src/index.js';
import { percentText, probabilityText, shareText } from './tuneNumbers.js';

/** The choice and why, what else could be chosen, what it misses, and its S-curve. */
export function choiceLines(tuning: Tuning): string[] {
  const { setting, hashes, sketch, threshold } = tuning;
  const { bands, rows } = setting;
  const own = sketch === 'fss' ? '' : ` --sketch ${sketch}`;
  const left = hashes - setting.slots;
  const slots = left === 0 ? `all ${hashes} slots` : `${setting.slots} of ${hashes} slots`;
  return [
    `${bands} bands of ${rows} rows (${slots})`,
    `why: ${reasonText(tuning)}`,
    `use it: mr-minhash run PATH --threshold ${threshold}${own} --hashes ${hashes} --bands ${bands} --rows ${rows}`,
    ...neighbourLines(tuning),
    '',
    ...missLines(tuning),
  ];
}

function reasonText({ reason, recall, threshold, setting }: Tuning): string {
  const goal = `recall ${recall} at ${shareText(threshold)}`;
  switch (reason) {
    case 'given':
      return `as given: recall ${setting.atThreshold.toFixed(4)} at ${shareText(threshold)}`;
    case 'recall':
      return `the most rows, so the fewest false candidates, that reach ${goal}; run does the same`;
    case 'keys':
      return `the most rows that reach ${goal} with so few bucket keys`;
    case 'ceiling':
      return `the fewest slots that reach ${goal} and stay under the ceiling`;
  }
}

function neighbourLines({ neighbours, setting, threshold, recall }: Tuning): string[] {
  if (neighbours.length === 0) return [];
  return [
    '',
    ...settingLines(neighbours, threshold, (other) => {
      if (other.rows === setting.rows) return 'chosen';
      return other.atThreshold < recall ? 'recall too low' : '';
    }),
  ];
}

/** A row a setting: cost, recall at the threshold, where the curve is 0.1, 0.5 and 0.9, and how steep it is. */
export function settingLines(
  settings: readonly Setting[],
  threshold: number,
  remarkOf: (setting: Setting, index: number) => string,
): string[] {
  const rows = settings.map((setting, i) => [
    `${setting.bands} x ${setting.rows}`,
    String(setting.slots),
    String(setting.keys),
    setting.atThreshold.toFixed(4),
    setting.tenth.toFixed(3),
    setting.half.toFixed(3),
    setting.ninetieth.toFixed(3),
    setting.slope.toFixed(1),
    remarkOf(setting, i),
  ]);
  const at = `at ${shareText(threshold)}`;
  return tableLines([
    ['bands x rows', 'slots', 'keys', at, '10 % at', '50 % at', '90 % at', 'slope', ''],
    ...rows,
  ]);
}

/** Columns right-aligned, but the last. */
function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** In words what is lost at the threshold and above, and what is compared in vain below. */
function missLines({ misses, threshold, signatureShare, hashes, setting, sketch }: Tuning): string[] {
  // Dependent slots: the worst size of documents is told of.
  const most = sketch === 'oph' ? 'up to ' : '';
  const above = misses.filter(({ similarity }) => similarity >= threshold);
  const below = misses.filter(({ similarity }) => similarity < threshold).reverse();
  const lost = above.map(({ similarity, missed }, i) => {
    const share = `${missed > 0 ? most : ''}${percentText(missed)}`;
    return i === 0
      ? `at exactly ${shareText(similarity)}, ${share} are never seen`
      : `at ${shareText(similarity)}, ${share}`;
  });
  const vain = below.map(({ similarity, seen }, i) => {
    const share = percentText(seen);
    return `at ${shareText(similarity)}, ${share}${i === 0 ? ' are compared in vain' : ''}`;
  });
  const both = percentText(signatureShare * setting.atThreshold);
  return [
    `of pairs ${lost.join('; ')}`,
    ...(vain.length === 0 ? [] : [`of pairs ${vain.join('; ')}`]),
    `with --verify signature only ${both} of the pairs at exactly ${shareText(threshold)} are reported: an estimate`,
    `from ${hashes} slots is as high as the threshold for ${percentText(signatureShare)} of them`,
  ];
}

/** The S-curve as a table. */
export function curveLines({ curve, threshold }: Tuning): string[] {
  const rows = curve.map(({ similarity, probability }) => [
    shareText(similarity),
    probabilityText(probability),
    percentText(1 - probability),
    similarity === threshold ? 'the threshold' : '',
  ]);
  return tableLines([['resemblance', 'is a candidate', 'is never seen', ''], ...rows]);
}

/** How exact signatures are, and how long one must be. */
export function lengthLines(lengths: SignatureLengths): string[] {
  const { resemblance, error, confidence, hashes, table, least, leastAtHalf } = lengths;
  const at = shareText(resemblance);
  const rows = table.map(({ slots, standardError, within }) => [
    String(slots),
    standardError.toFixed(4),
    within.toFixed(4),
    slots === hashes
      ? `with ${slots} slots an estimate at ${at} is within ${error} with probability ${within.toFixed(2)}`
      : '',
  ]);
  const sure = `within ${error} with probability ${confidence}`;
  const text = (slots: number | null): string => (slots === null ? 'more than 1024' : String(slots));
  return [
    ...tableLines([['slots', 'standard error', `within ${error}`, ''], ...rows]),
    `${sure} takes ${text(least)} slots at ${at}, and ${text(leastAtHalf)} at 0.50, where estimates spread most`,
  ];
}

/** The m-of-n rule. */
export function ruleLines({ agree, hashes, points, hundredth, half, ninetyNinth }: AgreeRule): string[] {
  const rows = points.map(({ similarity, probability }) => [
    shareText(similarity),
    probabilityText(probability),
    Math.abs(similarity - agree / hashes) < 1e-12 ? `${agree} of ${hashes}` : '',
  ]);
  return [
    `two documents pass when at least ${agree} of ${hashes} slots agree`,
    ...tableLines([['resemblance', 'passes', ''], ...rows]),
    `1 % pass at ${hundredth.toFixed(3)}, half at ${half.toFixed(3)}, 99 % at ${ninetyNinth.toFixed(3)}`,
    'this is exact for --sketch classic; fss spreads a little less, oph more on sets of few shingles',
  ];
}

/** Settings side by side: their numbers, then P at several resemblances. */
export function comparedLines(
  settings: readonly ComparedSetting[],
  threshold: number,
  marks: readonly string[],
): string[] {
  const places = settings[0]!.curve.filter(({ similarity }, i) => {
    return (i % 2 === 0 && similarity >= 0.3 && similarity < 1) || similarity === threshold;
  });
  const heads = settings.map(({ bands, rows }) => `${bands}x${rows}`);
  const rows = places.map(({ similarity }) => [
    shareText(similarity),
    ...settings.map(({ curve }) => {
      const point = curve.find((other) => other.similarity === similarity)!;
      return probabilityText(point.probability);
    }),
    similarity === threshold ? 'the threshold' : '',
  ]);
  return [
    ...settingLines(settings, threshold, (_, i) => marks[i]!),
    '',
    ...tableLines([['resemblance', ...heads, ''], ...rows]),
    '',
    ...settings.map(({ bands, rows: r, atThreshold }) => {
      const missed = percentText(1 - atThreshold);
      return `${bands}x${r}: of pairs at exactly ${shareText(threshold)}, ${missed} are never seen`;
    }),
  ];
}
