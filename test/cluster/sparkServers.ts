/** A standalone Spark on this machine: a master and two workers of one core, a JVM each, on the loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SHORT_LIVED } from '../spark/sparkHere.js';
import { isBelow, killTree } from './processTree.js';

const DEPLOY = 'org.apache.spark.deploy';
const WORKERS = [1, 2] as const;
/** A server that is not there after so long will not come. */
const PATIENCE = 120_000;

export class SparkServers {
  private readonly home: string;
  private readonly folder: string;
  private address: string | null = null;
  private readonly running = new Map<string, ChildProcess>();

  constructor(folder: string, home: string) {
    this.folder = folder;
    this.home = home;
    mkdirSync(join(folder, 'log'), { recursive: true });
  }

  /** The command for users. */
  get command(): string {
    return join(this.home, 'bin/spark-sql');
  }

  /** The address for users. */
  get master(): string {
    if (this.address === null) throw new Error('there is no master yet: start it first');
    return this.address;
  }

  async start(): Promise<void> {
    const ports = ['--port', '0', '--webui-port', '0'];
    this.launch('master', [`${DEPLOY}.master.Master`, '--host', '127.0.0.1', ...ports]);
    const said = await this.said('master', /Starting Spark master at (spark:\/\/\S+)/g, 1);
    this.address = said[0]![1]!;
    await this.heal();
  }

  /** The worker of a task is gone at once, and with it its executors and their tasks. */
  loseWorkerOf(task: number): void {
    const workers = WORKERS.map((number) => this.running.get(`worker${number}`)?.pid);
    const its = workers.find((pid) => pid !== undefined && isBelow(task, pid));
    if (its === undefined) throw new Error(`process ${task} is below none of the workers ${workers}`);
    killTree(its);
  }

  /** Starts workers that are not there, and waits until the master knows them. */
  async heal(): Promise<void> {
    const wanted = WORKERS.map((number) => `worker${number}`).filter((name) => {
      const child = this.running.get(name);
      return child === undefined || child.exitCode !== null || child.signalCode !== null;
    });
    const known = this.matches('master', REGISTERED).length;
    for (const name of wanted) {
      const room = ['--cores', '1', '--memory', '1g', '--work-dir', join(this.folder, name)];
      const place = ['--host', '127.0.0.1', '--webui-port', '0'];
      this.launch(name, [`${DEPLOY}.worker.Worker`, ...place, ...room, this.master]);
    }
    await this.said('master', REGISTERED, known + wanted.length);
  }

  stop(): void {
    for (const { pid } of this.running.values()) if (pid !== undefined) killTree(pid);
  }

  private launch(name: string, words: readonly string[]): void {
    const log = openSync(this.log(name), 'a');
    const env = {
      ...{ ...process.env, SPARK_DAEMON_MEMORY: '256m', SPARK_DAEMON_JAVA_OPTS: SHORT_LIVED },
      SPARK_LOCAL_DIRS: join(this.folder, 'local'),
    };
    const child = spawn(join(this.home, 'bin/spark-class'), words, { env, stdio: ['ignore', log, log] });
    this.running.set(name, child);
  }

  private log(name: string): string {
    return join(this.folder, 'log', name);
  }

  private matches(name: string, pattern: RegExp): readonly RegExpExecArray[] {
    return [...readFileSync(this.log(name), 'utf8').matchAll(pattern)];
  }

  /** Waits until a server has said something so many times. */
  private async said(name: string, pattern: RegExp, times: number): Promise<readonly RegExpExecArray[]> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await pause(250)) {
      const found = this.matches(name, pattern);
      if (found.length >= times) return found;
    }
    throw new Error(`${this.log(name)} does not say ${pattern} ${times} times`);
  }
}

const REGISTERED = /Registering worker/g;
