/**
 * The shingles of `--ignore`: shingles of documents in its PATHs count in no document of the run. Use it for licence
 * headers, templates and boilerplate that many documents share.
 */

import { FingerprintTable } from '../arrays/hashTable.js';
import { encodeBlock } from '../blocks/block.js';
import { ONE } from '../blocks/names.js';
import { MinHashError } from '../errors.js';
import { eachDocument } from '../readers/find.js';
import { shownPath } from '../readers/list/addresses.js';
import { listInputs } from '../readers/list/inputs.js';
import { createShingleStream } from '../text/shingles.js';
import type { Run } from './context.js';

/**
 * Stores the hashes of these shingles as block `ignored`, which sketching and verifying tasks read. Does nothing
 * without the option.
 *
 * @throws MinHashError PATH_MISSING and others for a PATH; OPTION_INVALID if the PATHs have no shingle
 */
export async function readIgnored(run: Run): Promise<void> {
  const { ignore: paths, ...params } = run.params;
  if (paths === undefined) return;
  const inputs = await listInputs(
    { paths, outFolder: null, params: { ...params, include: [], exclude: [] } },
    run.signal,
  );
  try {
    if (inputs.problems.length > 0) throw new MinHashError(inputs.problems);
    const table = new FingerprintTable();
    const stream = createShingleStream(params.shingle, (hashes, count) => {
      for (let i = 0; i < 2 * count; i += 2) table.add(hashes[i]!, hashes[i + 1]!);
    });
    await eachDocument(inputs, params, (text) => stream.whole(text));
    if (table.size === 0) {
      const detail = `--ignore ${paths.map(shownPath).join(' ')}: expected files with at least one shingle`;
      throw new MinHashError({ code: 'OPTION_INVALID', detail });
    }
    const hashes = table.keys.slice(0, 2 * table.size);
    run.put(ONE.ignored, encodeBlock('fingerprints', {}, { hashes }, true));
  } finally {
    inputs.files.close();
  }
}
