/**
 * Runs Hadoop's FsShell with the programs beside the user's `spark-sql` and the user's settings, so that it sees the file systems
 * that Spark sees.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { programFile } from '../command.js';

interface FsShellSetting {
  /** The command of `spark-sql`, as words. */
  readonly command: readonly string[];
  readonly conf: Readonly<Record<string, string>>;
  /** A folder with empty files of Hadoop's settings: without such files FsShell also ignores settings on the command line. */
  readonly site: string;
}

/** A command as words, and variables for its environment. */
export interface FsShell {
  readonly shell: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const FS_SHELL = 'org.apache.hadoop.fs.FsShell';
const FOR_HADOOP = 'spark.hadoop.';
/** Settings by which a user names the classes of a file system. */
const NAMES_CLASSES =
  /^spark\.(jars(\.(packages|excludes|repositories|ivy|ivySettings))?|driver\.extraClassPath)$/;

export function fsShellOf({ command, conf, site }: FsShellSetting): FsShell {
  const folders = foldersOf(command.at(-1)!);
  const settings = Object.entries({ ...usualSettings(folders), ...conf });
  const ofHadoop = settings
    .filter(([name]) => name.startsWith(FOR_HADOOP))
    .flatMap(([name, value]) => ['-D', `${name.slice(FOR_HADOOP.length)}=${value}`]);
  const ofClasses = settings
    .filter(([name]) => NAMES_CLASSES.test(name))
    .flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
  const before = command.slice(0, -1);
  const beside = (name: string): string =>
    folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ??
    command.at(-1)!.replace(/spark-sql$/, name);
  // Only spark-submit loads packages; it takes three times as long to start.
  const program =
    ofClasses.length === 0
      ? [beside('spark-class'), FS_SHELL]
      : [
          ...[beside('spark-submit'), '--master', 'local', '--deploy-mode', 'client', ...ofClasses],
          ...['--class', FS_SHELL, 'spark-internal'],
        ];
  const { SPARK_DIST_CLASSPATH: classpath } = process.env;
  return {
    shell: [...before, ...program, ...ofHadoop],
    // After all other folders: the user's own settings come first.
    env: { SPARK_DIST_CLASSPATH: classpath ? `${classpath}${delimiter}${site}` : site },
  };
}

/** Folders in which Spark's programs may lie. */
function foldersOf(program: string): readonly string[] {
  const found = programFile(program);
  const home = process.env.SPARK_HOME;
  return [
    ...(found === null ? [] : [dirname(found), dirname(realpathSync(found))]),
    ...(home === undefined ? [] : [join(home, 'bin')]),
  ];
}

/** The settings in spark-defaults.conf, found as `spark-sql` finds it. */
function usualSettings(folders: readonly string[]): Readonly<Record<string, string>> {
  const given = process.env.SPARK_CONF_DIR;
  const places = given === undefined ? folders.map((folder) => join(folder, '../conf')) : [given];
  const file = places.map((folder) => join(folder, 'spark-defaults.conf')).find((one) => existsSync(one));
  if (file === undefined) return {};
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^\s*([^#!\s=:]+)\s*[\s=:]\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value!]];
    }),
  );
}
