import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress, init } from '@bokuweb/zstd-wasm';
import test from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { run } from '../../../src/coordinator/run.js';

const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-zstd-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** A line of some 90 KB whose words are its own. */
const lineOf = (n: number): string => {
  const words = Array.from({ length: 1500 }, (_, i) =>
    createHash('sha256').update(`${n} ${i}`).digest('hex').slice(0, 60),
  );
  return `{"text":"${words.join(' ')}"}\n`;
};

test('a file of zstd without what was dropped unpacks to the lines that stay, also where it is longer than a frame', async (t) => {
  await init();
  const lines = Array.from({ length: 60 }, (_, n) => lineOf(n % 57));
  const input = join(folder, 'a.jsonl.zst');
  writeFileSync(
    input,
    Buffer.concat([lines.slice(0, 30), lines.slice(30)].map((part) => compress(Buffer.from(part.join(''))))),
  );
  const out = join(folder, 'out');
  await run({ paths: [input], out, threads: 0, exactDuplicates: true });
  const to = join(folder, 'clean');
  const report = await applyResult(out, { to });
  t.is(report?.documents.dropped, 3);
  // What is read of it is what is read of one frame with the lines that stay.
  mkdirSync(join(folder, 'expected'));
  writeFileSync(join(folder, 'expected/a.jsonl.zst'), compress(Buffer.from(lines.slice(0, 57).join(''))));
  const digests: string[] = [];
  for (const corpus of [to, join(folder, 'expected')]) {
    const result = join(folder, 'result');
    await run({ paths: [corpus], out: result, threads: 0, exactDuplicates: true, force: true });
    digests.push(JSON.parse(readFileSync(join(result, 'manifest.json'), 'utf8')).content_digest);
  }
  t.is(digests[0], digests[1]);
});
