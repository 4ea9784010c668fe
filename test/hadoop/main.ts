/**
 * `npm run test:hadoop [-- adapter|recipe]`: what runs on Hadoop in one JVM, from Maven's jars. Prints a line a check and ends
 * with 1 where one fails; where there is no `java` or no `mvn` it says `hadoop: not run`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAdapter } from './adapterTest.js';
import { Checks } from './checks.js';
import { hadoopJars, hasCommands, makeHadoop } from './hadoopHere.js';
import { testRecipe } from './recipeTest.js';

/** The adapter with a small program of tasks, where jobs share a path, and where they share a file system of a cluster. */
async function adapter(scratch: string, jars: string, checks: Checks): Promise<void> {
  const works = {
    'paths of this machine': (folder: string) => join(folder, 'work'),
    'a file system of the cluster': () => 'viewfs://other/here/work',
  };
  for (const [i, [title, work]] of Object.entries(works).entries()) {
    console.log(`${title}:`);
    const folder = join(scratch, `adapter-${i}`);
    mkdirSync(folder);
    await testAdapter({
      folder,
      hadoop: makeHadoop(join(folder, 'hadoop'), jars),
      work: work(folder),
      checks,
    });
  }
}

async function recipe(scratch: string, jars: string, checks: Checks): Promise<void> {
  console.log('the whole recipe:');
  const folder = join(scratch, 'recipe');
  mkdirSync(folder);
  await testRecipe(folder, makeHadoop(join(folder, 'hadoop'), jars), checks);
}

const PARTS = { adapter, recipe };

async function main(words: readonly string[]): Promise<number> {
  if (!hasCommands(['java', 'mvn'])) {
    console.log('hadoop: not run, for there is no java or no mvn');
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-hadoop-'));
  const checks = new Checks();
  try {
    const jars = hadoopJars('local');
    for (const [name, part] of Object.entries(PARTS)) {
      if (words.length === 0 || words.includes(name)) await part(scratch, jars, checks);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(`${checks.passed} checks passed; ${checks.failed} failed`);
  return checks.failed === 0 ? 0 : 1;
}

process.exit(await main(process.argv.slice(2)));
