/** Which documents the second reading is to turn into sets: a bit a record of the inputs. */
import type { Jobs } from './jobs.js';

/** The side file of the places that a job gave. */
export async function wantedFile(_jobs: Jobs, _wanted: string): Promise<Uint8Array> {
  throw new Error('not built');
}
