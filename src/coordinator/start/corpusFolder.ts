/** The folder of --write, looked at before a run begins: what would refuse the corpus when the run is done. Nothing is written. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MinHashError } from '../../errors.js';
import { isFinished } from '../../output/folder.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import { identityOf } from '../apply/apply.js';
import { whyNoTarget } from '../apply/target/targetFolder.js';

/**
 * Why a folder cannot take the corpus of a run; null: it can. Of a run that is taken up its own corpus may be there, whole or not.
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
  return whyNoTarget(write, closed, wish) ?? whyUnwritable(write);
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

/** Whether files can be made there, or in the nearest folder above it that is there. */
function whyUnwritable(write: string): string | null {
  let folder = resolve(write);
  while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is no folder`;
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return `${folder}: ${plainCauseOf(code)}`;
  }
}
