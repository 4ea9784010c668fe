import test from 'ava';
import { measured } from '../../../benchmarks/measure/process.js';
import { markdown, withoutFolders } from '../../../benchmarks/measure/record.js';
import { median } from '../../../benchmarks/measure/turns.js';

const linux = process.platform === 'linux' ? test : test.skip;

linux('measured returns output and exit code', async (t) => {
  const script = 'console.log("out"); console.error("err"); process.exit(3)';
  const { code, stdout, stderr, timedOut } = await measured(process.execPath, ['-e', script], {
    timeout: 60,
  });
  t.deepEqual(
    { code, stdout, stderr, timedOut },
    { code: 3, stdout: 'out\n', stderr: 'err\n', timedOut: false },
  );
});

linux('measured ends the whole group when its time is over', async (t) => {
  const script =
    'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"],' +
    ' { stdio: "inherit" })';
  const { code, timedOut } = await measured(process.execPath, ['-e', script], { timeout: 1 });
  t.deepEqual({ code, timedOut }, { code: null, timedOut: true });
});

linux('measured of a command that is not there fails', async (t) => {
  await t.throwsAsync(measured('/no/such/command', [], { timeout: 1 }), { code: 'ENOENT' });
});

test('median is the middle value, or the mean of the two in the middle', (t) => {
  t.is(median([5, 1, 3]), 3);
  t.is(median([4, 1, 3, 2]), 2.5);
});

test('markdown puts columns of numbers to the right', (t) => {
  const table = {
    heads: ['a', 'b'],
    rows: [
      ['x', '1.5'],
      ['y', 2],
    ],
  };
  t.is(markdown(table), '| a | b |\n|---|---:|\n| x | 1.5 |\n| y | 2 |');
});

test('withoutFolders leaves the last name of absolute paths, and addresses as they are', (t) => {
  t.is(
    withoutFolders("node dist/a.js --corpus /data/x/files --out=/y '/z/q' https://a.org/b/c 1/2"),
    "node dist/a.js --corpus .../files --out=.../y '.../q' https://a.org/b/c 1/2",
  );
});
