/** Spark for tests: pyspark in a separate folder, installed once per version. It needs Java 17 and Python 3 with venv. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The oldest and a newer version that are tested. */
export const VERSIONS = ['3.5.7', '4.0.1'] as const;

/** The home of Spark. About 400 MB are downloaded if it is not there yet. @throws Error with the message of pip */
export function sparkHome(version: string): string {
  const folder = join(homedir(), '.cache/mr-minhash/spark', version);
  const home = homeIn(folder);
  if (home !== null) return home;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  succeed('python3', '-m', 'venv', part);
  succeed(join(part, 'bin/python'), '-m', 'pip', 'install', '-q', '--no-cache-dir', `pyspark==${version}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return homeIn(folder)!;
}

/** The reason why these versions cannot be used here, on one line; null if they can. Installs them if necessary. */
export function whyMissing(versions: readonly string[]): string | null {
  try {
    succeed('java', '-version');
    for (const version of versions) sparkHome(version);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.trim().split('\n').at(-1)! : String(error);
  }
}

function homeIn(folder: string): string | null {
  const lib = join(folder, 'lib');
  const names = existsSync(lib) ? readdirSync(lib) : [];
  const homes = names.map((name) => join(lib, name, 'site-packages/pyspark'));
  return homes.find((home) => existsSync(join(home, 'bin/spark-submit'))) ?? null;
}

function succeed(command: string, ...words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${command} cannot be started`);
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr.slice(-2000)}`);
}

/** The environment in which spark-submit is that of a home. */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  const bin = join(dirname(dirname(dirname(dirname(home)))), 'bin');
  return {
    ...process.env,
    SPARK_HOME: home,
    PYSPARK_PYTHON: join(bin, 'python'),
    SPARK_LOCAL_IP: '127.0.0.1',
  };
}
