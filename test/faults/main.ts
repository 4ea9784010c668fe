/**
 * `npm run test:faults [-- WORDS]`: what takes too long, or too much memory and disk, for the ordinary tests. Prints a
 * line for each fault and ends with 1 where one was not survived. WORDS: only the faults whose names hold them.
 *
 * MR_MINHASH_FAULTS names the folder that is worked in; it needs 5 GB of disk.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileInputs } from './hostileInputs.js';

export interface FaultResult {
  readonly name: string;
  readonly peakBytes: number;
  readonly seconds: number;
  /** What the user was told. */
  readonly said: string;
  /** What is wrong; nothing when it was survived. */
  readonly faults: readonly string[];
}

/** Every suite of faults. */
const SUITES: readonly ((place: string, only: string) => AsyncIterable<FaultResult>)[] = [hostileInputs];

const place = process.env.MR_MINHASH_FAULTS ?? join(tmpdir(), `mr-minhash-faults-${process.pid}`);
const only = process.argv.slice(2).join(' ');
let failed = 0;
console.log('fault | survived | peak memory | time | what the user sees');
for (const suite of SUITES) {
  for await (const { name, peakBytes, seconds, said, faults } of suite(place, only)) {
    const figures = `${Math.round(peakBytes / 1e6)} MB | ${seconds.toFixed(1)} s`;
    console.log(`${name} | ${faults.length === 0 ? 'yes' : 'NO'} | ${figures} | ${said}`);
    for (const fault of faults) console.log(`    ${fault}`);
    if (faults.length > 0) failed++;
  }
}
rmSync(place, { recursive: true, force: true });
console.log(failed === 0 ? 'all survived' : `${failed} not survived`);
process.exitCode = failed === 0 ? 0 : 1;
