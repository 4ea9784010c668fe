/**
 * The promise of recall, measured: pairs become candidates as often as the S-curve says. Seeded throughout.
 */
import test from 'ava';
import { probabilityOfCandidate } from '../../../src/sketch/banding.js';
import { createSketcher } from '../../../src/sketch/family.js';
import type { BandingParams } from '../../../src/sketch/params.js';
import { writeBandKeys, writeNarrowSlots } from '../../../src/sketch/slots.js';
import { pairSketcher } from '../pairSketcher.js';

const TRIALS = 600;

const BANDINGS: readonly (readonly [number, BandingParams])[] = [
  [100, { bands: 20, rows: 5 }],
  [128, { bands: 16, rows: 8 }],
];

/**
 * What the curve may be off by beyond chance. classic: its slots are as good as independent. fss: filled
 * without replacement, the curve is a little steeper.
 */
const SLACK = { classic: 0.01, fss: 0.03 } as const;

for (const sketch of ['fss', 'classic'] as const) {
  for (const [hashes, banding] of BANDINGS) {
    const { bands, rows } = banding;
    test(`${sketch}, ${hashes} slots: candidates of ${bands} x ${rows} follow the S-curve`, (t) => {
      const keysOf = (signature: Uint32Array): Uint32Array => {
        const [slots, keys] = [new Uint16Array(signature.length), new Uint32Array(bands)];
        writeNarrowSlots(signature, slots, 0);
        writeBandKeys(slots, slots.length, banding, keys);
        return keys;
      };
      for (const union of [50, 200]) {
        for (const share of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9]) {
          const sketcher = createSketcher({ sketch, hashes, seed: 1 });
          const pairs = pairSketcher(sketcher, union, share * union, hashes + union);
          let candidates = 0;
          for (let trial = 0; trial < TRIALS; trial++) {
            const [a, b] = pairs.next();
            const keys = keysOf(b);
            if (keysOf(a).some((key, band) => key === keys[band])) candidates++;
          }
          const predicted = probabilityOfCandidate(share, bands, rows);
          // Five standard errors of a share of TRIALS trials: at most .102.
          const chance = 5 * Math.sqrt((predicted * (1 - predicted)) / TRIALS);
          const off = candidates / TRIALS - predicted;
          t.true(Math.abs(off) < chance + SLACK[sketch], `union ${union}, J ${share}: off by ${off}`);
        }
      }
    });
  }
}
