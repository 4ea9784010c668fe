/** The process in which cases run one after the other; who started it watches it (main.ts). */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { inputTargets, runCases } from './cases.js';
import { folderTargets } from './hostileFolders.js';
import type { FuzzNews, FuzzWish } from './main.js';

/** What the cases between two news may take. */
const LIMITS = {
  inputs: { newsEvery: 1000, seconds: 120, kilobytes: 1.5e6 },
  folders: { newsEvery: 1, seconds: 10, kilobytes: 1e6 },
} as const;

async function main(): Promise<void> {
  const wish = JSON.parse(process.argv[2]!) as FuzzWish;
  const { newsEvery, seconds, kilobytes } = LIMITS[wish.set];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mr-minhash-fuzz-')));
  let runs: Readonly<Record<string, number>> = {};
  let at = wish.first;
  const tell = (news: Pick<FuzzNews, 'begins' | 'problem'>): void =>
    void process.send?.({ ...news, runs, mostKilobytes: process.resourceUsage().maxRSS });
  const refuseExcess = (since: NodeJS.CpuUsage): void => {
    const { user, system } = process.cpuUsage(since);
    if (user + system > 1e6 * seconds) throw new Error(`took ${(user + system) / 1e6} s`);
    const { maxRSS } = process.resourceUsage();
    if (maxRSS > kilobytes) throw new Error(`took ${Math.round(maxRSS / 1000)} MB`);
  };
  try {
    // Notes name `..`: what lies there is ours, too, however far up they go.
    const place = join(folder, 'a/b/c/d/e/f');
    mkdirSync(place, { recursive: true });
    const targets = wish.set === 'folders' ? await folderTargets(place) : inputTargets(place);
    let since = process.cpuUsage();
    runs = await runCases(targets, wish, (number, sofar) => {
      runs = sofar;
      if ((number - wish.first) % newsEvery === 0) {
        if (number > wish.first) refuseExcess(since);
        tell({ begins: number });
        since = process.cpuUsage();
      }
      at = number;
    });
    refuseExcess(since);
    tell({ begins: null });
  } catch (error) {
    // What is wrong with one may be wrong with the next: whoever watches begins anew.
    tell({ begins: at, problem: inspect(error) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    process.disconnect?.();
  }
}

await main();
