/** What both programs of kills begin with: `KILLS SEED` of the command line, random numbers, and a temporary folder. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomWords } from '../data/randomHashes.js';

export const CLI = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

/** @param defaultKills number of kills if the command line has none */
export function killSetting(defaultKills: number) {
  const [kills = defaultKills, seed = 1] = process.argv.slice(2).map(Number);
  return { kills, random: randomWords(seed), root: mkdtempSync(join(tmpdir(), 'mr-minhash-kills-')) };
}
