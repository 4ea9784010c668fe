/** A folder of its own for what a query keeps on disk while it runs. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';

/** Made anew at every call; who asks removes it. @throws MinHashError SCRATCH_FAILED */
export function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'mr-minhash-query-'));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const detail = `${tmpdir()}: ${plainCauseOf(code)}`;
    throw new MinHashError({ code: 'SCRATCH_FAILED', detail }, { cause: error });
  }
}
