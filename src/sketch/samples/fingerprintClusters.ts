/**
 * Greedy clustering of sketches with a representative per cluster (Broder 1997, section 4.4), and the table
 * of postings behind it.
 *
 * A posting is a pair (fingerprint, cluster): a row of the columns below, in two chains: the postings of its
 * fingerprint, and those of its cluster. It counts the cluster's members with the fingerprint, and says whether
 * the cluster's representative has the fingerprint.
 */

import { grown, Uint32Column } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortByKey64, sortUnique64 } from '../../arrays/sort.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import { intersectionSize } from '../similarity.js';

/** No posting: rows begin at 1. */
const NONE = 0;

const FIRST_ROOM = 1024;

class ClusterPostings {
  /** How many fingerprints of the last `countShared` are in more clusters than are followed. */
  cut = 0;
  /** Most clusters that are stored for a fingerprint. */
  private readonly followed: number;
  /** Fingerprints to their numbers. */
  private readonly table = new FingerprintTable();
  /** By fingerprint: its first and its latest posting, its number of postings, and 1 where further clusters have it. */
  private first = new Uint32Array(FIRST_ROOM);
  private latest = new Uint32Array(FIRST_ROOM);
  private length = new Uint32Array(FIRST_ROOM);
  private isCut = new Uint8Array(FIRST_ROOM);
  /** By posting: its cluster, the members with the fingerprint, the fingerprint's number, the next postings of both chains. */
  private cluster = new Uint32Array(FIRST_ROOM);
  private members = new Uint32Array(FIRST_ROOM);
  private number = new Uint32Array(FIRST_ROOM);
  private nextOfFingerprint = new Uint32Array(FIRST_ROOM);
  private nextOfCluster = new Uint32Array(FIRST_ROOM);
  /** By posting: 1 where the representative has the fingerprint. */
  private chosen = new Uint8Array(FIRST_ROOM);
  /** By cluster: its latest posting, and its number of postings. */
  private readonly latestOfCluster: Uint32Array;
  private readonly sizeOfCluster: Uint32Array;
  /** The next row. */
  private next = NONE + 1;

  /** Room for `clusters` clusters; a fingerprint in more than `followed` clusters is stored for the first ones only. */
  constructor(clusters: number, followed: number) {
    this.followed = followed;
    this.latestOfCluster = new Uint32Array(clusters);
    this.sizeOfCluster = new Uint32Array(clusters);
  }

  /**
   * Adds 1 to shared[c] for every fingerprint among values [from, to) that the representative of cluster c
   * has, and lists these clusters in `touched`, in no order; returns their number. `shared` must be zero. Where
   * `cut` is above 0, each count may be too low by up to `cut`.
   */
  countShared(
    values: Uint32Array,
    from: number,
    to: number,
    shared: Uint32Array,
    touched: Uint32Array,
  ): number {
    let met = 0;
    this.cut = 0;
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const number = this.table.numberOf(values[i]!, values[i + 1]!);
      if (number < 0) continue;
      if (this.isCut[number] === 1) this.cut++;
      for (let row = this.first[number]!; row !== NONE; row = this.nextOfFingerprint[row]!) {
        if (this.chosen[row] === 0) continue;
        const cluster = this.cluster[row]!;
        if (shared[cluster]!++ === 0) touched[met++] = cluster;
      }
    }
    return met;
  }

  /**
   * Starts a cluster with the fingerprints of its first member, values [from, to), all in the representative.
   */
  start(cluster: number, values: Uint32Array, from: number, to: number): void {
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const row = this.newPosting(cluster, this.numberFor(values[i]!, values[i + 1]!));
      if (row === NONE) continue;
      this.members[row] = 1;
      this.chosen[row] = 1;
    }
  }

  /** Adds the fingerprints of a later member, values [from, to); new ones are not in the representative. */
  add(cluster: number, values: Uint32Array, from: number, to: number): void {
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const number = this.numberFor(values[i]!, values[i + 1]!);
      let row = this.first[number]!;
      while (row !== NONE && this.cluster[row] !== cluster) row = this.nextOfFingerprint[row]!;
      if (row === NONE) row = this.newPosting(cluster, number);
      if (row !== NONE) this.members[row]!++;
    }
  }

  /**
   * Makes the `most` most popular fingerprints of a cluster its representative (ties: the smaller
   * fingerprint) and returns them sorted, as pairs.
   */
  choose(cluster: number, most: number): Uint32Array {
    const size = this.sizeOfCluster[cluster]!;
    const rows = new Uint32Array(size);
    const keys = new Uint32Array(2 * size);
    let row = this.latestOfCluster[cluster]!;
    for (let i = 0; i < size; i++, row = this.nextOfCluster[row]!) {
      rows[i] = row;
      this.writeFingerprint(keys, 2 * i, row);
    }
    // By fingerprint, then (the sort is stable) by falling count.
    sortByKey64(keys, rows, size);
    for (let i = 0; i < size; i++) {
      keys[2 * i] = ~this.members[rows[i]!]!;
      keys[2 * i + 1] = 0;
    }
    sortByKey64(keys, rows, size);
    const kept = Math.min(most, size);
    const representative = new Uint32Array(2 * kept);
    for (let i = 0; i < size; i++) {
      this.chosen[rows[i]!] = i < kept ? 1 : 0;
      if (i < kept) this.writeFingerprint(representative, 2 * i, rows[i]!);
    }
    sortUnique64(representative, kept);
    return representative;
  }

  private writeFingerprint(out: Uint32Array, at: number, row: number): void {
    const number = this.number[row]!;
    out[at] = this.table.keys[2 * number]!;
    out[at + 1] = this.table.keys[2 * number + 1]!;
  }

  /** The number of a fingerprint; makes room for its chain. */
  private numberFor(low: number, high: number): number {
    const number = this.table.add(low, high);
    if (number === this.first.length) {
      this.first = grown(this.first);
      this.latest = grown(this.latest);
      this.length = grown(this.length);
      this.isCut = grown(this.isCut);
    }
    return number;
  }

  /**
   * Appends a posting to both chains and returns its row; NONE where `followed` clusters have the fingerprint already.
   */
  private newPosting(cluster: number, number: number): number {
    if (this.length[number]! >= this.followed) {
      this.isCut[number] = 1;
      return NONE;
    }
    if (this.next === this.cluster.length) this.grow();
    const row = this.next++;
    this.cluster[row] = cluster;
    this.number[row] = number;
    if (this.first[number] === NONE) this.first[number] = row;
    else this.nextOfFingerprint[this.latest[number]!] = row;
    this.latest[number] = row;
    this.length[number]!++;
    this.nextOfCluster[row] = this.latestOfCluster[cluster]!;
    this.latestOfCluster[cluster] = row;
    this.sizeOfCluster[cluster]!++;
    return row;
  }

  private grow(): void {
    this.cluster = grown(this.cluster);
    this.members = grown(this.members);
    this.number = grown(this.number);
    this.nextOfFingerprint = grown(this.nextOfFingerprint);
    this.nextOfCluster = grown(this.nextOfCluster);
    this.chosen = grown(this.chosen);
  }
}

/** Sketches, one after the other. */
export interface SketchColumns {
  /** Document d has values number starts[d] to starts[d+1] (exclusive); one entry more than documents. */
  readonly starts: Uint32Array;
  /** Pairs (low, high), sorted and distinct in each document. */
  readonly values: Uint32Array;
}

export interface GreedyParams {
  /** Least share of its fingerprints that the representative of a cluster has, for which a document joins it, above 0, up to 1. */
  readonly threshold: number;
  /**
   * `first`: always the first member. A number t >= 1: the t fingerprints that most members have, chosen
   * again whenever the cluster has grown to a power of two members (so all choices together cost no more than
   * reading, and the representative of a large cluster hardly changes in between).
   */
  readonly representative: 'first' | number;
  /**
   * Most clusters that a fingerprint leads to: the first ones that have it (a chosen representative counts the
   * fingerprint in these only). At least 1.
   */
  readonly followed: number;
}

interface GreedyClusters {
  /** The cluster of each document: numbers 0, 1, 2 ... in the order of their first members. */
  readonly clusters: Uint32Array;
  /** Number of clusters. */
  readonly count: number;
  /**
   * Number of documents that started a cluster although one of their fingerprints is in more clusters than were
   * followed.
   */
  readonly uncompared: number;
}

/**
 * Clusters of documents; a document with an empty sketch is alone.
 *
 * Documents are processed in order. A document joins the cluster whose representative has most of its fingerprints
 * (ties: the earlier cluster) if their share reaches the threshold, else it starts a new cluster. A table finds
 * the clusters whose representative shares a fingerprint with it, and only these are compared: so the work follows
 * the size of all sketches where a fingerprint belongs to few clusters. Eliminate popular fingerprints first, or
 * limit `followed` to N: then the work is at most N times that size; otherwise a fingerprint of all documents
 * makes it quadratic. The result depends on the order of documents; unlike in a connected component every
 * member resembles the representative it was compared with.
 */
export function* greedyClusters(columns: SketchColumns, params: GreedyParams): Stepwise<GreedyClusters> {
  const documents = columns.starts.length - 1;
  const clusters = new Uint32Array(documents);
  const greedy = new Greedy(columns, params);
  for (let document = 0; document < documents; document++) {
    clusters[document] = greedy.place(document);
    if (document % PLACED_A_STEP === PLACED_A_STEP - 1) yield;
  }
  return { clusters, count: greedy.count, uncompared: greedy.uncompared };
}

/** Documents placed in a step: few, because a document that shares fingerprints with many clusters takes long. */
const PLACED_A_STEP = 256;

class Greedy {
  count = 0;
  uncompared = 0;

  private readonly columns: SketchColumns;
  private readonly params: GreedyParams;
  private readonly postings: ClusterPostings;
  /**
   * By cluster: number of members, and where its representative begins and ends in the values of the columns or of
   * `chosen`.
   */
  private readonly members: Uint32Array;
  private readonly from: Uint32Array;
  private readonly to: Uint32Array;
  /** Representatives chosen by popularity, one after the other; outdated ones stay. */
  private readonly chosen = new Uint32Column();
  private readonly shared: Uint32Array;
  private readonly touched: Uint32Array;

  constructor(columns: SketchColumns, params: GreedyParams) {
    const documents = columns.starts.length - 1;
    this.columns = columns;
    this.params = params;
    this.postings = new ClusterPostings(documents, params.followed);
    this.members = new Uint32Array(documents);
    this.from = new Uint32Array(documents);
    this.to = new Uint32Array(documents);
    this.shared = new Uint32Array(documents);
    this.touched = new Uint32Array(documents);
  }

  /** The cluster that the next document in order goes into. */
  place(document: number): number {
    const { representative } = this.params;
    const { starts, values } = this.columns;
    const from = starts[document]!;
    const to = starts[document + 1]!;
    const joined = this.mostAlike(from, to);
    const cluster = joined < 0 ? this.count++ : joined;
    if (joined < 0) {
      if (this.postings.cut > 0) this.uncompared++;
      this.postings.start(cluster, values, from, to);
      this.from[cluster] = from;
      this.to[cluster] = to;
    } else if (representative !== 'first') this.postings.add(cluster, values, from, to);
    const members = ++this.members[cluster]!;
    if (representative !== 'first' && (members & (members - 1)) === 0) {
      this.keepChosen(cluster, this.postings.choose(cluster, representative));
    }
    return cluster;
  }

  /** The cluster whose representative has most of the values [from, to), at least the share of the threshold; -1: there is none. */
  private mostAlike(from: number, to: number): number {
    const { shared, touched } = this;
    const met = this.postings.countShared(this.columns.values, from, to, shared, touched);
    let best = -1;
    let bestShare = 0;
    for (let i = 0; i < met; i++) {
      const cluster = touched[i]!;
      const share = this.common(from, to, cluster, shared[cluster]!) / (to - from);
      shared[cluster] = 0;
      if (share < this.params.threshold || share < bestShare) continue;
      if (share === bestShare && cluster > best) continue;
      best = cluster;
      bestShare = share;
    }
    return best;
  }

  /**
   * How many of the values [from, to) the representative has; `met`: how many the postings show. May return less
   * where they are too few for the threshold anyway.
   */
  private common(from: number, to: number, cluster: number, met: number): number {
    const { cut } = this.postings;
    // At most `cut` more values are common: those of fingerprints whose postings were not all stored.
    if (cut === 0 || (met + cut) / (to - from) < this.params.threshold) return met;
    const { values } = this.columns;
    const others = this.params.representative === 'first' ? values : this.chosen.view;
    return intersectionSize(values, from, to, others, this.from[cluster]!, this.to[cluster]!);
  }

  private keepChosen(cluster: number, values: Uint32Array): void {
    this.from[cluster] = this.chosen.length / 2;
    this.chosen.append(values);
    this.to[cluster] = this.chosen.length / 2;
  }
}
