/**
 * Stages that compute the similarity of each document of a cluster to the representative: the root, the first document of the
 * cluster and of its class.
 */

import { basisOf, ESTIMATE, EXACT, isBelow } from '../../../reducers/clusters.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { EVIDENCE_KINDS, EvidenceReader, isCompared } from '../stream/evidence.js';
import { KIND, KINDS, OF_EVIDENCE, RANK, TABLES } from '../stream/kinds.js';
import { PAIRED, RankBits } from '../stream/rankBits.js';
import { FieldWriter, f64At, PRESENT, type RecordSink, u64At } from '../stream/records.js';
import type { StreamStage } from '../stream/stage.js';

/**
 * Bytes of root u64 and first u64 in keys between Map and Reduce; a tag u8 follows, and for a document of the class its rank u64.
 */
const CLASS = 2 * RANK;
/** Tags of `representatives`: the class is in the root's cluster; the evidence of the pair of root and class. */
const OF_ASKED = { node: 0, known: 1 } as const;
/** Tags of `clusterRows`: the similarity of the class to the root; a document of the class. */
const OF_ROWS = { similarity: 0, node: 1 } as const;

/** Gathers the evidence of one class and its root at a time; writes their similarity, or the pair to compare. */
class AskedSink {
  asked = 0;
  private readonly out: RecordSink;
  private readonly units: number;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private root = -1;
  private first = -1;
  private isInCluster = false;
  private agreement = -1;
  private measured = Number.NaN;

  constructor(out: RecordSink, units: number) {
    this.out = out;
    this.units = units;
  }

  begin(root: number, first: number): void {
    if (root === this.root && first === this.first) return;
    this.end();
    this.root = root;
    this.first = first;
  }

  inCluster(): void {
    this.isInCluster = true;
  }

  known(agreement: number, measured: number): void {
    this.agreement = agreement;
    if (!Number.isNaN(measured)) this.measured = measured;
  }

  end(): void {
    if (this.isInCluster) this.tell();
    this.isInCluster = false;
    this.agreement = -1;
    this.measured = Number.NaN;
  }

  private tell(): void {
    const { agreement, measured, root, first, key, value } = this;
    const isKnown = agreement >= 0;
    key.kind(isKnown ? KINDS.similar : KINDS.pair);
    key.u64(root).u64(first);
    if (!isKnown) {
      this.asked++;
      this.out.put(key.view, PRESENT);
    } else {
      const basis = basisOf(measured);
      const similarity = basis === ESTIMATE ? agreement / this.units : measured;
      this.out.put(key.view, value.reset().f64(similarity).u8(basis).view);
    }
  }
}

/**
 * The similarity of the classes of a cluster to its root, where a candidate pair has it; all other pairs of root and class are
 * written as `pair`, each once, to be compared. The Reduce holds one class.
 */
export const representatives: StreamStage = {
  reads: 'records',
  kinds: [KINDS.node, ...EVIDENCE_KINDS],
  shuffles: ['cluster', 'class'],
  prefix: CLASS,
  map(input, out, here) {
    const pair = new EvidenceReader(here.manifest.params);
    const roots = RankBits.from(here, PAIRED);
    const key = new FieldWriter();
    const value = new FieldWriter();
    while (input.next()) {
      const { key: from } = input;
      if (from[0] === KINDS.node) {
        const root = u64At(from, KIND);
        const first = u64At(from, KIND + RANK);
        // One document of a class, the first, stands for all.
        if (first === root || u64At(from, KIND + CLASS) !== first) continue;
        out.put(key.reset().u64(root).u64(first).u8(OF_ASKED.node).view, PRESENT);
      } else if (pair.read(input) && roots?.has(pair.a) !== false) {
        key.reset().u64(pair.a).u64(pair.b).u8(OF_ASKED.known);
        out.put(key.view, value.reset().f64(pair.agreement).f64(pair.measured).view);
      }
    }
  },
  reduce(input, out, { manifest, facts }) {
    const sink = new AskedSink(out, sketchFamilyOf(manifest.params).units);
    while (input.next()) {
      const { key, value } = input;
      sink.begin(u64At(key, 0), u64At(key, RANK));
      if (key[CLASS] === OF_ASKED.node) sink.inCluster();
      else sink.known(f64At(value, 0), f64At(value, 8));
    }
    sink.end();
    facts.add('pairs asked', sink.asked);
  },
};

/** Makes the rows of clusters, one class after the other. */
class StageSink {
  clusters = 0;
  documents = 0;
  below = 0;
  private readonly out: RecordSink;
  private readonly threshold: number;
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private root = -1;
  private first = -1;
  /** Similarity of the class to the root; null: unknown. NaN: samples allow no estimate. */
  private similarity: number | null = null;

  constructor(out: RecordSink, threshold: number) {
    this.out = out;
    this.threshold = threshold;
  }

  begin(root: number, first: number): void {
    if (root === this.root && first === this.first) return;
    this.root = root;
    this.first = first;
    this.similarity = null;
    if (root === first) this.similar(1, EXACT);
  }

  similar(similarity: number, basis: number): void {
    this.similarity = similarity;
    this.value.reset().f64(similarity).u8(basis);
  }

  row(document: number): void {
    const { root, similarity } = this;
    if (similarity === null) throw new Error('a document of a cluster that was not compared: our own defect');
    this.key.kind(KINDS.row).u8(TABLES.clusters).u64(root).u64(document);
    this.out.put(this.key.view, this.value.view);
    this.documents++;
    if (document === root) this.clusters++;
    if (isBelow(similarity, this.threshold)) this.below++;
  }
}

/** A row for every document of a cluster. The Reduce holds the similarity of one class. */
export const clusterRows: StreamStage = {
  reads: 'records',
  shuffles: ['cluster', 'class'],
  prefix: CLASS,
  map(input, out, { manifest: { params } }) {
    const { units } = sketchFamilyOf(params);
    const key = new FieldWriter();
    const value = new FieldWriter();
    while (input.next()) {
      const { key: from } = input;
      key.reset().raw(from, KIND, KIND + CLASS);
      if (from[0] === KINDS.node) {
        out.put(key.u8(OF_ROWS.node).u64(u64At(from, KIND + CLASS)).view, PRESENT);
      } else if (from[0] === KINDS.similar) {
        out.put(key.u8(OF_ROWS.similarity).view, input.value);
      } else if (isCompared(from[0])) {
        // The pairs that `representatives` wrote are compared by their sketches only, whatever their agreement.
        const agreement = f64At(input.value, OF_EVIDENCE.agreement);
        out.put(
          key.u8(OF_ROWS.similarity).view,
          value
            .reset()
            .f64(agreement / units)
            .u8(ESTIMATE).view,
        );
      }
    }
  },
  reduce(input, out, { manifest, facts }) {
    const rows = new StageSink(out, manifest.params.threshold);
    while (input.next()) {
      const { key, value } = input;
      rows.begin(u64At(key, 0), u64At(key, RANK));
      if (key[CLASS] === OF_ROWS.similarity) rows.similar(f64At(value, 0), value[8]!);
      else rows.row(u64At(key, CLASS + 1));
    }
    facts.add('clusters', rows.clusters);
    facts.add('clustered documents', rows.documents);
    facts.add('members below the threshold', rows.below);
  },
};
