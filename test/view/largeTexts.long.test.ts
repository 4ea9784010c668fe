/** Two texts of 10 MB side by side, and the memory of the server that shows them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { highWaterMark, MAIN } from '../faults/watchedRun.js';
import { resultIn, VIEWED } from './viewedResult.js';

const LINES = 180_000;
/** As measured: 330 MB, of which the program takes 86 before a pair is asked for. */
const MOST_BYTES = 400e6;

/** Lines of ten words; of every twentieth a copy has another last word. */
function* textOf(copy: number): Generator<string> {
  let state = 1;
  for (let line = 0; line < LINES; line++) {
    const words = Array.from({ length: 10 }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return `w${(state >>> 17).toString(36)}x`;
    });
    if (line % 20 === 0) words[9] = `copy${copy}`;
    yield `${words.join(' ')}.\n`;
  }
}

test('texts of 10 MB are shown with every difference, in less than 400 MB', async (t) => {
  const paths = [0, 1].map((copy) => {
    const file = join(VIEWED, `large-${copy}.txt`);
    const text = [...textOf(copy)].join('');
    t.true(text.length > 10e6, `${text.length}`);
    writeFileSync(file, text);
    return file;
  });
  const out = await resultIn('large-texts', { paths });
  // Its thread ends by its own limit where objects take more than 256 MB.
  const server = spawn(process.execPath, [MAIN, 'view', out], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [address] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const asked = async (path: string): Promise<string> => {
      const body = await (await fetch(address + path)).text();
      if (!body.includes('http-equiv="refresh"')) return body;
      await setTimeout(50);
      return asked(path);
    };
    await asked('clusters');
    const page = await asked('pair?a=0&b=1');
    t.regex(page, /class="differences" data-count="9000"/);
    const parts = page.match(/data-part="\d+"/g)!.length;
    const last = await asked(`texts?a=0&b=1&part=${parts - 1}`);
    t.true(last.includes([...textOf(0)].at(-1)!.trimEnd()));
    t.true(highWaterMark(server.pid!) < MOST_BYTES, `${highWaterMark(server.pid!)}`);
  } finally {
    server.kill('SIGINT');
    await once(server, 'exit');
  }
});
