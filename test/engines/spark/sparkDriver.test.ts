/** The session of Spark, with a program in the place of spark-submit: what is sent, and how failures are reported. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startDriver } from '../../../src/engines/spark/sparkDriver.js';
import { sparkTables } from '../../../src/engines/spark/sparkTables.js';
import type { MinHashError } from '../../../src/errors.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

/** Makes a folder with `bin/spark-submit`, and sets SPARK_HOME to it. */
function fakeSpark(t: ExecutionContext, script: string): string {
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'bin'));
  const command = join(home, 'bin/spark-submit');
  writeFileSync(`${command}.cjs`, script);
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${command}.cjs' "$@"\n`);
  chmodSync(command, 0o755);
  process.env.SPARK_HOME = home;
  t.teardown(() => {
    delete process.env.SPARK_HOME;
  });
  return home;
}

const start = (folder: string) =>
  startDriver({
    master: 'local[2]',
    conf: { 'spark.a': 'b c' },
    files: ['/task.cjs', '/params.json'],
    program: '/driver.py',
    folder: join(folder, 'session'),
  });

const codeAndDetail = (error: unknown): string => {
  const { code, problems } = error as MinHashError;
  return `${code} ${problems[0]!.detail}`;
};

/** Connects as driver.py does, and answers each request by the function of its command in `answers`. */
const connected = (answers: string): string => `
const [port, token] = process.env.MR_MINHASH_DRIVER.split(' ');
const socket = require('node:net').connect(Number(port), '127.0.0.1');
const send = (answer) => socket.write(JSON.stringify(answer) + '\\n');
socket.write('{"token": "' + token + '"}\\n');
send({ version: '4.0', parallelism: 2, partitions: null });
const asked = [];
const answers = ${answers};
require('node:readline').createInterface({ input: socket }).on('line', (line) => {
  const [command, ...texts] = JSON.parse(line);
  asked.push(command + ' ' + texts.join(' '));
  answers[command](...texts);
}).on('close', () => process.exit());
`;

test.serial(
  'a spark-submit that is missing or fails is reported with the errors in its log, or its last lines',
  async (t) => {
    const home = fakeSpark(t, "console.error('no such master'); process.exit(7);");
    const error = await t.throwsAsync(start(home));
    const command = join(home, 'bin/spark-submit');
    t.is(codeAndDetail(error), `SPARK_UNUSABLE ${command}: it ended with status 7: no such master`);
    fakeSpark(t, "console.error('x.SomeException: bad master\\n\\tat a.b(c:1)\\n\\tat d'); process.exit(1);");
    t.regex(
      codeAndDetail(await t.throwsAsync(start(home))),
      /: it ended with status 1: x\.SomeException: bad master$/,
    );
    process.env.SPARK_HOME = '/nowhere';
    t.regex(
      codeAndDetail(await t.throwsAsync(start(home))),
      /^SPARK_UNUSABLE .*: it cannot be started; install Spark/,
    );
  },
);

test.serial('rows come in pieces, and a statement that fails is reported', async (t) => {
  const home = fakeSpark(
    t,
    connected(`{
      sql: (text) => send(text === 'bad' ? { error: 'no\\n table' } : { rows: [[process.argv.slice(2).join(' ')]] }),
      lines: () => { send({ lines: ['a', 'b'] }); send({ lines: ['c'], end: true }); },
    }`),
  );
  const driver = await start(home);
  const words =
    '--master local[2] --name mr-minhash --deploy-mode client --conf spark.a=b c --files /task.cjs,/params.json /driver.py';
  t.deepEqual(await driver.ask('sql', 'words'), { rows: [[words]] });
  const lines: string[] = [];
  for await (const line of driver.lines('rows')) lines.push(line);
  t.deepEqual(lines, ['a', 'b', 'c']);
  t.is(codeAndDetail(await t.throwsAsync(driver.ask('sql', 'bad'))), 'SPARK_FAILED no table');
  await driver.close();
});

test.serial('a session that ends is reported', async (t) => {
  const home = fakeSpark(t, connected("{ sql: () => { console.log('out of memory'); process.exit(3); } }"));
  const driver = await start(home);
  const error = await t.throwsAsync(driver.ask('sql', 'SELECT 1'));
  t.regex(codeAndDetail(error), /^SPARK_FAILED the session is over: it ended with status 3: out of memory$/);
  await driver.close();
});

test.serial(
  'tables of a run are in a folder of their attempt, and tasks are scripts with as many processes as blocks',
  async (t) => {
    const home = fakeSpark(
      t,
      connected(
        "{ sql: (text) => send(text === 'asked' ? { rows: asked.map((one) => [one]) } : { rows: [] }), write: () => send({}) }",
      ),
    );
    const driver = await start(home);
    const executor = await sparkTables(driver, {
      work: 'hdfs:///w',
      command: 'node task.cjs',
      params: 'p.json',
      batches: 1000,
    });
    await executor.load('files', { file: 'INT', place: 'STRING' }, ["0\ta'b"]);
    const attempt = await executor.task({
      ...{
        kind: 'task',
        name: 'sketched',
        task: 'sketch',
        from: 'SELECT batch FROM batches',
        columns: ['batch'],
      },
      ...{ by: 'batch', sort: 'batch', emits: { row: 'BIGINT' }, sql: 'SELECT row FROM emitted' },
    });
    const asked = (await executor.values('asked')).map(([text]) => String(text).replaceAll(attempt, 'X'));
    t.deepEqual(asked.slice(0, -1), [
      'sql SET spark.sql.shuffle.partitions=125',
      "write hdfs:///w/tables-X/files/part-00000.txt 0\ta'b\n",
      "sql CREATE OR REPLACE TEMPORARY VIEW files_lines USING text OPTIONS (path 'hdfs:///w/tables-X/files', lineSep '\\n')",
      "sql CREATE OR REPLACE TEMPORARY VIEW files AS SELECT CAST(split(value, '\\t')[0] AS INT) AS file, CAST(split(value, '\\t')[1] AS STRING) AS place FROM files_lines",
      `sql INSERT OVERWRITE DIRECTORY 'hdfs:///w/tables-X/sketched' USING parquet SELECT row FROM (SELECT TRANSFORM(batch) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' USING 'node task.cjs sketch p.json' AS (row BIGINT) ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'
FROM (SELECT * FROM (SELECT /*+ REPARTITION(16, batch) */ batch FROM (SELECT batch FROM batches) x) y SORT BY batch) z) emitted`,
      "sql CREATE OR REPLACE TEMPORARY VIEW sketched USING parquet OPTIONS (path 'hdfs:///w/tables-X/sketched')",
    ]);
    await executor.close();
  },
);
