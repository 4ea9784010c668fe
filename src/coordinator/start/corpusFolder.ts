/** The folder of --write, looked at before a run begins: what would refuse the corpus when the run is done. Nothing is written. */
import { MinHashError } from '../../errors.js';
import { isFinished } from '../../output/folder.js';
import { identityOf } from '../apply/apply.js';
import { whyNoTarget } from '../apply/target.js';

/**
 * Why a folder cannot take the corpus of a run; null: it can. Of a run that is taken up its own corpus may be there.
 *
 * @param out the output folder of the run
 * @param inputs real paths of the inputs: binary strings
 */
export function whyNotWritten(
  write: string,
  out: string,
  inputs: readonly string[],
  { force, resume }: { readonly force: boolean; readonly resume: boolean },
): string | null {
  const closed = { inputs, results: [out] };
  const wish = resume ? { force, identity: identityIn(out, write) } : { force };
  return whyNoTarget(write, closed, wish);
}

/** Of the corpus that apply makes of the result there; one that no corpus has, where there is none yet. */
function identityIn(out: string, write: string): string {
  try {
    return isFinished(out) ? identityOf(out, { to: write }) : '';
  } catch (error) {
    if (error instanceof MinHashError) return '';
    throw error;
  }
}
