/** The command of a Spark session, as words. */

/** Settings that the user may change. */
const USUAL: Readonly<Record<string, string>> = {
  'spark.app.name': 'mr-minhash',
  'spark.ui.enabled': 'false',
  'spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version': '1',
};

/** Settings that the statements rely on. */
const NEEDED: Readonly<Record<string, string>> = {
  // No metastore is created in the current folder.
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.sql.defaultCatalog': 'spark_catalog',
  'spark.sql.variable.substitute': 'false',
  'spark.sql.parser.escapedStringLiterals': 'false',
  // Added files lie in the current folder of scripts, not in a folder below it.
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
  /** Spark's folder for tables without a location. */
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
