/** The words of the commands that a run on Spark starts. Pure but for a look at where the user's command is. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programFile } from '../command.js';

/** What the user may say otherwise. */
const USUAL: Readonly<Record<string, string>> = {
  'spark.app.name': 'mr-minhash',
  'spark.ui.enabled': 'false',
  'spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version': '1',
};

/** What the statements rely on. */
const NEEDED: Readonly<Record<string, string>> = {
  // Nothing of a metastore is made in the current folder.
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.sql.defaultCatalog': 'spark_catalog',
  'spark.sql.variable.substitute': 'false',
  'spark.sql.parser.escapedStringLiterals': 'false',
  // Added files are in the current folder of scripts, not in one below it.
  'spark.sql.artifact.isolation.enabled': 'false',
  'spark.sql.cli.print.header': 'false',
  'spark.sql.files.ignoreCorruptFiles': 'false',
  'spark.sql.files.ignoreMissingFiles': 'false',
  'spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs': 'true',
  'spark.ui.showConsoleProgress': 'false',
};

interface SessionSetting {
  readonly command: readonly string[];
  readonly master: string | null;
  readonly conf: Readonly<Record<string, string>>;
  /** The folder that Spark takes for tables without one. */
  readonly warehouse: string;
}

export function sessionWords({ command, master, conf, warehouse }: SessionSetting): readonly string[] {
  const all = { ...USUAL, 'spark.sql.warehouse.dir': warehouse, ...conf, ...NEEDED };
  return [
    ...command,
    ...(master === null ? [] : ['--master', master]),
    ...Object.entries(all).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
  ];
}

const FS_SHELL = 'org.apache.hadoop.fs.FsShell';
const FOR_HADOOP = 'spark.hadoop.';

/** Hadoop's FsShell by the `spark-class` beside the user's `spark-sql`, with those of his settings that are Hadoop's. */
export function fsShellOf(
  command: readonly string[],
  conf: Readonly<Record<string, string>>,
): readonly string[] {
  const settings = Object.entries(conf)
    .filter(([name]) => name.startsWith(FOR_HADOOP))
    .flatMap(([name, value]) => ['-D', `${name.slice(FOR_HADOOP.length)}=${value}`]);
  return [...command.slice(0, -1), besideSql(command.at(-1)!), FS_SHELL, ...settings];
}

function besideSql(program: string): string {
  const found = programFile(program);
  const homes = [
    ...(found === null ? [] : [dirname(found), dirname(realpathSync(found))]),
    ...(process.env.SPARK_HOME === undefined ? [] : [join(process.env.SPARK_HOME, 'bin')]),
  ];
  const places = homes.map((folder) => join(folder, 'spark-class'));
  return places.find((place) => existsSync(place)) ?? program.replace(/spark-sql$/, 'spark-class');
}
