/**
 * Reduce the edges of a graph to stars, by two rules in turn, one a pass (Kiveris et al. 2014, "Connected components in MapReduce
 * and beyond"). The passes end with an edge from the least number of each component to every other number in it.
 *
 * A node's neighbours stream by, whatever their number: only the least is held.
 */

/** Edges as (node, neighbour), ascending; an edge may be repeated. */
export interface NeighbourSource {
  next(): boolean;
  readonly node: number;
  readonly neighbour: number;
}

/** Called with an edge, least < other. */
type EdgeSink = (least: number, other: number) => void;

/**
 * Ties every greater neighbour of a node to the least of the node and its neighbours. Every edge must be there from both sides.
 *
 * Returns how many edges change. Where neither star changes one, the edges are final: if the large star changes none, no node has
 * both smaller and greater neighbours; if the small star changes none, no node has two smaller ones.
 */
export function largeStars(edges: NeighbourSource, emit: EdgeSink): number {
  let changed = 0;
  let node = -1;
  let last = -1;
  let least = 0;
  while (edges.next()) {
    const { neighbour } = edges;
    if (edges.node !== node) {
      node = edges.node;
      least = Math.min(node, neighbour);
    } else if (neighbour === last) continue;
    last = neighbour;
    if (neighbour < node) continue;
    emit(least, neighbour);
    if (least < node) changed++;
  }
  return changed;
}

/**
 * Ties a node and its smaller neighbours to the least of these. Every edge must be there from its greater side, and no other.
 *
 * Returns how many edges change.
 */
export function smallStars(edges: NeighbourSource, emit: EdgeSink): number {
  let changed = 0;
  let node = -1;
  let last = -1;
  let least = 0;
  while (edges.next()) {
    const { neighbour } = edges;
    if (edges.node !== node) {
      node = edges.node;
      least = neighbour;
      emit(least, node);
    } else if (neighbour !== last) {
      emit(least, neighbour);
      changed++;
    }
    last = neighbour;
  }
  return changed;
}
