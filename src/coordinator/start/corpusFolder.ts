/**
 * Checks the folder of --write before a run begins, for every fault that would refuse the corpus at its end. Nothing is
 * written.
 */
import { MinHashError } from '../../errors.js';
import { isFinished } from '../../output/folder.js';
import { identityOf, whyNoTarget } from '../apply/target.js';

/**
 * Why a folder cannot take the corpus of a run; null: it can. A resumed run may find its own corpus there.
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

/**
 * The identity of the corpus that apply makes of the result in `out`; the empty string, which no corpus has, where
 * there is no result.
 */
function identityIn(out: string, write: string): string {
  try {
    return isFinished(out) ? identityOf(out, { to: write }) : '';
  } catch (error) {
    if (error instanceof MinHashError) return '';
    throw error;
  }
}
