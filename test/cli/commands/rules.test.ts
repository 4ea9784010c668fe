/** The command with rules beside the usual ones: results and plans. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

test.serial('a result with eliminated shingles is written, verified and inspected', async (t) => {
  const done = await cli('run', 'texts', '--max-shingle-documents', '6', '--out', 'rare', '--threads', '1');
  t.is(done.code, 0, done.stderr);
  t.regex(
    done.stdout,
    /Note {8}10 shingles that occur in more than 6 documents .* They are listed in eliminated\.tsv\./,
  );
  t.regex(done.stdout, /Note {8}2 documents have tokens but no shingle left in the sketch/);
  t.regex(done.stdout, /Written {5}rare: .*eliminated\.tsv, pairs/);
  const rows = readFileSync(join(folder, 'rare/eliminated.tsv'), 'utf8').trim().split('\n');
  t.is(rows[0], 'shingle\tdocuments\ttext');
  t.true(rows.slice(1).every((row) => /^[0-9a-f]{16}\t8\t\w+( \w+){4}$/.test(row)));
  t.regex((await cli('verify', 'rare')).stdout, /^sound: 7 files, /);
  t.regex((await cli('inspect', 'rare')).stdout, /\n +10 {2}shingles were in too many documents/);
  writeFileSync(join(folder, 'rare/eliminated.tsv'), `${rows.slice(0, 3).join('\n')}\n`);
  const damaged = await cli('verify', 'rare');
  t.is(damaged.code, 1);
  t.regex(damaged.stdout, /^eliminated\.tsv: length: /m);
  // A second run replaces all of it.
  t.is((await cli('run', 'texts', '--out', 'rare', '--force', '--threads', '0', '--quiet')).code, 0);
  t.false(readdirSync(join(folder, 'rare')).includes('eliminated.tsv'));
});

test.serial('plans and configurations know the rules', async (t) => {
  const rules = ['--agree', '90', '--hashes', '100', '--sketch', 'classic', '--verify', 'signature'];
  const plan = await cli(
    'run',
    'texts',
    ...rules,
    '--sample',
    '4',
    '--max-shingle-documents',
    '50',
    '--dry-run',
  );
  t.regex(
    plan.stdout,
    /\nbanding: 9 bands of 11 rows\nrule: a candidate is accepted when 90 of 100 slots agree\n/,
  );
  t.regex(
    plan.stdout,
    /\nsketches: of one shingle in 4\nsketches: without shingles in more than 50 documents\n/,
  );
  t.regex(
    plan.stdout,
    /\na pair at 0\.9 becomes a candidate with probability 0\.9663\nand is accepted then with probability 0\.5832\n/,
  );
  const exact = await cli('run', 'texts', '--exact-duplicates', '--dry-run');
  t.regex(
    exact.stdout,
    /\ntasks for contents: 1\ntasks for write: known later\ntasks for digest: 1\nbanding: none, only documents with the same tokens are looked for\n/,
  );
  const config = await cli('run', 'texts', ...rules, '--cluster', 'greedy', '--print-config');
  writeFileSync(join(folder, 'rules.json'), config.stdout);
  const again = await cli('run', '--config', 'rules.json', '--print-config');
  t.is(again.stdout, config.stdout, again.stderr);
  const ran = await cli('run', '--config', 'rules.json', '--out', 'configured', '--threads', '0');
  t.regex(ran.stdout, /Near {8}\d+ pairs? with at least 90 of 100 slots equal/);
  t.regex((await cli('verify', 'configured')).stdout, /\nnear pairs: at least 90 of 100 slots agree\n$/);
});
