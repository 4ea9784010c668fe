/** The statements, names and counts of Spark's adapter, and its session before a program that stands for spark-sql. No JVM. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fsShellOf } from '../../src/engines/cluster/spark/fsShell.js';
import {
  corpusSelect,
  corpusTables,
  hadoopPath,
  namesOf,
  quotedPath,
  rootsOf,
  splitBytesFor,
} from '../../src/engines/cluster/spark/sparkCorpus.js';
import { usefulLines } from '../../src/engines/cluster/spark/sparkErrors.js';
import { checkCounts, countedRows, sumsOf, taskFacts } from '../../src/engines/cluster/spark/sparkFacts.js';
import { columnsSql, sparkType, valuesSql } from '../../src/engines/cluster/spark/sparkRows.js';
import { SparkSession, SqlFailure } from '../../src/engines/cluster/spark/sparkSession.js';
import {
  asLines,
  createTable,
  insertInto,
  jobSelect,
  recordsOf,
  sqlPattern,
  sqlText,
} from '../../src/engines/cluster/spark/sparkSql.js';
import { sessionWords } from '../../src/engines/cluster/spark/sparkWords.js';
import { recordLines, recordsOfLines } from '../../src/engines/cluster/spark/textRecords.js';
import type { DatasetRecord } from '../../src/engines/job.js';
import type { TaskFact } from '../../src/tasks/stream/kinds.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

test('texts and paths are literals of ASCII', (t) => {
  t.is(sqlText(`it's a\\b "c";`), `'it\\'s a\\\\b "c";'`);
  t.is(sqlText('ü\t😀\n'), "'\\u00fc\\u0009\\ud83d\\ude00\\u000a'");
  t.is(sqlPattern('/a{b}[c]*?\\'), "'/a\\\\{b\\\\}\\\\[c\\\\]\\\\*\\\\?\\\\\\\\'");
});

const COMMAND = { stage: 'bands', manifest: 'm.json' };
const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ');
const ROW_FORMAT = "ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'";

test('a job is a Map script, records brought together and in order, and a Reduce script', (t) => {
  const from = 'SELECT k, v FROM mrm_006_classes';
  const script = (side: string, of: string): string =>
    `SELECT TRANSFORM(k, v) ${ROW_FORMAT} USING 'node task.cjs bands ${side} --io tsv --manifest m.json' ` +
    `AS (k STRING, v STRING) ${ROW_FORMAT} FROM (${of})`;
  const mapped = script('map', from);
  const job = { command: COMMAND, readsCorpus: false, from };
  t.is(oneLine(jobSelect({ ...job, prefix: 0 })), mapped);
  const sorted = `SELECT k, v FROM (${mapped}) DISTRIBUTE BY substr(k, 1, 18) SORT BY k`;
  t.is(oneLine(jobSelect({ ...job, prefix: 9 })), script('reduce', sorted));
  t.regex(jobSelect({ ...job, prefix: 0, readsCorpus: true }), /^SELECT TRANSFORM\(file, start, bytes\)/);
});

test('datasets are tables of Parquet, or of lines', (t) => {
  const stored = { table: 'mrm_x', folder: '/w/[x]', form: 'text' } as const;
  t.is(
    createTable(stored),
    "CREATE TABLE IF NOT EXISTS mrm_x(value STRING) USING text OPTIONS (lineSep '\\n') LOCATION '/w/\\\\[x\\\\]'",
  );
  t.is(
    insertInto('/w/[x]', 'text', asLines('SELECT k, v FROM y', ' ORDER BY k')),
    "INSERT OVERWRITE DIRECTORY '/w/[x]' USING text OPTIONS (lineSep '\\n', compression 'none') " +
      "SELECT concat(k, '\\t', v) AS value FROM (SELECT k, v FROM y) ORDER BY k",
  );
  t.is(recordsOf({ ...stored, form: 'parquet' }), 'SELECT k, v FROM mrm_x');
});

test('files have the names that Spark gives them', (t) => {
  t.is(hadoopPath('/data/a b'), 'file:/data/a b');
  t.is(hadoopPath('file:///data/x'), 'file:/data/x');
  t.is(hadoopPath('file:/data/x'), 'file:/data/x');
  t.is(hadoopPath('hdfs://host:1/x y'), 'hdfs://host:1/x y');
  // As Spark 4.3 was seen to write them.
  t.is(quotedPath('file:/c/ü,%41/ä,{b}[c]*?%20.jsonl'), 'file:/c/ü,%2541/ä,%7Bb%7D%5Bc%5D*%3F%2520.jsonl');
  t.is(quotedPath("file:/c/#x;y'(1)\u00a0.jsonl"), "file:/c/%23x;y'(1)%C2%A0.jsonl");
});

test('a name that another file has when it is quoted is that file’s', (t) => {
  const files = ['/a b', '/a%20b', '/e'].map((uri) => ({ uri }));
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  t.deepEqual(
    [...namesOf(files, [files[2]!])],
    [
      `\t${hex('/e')}\n`,
      `file:/a%20b\t${hex('/a b')}\n`,
      `file:/a%2520b\t${hex('/a%20b')}\n`,
      `file:/e\t${hex('/e')}\n`,
      `file:/a b\t${hex('/a b')}\n`,
    ],
  );
});

test('few files are read themselves, many by their folders, none of which is in another', (t) => {
  t.deepEqual(rootsOf(['/b/y', '/a/x', '/a/x']), ['/a/x', '/b/y']);
  const many = Array.from({ length: 100 }, (_, i) => `/a/${i % 10}/${i}`);
  t.deepEqual(
    rootsOf(many),
    Array.from({ length: 10 }, (_, i) => `/a/${i}`),
  );
  t.deepEqual(rootsOf([...many, '/a/z']), ['/a']);
  const deep = Array.from({ length: 200 }, (_, i) => `/a/b${i % 2}/${i}/x`);
  t.deepEqual(rootsOf(deep), ['/a/b0', '/a/b1']);
});

test('rows of the corpus: base64 without lines, and files that are meant', (t) => {
  const files = [{ uri: '/c/a.jsonl' }];
  const { create, tables } = corpusTables(files, 'lines');
  const rows = corpusSelect('lines', tables);
  t.is(create.length, 1);
  t.regex(
    create[0]!,
    /OPTIONS \(recursiveFileLookup 'true', lineSep '\\n', pathGlobFilter '\*\{\.jsonl\}'\)/,
  );
  t.regex(rows, /replace\(base64\(c\.bytes\), '\\r\\n', ''\) AS bytes/);
  t.regex(rows, /BROADCAST\(n\).*_metadata\.file_block_start.* ON c\.path = n\.path$/);
  t.deepEqual(corpusTables([], 'whole').create, []);
  t.is(splitBytesFor(10, 3), 2 ** 20);
  t.is(splitBytesFor(1e12, 3), 128 * 2 ** 20);
});

test('rows of Parquet have their number in the file, and values as bytes', (t) => {
  const { create, tables, names } = corpusTables([{ uri: '/c/a.parquet' }], 'rows');
  t.is(create[0], 'SET spark.sql.caseSensitive=true');
  t.is(create[1], 'SET spark.sql.parquet.binaryAsString=true');
  t.regex(create[2]!, /USING parquet OPTIONS \(recursiveFileLookup 'true', mergeSchema 'true',/);
  t.regex(
    names,
    /^SELECT \/\*\+ BROADCAST\(n\) \*\/ n\.file AS file FROM \(SELECT _metadata\.file_path AS path FROM/,
  );
  t.regex(
    corpusSelect('rows', tables, ['v']),
    /SELECT _metadata\.file_path AS path, _metadata\.row_index AS start, v AS bytes FROM mrm_rows_0/,
  );
  t.is(
    columnsSql('t', 2, (value) => `m(${value})`),
    "SELECT m(concat('2 ', typeof(struct(*)))) FROM t LIMIT 1",
  );
  t.deepEqual(corpusTables([], 'rows').create, []);
});

const COLUMNS =
  'struct<id:string,n:bigint,text:string,meta:struct<title:string,`a b`:string>,meta.title:string,x:double,' +
  'parts:array<string>,deep:array<struct<s:array<string>,t:array<struct<u:string>>>>,m:map<string,array<int>>,d:decimal(20,0)>';

test('fields are columns of Spark as worker threads take them', (t) => {
  const values = (textField: string, idField = 'id'): string =>
    valuesSql(sparkType(COLUMNS), { textField, idField });
  const of = (text: string, id: string): string =>
    `concat(CAST(concat(CASE WHEN ${text} IS NULL THEN '0' ELSE '1' END, lpad(hex(coalesce(octet_length(${id}), 0)), 8, '0')) AS BINARY), ` +
    `coalesce(CAST(${id} AS BINARY), X''), coalesce(CAST(${text} AS BINARY), X''))`;
  const id = 'CAST(`id` AS STRING)';
  const list = (of: string): string =>
    `CASE WHEN exists(${of}, x -> x IS NOT NULL) THEN array_join(filter(${of}, x -> x <> ''), '\\n') END`;
  t.is(values('text', 'n'), of('`text`', 'CAST(`n` AS STRING)'));
  t.is(values('text', 'none'), of('`text`', 'CAST(NULL AS STRING)'));
  // A column of that very name goes before a path.
  t.is(values('meta.title'), of("IDENTIFIER('`meta.title`')", id));
  t.is(values('meta.a b'), of("IDENTIFIER('`meta`.`a b`')", id));
  t.is(values('parts'), of(list('`parts`'), id));
  t.is(values('deep.s'), of(list('flatten(filter(`deep`.`s`, x -> x IS NOT NULL))'), id));
  t.is(values('none, text,Text'), of('`text`', id));
  t.is(values('text, parts'), of(list(`array(\`text\`, ${list('`parts`')})`), id));
});

test('columns that Spark shows otherwise than worker threads are refused by name', (t) => {
  const refused = (textField: string, idField: string, message: RegExp, columns = COLUMNS): void => {
    const found = (): string => valuesSql(sparkType(columns), { textField, idField });
    t.throws(found, { code: 'ENGINE_UNUSABLE', message }, `${textField} ${idField}`);
  };
  refused('n', 'id', /the column n of --text-field is bigint: expected strings/);
  refused('meta', 'id', /the column meta of --text-field is columns of its own/);
  refused('text,m', 'id', /the column m of --text-field is map<string,array<int>>/);
  refused('text,m.a', 'id', /m\.a leads through a map/);
  refused('deep.t.u', 'id', /deep\.t\.u leads through lists in lists/);
  refused('Text', 'id', /there is no column "Text", .* there are id, n, text/);
  refused('text', 'x', /the column x of --id-field is double/);
  refused('text', 'd', /the column d of --id-field is decimal\(20,0\)/);
  refused('text', 'parts', /the column parts of --id-field is a list/);
  refused('text', 'a:b', /the name "a:b"/);
  for (const odd of [
    'struct<a:b:string>',
    'struct<a:string,a:int>',
    'struct<a:array<int>',
    'struct<a>',
    'int>',
  ])
    refused('a', 'id', /the columns are ".*": expected names|there is no column/, odd);
});

const fact = (side: 'map' | 'reduce', read: number, out: number): TaskFact => ({
  ...{ run: 'r', job: '007-bands', side, in: read, out, sums: { seen: read }, most: {} },
});

test('counts that do not agree fail a job by name, with both numbers', (t) => {
  const output = countedRows('13 3 0');
  const job = { name: '007-bands', hasReduce: true, input: 6, output };
  const facts = [fact('map', 4, 5), fact('map', 2, 3), fact('reduce', 8, 10)];
  t.notThrows(() => checkCounts(job, facts));
  const fails = (more: object, others: readonly TaskFact[], message: RegExp): void => {
    t.throws(() => checkCounts({ ...job, ...more }, others), { code: 'JOB_COUNTS', message });
  };
  fails({ input: 7 }, facts, /007-bands: its Map tasks read 6 of 7 records/);
  fails(
    {},
    [facts[0]!, facts[1]!, fact('reduce', 7, 10)],
    /Reduce tasks read 7 records, its Map tasks wrote 8/,
  );
  fails({ output: { ...output, rows: 12 } }, facts, /its tasks wrote 10 records, its output has 9/);
  fails({ output: { ...output, broken: 2 } }, facts, /2 rows of its output have no key or no value/);
  fails({ hasReduce: false }, facts.slice(0, 2), /its tasks wrote 8 records, its output has 10/);
  const rows = [...facts, { ...fact('map', 9, 9), job: '006-x' }].map((one) =>
    Buffer.from(JSON.stringify(one)).toString('base64'),
  );
  t.deepEqual(sumsOf(taskFacts(rows, '007-bands')), { seen: 14 });
  t.throws(() => countedRows(undefined), { message: /expected 3 counts/ });
});

test('of a log the lines of tasks say why, else those of Spark', (t) => {
  const spark = '26/11/22 23:22:26 ERROR SparkScriptTransformationExec: error: a cut record: byte 5';
  const frame = '\tat java.base/java.lang.Thread.run(Thread.java:840)';
  t.deepEqual(usefulLines([frame, spark, 'hint: run it again', spark, frame]), [
    'error: a cut record: byte 5',
    'hint: run it again',
  ]);
  t.deepEqual(usefulLines(['[PATH_NOT_FOUND] Path does not exist: file:/x.', frame]), [
    '[PATH_NOT_FOUND] Path does not exist: file:/x.',
  ]);
  t.deepEqual(usefulLines(['what', 'ever']), ['what', 'ever']);
});

test('settings of the user stand before ours, but for those that statements need', (t) => {
  const words = sessionWords({
    ...{ command: ['spark-sql'], master: 'yarn', warehouse: '/w' },
    conf: { 'spark.ui.enabled': 'true', 'spark.sql.variable.substitute': 'true' },
  });
  t.deepEqual(words.slice(0, 3), ['spark-sql', '--master', 'yarn']);
  t.true(words.includes('spark.ui.enabled=true'));
  t.true(words.includes('spark.sql.variable.substitute=false'));
});

test('FsShell has the settings of Hadoop and the classes that the user names, on the line or in spark-defaults.conf', (t) => {
  const shellOf = (command: readonly string[], conf: Readonly<Record<string, string>>) =>
    fsShellOf({ command, conf, site: '/site' });
  const of = shellOf(['env', '/none/spark-sql'], { 'spark.hadoop.a': '1', 'spark.b': '2' });
  t.deepEqual(of.shell, ['env', '/none/spark-class', 'org.apache.hadoop.fs.FsShell', '-D', 'a=1']);
  t.regex(of.env.SPARK_DIST_CLASSPATH!, /(^|:)\/site$/);
  const packages = { 'spark.jars.packages': 'g:a:1' };
  t.deepEqual(shellOf(['/none/spark-sql'], packages).shell, [
    ...['/none/spark-submit', '--master', 'local', '--deploy-mode', 'client'],
    ...['--conf', 'spark.jars.packages=g:a:1', '--class', 'org.apache.hadoop.fs.FsShell', 'spark-internal'],
  ]);
  const home = temporaryFolder(t);
  for (const folder of ['bin', 'conf']) mkdirSync(join(home, folder));
  for (const name of ['spark-sql', 'spark-class', 'spark-submit']) writeFileSync(join(home, 'bin', name), '');
  const usual = ['# what', 'spark.hadoop.a   1', '  spark.hadoop.b=x=y ', 'spark.jars: /a.jar', ''];
  writeFileSync(join(home, 'conf/spark-defaults.conf'), usual.join('\n'));
  t.deepEqual(shellOf([join(home, 'bin/spark-sql')], { 'spark.hadoop.a': '2' }).shell, [
    ...[join(home, 'bin/spark-submit'), '--master', 'local', '--deploy-mode', 'client'],
    ...['--conf', 'spark.jars=/a.jar', '--class', 'org.apache.hadoop.fs.FsShell', 'spark-internal'],
    ...['-D', 'a=2', '-D', 'b=x=y'],
  ]);
});

test('records are read from lines as they were written, and a line that is cut is an error', async (t) => {
  const records: DatasetRecord[] = Array.from({ length: 300 }, (_, i) => [
    Buffer.of(i, 0, 9),
    Buffer.alloc(1 + i, i),
  ]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of recordLines(records)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const read = async (of: Buffer, piece: number): Promise<DatasetRecord[]> => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < of.length; at += piece) yield of.subarray(at, at + piece);
    }
    const all: DatasetRecord[] = [];
    for await (const record of recordsOfLines(pieces(), 'part')) all.push(record);
    return all;
  };
  t.deepEqual(await read(bytes, 7), records);
  const code = 'TASK_RECORD';
  await t.throwsAsync(read(bytes.subarray(0, -1), 999), {
    code,
    message: /part, line 300: the file ends within it/,
  });
  await t.throwsAsync(read(Buffer.from('00\tAA==\n0z\tAA==\n'), 99), { code, message: /part, line 2/ });
  await t.throwsAsync(read(Buffer.from('00\t\n'), 99), { code, message: /part, line 1/ });
});

/** Stands for spark-sql: echoes what it reads, cut after 80 characters, and knows our marks alone. */
const FAKE = `#!${process.execPath}
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  console.log('spark-sql> ' + line.replace(/.{80}/g, '$& '));
  for (const one of line.split(';')) {
    if (/FAIL/.test(one)) return console.error('[FAILED] as it was told');
    if (/DIE/.test(one)) process.exit(9);
    if (/^ *exit/.test(one)) process.exit(0);
    const found = /concat\\('(.*?)', '(.*?)', '(.*?)', '(.*?)', '(.*?)', CAST\\('(.*?)' AS STRING\\)\\)/.exec(one);
    if (found) console.log('spark-sql> ' + found.slice(1).join(''));
  }
});
`;

test('a session tells which statements failed, goes on, and says how it ended', async (t) => {
  const folder = temporaryFolder(t);
  const program = join(folder, 'spark-sql');
  writeFileSync(program, FAKE);
  chmodSync(program, 0o755);
  const log = join(folder, 'log');
  const session = new SparkSession({ words: [program], log });
  const rows = await session.run((mark) => [`SELECT ${mark("'a b'")}`, `SELECT\n  ${mark("'c'")}`]);
  t.deepEqual(rows, ['a b', 'c']);
  const failure = await t.throwsAsync(
    session.run((mark) => ['FAIL', `SELECT ${mark("'never'")}`]),
    { instanceOf: SqlFailure },
  );
  t.is(failure?.message, '[FAILED] as it was told');
  t.deepEqual(await session.run(() => []), []);
  await t.throwsAsync(
    session.run(() => ['SELECT ü']),
    { message: /foreign characters/ },
  );
  await t.throwsAsync(
    session.run(() => ['DIE']),
    { code: 'JOB_FAILED', message: /exit code 9.*log/ },
  );
  await t.throwsAsync(
    session.run(() => []),
    { code: 'JOB_FAILED' },
  );
  await session.close();
  t.regex(readFileSync(log, 'utf8'), /as it was told/);
  const early = new SparkSession({ words: [process.execPath, '-e', 'process.exit(3)'], log });
  await t.throwsAsync(
    early.run(() => []),
    { code: 'ENGINE_UNUSABLE', message: /exit code 3/ },
  );
});

test('a signal ends a session, and what is asked of it', async (t) => {
  const folder = temporaryFolder(t);
  const stopped = new AbortController();
  const words = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const session = new SparkSession({ words, log: join(folder, 'log'), signal: stopped.signal });
  const running = session.run(() => []);
  stopped.abort();
  await t.throwsAsync(running, { code: 'INTERRUPTED' });
  await t.throwsAsync(
    session.run(() => []),
    { code: 'INTERRUPTED' },
  );
});
