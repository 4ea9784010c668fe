/**
 * `npm run test:spark [-- --keep]`: the adapter and a whole run on Spark in one JVM. Prints a line a check and ends with 1 where one
 * fails; where there is no Java or no Python it says `spark: not run`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checks } from '../hadoop/checks.js';
import { testSparkAdapter } from './sparkAdapter.js';
import { testSparkColumns } from './sparkColumns.js';
import { canHaveSpark, sparkHome } from './sparkHere.js';
import { testSparkRun } from './sparkRun.js';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean' } } });

async function main(): Promise<number> {
  if (!canHaveSpark()) {
    console.log('spark: not run, for it needs java and python3 with venv');
    return 0;
  }
  process.env.SPARK_LOCAL_IP = '127.0.0.1';
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-spark-'));
  const place = { folder, home: sparkHome(), checks: new Checks() };
  const { checks } = place;
  process.env.SPARK_HOME = place.home;
  try {
    if (values.only !== 'run' && values.only !== 'columns') await testSparkAdapter(place);
    if (values.only !== 'run') await testSparkColumns(place);
    if (values.only !== 'adapter' && values.only !== 'columns') await testSparkRun(place);
  } finally {
    if (values.keep === true) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${checks.passed} checks passed; ${checks.failed} failed`);
  return checks.failed === 0 ? 0 : 1;
}

process.exit(await main());
