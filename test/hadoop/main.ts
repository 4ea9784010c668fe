/**
 * `npm run test:hadoop`: what runs on Hadoop in one JVM, from Maven's jars. Prints a line a check and ends with 1 where one fails;
 * where there is no `java` or no `mvn` it says `hadoop: not run`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAdapter } from './adapterTest.js';
import { Checks } from './checks.js';
import { hadoopJars, hasCommands, makeHadoop } from './hadoopHere.js';

async function main(): Promise<number> {
  if (!hasCommands(['java', 'mvn'])) {
    console.log('hadoop: not run, for there is no java or no mvn');
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-hadoop-'));
  const checks = new Checks();
  try {
    const jars = hadoopJars('local');
    for (const [name, title, work] of [
      ['paths', 'paths of this machine', (folder: string) => join(folder, 'work')],
      ['addresses', 'a file system of the cluster', () => 'viewfs://other/here/work'],
    ] as const) {
      console.log(`${title}:`);
      const folder = join(scratch, name);
      mkdirSync(folder);
      const hadoop = makeHadoop(join(folder, 'hadoop'), jars);
      await testAdapter({ folder, hadoop, work: work(folder), checks });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(`${checks.passed} checks passed; ${checks.failed} failed`);
  return checks.failed === 0 ? 0 : 1;
}

process.exit(await main());
