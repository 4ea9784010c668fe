/** Results of strangers: what they name is not opened, and what they list leads to nothing outside of the corpus. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { encodeBlock, typedColumns } from '../../../src/blocks/block.js';
import { inputsIn, inputsText } from '../../../src/readers/inputsRecord.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere, type Said } from '../programHere.js';

const TEXT = 'the quick brown fox jumps over the lazy dog and runs away from the big bad wolf in the woods';
const SECRET = 'unnamed words';

interface Made {
  readonly folder: string;
  say(...argv: string[]): Promise<Said>;
  /** Changes a file of the result, and its entry in the manifest. */
  edit(name: string, change: (text: string) => string): void;
}

/** A result of a corpus, with a secret beside that: no test may show or copy it. */
async function made(t: ExecutionContext): Promise<Made> {
  const folder = temporaryFolder(t, {
    'in/a.txt': TEXT,
    'in/b.txt': `${TEXT} and home`,
    'in/c.txt': TEXT,
    'secret/a.txt': `${SECRET} ${TEXT}`,
    'secret/b.txt': `${SECRET} ${TEXT}`,
  });
  const say: Made['say'] = (...argv) => programHere(folder, argv);
  t.is((await say('run', 'in', '--out', 'found', '--threads', '0', '--threshold', '0.5', '-q')).code, 0);
  const edit: Made['edit'] = (name, change) => {
    const path = join(folder, 'found', name);
    const before = readFileSync(path, 'latin1');
    const after = change(before);
    t.not(after, before);
    writeFileSync(path, after, 'latin1');
    const hash = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');
    const manifest = join(folder, 'found/manifest.json');
    const told = readFileSync(manifest, 'utf8');
    const row = `"bytes": ${before.length},`;
    writeFileSync(
      manifest,
      told.replace(hash(before), hash(after)).replace(row, `"bytes": ${after.length},`),
    );
  };
  return { folder, say, edit };
}

/** A result that leads to the secret, as a stranger would hand it over. */
function leadToSecret({ folder, edit }: Made): void {
  edit('stats.json', (text) =>
    text.replaceAll(`${folder}/in`, `${folder}/secret`).replaceAll('"in"', '"secret"'),
  );
  chmodSync(join(folder, 'found/stats.json'), 0o664);
}

test.serial(
  'inputs listed in a result that others can write are not read, and each command prints what to type',
  async (t) => {
    const all = await made(t);
    const { folder, say } = all;
    leadToSecret(all);
    const why = `${folder}/found/stats.json may be written by others (mode 0664; chmod go-w ${folder}/found/stats.json makes it yours alone)`;
    for (const more of [
      ['--to', 'clean'],
      ['--list', 'kept'],
    ]) {
      const refused = await say('apply', 'found', ...more);
      t.is(refused.code, 2);
      t.true(
        refused.stderr.startsWith(
          `error: others may have written the result, so its inputs are not opened: ${why}\n`,
        ),
        refused.stderr,
      );
      t.regex(refused.stderr, /hint: pass the paths of the corpus: --corpus PATH/);
      t.is(refused.stdout, '');
    }
    t.false(existsSync(join(folder, 'clean')));
    const pair = await say('inspect', 'found', '--pair', 'a.txt', 'b.txt');
    t.is(pair.code, 0, pair.stderr);
    t.regex(pair.stdout, /^kind +near$/m);
    t.true(pair.stdout.endsWith(`(${why}): use --corpus PATH\n`), pair.stdout);
    const json = JSON.parse((await say('inspect', 'found', '--pair', 'a.txt', 'b.txt', '--json')).stdout);
    t.is(json.texts.state, 'untrusted');
    t.is((await say('inspect', 'found', '--document', 'b.txt')).code, 0);
    const reported = await say('view', 'found', '--save', 'page.html');
    t.is(reported.code, 0);
    t.true(
      reported.stdout.endsWith(`\nwithout texts: ${why}; use --corpus PATH to find them\n`),
      reported.stdout,
    );
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    t.regex(page, /Texts are not shown, because .*found\/stats\.json may be written by others/);
    for (const shown of [pair.stdout, page]) t.false(shown.includes(SECRET));
    // Typed, the corpus is read.
    const shown = await say('inspect', 'found', '--pair', 'a.txt', 'b.txt', '--corpus', 'in');
    t.regex(shown.stdout, /shared: runs of 5 words/);
    t.is((await say('view', 'found', '--save', 'page.html', '--corpus', 'in')).code, 0);
    for (const argv of [['view', '--save', 'page.html'], ['view']])
      t.regex(
        (await say(...argv, 'found', '--corpus', 'gone')).stderr,
        /^error: a PATH does not exist .*gone"/,
      );
    t.true(readFileSync(join(folder, 'page.html'), 'utf8').includes('and home'));
    t.is((await say('apply', 'found', '--to', 'clean', '--corpus', 'in', '-q')).code, 0);
    t.false(existsSync(join(folder, 'clean/c.txt')));
    // So it is where the result is one's own again.
    all.edit('stats.json', (text) =>
      text.replaceAll(`${folder}/secret`, `${folder}/in`).replaceAll('"secret"', '"in"'),
    );
    chmodSync(join(folder, 'found/stats.json'), 0o644);
    t.is((await say('apply', 'found', '--to', 'cleaned', '-q')).code, 0);
    chmodSync(join(folder, 'found'), 0o777);
    t.regex(
      (await say('apply', 'found', '--to', 'other')).stderr,
      /found may be written by others \(mode 0777/,
    );
  },
);

test.serial(
  'files of a result outside of the typed corpus are reported, and nothing is written',
  async (t) => {
    const all = await made(t);
    const { folder, say, edit } = all;
    const before = readFileSync(join(folder, 'found/stats.json'), 'latin1');
    symlinkSync('../secret', join(folder, 'in/linked'));
    const names = [
      '../secret/b.txt',
      `${folder}/secret/b.txt`,
      '/etc/passwd',
      'a.txt\0',
      'linked/b.txt',
      '.',
      '',
    ];
    for (const name of names) {
      const { inputs } = JSON.parse(before) as { inputs: { files: string } };
      const { meta, columns } = inputsIn(inputs.files)!;
      const ids = ['a.txt', 'c.txt', name].map((id) => Buffer.from(id));
      const idOffsets = Uint32Array.from([0, 1, 2, 3], (n) => Buffer.concat(ids.slice(0, n)).length);
      const { root, sizes, times } = typedColumns(
        { columns, kind: 'inputs' },
        { root: 'u32', sizes: 'f64', times: 'f64' },
      );
      const idBytes = new Uint8Array(Buffer.concat(ids));
      const forged = inputsText(encodeBlock('inputs', meta, { idOffsets, idBytes, root, sizes, times }));
      edit('stats.json', () => before.replace(inputs.files, forged));
      const said = await say('apply', 'found', '--to', 'clean', '--corpus', 'in');
      t.is(said.code, 2, name);
      t.regex(said.stderr, /error: an input changed since the run: .*: gone/);
      t.true(name.includes('\0') || said.stderr.includes(`: ${name}: gone`), said.stderr);
      t.regex(said.stderr, /in\/b\.txt: new/);
      t.false(existsSync(join(folder, 'clean')));
      // A pair of it is shown without texts.
      const pair = await say('inspect', 'found', '--pair', 'a.txt', 'b.txt', '--corpus', 'in');
      t.false((pair.stdout + pair.stderr).includes(SECRET));
    }
  },
);

test.serial('forged input states with columns that do not fit are ignored', async (t) => {
  const { say, edit } = await made(t);
  const none = new Uint32Array(0);
  const whole = {
    idOffsets: Uint32Array.of(0, 5),
    idBytes: new Uint8Array(Buffer.from('a.txt')),
    root: Uint32Array.of(0),
    sizes: Float64Array.of(1),
    times: Float64Array.of(1),
  };
  const meta = { roots: [['/x/', '']] };
  const forged = [
    encodeBlock('inputs', meta, { ...whole, idOffsets: Uint32Array.of(0, 2 ** 32 - 1) }),
    encodeBlock('inputs', meta, { ...whole, idOffsets: Uint32Array.of(5, 0) }),
    encodeBlock('inputs', meta, { ...whole, idOffsets: none }),
    encodeBlock('inputs', meta, { ...whole, root: Uint32Array.of(7) }),
    encodeBlock('inputs', meta, { ...whole, sizes: new Float64Array(0) }),
    encodeBlock('inputs', { roots: 'none' }, whole),
  ].map(inputsText);
  for (const files of [...forged, '', 'AAAA', 'x'.repeat(1000)]) {
    edit('stats.json', (text) => text.replace(/"files": "[^"]*"/, `"files": "${files}"`));
    for (const more of [[], ['--corpus', 'in']]) {
      const said = await say('apply', 'found', '--to', 'clean', ...more);
      t.is(said.code, 2);
      t.regex(said.stderr, /the folder holds no finished result: .* does not list its inputs/);
    }
  }
});

test.serial(
  'a row of the drop list that leads out of the corpus is reported, and nothing is written',
  async (t) => {
    const { folder, say, edit } = await made(t);
    symlinkSync('../secret', join(folder, 'in/linked'));
    const list = readFileSync(join(folder, 'found/duplicates.tsv'), 'latin1');
    const places = [
      '../secret/a.txt',
      `${folder}/secret/a.txt`,
      '/etc/passwd',
      'linked/a.txt',
      'a.txt#3',
      './a.txt',
    ];
    for (const place of [...places, 'c.txt\\x00', `c.txt#${'9'.repeat(400)}`]) {
      edit('duplicates.tsv', () => list.replaceAll('c.txt', place));
      const options = place === places[0] ? [[], ['--corpus', 'in'], ['--dropped']] : [[]];
      for (const more of options) {
        const said = await say('apply', 'found', '--to', 'clean', ...more);
        t.is(said.code, 2, place);
        t.regex(said.stderr, /error: a file of the result .*: the drop list: .* is in no input of its run/);
        t.false(existsSync(join(folder, 'clean')));
      }
      t.true(existsSync(join(folder, 'secret/a.txt')));
      if (!/^[./]*\//.test(place) || place === './a.txt') continue;
      const listed = await say('apply', 'found', '--list', 'dropped');
      t.is(listed.code, 2, place);
      t.is(listed.stdout, '');
      t.regex(listed.stderr, /the drop list: .* is in no input of its run/);
    }
  },
);

test.serial('files of a result are regular files of a bounded size', async (t) => {
  const { folder, say } = await made(t);
  const path = (name: string): string => join(folder, 'found', name);
  for (const name of ['manifest.json', 'stats.json']) {
    const commands =
      name === 'manifest.json'
        ? [
            ['inspect', 'found'],
            ['view', 'found', '--save', 'page.html'],
          ]
        : [];
    commands.push(['apply', 'found', '--to', 'clean']);
    renameSync(path(name), join(folder, name));
    symlinkSync(join(folder, name), path(name));
    for (const argv of commands) {
      const said = await say(...argv);
      t.is(said.code, 2);
      t.regex(said.stderr, new RegExp(`found: ${name}: a link`));
    }
    rmSync(path(name));
    writeFileSync(path(name), '{');
    truncateSync(path(name), 2 ** 30);
    for (const argv of commands)
      t.regex((await say(...argv)).stderr, new RegExp(`${name}: 1073741824 bytes, more than 134217728`));
    rmSync(path(name));
    renameSync(join(folder, name), path(name));
  }
  renameSync(path('pairs'), join(folder, 'pairs'));
  symlinkSync(join(folder, 'pairs'), path('pairs'));
  t.regex(
    (await say('inspect', 'found')).stderr,
    /pairs\/part-00000\.tsv: not a file in a folder of the result/,
  );
});
