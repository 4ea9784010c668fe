/**
 * Runs that are ended: by themselves with SIGKILL while their result takes the place of another; and from outside at any
 * time, by SIGKILL and by the two signals that ask for an end (stageFaults.ts ends them in every stage). Afterwards the same run gives the bytes
 * of an undisturbed one: taken up with --resume, or (each fourth time) started over with --force.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killedRun, momentsOf } from '../coordinator/resume/killedRun.js';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import { type Bytes, bytesLost, looksFinished } from './comparedResult.js';
import type { FaultResult } from './main.js';
import { watchedRun } from './watchedRun.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const MOST_SECONDS = 120;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** When the moment began from which the signal's is counted, and when all was over. */
  readonly saidAt: number;
  readonly milliseconds: number;
}

/** Files of near copies, so that every stage has work for a while. */
function writeCorpus(folder: string): void {
  const random = randomFrom(21);
  mkdirSync(folder, { recursive: true });
  for (let family = 0; family < 60; family++) {
    const page = wordsFrom(random, 250);
    const line = (): string => `${JSON.stringify({ text: edited(random, page, 8).join(' ') })}\n`;
    writeFileSync(join(folder, `${family}.jsonl`), Array.from({ length: 120 }, line).join(''));
  }
}

/** When a signal is sent. */
interface Moment {
  /** Counted from here; the empty text is there from the start. */
  readonly said: RegExp;
  readonly milliseconds: number;
}

const STARTED: RegExp = /^/;
/** Said when the longest stage is over and the next one tells how far it is. */
const SKETCHED: RegExp = /^(\d+-)?sketch: /m;

/** Runs the command and sends the signal at the moment; `null` sends none. */
function endedAt(words: readonly string[], signal: NodeJS.Signals | null, moment: Moment): Promise<Ended> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  let saidAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (timer !== undefined || !moment.said.test(stderr)) return;
    saidAt = performance.now() - start;
    timer = setTimeout(() => signal !== null && child.kill(signal), moment.milliseconds);
  };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  look();
  const last = setTimeout(() => child.kill('SIGKILL'), 1000 * MOST_SECONDS);
  return new Promise((resolve) => {
    child.on('close', (code, by) => {
      clearTimeout(timer);
      clearTimeout(last);
      resolve({ code, signal: by, stderr, saidAt, milliseconds: performance.now() - start });
    });
  });
}

/** The stages that were over when it ended, as the command says them: a line each. */
function stageAt(stderr: string): string {
  const over = [...stderr.matchAll(/^(?:\d+-)?(\w+)(?:-\w+)?: /gm)].map((match) => match[1]!);
  const stages = over.filter((word) => !['Resumed', 'error'].includes(word));
  return stages.length === 0 ? 'start or sketch' : `after ${stages.at(-1)}`;
}

interface Case {
  readonly name: string;
  readonly signal: NodeJS.Signals;
  readonly threads: string;
  readonly times: number;
}

const CASES: readonly Case[] = [
  { name: 'SIGKILL, 2 threads', signal: 'SIGKILL', threads: '2', times: 24 },
  { name: 'SIGKILL, this thread', signal: 'SIGKILL', threads: '0', times: 14 },
  { name: 'SIGINT, 2 threads', signal: 'SIGINT', threads: '2', times: 10 },
  { name: 'SIGINT, this thread', signal: 'SIGINT', threads: '0', times: 10 },
  { name: 'SIGTERM, 2 threads', signal: 'SIGTERM', threads: '2', times: 10 },
  { name: 'SIGTERM, this thread', signal: 'SIGTERM', threads: '0', times: 10 },
];

/** What is wrong with a folder after its run was ended, and with how it ended. */
function faultsOfEnd(out: string, signal: NodeJS.Signals, ended: Ended): string[] {
  const faults: string[] = [];
  // Killed when all was done but the removal of its work: that is what --resume does then.
  if (signal === 'SIGKILL') return faults;
  if (looksFinished(out)) return [`ended with ${ended.code}, and the folder looks finished`];
  // Before the command listens the system ends it.
  if (ended.code !== 130 && ended.signal !== signal) faults.push(`exit code ${ended.code}: ${ended.stderr}`);
  const left = existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : [];
  const bad = left.filter((name) => /\.tmp$|\.lock/.test(name));
  if (bad.length > 0) faults.push(`left ${bad.join(' ')}`);
  return faults;
}

async function runCase(one: Case, place: string, corpus: string, expected: Bytes): Promise<FaultResult> {
  const out = join(place, 'out');
  const words = ['run', corpus, '--out', out, '--threshold', '0.5', '--threads', one.threads];
  // Else a run this short keeps nothing to go on with.
  words.push('--checkpoint-after', '0');
  // Half of the moments are spread over the whole run, half over what comes after the longest stage.
  const whole = await endedAt([...words, '--force'], null, { said: SKETCHED, milliseconds: 0 });
  const spans = [whole.milliseconds, whole.milliseconds - whole.saidAt];
  const random = randomFrom(one.times + one.name.length);
  const stages = new Map<string, number>();
  const faults: string[] = [];
  let [injected, lost, peakBytes, seconds, taken] = [0, 0, 0, 0, 0];
  for (let time = 0; time < one.times; time++) {
    rmSync(out, { recursive: true, force: true });
    const share = ((time >> 1) + random()) / Math.ceil(one.times / 2);
    const said = time % 2 === 0 ? STARTED : SKETCHED;
    const ended = await endedAt(words, one.signal, { said, milliseconds: spans[time % 2]! * share });
    // It was faster this time: nothing was ended.
    if (ended.code === 0) continue;
    injected++;
    const stage = stageAt(ended.stderr);
    stages.set(stage, (stages.get(stage) ?? 0) + 1);
    faults.push(...faultsOfEnd(out, one.signal, ended).map((fault) => `${stage}: ${fault}`));
    if (existsSync(join(out, '.mr-minhash')) && !looksFinished(out)) {
      const refused = await watchedRun(words, MOST_SECONDS);
      if (refused.code !== 2) faults.push(`${stage}: believed without --force: ${refused.stderr}`);
    }
    const how = time % 4 === 3 ? '--force' : '--resume';
    const again = await watchedRun([...words, how], MOST_SECONDS);
    if (again.code !== 0) faults.push(`${stage}: with ${how}: ${again.stderr}`);
    if (/^Resumed /m.test(again.stdout)) taken++;
    lost += bytesLost(expected, out);
    peakBytes = Math.max(peakBytes, again.peakBytes);
    seconds += again.seconds;
  }
  if (lost > 0) faults.push('other bytes than an undisturbed run');
  if (injected < one.times / 2) faults.push(`only ${injected} of ${one.times} were ended in time`);
  if (taken < injected / 4) faults.push(`only ${taken} of ${injected} were taken up`);
  const places = [...stages].map(([stage, count]) => `${stage} ${count}`).join(', ');
  const said = `${places}; ${taken} taken up`;
  return { name: one.name, injected, bytesLost: lost, peakBytes, seconds, said, faults };
}

const REPLACED = 'killed by itself while its result takes the place of another';
const REPLACE_KILLS = 25;

async function runReplaced(place: string, corpus: string, expected: Bytes): Promise<FaultResult> {
  const out = join(place, 'out');
  const options = { paths: [corpus], out, threshold: 0.5, threads: 0, force: true };
  const random = randomFrom(50);
  const faults: string[] = [];
  const places = new Map<string, number>();
  let [lost, peakBytes, seconds, taken] = [0, 0, 0, 0];
  const other = ['run', corpus, '--out', out, '--threshold', '0.9', '--quiet'];
  await watchedRun(other, MOST_SECONDS);
  const moments = (await momentsOf(options, 'replace')).get('write')!;
  for (let time = 0; time < REPLACE_KILLS; time++) {
    rmSync(out, { recursive: true, force: true });
    await watchedRun(other, MOST_SECONDS);
    const nth = 1 + Math.floor((moments * (time + random())) / REPLACE_KILLS);
    const killed = await killedRun(options, 'replace', nth);
    if (killed.code !== null) faults.push(`not killed at ${nth} of ${moments}: ${killed.said}`);
    const where = killed.said.replace(/ .*\/(?:out\/)?(?=[^/]+(?:\/[^/]+)?$)/, ' ').replace(/\d+/g, 'N');
    places.set(where, (places.get(where) ?? 0) + 1);
    const words = ['run', corpus, '--threshold', '0.5', '--out', out, '--threads', '0'];
    const again = await watchedRun([...words, '--resume'], MOST_SECONDS);
    if (again.code !== 0) faults.push(`${killed.said}: ${again.stderr}`);
    if (/^Resumed /m.test(again.stdout)) taken++;
    const bytes = bytesLost(expected, out);
    if (bytes > 0) faults.push(`${killed.said}: other bytes`);
    lost += bytes;
    peakBytes = Math.max(peakBytes, again.peakBytes);
    seconds += again.seconds;
  }
  const said = `${[...places].map(([where, count]) => `${where} ${count}`).join(', ')}; ${taken} taken up`;
  return { name: REPLACED, injected: REPLACE_KILLS, bytesLost: lost, peakBytes, seconds, said, faults };
}

/** The bytes of the result of an undisturbed run on threads with these words, of which the last is its folder. */
async function resultOf(words: readonly string[]): Promise<Bytes> {
  await watchedRun(words, MOST_SECONDS);
  return resultBytes(words.at(-1)!);
}

/** All cases whose names hold `only`, one after the other. */
export async function* killedRuns(place: string, only: string): AsyncGenerator<FaultResult> {
  const cases = CASES.filter(({ name }) => name.includes(only));
  const replaces = REPLACED.includes(only);
  if (cases.length === 0 && !replaces) return;
  const [corpus, whole] = [join(place, 'in'), join(place, 'whole')];
  try {
    writeCorpus(corpus);
    const expected = await resultOf(['run', corpus, '--threshold', '0.5', '--out', whole]);
    if (replaces) yield await runReplaced(place, corpus, expected);
    for (const one of cases) yield await runCase(one, place, corpus, expected);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
