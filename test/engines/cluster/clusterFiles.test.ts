/** Files of a cluster by a command that stands for FsShell: what it is asked, and what is made of its answers. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { clusterFiles } from '../../../src/engines/cluster/clusterFiles.js';
import { runCommand } from '../../../src/engines/cluster/command.js';

const SHELL = `#!/bin/sh
echo "$*" >>"$0.log"
echo '26/11/22 WARN NativeCodeLoader: nothing to see' >&2
case $1 in
  -df) printf 'Filesystem Size Used Available Use%%\\nhdfs://host:8020 1 0 1 0%%\\n' ;;
  -ls)
    case $3 in
      *absent) echo "ls: \\\`$3': No such file or directory" >&2; exit 1 ;;
      *denied) echo 'ls: Permission denied: user=me' >&2; exit 1 ;;
    esac
    echo "drwxr-xr-x   - me domain users          0 2026-11-22 23:06 hdfs://host:8020/x/b c"
    echo "-rw-r--r--+  3 me domain users       1234 2026-11-22 23:06 hdfs://host:8020/x/b c/d  e.jsonl" ;;
  -cat) printf 'some bytes' ;;
  -put)
    case $4 in
      */new/*) test -e "$0.made" || { echo "put: \\\`$4': No such file or directory: \\\`$4'" >&2; exit 1; } ;;
    esac
    cat "$3" >"$0.put" ;;
  -mkdir) touch "$0.made" ;;
esac
`;

function shellIn(folder: string): { shell: string; asked: () => string[] } {
  const shell = join(folder, 'shell');
  writeFileSync(shell, SHELL);
  chmodSync(shell, 0o755);
  return { shell, asked: () => readFileSync(`${shell}.log`, 'utf8').trimEnd().split('\n') };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-test-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}

test('addresses go to FsShell, as patterns that stand for one name', async (t) => {
  await inFolder(async (folder) => {
    const { shell, asked } = shellIn(folder);
    const files = clusterFiles({ shell: [shell] });
    const time = Date.UTC(2026, 10, 22, 23, 6);
    t.deepEqual(await files.list('hdfs:///x'), [
      { uri: 'hdfs://host:8020/x/b c', bytes: 0, time, isFolder: true },
      { uri: 'hdfs://host:8020/x/b c/d  e.jsonl', bytes: 1234, time, isFolder: false },
    ]);
    t.is(await files.list('hdfs:///absent'), null);
    await t.throwsAsync(files.list('hdfs:///denied'), {
      code: 'ENGINE_UNUSABLE',
      message: /-ls -R hdfs:.* ended with 1: ls: Permission denied: user=me \(/,
    });
    t.is(await textOf(files.read('hdfs://h/a*{b}')), 'some bytes');
    await files.remove(['hdfs://h/1', 'hdfs://h/2']);
    t.deepEqual(asked(), [
      '-df hdfs:///x',
      '-ls -R hdfs://host:8020/x',
      '-ls -R hdfs://host:8020/absent',
      '-ls -R hdfs://host:8020/denied',
      '-cat hdfs://h/a\\*\\{b\\}',
      '-rm -r -f -skipTrash hdfs://h/1 hdfs://h/2',
    ]);
  });
});

test('a file is put whole, its folder made where there is none', async (t) => {
  await inFolder(async (folder) => {
    const { shell, asked } = shellIn(folder);
    const files = clusterFiles({ shell: [shell] });
    await files.write('hdfs://h/f/g', bytes('what is put'));
    t.is(readFileSync(`${shell}.put`, 'utf8'), 'what is put');
    await files.write('hdfs://h/new/g', bytes('more'));
    t.is(readFileSync(`${shell}.put`, 'utf8'), 'more');
    const words = asked().map((line) => line.replace(/ \S*mr-minhash-put-\S*/, ' FILE'));
    t.deepEqual(words, [
      '-put -f FILE hdfs://h/f/g',
      '-put -f FILE hdfs://h/new/g',
      '-mkdir -p hdfs://h/new',
      '-put -f FILE hdfs://h/new/g',
    ]);
  });
});

test('paths of this machine are read without a command, links followed', async (t) => {
  await inFolder(async (folder) => {
    const files = clusterFiles({ shell: ['no-such-command'] });
    await files.write(join(folder, 'a/b c.txt'), bytes('text'));
    mkdirSync(join(folder, 'a/empty'));
    symlinkSync(join(folder, 'a/b c.txt'), join(folder, 'a/link'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'a/lost'));
    const timeOf = (name: string): number => statSync(join(folder, 'a', name)).mtimeMs;
    const listed = [
      { uri: `file:${folder}/a/b c.txt`, bytes: 4, time: timeOf('b c.txt'), isFolder: false },
      { uri: `file:${folder}/a/empty`, bytes: 0, time: timeOf('empty'), isFolder: true },
      { uri: `file:${folder}/a/link`, bytes: 4, time: timeOf('link'), isFolder: false },
    ];
    t.deepEqual(await files.list(join(folder, 'a')), listed);
    t.deepEqual(await files.list(`file://${folder}/a/link`), listed.slice(2));
    t.is(await textOf(files.read(`file:${folder}/a/b c.txt`)), 'text');
    t.is(await files.list(join(folder, 'none')), null);
    await t.throwsAsync(files.list('hdfs://h/x'), { code: 'ENGINE_UNUSABLE', message: /no-such-command/ });
    await files.remove([join(folder, 'a'), join(folder, 'none')]);
    t.is(await files.list(join(folder, 'a')), null);
  });
});

test('a folder that cannot be made is told of at once', async (t) => {
  await inFolder(async (folder) => {
    const files = clusterFiles({ shell: ['no-such-command'] });
    await files.makeFolder(join(folder, 'a/b/c'));
    await files.makeFolder(join(folder, 'a/b/c'));
    t.not(await files.list(join(folder, 'a/b/c')), null);
    await files.write(join(folder, 'a/file'), bytes('text'));
    // Below /proc the recursive mkdir of Node does not end.
    for (const place of [join(folder, 'a/file/b'), join(folder, 'a/file'), '/proc/none/such'])
      await t.throwsAsync(files.makeFolder(place), {
        code: 'ENGINE_UNUSABLE',
        message: /cannot be made \(E/,
      });
  });
});

test('a command that is interrupted ends with all that it started', async (t) => {
  const stop = new AbortController();
  // The end is told once nothing holds its standard error open: so both sleepers have to end.
  const running = runCommand(['sh', '-c', `sh -c 'sleep 600 & echo started >&2; wait' & sleep 600`], {
    signal: stop.signal,
    onError: (line) => {
      if (line === 'started') stop.abort();
    },
  });
  await t.throwsAsync(running, { code: 'INTERRUPTED' });
  await t.throwsAsync(runCommand(['true'], { signal: stop.signal }), { code: 'INTERRUPTED' });
  t.is(await runCommand(['sh', '-c', 'exit 7']), 7);
});
