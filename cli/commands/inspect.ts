/**
 * `mr-minhash inspect`: shows counts and top pairs of a result, or one pair, cluster or document in full.
 *
 * Reads results only through openResult.
 */

import { openResult } from '../../src/analysis/inspect.js';
import { flagName } from '../../src/errors.js';
import type { OpenedResult, PairRow } from '../../src/index.js';
import { type Conflict, conflictsIn } from '../../src/options/conflicts.js';
import { shownValue } from '../../src/options/values.js';
import { counted } from '../../src/output/wording/amounts.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { INSPECT_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { corpusOf, type ParsedFlags } from '../flags.js';
import { showAround } from '../show/result/around.js';
import { showCluster, showClusters } from '../show/result/clusters.js';
import { countLines } from '../show/result/counts.js';
import { showDocument } from '../show/result/document.js';
import { fraction, rowAsJson, showPair } from '../show/result/pair.js';
import { screenId, type Terminal } from '../terminal.js';

interface InspectContext extends CommandContext {
  /** Tests give another result. */
  readonly open?: typeof openResult;
}

interface InspectRequest {
  readonly folder: string;
  readonly top: number;
  /** The page of a list in pages, from 1. */
  readonly page: number;
  readonly question: Question;
}

/** The checked flags; `around` with null: the threshold of the run. */
type Question =
  | { readonly of: 'result' }
  | { readonly of: 'clusters' }
  | { readonly of: 'pair'; readonly ids: readonly [string, string] }
  | { readonly of: 'document'; readonly id: string }
  | { readonly of: 'cluster'; readonly number: number }
  | { readonly of: 'around'; readonly threshold: number | null };

/** Flags that each request an answer of their own. */
const QUESTIONS = ['pair', 'document', 'clusters', 'cluster', 'around'] as const;

export const inspectCommand = reporting('inspect', async (folders, flags, context: InspectContext) => {
  const { terminal, open = openResult } = context;
  const wish = readWish(folders, flags, new Faults(context));
  const reader = await open(wish.folder, corpusOf(flags));
  await answer(reader, wish, flags.json === true, terminal);
  return EXIT.done;
});

async function answer(
  reader: OpenedResult,
  { question, top, page }: InspectRequest,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const rows = { top, skip: (page - 1) * top };
  const shown = { json, terminal };
  if (question.of === 'result') await showResult(reader, top, json, terminal);
  else if (question.of === 'pair') await showPair(reader, question.ids, json, terminal);
  else if (question.of === 'document') await showDocument(reader, question.id, top, shown);
  else if (question.of === 'clusters') await showClusters(reader, rows, json, terminal);
  else if (question.of === 'cluster') await showCluster(reader, question.number, rows, shown);
  else await showAround(reader, question.threshold ?? reader.threshold, top, shown);
}

/** Checks the words and flags. @throws MinHashError with all faults */
function readWish(folders: readonly string[], flags: ParsedFlags, faults: Faults): InspectRequest {
  const ids = flags.pair as readonly string[] | undefined;
  const hasTwo = ids === undefined || ids.length === 2;
  if (!hasTwo) faults.say(`--pair: expected two ids directly behind it, got ${ids.length}`);
  else if (ids !== undefined && ids[0] === ids[1])
    faults.say(`--pair ${shownValue(ids[0])} ${shownValue(ids[1])}: expected two different documents`);
  // Where ids are lacking, words behind DIR are ids in the wrong place.
  const folder = faults.folder(hasTwo ? folders : folders.slice(0, 1), flags);
  const {
    top = INSPECT_FLAGS.top.default,
    page = INSPECT_FLAGS.page.default,
    cluster,
    document,
  } = faults.values(INSPECT_FLAGS, flags);
  const around = thresholdOf(flags.around, faults);
  for (const { detail } of conflictsIn(CONFLICTS, { given: flags })) faults.say(detail);
  faults.refuse();
  const asked: Question =
    ids !== undefined
      ? { of: 'pair', ids: [ids[0]!, ids[1]!] }
      : document !== undefined
        ? { of: 'document', id: document }
        : cluster !== undefined
          ? { of: 'cluster', number: cluster }
          : flags.around !== undefined
            ? { of: 'around', threshold: around }
            : flags.clusters === true
              ? { of: 'clusters' }
              : { of: 'result' };
  return { folder, top, page, question: asked };
}

const askedIn = (flags: ParsedFlags): readonly string[] =>
  QUESTIONS.filter((key) => flags[key] !== undefined);

const CONFLICTS: readonly Conflict<{ readonly given: ParsedFlags }, string>[] = [
  {
    when: QUESTIONS,
    with: ({ given }, option) => askedIn(given).length > 1 && askedIn(given)[0] === option,
    bare: true,
    beside: ({ given }) => askedIn(given).slice(1).map(flagName).join(' '),
    remedy: ({ given }) => `expected one of them, got ${askedIn(given).length}`,
  },
  {
    when: ['top'],
    with: ({ given }) => given.pair !== undefined,
    bare: true,
    beside: '--pair',
    remedy: 'expected one of the two, got both',
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
function thresholdOf(given: unknown, faults: Faults): number | null {
  if (given === undefined || given === 'threshold') return null;
  const value = /^(\d+(\.\d*)?|\.\d+)$/.test(String(given)) ? Number(given) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  faults.say(`--around ${shownValue(given)}: expected a number from 0 to 1, or the word threshold`);
  return null;
}

async function showResult(
  reader: OpenedResult,
  top: number,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const rows = top === 0 ? [] : await reader.topPairs(top);
  if (json) {
    const { counts, estimated, byContainment } = reader;
    terminal.printJson({ counts, estimated, by_containment: byContainment, top: rows.map(rowAsJson) });
    return;
  }
  for (const line of countLines(reader)) terminal.print(line);
  if (top === 0) return;
  terminal.print('');
  if (rows.length === 0) {
    terminal.print('no near pairs');
    return;
  }
  if (reader.byContainment) {
    terminal.print(`${counted(rows.length, 'near pair')}, by how much of one is in the other:`);
    terminal.print('a in b    b in a    a  b');
    for (const row of rows) terminal.print(containmentText(row));
    return;
  }
  terminal.print(`${counted(rows.length, 'near pair')}, the most alike first:`);
  terminal.print(`${reader.estimated ? 'estimate' : 'jaccard '}  a  b`);
  for (const row of rows) terminal.print(`${fraction(row.jaccard)}  ${screenId(row.a)}  ${screenId(row.b)}`);
}

function containmentText({ a, b, containmentAInB, containmentBInA }: PairRow): string {
  return `${fraction(containmentAInB)}  ${fraction(containmentBInA)}  ${screenId(a)}  ${screenId(b)}`;
}
