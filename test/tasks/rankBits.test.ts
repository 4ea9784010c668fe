/** Side files with bits by rank: what a task reads of them is what the stages were given. */
import test from 'ava';
import fc from 'fast-check';
import { Jobs } from '../../src/coordinator/cluster/jobs.js';
import { rankFiles } from '../../src/coordinator/cluster/roundSteps.js';
import type { DatasetRecord } from '../../src/engines/job.js';
import { checkOptions } from '../../src/options/check.js';
import { KINDS } from '../../src/tasks/stream/kinds.js';
import { COPIES, RankBits } from '../../src/tasks/stream/rankBits.js';
import { FieldWriter } from '../../src/tasks/stream/records.js';
import type { StagePlace } from '../../src/tasks/stream/stage.js';
import { RECORD_FORMAT } from '../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../engines/processEngine.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { filesOf } from './manifestTables.js';

const kernel = createReferenceKernel();
const { params } = checkOptions({ paths: ['x'] }).resolved;
const ONE = Uint8Array.of(1);
const keyOf = (kind: number, ...ranks: readonly number[]): Uint8Array =>
  ranks.reduce((key, rank) => key.u64(rank), new FieldWriter().u8(kind)).view.slice();

/** Near each other, at the ends of records and windows, and far apart. */
const RANK = fc.oneof(fc.nat(40), fc.integer({ min: 65_500, max: 65_600 }), fc.nat(2 ** 22));
const PAIRS = fc.array(fc.tuple(RANK, RANK), { maxLength: 40 });

test('bits are set for both documents of pairs, apart for the later ones, for members of hot buckets, and for copies', async (t) => {
  const laws = fc.asyncProperty(PAIRS, PAIRS, fc.array(RANK), async (pairs, members, crowd) => {
    const engine = new ProcessEngine({ kernel, splits: [], reducers: 2 });
    const jobs = new Jobs(engine, {
      format: RECORD_FORMAT,
      version: '0',
      run: 'run',
      params,
      files: filesOf([]),
    });
    const records: DatasetRecord[] = [
      ...pairs.map(([a, b]) => [keyOf(KINDS.pair, a, b), ONE] as const),
      ...members.map(([first, rank]) => [keyOf(KINDS.member, first, rank), ONE] as const),
      ...crowd.map((rank) => [keyOf(KINDS.crowd, rank, 0), ONE] as const),
    ];
    const written = await jobs.write('named', records);
    const copies = members.flatMap(([first, rank]) => (first === rank ? [] : [rank]));
    for (const [stage, named, laterOf] of [
      ['pairRanks', new Set(pairs.flat()), new Set(pairs.map(([, b]) => b))],
      ['memberRanks', new Set([...copies, ...crowd]), new Set<number>()],
    ] as const) {
      const { all, later } = await rankFiles(jobs, 'all', stage, [written]);
      const asked = [...named, ...members.flat(), ...pairs.flat()].flatMap((rank) => [
        rank,
        rank + 1,
        rank + 2 ** 23,
      ]);
      for (const [bytes, expected] of [
        [all, named],
        [later, laterOf],
      ] as const) {
        const place: StagePlace = {
          manifest: { ...jobs.manifest, sides: { [COPIES]: COPIES }, ...MANIFEST },
          ...{ kernel, facts: { add() {}, most() {} } },
          side: (_name, from, length) => bytes.subarray(from, from + length),
        };
        const bits = RankBits.from(place, COPIES)!;
        for (const rank of asked) t.is(bits.has(rank), expected.has(rank), `${rank}`);
      }
    }
  });
  await fc.assert(laws, { numRuns: 60, seed: 5 });
});

const MANIFEST = { format: RECORD_FORMAT, version: '0', run: 'run', job: 'job' };
