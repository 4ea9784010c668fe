/** The memory limit of a process: the least one of its control group and of all groups above it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { groupLimit } from '../../src/options/memory.js';

function rootWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

test('the lowest memory limit of a control group and the groups above it counts', (t) => {
  const root = rootWith({
    'slurm/memory.max': '3000\n',
    'slurm/job/memory.max': '8000\n',
    'slurm/job/step/memory.max': 'max\n',
  });
  t.is(groupLimit('0::/slurm/job/step\n', root), 3000);
  t.is(groupLimit('0::/slurm/job\n', root), 3000);
  t.is(groupLimit('0::/other\n', root), Number.POSITIVE_INFINITY);
});

test('control groups of version 1 have a hierarchy for memory', (t) => {
  const root = rootWith({
    'memory/memory.limit_in_bytes': '9223372036854771712\n',
    'memory/docker/memory.limit_in_bytes': '5000\n',
  });
  t.is(groupLimit('9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n', root), 5000);
  t.is(groupLimit('12:cpuset:/memory\n', root), Number.POSITIVE_INFINITY);
});

test('without control groups there is no limit', (t) => {
  t.is(groupLimit('', '/nowhere'), Number.POSITIVE_INFINITY);
});
