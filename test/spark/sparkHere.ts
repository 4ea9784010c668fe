/** Spark for tests: pyspark of PyPI in a folder of its own, made once. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = '4.3.0';

/** Whether there is what Spark and its making need. */
export function canHaveSpark(): boolean {
  const found = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;
  return found('java', '-version') && found('python3', '-c', 'import venv, ensurepip');
}

/** The home of Spark; 456 MB are fetched where it is not there yet. @throws Error with what pip says */
export function sparkHome(): string {
  const given = process.env.MR_MINHASH_SPARK;
  if (given !== undefined && given !== '') return given;
  const folder = join(homedir(), '.cache/mr-minhash/spark', VERSION);
  const home = homeIn(folder);
  if (home !== null) return home;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(join(folder, '..'), { recursive: true });
  done(spawnSync('python3', ['-m', 'venv', part], { encoding: 'utf8' }));
  const pip = [
    join(part, 'bin/python'),
    '-m',
    'pip',
    'install',
    '-q',
    '--no-cache-dir',
    `pyspark==${VERSION}`,
  ];
  done(spawnSync(pip[0]!, pip.slice(1), { encoding: 'utf8' }));
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return homeIn(folder)!;
}

function homeIn(folder: string): string | null {
  const lib = join(folder, 'lib');
  const names = existsSync(lib) ? readdirSync(lib) : [];
  const homes = names.map((name) => join(lib, name, 'site-packages/pyspark'));
  return homes.find((home) => existsSync(join(home, 'bin/spark-sql'))) ?? null;
}

function done({ status, stderr }: { readonly status: number | null; readonly stderr: string }): void {
  if (status !== 0) throw new Error(`pyspark could not be installed: ${stderr.slice(-2000)}`);
}

/** For a JVM that ends before better code would pay. */
export const SHORT_LIVED = '-XX:+UseSerialGC -XX:TieredStopAtLevel=1';

/** Settings of all sessions: on the loopback alone, in little memory. */
export const SETTINGS: Readonly<Record<string, string>> = {
  'spark.driver.host': '127.0.0.1',
  'spark.driver.bindAddress': '127.0.0.1',
  'spark.driver.memory': '1g',
  // No lines of tests come into the history in the user's home.
  'spark.driver.extraJavaOptions': `${SHORT_LIVED} -Duser.home=/no/such/folder`,
  'spark.executor.extraJavaOptions': SHORT_LIVED,
};

/** In one JVM, with attempts after the first; another one where it is named. */
export const MASTER = process.env.MR_MINHASH_SPARK_MASTER ?? 'local[2,4]';
