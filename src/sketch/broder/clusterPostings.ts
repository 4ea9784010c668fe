/**
 * Which clusters a fingerprint belongs to: the table of Broder 1997, section 4.4.
 *
 * Floor 0. A posting is a fingerprint of a cluster; all are rows of columns, chained twice: the postings of
 * one fingerprint, and those of one cluster. A posting counts the cluster's members with the fingerprint, and
 * says whether the cluster's representative has it. Knows no estimates.
 */
import { sortByKey64, sortUnique64 } from '../radixSort.js';
import { FingerprintTable } from './fingerprintTable.js';

/** No further row. */
const END = 0xffffffff;

export class ClusterPostings {
  /** Fingerprints to their numbers. */
  private readonly table = new FingerprintTable();
  /** By number of the fingerprint: its latest posting. */
  private readonly latest: Uint32Array;
  /** By posting: cluster, its members with the fingerprint, the fingerprint's number, next in the chains. */
  private readonly cluster: Uint32Array;
  private readonly members: Uint32Array;
  private readonly number: Uint32Array;
  private readonly nextOfFingerprint: Uint32Array;
  private readonly nextOfCluster: Uint32Array;
  /** By posting: 1 where the representative has the fingerprint. */
  private readonly chosen: Uint8Array;
  /** By cluster: its latest posting, and how many it has. */
  private readonly latestOfCluster: Uint32Array;
  private readonly sizeOfCluster: Uint32Array;
  private size = 0;

  /** Room for `fingerprints` rows in all sketches together and `clusters` clusters. */
  constructor(fingerprints: number, clusters: number) {
    this.latest = new Uint32Array(fingerprints).fill(END);
    this.cluster = new Uint32Array(fingerprints);
    this.members = new Uint32Array(fingerprints);
    this.number = new Uint32Array(fingerprints);
    this.nextOfFingerprint = new Uint32Array(fingerprints);
    this.nextOfCluster = new Uint32Array(fingerprints);
    this.chosen = new Uint8Array(fingerprints);
    this.latestOfCluster = new Uint32Array(clusters).fill(END);
    this.sizeOfCluster = new Uint32Array(clusters);
  }

  /**
   * Adds 1 to shared[c] for every fingerprint among values [from, to) that the representative of cluster c
   * has, and lists the clusters met in `touched`, in no order; returns how many. `shared` must be zero.
   */
  countShared(
    values: Uint32Array,
    from: number,
    to: number,
    shared: Uint32Array,
    touched: Uint32Array,
  ): number {
    let met = 0;
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const number = this.table.numberOf(values[i]!, values[i + 1]!);
      if (number < 0) continue;
      for (let row = this.latest[number]!; row !== END; row = this.nextOfFingerprint[row]!) {
        if (this.chosen[row] === 0) continue;
        const cluster = this.cluster[row]!;
        if (shared[cluster]!++ === 0) touched[met++] = cluster;
      }
    }
    return met;
  }

  /** Gives a new cluster its first member's fingerprints, values [from, to), all in the representative. */
  start(cluster: number, values: Uint32Array, from: number, to: number): void {
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const row = this.newPosting(cluster, this.table.add(values[i]!, values[i + 1]!));
      this.members[row] = 1;
      this.chosen[row] = 1;
    }
  }

  /** Adds a later member's fingerprints, values [from, to); new ones are not the representative's. */
  add(cluster: number, values: Uint32Array, from: number, to: number): void {
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const number = this.table.add(values[i]!, values[i + 1]!);
      let row = this.latest[number]!;
      while (row !== END && this.cluster[row] !== cluster) row = this.nextOfFingerprint[row]!;
      if (row === END) row = this.newPosting(cluster, number);
      this.members[row]!++;
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

  private newPosting(cluster: number, number: number): number {
    const row = this.size++;
    this.cluster[row] = cluster;
    this.number[row] = number;
    this.nextOfFingerprint[row] = this.latest[number]!;
    this.latest[number] = row;
    this.nextOfCluster[row] = this.latestOfCluster[cluster]!;
    this.latestOfCluster[cluster] = row;
    this.sizeOfCluster[cluster]!++;
    return row;
  }
}
