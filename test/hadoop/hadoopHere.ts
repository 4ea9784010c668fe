/** A Hadoop of one JVM from Maven's jars, with a `hadoop` command as a distribution has one. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const POM = fileURLToPath(new URL('../../../test/hadoop/pom.xml', import.meta.url));

/** Whether the commands are there. */
export function hasCommands(names: readonly string[]): boolean {
  return names.every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
}

/** The folder with the jars of a profile of the pom; they are downloaded once. @throws Error with what Maven says */
export function hadoopJars(profile: 'local' | 'cluster'): string {
  const cache = process.env.MR_MINHASH_HADOOP ?? join(homedir(), '.cache/mr-minhash/hadoop');
  const version = createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 8);
  const folder = join(cache, `${profile}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const part = `${folder}.${process.pid}`;
  const { status, stdout } = spawnSync(
    'mvn',
    [
      ...['-q', '-B', '-Dstyle.color=never', '-f', POM, '-P', profile, 'dependency:copy-dependencies'],
      ...[`-DoutputDirectory=${part}`, '-DincludeScope=runtime'],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(`mvn ended with ${status}: ${stdout.slice(0, 2000)}`);
  }
  if (existsSync(folder)) rmSync(part, { recursive: true });
  else renameSync(part, folder);
  return folder;
}

const property = ([name, value]: readonly [string, string]): string =>
  `<property><name>${name}</name><value>${value}</value></property>`;

function site(folder: string, name: string, properties: Readonly<Record<string, string>>): void {
  writeFileSync(
    join(folder, `${name}-site.xml`),
    `<configuration>${Object.entries(properties).map(property).join('')}</configuration>`,
  );
}

/**
 * Makes the command in a folder and returns its path. It knows `jar`, `fs` and `job`; jobs run in its own JVM. The addresses
 * `viewfs://other/...` are the folder `other` there: a file system that Node does not see as one.
 */
export function makeHadoop(folder: string, jars: string): string {
  const conf = join(folder, 'conf');
  const tools = join(folder, 'share/hadoop/tools/lib');
  for (const one of [conf, tools, join(folder, 'bin'), join(folder, 'other')])
    mkdirSync(one, { recursive: true });
  site(conf, 'core', {
    'fs.defaultFS': 'file:///',
    'hadoop.tmp.dir': join(folder, 'tmp'),
    'fs.viewfs.mounttable.other.link./here': `file://${join(folder, 'other')}`,
  });
  site(conf, 'mapred', {
    'mapreduce.framework.name': 'local',
    'mapreduce.local.map.tasks.maximum': '2',
    'mapreduce.local.reduce.tasks.maximum': '2',
    'mapreduce.task.io.sort.mb': '20',
  });
  const streaming = readdirSync(jars).find((name) => name.startsWith('hadoop-streaming-'))!;
  symlinkSync(join(jars, streaming), join(tools, streaming));
  const command = join(folder, 'bin/hadoop');
  writeCommand(command, `${conf}:${jars}/*`, 512);
  return command;
}

/** Makes a `hadoop` command of these classes, whose JVM has so many MB. */
export function writeCommand(file: string, classpath: string, megabytes: number): void {
  writeFileSync(file, COMMAND.replace('@CLASSPATH@', classpath).replace('@HEAP@', String(megabytes)));
  chmodSync(file, 0o755);
}

const COMMAND = `#!/bin/sh
# The sub-commands of a distribution that jobs need.
command=$1
shift
case $command in
  jar) set -- org.apache.hadoop.util.RunJar "$@" ;;
  fs) set -- org.apache.hadoop.fs.FsShell "$@" ;;
  job) set -- org.apache.hadoop.mapred.JobClient "$@" ;;
  *) echo "no command $command" >&2; exit 1 ;;
esac
exec java -Xmx@HEAP@m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '@CLASSPATH@' "$@"
`;
