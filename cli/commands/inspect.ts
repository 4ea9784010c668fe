/**
 * `mr-minhash inspect`: shows counts and top pairs of a result, or one pair, cluster or document in full.
 *
 * Reads results only through openResult.
 */

import { openResult } from '../../src/analysis/inspect.js';
import { flagName } from '../../src/errors.js';
import { type Conflict, conflictsIn } from '../../src/options/conflicts.js';
import { shownValue } from '../../src/options/values.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { INSPECT_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { corpusOf, type ParsedFlags } from '../flags.js';
import { showDocument } from '../show/result/document.js';
import { showAround, showCluster, showClusters, showResult } from '../show/result/lists.js';
import { showPair } from '../show/result/pair.js';

interface InspectContext extends CommandContext {
  /** Tests give another result. */
  readonly open?: typeof openResult;
}

/** Flags that each choose what is shown; only one of them is allowed. */
const QUESTIONS = ['pair', 'document', 'clusters', 'cluster', 'around'] as const;

export const inspectCommand = reporting('inspect', async (folders, flags, context: InspectContext) => {
  const { terminal, open = openResult } = context;
  const problems = new Problems(context);
  const ids = flags.pair as readonly string[] | undefined;
  const hasTwo = ids === undefined || ids.length === 2;
  if (!hasTwo) problems.say(`--pair: expected two ids directly after it, got ${ids.length}`);
  else if (ids !== undefined && ids[0] === ids[1])
    problems.say(`--pair ${shownValue(ids[0])} ${shownValue(ids[1])}: expected two different documents`);
  // With fewer than two ids, arguments after DIR are misplaced ids.
  const folder = problems.folder(hasTwo ? folders : folders.slice(0, 1), flags);
  const {
    top = INSPECT_FLAGS.top.default,
    page = INSPECT_FLAGS.page.default,
    cluster,
    document,
  } = problems.values(INSPECT_FLAGS, flags);
  const around = thresholdOf(flags.around, problems);
  for (const { detail } of conflictsIn(CONFLICTS, { given: flags })) problems.say(detail);
  problems.refuse();
  const reader = await open(folder, corpusOf(flags));
  const rows = { top, skip: (page - 1) * top };
  const shown = { json: flags.json === true, terminal };
  if (ids !== undefined) await showPair(reader, [ids[0]!, ids[1]!], shown);
  else if (document !== undefined) await showDocument(reader, document, top, shown);
  else if (cluster !== undefined) await showCluster(reader, cluster, rows, shown);
  else if (flags.around !== undefined) await showAround(reader, around ?? reader.threshold, top, shown);
  else if (flags.clusters === true) await showClusters(reader, rows, shown);
  else await showResult(reader, top, shown);
  return EXIT.done;
});

const questionsIn = (flags: ParsedFlags): readonly string[] =>
  QUESTIONS.filter((key) => flags[key] !== undefined);

const CONFLICTS: readonly Conflict<{ readonly given: ParsedFlags }, string>[] = [
  {
    when: QUESTIONS,
    with: ({ given }, option) => questionsIn(given).length > 1 && questionsIn(given)[0] === option,
    bare: true,
    beside: ({ given }) => questionsIn(given).slice(1).map(flagName).join(' '),
    remedy: ({ given }) => `expected one of them, got ${questionsIn(given).length}`,
  },
  {
    when: ['top'],
    with: ({ given }) => given.pair !== undefined,
    bare: true,
    beside: '--pair',
    remedy: 'expected only one of these',
  },
  {
    when: ['page'],
    with: ({ given }) => given.clusters === undefined && given.cluster === undefined,
    bare: true,
    remedy: 'expected together with --clusters or --cluster only',
  },
  {
    when: ['page'],
    with: ({ given }) => given.top === '0' && (given.clusters !== undefined || given.cluster !== undefined),
    bare: true,
    beside: '--top 0',
    remedy: 'expected at least 1 on a page',
  },
];

/** The similarity of `--around`; null for the word `threshold`. */
function thresholdOf(value: unknown, problems: Problems): number | null {
  if (value === undefined || value === 'threshold') return null;
  const threshold = /^(\d+(\.\d*)?|\.\d+)$/.test(String(value)) ? Number(value) : Number.NaN;
  if (threshold >= 0 && threshold <= 1) return threshold;
  problems.say(`--around ${shownValue(value)}: expected a number from 0 to 1, or the word threshold`);
  return null;
}
