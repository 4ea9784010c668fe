/**
 * Stages that find the components of accepted pairs: in one task, or by stars.
 */

import { SparseComponents } from '../../../reducers/streamed/components.js';
import { largeStars, type NeighbourSource, smallStars } from '../../../reducers/streamed/stars.js';
import { EVIDENCE_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, RANK } from '../stream/kinds.js';
import { type RecordSource, type StageSink, u64At } from '../stream/records.js';
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
  while (input.next()) take(u64At(input.key, KIND), u64At(input.key, KIND + RANK));
}

function writeEdge(out: StageSink, a: number, b: number): void {
  out.key.kind(KINDS.edge).u64(a).u64(b);
  out.write();
}

function writeLabel(out: StageSink, { facts }: StagePlace, rank: number, root: number): void {
  out.key.kind(KINDS.label).u64(rank);
  out.value.u64(root);
  out.write();
  if (rank === root) facts.add('components', 1);
}

/** Documents that a Map remembers: an edge within a component that it knows says nothing new. 5 MB. */
const REMEMBERED = 2 ** 16;

/**
 * One task finds the components of at most MOST_NODES documents, in the memory that reducers/streamed/components.ts states: it
 * reads all edges, and holds only their documents.
 */
export const components: StreamStage = {
  kinds: EVIDENCE_KINDS,
  shuffles: ['all'],
  prefix: KIND,
  map(input, out, here) {
    let known = new SparseComponents();
    eachAccepted(input, here, (a, b) => {
      if (known.unite(a, b)) writeEdge(out, a, b);
      if (known.size > REMEMBERED) known = new SparseComponents();
    });
  },
  reduce(input, out, here) {
    const found = new SparseComponents();
    eachEdge(input, (a, b) => found.unite(a, b));
    found.eachLabel((rank, root) => writeLabel(out, here, rank, root));
  },
};

/** Writes an edge between Map and Reduce of stars. */
function writeNeighbour(out: StageSink, node: number, neighbour: number): void {
  out.key.u64(node).u64(neighbour);
  out.write();
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
    const changed = stars(new Neighbours(input), (least, other) => writeEdge(out, least, other));
    facts.add('changed', changed);
  };
}

const OF_EDGES: Pick<StreamStage, 'kinds' | 'shuffles' | 'prefix'> = {
  kinds: [KINDS.edge],
  shuffles: ['document'],
  prefix: RANK,
};

/** Accepted pairs become edges, and edges small stars. */
export const starEdges: StreamStage = {
  ...OF_EDGES,
  kinds: EVIDENCE_KINDS,
  map: (input, out, here) => eachAccepted(input, here, (a, b) => writeNeighbour(out, b, a)),
  reduce: starsBy(smallStars),
};

export const largeStar: StreamStage = {
  ...OF_EDGES,
  map(input, out) {
    eachEdge(input, (least, other) => {
      writeNeighbour(out, least, other);
      writeNeighbour(out, other, least);
    });
  },
  reduce: starsBy(largeStars),
};

export const smallStar: StreamStage = {
  ...OF_EDGES,
  map: (input, out) => eachEdge(input, (least, other) => writeNeighbour(out, other, least)),
  reduce: starsBy(smallStars),
};

/** Final stars become labels: the least document of each star is its own root. */
export const starLabels: StreamStage = {
  ...OF_EDGES,
  map(input, out) {
    // Names the root once for consecutive edges.
    let last = -1;
    eachEdge(input, (least, other) => {
      if (least !== last) writeNeighbour(out, least, least);
      last = least;
      writeNeighbour(out, other, least);
    });
  },
  reduce(input, out, here) {
    while (input.group()) {
      let root = -1;
      while (input.each()) {
        const own = u64At(input.key, RANK);
        if (root >= 0 && own !== root) throw new Error('a document of two stars: our own defect');
        root = own;
      }
      writeLabel(out, here, u64At(input.shared, 0), root);
    }
  },
};
