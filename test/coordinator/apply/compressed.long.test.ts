/** Compressed files of other programs: written again they decompress to the lines that stay. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { run } from '../../../src/coordinator/run.js';
import { codecNamed } from '../../../src/readers/bytes/codecs.js';
import { packedBy } from '../../data/packedBy.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

/** A line of some 9 KB whose words are its own. */
const lineOf = (n: number): string => {
  const words = Array.from({ length: 150 }, (_, i) =>
    createHash('sha256').update(`${n} ${i}`).digest('hex').slice(0, 60),
  );
  return `{"text":"${words.join(' ')}"}\n`;
};

for (const [name, ending] of [
  ['zstd', 'zst'],
  ['bzip2', 'bz2'],
  ['xz', 'xz'],
] as const) {
  const why = codecNamed(name).missing();
  (why === null ? test : test.skip)(
    `a file of ${name} without what was dropped decompresses to the lines that stay${why === null ? '' : ` (${why})`}`,
    async (t) => {
      const folder = temporaryFolder(t);
      const [inputs, out, to] = [join(folder, 'in'), join(folder, 'out'), join(folder, 'to')];
      mkdirSync(inputs);
      const lines = Array.from({ length: 60 }, (_, n) => lineOf(n % 57));
      const parts = [lines.slice(0, 30), lines.slice(30)].map((some) => packedBy(name, some.join('')));
      writeFileSync(join(inputs, `a.jsonl.${ending}`), Buffer.concat(parts));
      await run({ paths: [inputs], out, threads: 0, exactDuplicates: true });
      const report = await applyResult(out, { to });
      t.is(report!.documents.dropped, 3);
      const left = codecNamed(name).whole(readFileSync(join(to, `a.jsonl.${ending}`)), 1e8).bytes;
      t.true(Buffer.from(lines.slice(0, 57).join('')).equals(left));
    },
  );
}
