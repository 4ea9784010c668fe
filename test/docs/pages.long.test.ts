/** What the pages show runs, in the order of the contents: examples look at results of earlier ones. */
import test from 'ava';
import { forget, prepare, runCommands, runModules, SUBJECTS } from './examples.js';

test.before(prepare);
test.after.always(forget);

for (const name of ['README.md', ...SUBJECTS]) {
  test.serial(`every mr-minhash command in a block of shell in ${name} runs`, (t) => runCommands(t, name));
  test.serial(`every block of JavaScript in ${name} runs as a module`, (t) => runModules(t, name));
}
