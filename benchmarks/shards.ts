/**
 * What do row chunks cost against `--shards auto`?
 *
 *     node dist/benchmarks/shards.js --corpus PATH [--runs 5] [--out FOLDER] [-- more flags of run]
 *
 * The built command as a process, page cache warm, settings in turn; medians. All must give the same bytes.
 */
import { parseArgs } from 'node:util';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { environment, record } from './measure/record.js';
import { inTurn, medianOf } from './measure/turns.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const { corpus } = values;
if (corpus === undefined)
  throw new WrongUse('--corpus PATH is needed: a folder or file, as corpora.js makes them');
const where = environment(values.out);

const settings = ['auto', '1', '2', '16', '64'].map((shards) => ({
  title: `--shards ${shards}`,
  args: [corpus, '--shards', shards, ...positionals],
  answers: 'any',
}));
const rounds = await inTurn(settings, countOf('--runs', values.runs));
const baseWall = medianOf(rounds[0]!, ({ wall }) => wall);
const baseCpu = medianOf(rounds[0]!, ({ cpu }) => cpu);
const rows = rounds.map((one) => {
  const wall = medianOf(one, (run) => run.wall);
  const cpu = medianOf(one, (run) => run.cpu);
  return [
    one.setting.title,
    Number(wall.toFixed(2)),
    Number((wall / baseWall).toFixed(2)),
    Number(cpu.toFixed(2)),
    Number((cpu / baseCpu).toFixed(2)),
    Number((medianOf(one, (run) => run.stages.sketch ?? 0) / 1000).toFixed(2)),
    Math.round(medianOf(one, (run) => run.peakBytes) / 1e6),
  ];
});
const heads = ['setting', 'wall s', 'ratio', 'CPU s', 'ratio of CPU', 'sketch s', 'peak MB'];
record('shards', 'what do row chunks cost?', where, { heads, rows }, rounds, values.out);
