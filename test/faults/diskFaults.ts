/**
 * Disks that fail: each call through which a run writes made to fail with each of five errors, and file systems of a few
 * kilobytes that are really full.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FaultedInput,
  failEveryWrite,
  RECORDS,
  WRITE_FAULTS,
  type WriteFault,
} from '../coordinator/resume/writeFaults.js';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import { bytesLost } from './comparedResult.js';
import { mayMount, onFullDisk, placesOf } from './fullDisk.js';
import type { FaultResult } from './main.js';
import { MAIN, watchedRun } from './watchedRun.js';

/** How a run is made again whose writing failed. */
type Again = '--force' | '--resume';

/** Near copies in files, which can be read again. */
function filesIn(place: string): FaultedInput {
  const paths = [join(place, 'in')];
  writeCopies(paths[0]!, 60);
  return { options: { paths, threads: 0, threshold: 0.5 } };
}

function writeCopies(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const random = randomFrom(3);
  const page = wordsFrom(random, 100);
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `${i}`), edited(random, page, 2).join(' '));
}

function nameOf(system: WriteFault, again: Again): string {
  return `${system} at each open, write, fsync, close and rename, then ${again}`;
}

async function injected(system: WriteFault, again: Again, place: string): Promise<FaultResult> {
  const start = performance.now();
  mkdirSync(place, { recursive: true });
  try {
    const { injected, wrong } = await failEveryWrite(place, {
      input: again === '--force' ? RECORDS : filesIn(place),
      systems: [system],
      one: false,
      step: 1,
      againEvery: 1,
      resume: again === '--resume',
    });
    const lost = wrong.some((fault) => fault.includes('other bytes'));
    return {
      name: nameOf(system, again),
      injected,
      bytesLost: lost ? 1 : 0,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      seconds: (performance.now() - start) / 1000,
      said: WRITE_FAULTS[system],
      faults: wrong,
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** How a run on a full disk is made. */
interface FullRun {
  readonly name: string;
  readonly threads: string;
}

const FULL_RUNS: readonly FullRun[] = [
  { name: 'a file system that is full, 0 threads', threads: '0' },
  { name: 'a file system that is full, 2 threads', threads: '2' },
];
const TIMES = 20;

const RUN = '"$NODE" "$MAIN" run "$IN" --out "$DISK/out" --threshold 0.5 --threads "$THREADS"';

const ENDED_BEFORE = 'ended before it was full';

function howEnded(stderr: string): string {
  if (/no space is left|ENOSPC/.test(stderr)) return 'found while writing';
  return /ended before the disk is full/.test(stderr) ? ENDED_BEFORE : 'refused before rows were written';
}

function freeIn(stderr: string): number {
  return Number(/^free +(\d+)$/m.exec(stderr)?.[1] ?? 0);
}

async function reallyFull({ name, threads }: FullRun, place: string): Promise<FaultResult> {
  const result = { name, bytesLost: 0, peakBytes: 0, seconds: 0 };
  if (!mayMount()) return { ...result, injected: 0, said: 'not tried: may not mount here', faults: [] };
  const start = performance.now();
  const inputs = join(place, 'in');
  try {
    writeCopies(inputs, 200);
    const [whole, kept] = [join(place, 'whole'), join(place, 'kept')];
    await watchedRun(['run', inputs, '--out', whole, '--threshold', '0.5'], 60);
    await watchedRun(['run', inputs, '--out', kept, '--threshold', '0.5', '--keep-work'], 60);
    const expected = resultBytes(whole);
    const bytes = Object.values(resultBytes(kept)).reduce((sum, text) => sum + text.length, 0);
    const random = randomFrom(3);
    const faults: string[] = [];
    const saids = new Map<string, number>();
    let [injected, lost] = [0, 0];
    for (let time = 0; time < TIMES; time++) {
      // Pages of 4 KB; below three of them not even the folders fit.
      const size = 4096 * Math.ceil(3 + ((bytes / 4096) * (time + random())) / TIMES);
      const again = time % 4 === 3 ? '--force' : '--resume';
      const variables = { MAIN, IN: inputs, THREADS: threads };
      const { code, stderr } = onFullDisk(place, size, [RUN, `${RUN} ${again}`], variables);
      const said = howEnded(stderr);
      if (code !== '0') {
        injected++;
        saids.set(said, (saids.get(said) ?? 0) + 1);
        if (code !== '1') faults.push(`${size} bytes: exit code ${code}: ${stderr}`);
        // Lock and marker of the next attempt, a page each; below that the folders themselves did not fit.
        if (said === ENDED_BEFORE && freeIn(stderr) < 4096)
          faults.push(`${size} bytes: nothing is free: ${stderr}`);
        if (/^left /m.test(stderr)) faults.push(`${size} bytes: ${stderr}`);
        if (!/^error: there is too little space/m.test(stderr)) faults.push(`${size} bytes: ${stderr}`);
      }
      lost += bytesLost(expected, placesOf(place).copy);
    }
    if (lost > 0) faults.push('other bytes than on a larger disk');
    if (injected < TIMES / 2) faults.push(`full only ${injected} times`);
    const seconds = (performance.now() - start) / 1000;
    const said = [...saids].map(([text, count]) => `${text} ${count}`).join(', ');
    return { ...result, injected, bytesLost: lost, seconds, said, faults };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** All faults of the disk whose names hold `only`. */
export async function* diskFaults(place: string, only: string): AsyncGenerator<FaultResult> {
  for (const system of Object.keys(WRITE_FAULTS) as WriteFault[]) {
    for (const again of ['--force', '--resume'] as const) {
      if (nameOf(system, again).includes(only)) yield await injected(system, again, place);
    }
  }
  for (const full of FULL_RUNS) if (full.name.includes(only)) yield await reallyFull(full, place);
}
