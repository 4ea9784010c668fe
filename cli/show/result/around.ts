/** `mr-minhash inspect --around T`: shows the candidate pairs nearest to a threshold, which help to choose it. */

import type { NearPair, OpenedResult } from '../../../src/index.js';
import { counted } from '../../../src/output/wording/amounts.js';
import { screenId, type Terminal } from '../../terminal.js';
import { answerAsJson } from './json.js';

function pairText({ a, b, value, exact, accepted }: NearPair, verified: boolean): string {
  const outcome = accepted ? 'accepted' : verified ? 'rejected' : 'open    ';
  const basis = exact ? 'exact   ' : 'estimate';
  return `${value.toFixed(6)}    ${outcome}  ${basis}  ${screenId(a)}  ${screenId(b)}`;
}

/** Shows the pairs just above a threshold, then those just below it. */
export async function showAround(
  reader: OpenedResult,
  threshold: number,
  top: number,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<void> {
  const found = await reader.around(threshold, top);
  if (json) {
    terminal.printJson(answerAsJson({ ...found, runThreshold: reader.threshold }));
    return;
  }
  const { above, below } = found;
  if (above.length + below.length === 0) {
    terminal.print(
      reader.counts.candidate_pairs === 0 ? 'no candidate pairs' : 'no candidate pairs are listed',
    );
    return;
  }
  const measure = reader.byContainment ? 'containment' : 'similarity';
  terminal.print(`${measure.padEnd(10)}  outcome   basis     a  b`);
  for (const pair of [...above].reverse()) terminal.print(pairText(pair, reader.verified));
  terminal.print(
    `-------- ${threshold}: ${counted(above.length, 'pair')} at or above it, ${counted(below.length, 'pair')} below it`,
  );
  for (const pair of below) terminal.print(pairText(pair, reader.verified));
  if (!reader.verified)
    terminal.print('open: the run verified no candidate, so none is accepted or rejected');
  if (reader.byContainment) {
    terminal.print(
      'rejected candidates have no containment in the result, so only accepted pairs are listed',
    );
  }
}
