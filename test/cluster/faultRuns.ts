/** A run on a cluster while something goes wrong, against the result of worker threads. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { differences } from '../hadoop/recipeTest.js';
import type { Fault } from './faults.js';

/** A cluster that is there, and how runs on it are told. */
export interface Ground<S> {
  readonly servers: S;
  /** A folder for results. */
  readonly folder: string;
  /** The program, whose tasks fail as they are told to. */
  readonly program: string;
  /** The result of worker threads. */
  expected(fault: Fault<S>): string;
  /** `run` and its words, without --out. @param marks what MR_MINHASH_FAULT is in tasks */
  words(fault: Fault<S>, marks: string): readonly string[];
}

export interface Outcome {
  readonly fault: string;
  readonly seconds: number;
  readonly struck: number;
  readonly verdict: string;
}

export async function faultRun<S extends { heal(): Promise<void> }>(
  fault: Fault<S>,
  ground: Ground<S>,
): Promise<Outcome> {
  const begun = performance.now();
  const { servers, folder, program } = ground;
  const marks = join(folder, `marks-${fault.name}`);
  mkdirSync(marks);
  for (const side of fault.sides) writeFileSync(join(marks, `armed-${side}`), '');
  const out = join(folder, `result-${fault.name}`);
  const words = [...ground.words(fault, `${fault.kind}:${marks}`), '--out', out];
  const driver = started(program, words);
  const task = await struckOrEnded(fault, marks, driver.child);
  if (task !== null) fault.strike?.({ servers, driver: driver.child, task });
  let ended = await driver.end;
  if (fault.endsDriver === true) ended = await started(program, [...words, '--resume']).end;
  const struck = readdirSync(marks).filter((name) => MARK.test(name)).length;
  const wanted = fault.kind === 'none' || struck > 0;
  const different = ended.code === 0 ? differences(ground.expected(fault), out) : [];
  const verdict =
    ended.code !== 0
      ? `failed: ${ended.printed}`
      : different.length > 0
        ? `different: ${different.join(', ')}`
        : wanted
          ? 'identical'
          : 'no task was struck';
  await servers.heal();
  return { fault: fault.name, seconds: (performance.now() - begun) / 1000, struck, verdict };
}

const MARK = /^(map|reduce)\.\d+$/;

interface Started {
  readonly child: ChildProcess;
  readonly end: Promise<{ readonly code: number | null; readonly printed: string }>;
}

function started(program: string, words: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const end = new Promise<{ code: number | null; printed: string }>((resolve) => {
    child.on('exit', (code) => resolve({ code, printed: Buffer.concat(printed).toString() }));
  });
  return { child, end };
}

/** Waits for the first task that is struck, and disarms; its process id, or null: the driver ended before. */
async function struckOrEnded<S>(
  fault: Fault<S>,
  marks: string,
  driver: ChildProcess,
): Promise<number | null> {
  if (fault.kind === 'none' || fault.isLasting === true) return null;
  while (driver.exitCode === null && driver.signalCode === null) {
    const mark = readdirSync(marks).find((name) => MARK.test(name));
    if (mark !== undefined) {
      for (const side of fault.sides) rmSync(join(marks, `armed-${side}`));
      return Number(mark.split('.')[1]);
    }
    await pause(100);
  }
  return null;
}
