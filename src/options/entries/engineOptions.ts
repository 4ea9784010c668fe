/**
 * The part of the table of options that says on which engine a run works.
 *
 * Data only, as table.ts is.
 */

const ENGINE = { group: 'Hadoop and Spark', decides: 'execution' } as const;

export const ENGINE_OPTIONS = {
  engine: {
    ...ENGINE,
    kind: { kind: 'choice', choices: ['threads', 'hadoop', 'spark'] },
    placeholder: 'NAME',
    default: 'threads',
    short: 'where tasks run: threads here, or jobs of hadoop (Streaming) or spark (SQL)',
    long:
      'The result is the same. On Hadoop and Spark --shards is the number of Reduce tasks of a job, and PATHs may be addresses ' +
      'of their file systems (hdfs://, s3a://, gs://). Inputs are JSON lines; on Spark also folders of text, and Parquet.',
  },
  clusterWork: {
    ...ENGINE,
    kind: { kind: 'name' },
    placeholder: 'URI',
    default: null,
    defaultText: '.work in --out',
    short: 'a folder that all machines of the engine can read and write, for what jobs hand to each other',
  },
  hadoopCommand: {
    ...ENGINE,
    kind: { kind: 'name' },
    placeholder: 'COMMAND',
    default: 'hadoop',
    short: 'the command of your Hadoop',
  },
  hadoopConf: {
    ...ENGINE,
    kind: { kind: 'settings' },
    placeholder: 'KEY=VALUE',
    default: null,
    defaultText: 'none',
    repeatable: true,
    short: 'a property of every Hadoop job',
  },
  shipNode: {
    ...ENGINE,
    kind: { kind: 'switch' },
    placeholder: null,
    default: false,
    short: 'send this node program along, for machines without Node',
  },
  sparkCommand: {
    ...ENGINE,
    kind: { kind: 'name' },
    placeholder: 'COMMAND',
    default: 'spark-sql',
    short: 'the spark-sql of your Spark',
  },
  sparkMaster: {
    ...ENGINE,
    kind: { kind: 'name' },
    placeholder: 'URL',
    default: null,
    defaultText: 'that of its settings',
    short: 'where Spark works, such as local[2,4], yarn or spark://host:7077',
  },
  sparkConf: {
    ...ENGINE,
    kind: { kind: 'settings' },
    placeholder: 'KEY=VALUE',
    default: null,
    defaultText: 'none',
    repeatable: true,
    short: 'a setting of Spark',
  },
} as const;
