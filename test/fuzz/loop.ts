/** The thread in which `npm run fuzz` runs its cases. */
import { parentPort, workerData } from 'node:worker_threads';
import { runCases } from './cases.js';
import type { FuzzNews, FuzzWish } from './main.js';

const NEWS_EVERY = 20_000;

const wish = workerData as FuzzWish;
const tell = (done: number, runs: Readonly<Record<string, number>>, end: boolean): void => {
  const news: FuzzNews = { done, runs, residentBytes: process.memoryUsage.rss(), end };
  parentPort!.postMessage(news);
};
const runs = await runCases(wish, (done, sofar) => {
  if (done % NEWS_EVERY === 0) tell(done, sofar, false);
});
tell(wish.cases, runs, true);
