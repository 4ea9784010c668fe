/**
 * Stages that find the components of accepted pairs: in one task, or by stars.
 */

import { SparseComponents } from '../../../reducers/streamed/components.js';
import { largeStars, type NeighbourSource, smallStars } from '../../../reducers/streamed/stars.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, RANK } from '../stream/kinds.js';
import { FieldWriter, PRESENT, type RecordSink, type RecordSource, u64At } from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

/** Calls `take` with every accepted pair. */
function eachAccepted(
  input: RecordSource,
  { manifest }: StagePlace,
  take: (a: number, b: number) => void,
): void {
  const pair = new EvidenceReader(manifest.params);
  while (input.next()) if (pair.read(input) && pair.accepted) take(pair.a, pair.b);
}

function eachEdge(input: RecordSource, take: (least: number, other: number) => void): void {
  while (input.next()) {
    if (input.key[0] === KINDS.edge) take(u64At(input.key, KIND), u64At(input.key, KIND + RANK));
  }
}

class Labels {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;

  constructor(out: RecordSink) {
    this.out = out;
  }

  put(rank: number, root: number): void {
    this.out.put(this.key.kind(KINDS.label).u64(rank).view, this.value.reset().u64(root).view);
  }
}

/** Documents that a Map remembers: an edge within a component that it knows says nothing new. 5 MB. */
const REMEMBERED = 2 ** 16;

/**
 * One task finds the components of at most MOST_NODES documents, in the memory that reducers/streamed/components.ts states: it
 * reads all edges, and holds only their documents.
 */
export const components: StreamStage = {
  reads: 'records',
  kinds: EVIDENCE_KINDS,
  shuffles: ['all'],
  prefix: KIND,
  map(input, out, here) {
    const key = new FieldWriter();
    let known = new SparseComponents();
    eachAccepted(input, here, (a, b) => {
      if (known.unite(a, b)) out.put(key.kind(KINDS.edge).u64(a).u64(b).view, PRESENT);
      if (known.size > REMEMBERED) known = new SparseComponents();
    });
  },
  reduce(input, out, { facts }) {
    const found = new SparseComponents();
    eachEdge(input, (a, b) => found.unite(a, b));
    const labels = new Labels(out);
    let roots = 0;
    found.eachLabel((rank, root) => {
      labels.put(rank, root);
      if (rank === root) roots++;
    });
    facts.add('components', roots);
  },
};

/** Writes edges between Map and Reduce of stars: key node u64, neighbour u64. */
class NeighbourSink {
  private readonly key = new FieldWriter();
  private readonly out: RecordSink;

  constructor(out: RecordSink) {
    this.out = out;
  }

  put(node: number, neighbour: number): void {
    this.out.put(this.key.reset().u64(node).u64(neighbour).view, PRESENT);
  }
}

class Neighbours implements NeighbourSource {
  node = 0;
  neighbour = 0;
  private readonly input: RecordSource;

  constructor(input: RecordSource) {
    this.input = input;
  }

  next(): boolean {
    if (!this.input.next()) return false;
    this.node = u64At(this.input.key, 0);
    this.neighbour = u64At(this.input.key, RANK);
    return true;
  }
}

/** A Reduce that makes stars: it streams a node's neighbours, and holds only the least. */
function starsBy(stars: typeof largeStars): NonNullable<StreamStage['reduce']> {
  return (input, out, { facts }) => {
    const key = new FieldWriter();
    const changed = stars(new Neighbours(input), (least, other) => {
      out.put(key.kind(KINDS.edge).u64(least).u64(other).view, PRESENT);
    });
    facts.add('changed', changed);
  };
}

const BY_NODE: Pick<StreamStage, 'reads' | 'shuffles' | 'prefix'> = {
  reads: 'records',
  shuffles: ['document'],
  prefix: RANK,
};

/** Accepted pairs become edges, and edges small stars. */
export const starEdges: StreamStage = {
  ...BY_NODE,
  map(input, out, here) {
    const neighbours = new NeighbourSink(out);
    eachAccepted(input, here, (a, b) => neighbours.put(b, a));
  },
  reduce: starsBy(smallStars),
};

export const largeStar: StreamStage = {
  ...BY_NODE,
  map(input, out) {
    const neighbours = new NeighbourSink(out);
    eachEdge(input, (least, other) => {
      neighbours.put(least, other);
      neighbours.put(other, least);
    });
  },
  reduce: starsBy(largeStars),
};

export const smallStar: StreamStage = {
  ...BY_NODE,
  map(input, out) {
    const neighbours = new NeighbourSink(out);
    eachEdge(input, (least, other) => neighbours.put(other, least));
  },
  reduce: starsBy(smallStars),
};

/** Final stars become labels: the least document of each star is its own root. */
export const starLabels: StreamStage = {
  ...BY_NODE,
  map(input, out) {
    const neighbours = new NeighbourSink(out);
    // Names the root once for consecutive edges.
    let last = -1;
    eachEdge(input, (least, other) => {
      if (least !== last) neighbours.put(least, least);
      last = least;
      neighbours.put(other, least);
    });
  },
  reduce(input, out, { facts }) {
    const edges = new Neighbours(input);
    const labels = new Labels(out);
    let node = -1;
    let root = -1;
    let roots = 0;
    while (edges.next()) {
      if (edges.node === node) {
        if (edges.neighbour !== root) throw new Error('a document of two stars: our own defect');
        continue;
      }
      node = edges.node;
      root = edges.neighbour;
      labels.put(node, root);
      if (node === root) roots++;
    }
    facts.add('components', roots);
  },
};
