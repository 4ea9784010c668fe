/** The blocks of README.md and of every page of docs/ run, from the first to the last, and print what the page shows. */
import test from 'ava';
import { PAGES, runPage } from './pages.js';

for (const name of ['README.md', ...PAGES])
  test.serial(`the blocks of ${name} run and print what it shows`, (t) => runPage(t, name));
