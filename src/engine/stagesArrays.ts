/**
 * The stage that looks for where a large file is to be cut.
 *
 * Floor 3.
 */
import type { ArrayFile } from '../storage/arrayCuts.js';
import type { Stage } from './protocol.js';
import { put, readerOf, setupOf } from './stagesContext.js';

interface CutsTask extends ArrayFile {
  readonly name: string;
}

/** A file that may be one JSON array becomes the places where its column blocks end. */
export const cuts: Stage = (context) => {
  const { name, ...file } = context.params as unknown as CutsTask;
  const { params } = setupOf(context);
  put(context, name, readerOf(context).cuts(file, params, context.progress));
  return null;
};
