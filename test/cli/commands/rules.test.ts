/** The command with rules beside the usual ones: results and plans. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { programHere, type Said } from '../programHere.js';

const folder = sharedFolder({});

const cli = (...argv: readonly string[]): Promise<Said> => programHere(folder, argv);

const NOTICE = 'all of this may be copied and changed by everybody who keeps this notice';

test.before(() => {
  mkdirSync(join(folder, 'texts'));
  for (let i = 0; i < 6; i++) {
    const own = Array.from({ length: 40 }, (_, word) => `word${i >> 1}x${word}`);
    if (i % 2 === 1) own[20] = 'edited';
    writeFileSync(join(folder, `texts/${i}.txt`), `${own.join(' ')} ${NOTICE}`);
  }
  writeFileSync(join(folder, 'texts/6.txt'), NOTICE);
  writeFileSync(join(folder, 'texts/7.txt'), `${NOTICE.toUpperCase()}!`);
});

test.serial('plans and configurations know the rules', async (t) => {
  const rules = ['--agree', '90', '--hashes', '100', '--sketch', 'classic', '--verify', 'signature'];
  const plan = await cli('run', 'texts', ...rules, '--dry-run');
  t.regex(
    plan.stdout,
    /\nbanding: 9 bands of 11 rows\nrule: a candidate is accepted when 90 of 100 slots agree\n/,
  );
  t.regex(
    plan.stdout,
    /\na pair at 0\.9 becomes a candidate with probability 0\.9663\nand is accepted then with probability 0\.5832\n/,
  );
  const exact = await cli('run', 'texts', '--exact-duplicates', '--dry-run');
  t.regex(
    exact.stdout,
    /\ntasks for sketch: 1\ntasks for writeTable: known later\nbanding: none, only documents with the same tokens are looked for\n/,
  );
  const config = await cli('run', 'texts', ...rules, '--cluster', 'greedy', '--print-config');
  writeFileSync(join(folder, 'rules.json'), config.stdout);
  const again = await cli('run', '--config', 'rules.json', '--print-config');
  t.is(again.stdout, config.stdout, again.stderr);
  const ran = await cli(
    'run',
    '--config',
    'rules.json',
    '--out',
    'configured',
    '--threads',
    '0',
    '--verbose',
  );
  t.regex(ran.stdout, /can be dropped \([\d.]+ %\) +threshold 0\.90, estimated/);
  t.regex((await cli('verify', 'configured')).stdout, /\nnear pairs: at least 90 of 100 slots agree\n$/);
});
