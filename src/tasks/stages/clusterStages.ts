/**
 * Stages that compute the similarity of each document of a cluster to the representative: the root, the first document of the
 * cluster and of its class. A task holds what is known of one class.
 */

import { basisOf, ESTIMATE, EXACT, isBelow } from '../../../reducers/clusters.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { COMPARED_KINDS, EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, OF_EVIDENCE, RANK, TABLES } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, f64At, u64At } from '../stream/records.js';
import type { StreamStage } from '../stream/stage.js';

/**
 * Bytes of root u64 and first u64 in keys between Map and Reduce; a tag u8 follows, and for a document of the class its rank u64.
 */
const CLASS = 2 * RANK;
/** Tags of `representatives`: the class is in the root's cluster; the evidence of the pair of root and class. */
const OF_ASKED = { node: 0, known: 1 } as const;
/** Tags of `clusterRows`: the similarity of the class to the root; a document of the class. */
const OF_ROWS = { similarity: 0, node: 1 } as const;

/**
 * The similarity of the classes of a cluster to its root, where a candidate pair has it; all other pairs of root and class are
 * written as `pair`, each once, to be compared.
 */
export const representatives: StreamStage = {
  kinds: [KINDS.node, ...EVIDENCE_KINDS],
  shuffles: ['cluster', 'class'],
  prefix: CLASS,
  map(input, out, here) {
    const pair = new EvidenceReader(here.manifest.params);
    const roots = RankBits.from(here, PAIRED);
    while (input.next()) {
      const { key } = input;
      if (key[0] === KINDS.node) {
        const [root, first] = [u64At(key, KIND), u64At(key, KIND + RANK)];
        // One document of a class, the first, stands for all.
        if (first === root || u64At(key, KIND + CLASS) !== first) continue;
        out.key.u64(root).u64(first).u8(OF_ASKED.node);
        out.write();
      } else if (pair.read(input) && roots?.has(pair.a) !== false) {
        out.key.u64(pair.a).u64(pair.b).u8(OF_ASKED.known);
        out.value.f64(pair.agreement).f64(pair.measured);
        out.write();
      }
    }
  },
  reduce(input, out, { manifest, facts }) {
    const { units } = sketchFamilyOf(manifest.params);
    while (input.group()) {
      let [isInCluster, agreement, measured] = [false, -1, Number.NaN];
      while (input.each()) {
        const { key, value } = input;
        if (key[CLASS] === OF_ASKED.node) isInCluster = true;
        else {
          agreement = f64At(value, 0);
          // The pair may have been compared by its sketches before its sets were.
          if (!Number.isNaN(f64At(value, 8))) measured = f64At(value, 8);
        }
      }
      if (!isInCluster) continue;
      const isKnown = agreement >= 0;
      out.key.kind(isKnown ? KINDS.similar : KINDS.pair).raw(input.shared);
      if (isKnown) {
        const basis = basisOf(measured);
        out.value.f64(basis === ESTIMATE ? agreement / units : measured).u8(basis);
      } else facts.add('pairs asked', 1);
      out.write();
    }
  },
};

/** A row for every document of a cluster. */
export const clusterRows: StreamStage = {
  kinds: [KINDS.node, KINDS.similar, ...COMPARED_KINDS],
  shuffles: ['cluster', 'class'],
  prefix: CLASS,
  map(input, out, { manifest: { params } }) {
    const { units } = sketchFamilyOf(params);
    while (input.next()) {
      const { key, value } = input;
      const kind = key[0];
      if (kind === KINDS.node) {
        out.key
          .raw(key, KIND, KIND + CLASS)
          .u8(OF_ROWS.node)
          .raw(key, KIND + CLASS);
        out.write();
      } else {
        out.key.raw(key, KIND, KIND + CLASS).u8(OF_ROWS.similarity);
        // The pairs that `representatives` wrote are compared by their sketches only, whatever their agreement.
        if (kind !== KINDS.similar) out.value.f64(f64At(value, OF_EVIDENCE.agreement) / units).u8(ESTIMATE);
        out.write(kind === KINDS.similar ? value : undefined);
      }
    }
  },
  reduce(input, out, { manifest: { params }, facts }) {
    const told = new FieldWriter();
    while (input.group()) {
      const root = u64At(input.shared, 0);
      // NaN: samples allow no estimate.
      let similarity = 1;
      let isKnown = root === u64At(input.shared, RANK);
      told.reset().f64(similarity).u8(EXACT);
      while (input.each()) {
        const { key, value } = input;
        if (key[CLASS] === OF_ROWS.similarity) {
          similarity = f64At(value, 0);
          isKnown = true;
          told.reset().raw(value);
          continue;
        }
        if (!isKnown) throw new Error('a document of a cluster that was not compared: our own defect');
        const document = u64At(key, CLASS + 1);
        out.key.kind(KINDS.row).u8(TABLES.clusters).u64(root).u64(document);
        out.write(told.view);
        if (document === root) facts.add('clusters', 1);
        facts.add('clustered documents', 1);
        if (isBelow(similarity, params.threshold)) facts.add('members below the threshold', 1);
      }
    }
  },
};
