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
import { permissionFaults } from './permissionFaults.js';

export interface FaultResult {
  readonly name: string;
  readonly peakBytes: number;
  readonly seconds: number;
  /** The message that the user sees. */
  readonly said: string;
  /** How often it was done; 1 where not given. */
  readonly injected?: number;
  /** Bytes of the result that were not as in an undisturbed run, where that was compared. */
  readonly bytesLost?: number;
  /** What is wrong; nothing when it was survived. */
  readonly faults: readonly string[];
  /** Printed below, a line each. */
  readonly table?: readonly string[];
}

/** Every suite of faults. */
const SUITES: readonly ((place: string, only: string) => AsyncIterable<FaultResult>)[] = [
  permissionFaults,
  hostileInputs,
];

const place = process.env.MR_MINHASH_FAULTS ?? join(tmpdir(), `mr-minhash-faults-${process.pid}`);
const only = process.argv.slice(2).join(' ');
let failed = 0;
console.log('fault | times | survived | bytes lost | peak memory | time | what the user sees');
for (const suite of SUITES) {
  for await (const result of suite(place, only)) {
    const { name, injected = 1, bytesLost, peakBytes, seconds, said, faults, table = [] } = result;
    const figures = `${bytesLost ?? '-'} | ${Math.round(peakBytes / 1e6)} MB | ${seconds.toFixed(1)} s`;
    const survived = `${injected} | ${faults.length === 0 ? 'yes' : 'NO'}`;
    console.log(`${name} | ${survived} | ${figures} | ${said}`);
    for (const fault of faults) console.log(`    ${fault}`);
    for (const row of table) console.log(row);
    if (faults.length > 0) failed++;
  }
}
rmSync(place, { recursive: true, force: true });
console.log(failed === 0 ? 'all survived' : `${failed} not survived`);
process.exitCode = failed === 0 ? 0 : 1;
