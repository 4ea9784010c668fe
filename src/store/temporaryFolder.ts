/** Makes a folder for the files that a command needs only while it runs. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { plainCauseOf, systemCodeOf } from './files.js';

/** A new folder, named after its purpose; the caller removes it. @throws MinHashError SCRATCH_FAILED */
export function temporaryFolder(purpose: 'query' | 'spool'): string {
  try {
    return mkdtempSync(join(tmpdir(), `mr-minhash-${purpose}-`));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const detail = `${tmpdir()}: ${plainCauseOf(code)}`;
    throw new MinHashError({ code: 'SCRATCH_FAILED', detail }, { cause: error });
  }
}
