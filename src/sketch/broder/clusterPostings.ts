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

/** A longer column with the same beginning. */
function grown(column: Uint32Array, length: number) {
  const larger = new Uint32Array(length).fill(END);
  larger.set(column);
  return larger;
}

const FIRST_ROOM = 1024;

export class ClusterPostings {
  /** Fingerprints of the last `countShared` that are in more clusters than are followed. */
  cut = 0;
  /** A fingerprint is in so many chains of clusters at most. */
  private readonly followed: number;
  /** Fingerprints to their numbers. */
  private readonly table = new FingerprintTable();
  /** By number of the fingerprint: its first and its latest posting, how many it has, and 1 where more clusters have it. */
  private first = new Uint32Array(FIRST_ROOM).fill(END);
  private latest = new Uint32Array(FIRST_ROOM).fill(END);
  private length = new Uint32Array(FIRST_ROOM).fill(END);
  private isCut = new Uint32Array(FIRST_ROOM).fill(END);
  /** By posting: cluster, its members with the fingerprint, the fingerprint's number, next in the chains. */
  private cluster = new Uint32Array(FIRST_ROOM);
  private members = new Uint32Array(FIRST_ROOM);
  private number = new Uint32Array(FIRST_ROOM);
  private nextOfFingerprint = new Uint32Array(FIRST_ROOM);
  private nextOfCluster = new Uint32Array(FIRST_ROOM);
  /** By posting: 1 where the representative has the fingerprint. */
  private chosen = new Uint32Array(FIRST_ROOM);
  /** By cluster: its latest posting, and how many it has. */
  private readonly latestOfCluster: Uint32Array;
  private readonly sizeOfCluster: Uint32Array;
  private size = 0;

  /** Room for `clusters` clusters; a fingerprint of more than `followed` (Infinity: never) is in the first ones alone. */
  constructor(clusters: number, followed = Number.POSITIVE_INFINITY) {
    this.followed = followed;
    this.latestOfCluster = new Uint32Array(clusters).fill(END);
    this.sizeOfCluster = new Uint32Array(clusters);
  }

  /**
   * Adds 1 to shared[c] for every fingerprint among values [from, to) that the representative of cluster c
   * has, and lists the clusters met in `touched`, in no order; returns how many. `shared` must be zero. Where
   * some fingerprints were cut, as many may be missing from each.
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
      for (let row = this.first[number]!; row !== END; row = this.nextOfFingerprint[row]!) {
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
      const row = this.newPosting(cluster, this.numberFor(values[i]!, values[i + 1]!));
      if (row === END) continue;
      this.members[row] = 1;
      this.chosen[row] = 1;
    }
  }

  /** Adds a later member's fingerprints, values [from, to); new ones are not the representative's. */
  add(cluster: number, values: Uint32Array, from: number, to: number): void {
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const number = this.numberFor(values[i]!, values[i + 1]!);
      let row = this.first[number]!;
      while (row !== END && this.cluster[row] !== cluster) row = this.nextOfFingerprint[row]!;
      if (row === END) row = this.newPosting(cluster, number);
      if (row !== END) this.members[row]!++;
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

  /** The number of a fingerprint, with room for its chain. */
  private numberFor(low: number, high: number): number {
    const number = this.table.add(low, high);
    if (number === this.first.length) {
      this.first = grown(this.first, 2 * number);
      this.latest = grown(this.latest, 2 * number);
      this.length = grown(this.length, 2 * number);
      this.isCut = grown(this.isCut, 2 * number);
    }
    if (this.first[number] === END) this.length[number] = 0;
    return number;
  }

  /** A posting at the end of both chains; END where the fingerprint is in as many clusters as are followed. */
  private newPosting(cluster: number, number: number): number {
    if (this.length[number]! >= this.followed) {
      this.isCut[number] = 1;
      return END;
    }
    if (this.size === this.cluster.length) this.grow();
    const row = this.size++;
    this.cluster[row] = cluster;
    this.members[row] = 0;
    this.chosen[row] = 0;
    this.number[row] = number;
    this.nextOfFingerprint[row] = END;
    if (this.first[number] === END) this.first[number] = row;
    else this.nextOfFingerprint[this.latest[number]!] = row;
    this.latest[number] = row;
    this.length[number]!++;
    this.nextOfCluster[row] = this.latestOfCluster[cluster]!;
    this.latestOfCluster[cluster] = row;
    this.sizeOfCluster[cluster]!++;
    return row;
  }

  private grow(): void {
    const room = 2 * this.size;
    this.cluster = grown(this.cluster, room);
    this.members = grown(this.members, room);
    this.number = grown(this.number, room);
    this.nextOfFingerprint = grown(this.nextOfFingerprint, room);
    this.nextOfCluster = grown(this.nextOfCluster, room);
    this.chosen = grown(this.chosen, room);
  }
}
