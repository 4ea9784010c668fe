/**
 * A person's decisions about a drop list, as lines of `decision TAB document TAB other`, ids with the escapes of result files.
 *
 *      keep  A  B    A stays in the place of B: A is kept, and B is dropped
 *      both  A  B    A and B are no duplicates of each other: their pair drops neither
 *      drop  A       A is dropped, if a kept document resembles it
 *      lose  A       A is dropped, even where no kept document resembles it
 *
 * The first line names the columns; empty lines and those that begin with `#` are for people.
 */
import { unescapeBytes } from '../blocks/ids.js';
import { DECISIONS, type DecisionKind, type DecisionRow } from '../sketch/params.js';
import type { OptionFile } from './optionFile.js';
import { shownValue } from './values.js';

export const DECISION_HEADER = 'decision\tdocument\tother';

/** Whether a decision is about two documents. */
export function hasOther(kind: DecisionKind): boolean {
  return kind === 'keep' || kind === 'both';
}

/** The decisions of a file in their order, and its problems, as sentences that begin with file and line. */
export function decisionsOfFile(
  file: string,
  read: OptionFile,
): { readonly decisions: readonly DecisionRow[]; readonly problems: readonly string[] } {
  const place = `--decisions ${shownValue(file)}`;
  if ('problem' in read) return { decisions: [], problems: [`${place}: ${read.problem}`] };
  const { decisions, bad } = decisionsIn(Buffer.from(read.text, 'utf8').toString('latin1'));
  const problems = bad.map(
    ({ at, line }) => `${place}, line ${at}: ${EXPECTED_DECISION}, got ${shownLine(line)}`,
  );
  return { decisions, problems };
}

/** Characters of a bad line that a message shows. */
const MOST_SHOWN = 80;

/** A line (a binary string), or the beginning of it, with its TABs escaped. */
function shownLine(line: string): string {
  const text = Buffer.from(line, 'latin1').toString('utf8');
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}

/** The decisions of a text (a binary string) in their order, and all bad lines with their numbers, from 1. */
function decisionsIn(text: string): {
  readonly decisions: readonly DecisionRow[];
  readonly bad: readonly { readonly at: number; readonly line: string }[];
} {
  const decisions: DecisionRow[] = [];
  const bad: { readonly at: number; readonly line: string }[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line === '' || line.startsWith('#') || line === DECISION_HEADER) continue;
    const [kind = '', document = '', other = '', ...more] = line.split('\t');
    const known = DECISIONS.find((one) => one === kind);
    if (
      known === undefined ||
      document === '' ||
      document === other ||
      more.length > 0 ||
      hasOther(known) !== (other !== '')
    )
      bad.push({ at: at + 1, line });
    else decisions.push({ kind: known, document: unescapeBytes(document), other: unescapeBytes(other) });
  }
  return { decisions, bad };
}

/** The expected form of a line, for messages. */
const EXPECTED_DECISION = 'expected keep A B, both A B, drop A or lose A, with TABs between them';

/** By document (binary string) that decisions name, whether they keep or drop it, and the last decision that says so. */
export function decidedFates(decisions: readonly DecisionRow[]): {
  readonly fates: ReadonlyMap<string, { readonly stays: boolean; readonly decision: DecisionRow }>;
  /** Decisions that an earlier decision contradicts. */
  readonly contradictions: readonly DecisionRow[];
} {
  const fates = new Map<string, { readonly stays: boolean; readonly decision: DecisionRow }>();
  const contradictions = new Set<DecisionRow>();
  const place = (document: string, stays: boolean, decision: DecisionRow): void => {
    const before = fates.get(document);
    if (before !== undefined && before.stays !== stays) contradictions.add(decision);
    fates.set(document, { stays, decision });
  };
  for (const decision of decisions) {
    const { kind, document, other } = decision;
    if (kind === 'both') continue;
    place(document, kind === 'keep', decision);
    if (kind === 'keep') place(other, false, decision);
  }
  return { fates, contradictions: [...contradictions] };
}

/** A decision as a message names it; `textOf` shows an id. */
export function decisionText({ kind, document, other }: DecisionRow, textOf: (id: string) => string): string {
  return `decision ${[kind, textOf(document), textOf(other)].join(' ').trim()}`;
}

/** Why two decisions contradict each other. */
export const CONTRADICTION = 'another line says that the same document is kept, or dropped';
