/**
 * The records of datasets between jobs: the layout of their keys and values. The first byte of a key is its kind.
 *
 * `rank`   u64: the number of a document's place among all lines, rows and whole files. So ranks are in the order of places, with
 *          gaps. Where units are compared, a unit is a document.
 * `place`  16 bytes: where a document stands: file u32, number u64 (placesInFiles.ts: of a whole file 2^53 - 1), and the first 4
 *          bytes of its content key, by which the second reading checks that it reads the same document as the first.
 * `split`  file u32, start u64: a split of a file. Until the number of its first line is known, its lines are numbered from 0:
 *          these numbers are ordinals. The ordinal of a whole file is 2^32 - 1. Where units are compared, the number of the unit u64
 *          follows the ordinal of a document.
 *
 * Shares are that of a in b and that of b in a; by resemblance both are the resemblance of the two.
 *
 * Content keys and text keys are four words, little-endian, with bytes as in column blocks.
 *
 * Groups are numbers: of a file, the number in the manifest; of a value of a field, the rank of the first document with that
 * value.
 *
 * `crossing` group u64, other u64: of a class, the group of its first member, and 1 plus the rank of the first member of another
 *          group; 0: there is none. A class with members of several groups is compared by a group of its own (crossing.ts).
 *
 * An engine that cuts a file into splits still passes documents and lines of later splits of a file that is refused as a whole
 * (its first bytes are binary): hasId of the skip is REFUSED then. `facts` leaves its splits out of the manifest, and `names` or
 * `classes` leaves out its documents.
 *
 *      kind       key                                    value
 *      split      split                                  lines u64, documents u64, bytes u64 (of its lines, each with an LF), greatest unit u64
 *      skipped    split, ordinal u32                     code u8, hasId u8, id
 *      passed     nothing                                sums of records that are left out: f64 x REASONS_LEFT_OUT
 *      read       nothing                                many documents (gatheredRecords.ts), heads: contentKey 16, split, ordinal u32,
 *                                                        facts (below), hasId u8; bodies: ids
 *      sketch     nothing                                many sketches (the same), of every first member of a class, and of some copies, heads:
 *                                                        4 bytes of contentKey, split, ordinal u32; bodies: slots u32 little-endian x
 *                                                        hashes, or samples
 *      entry      hash of the set's name 8, name (ended),  split, number among the rows of the split u32, contribution f64
 *                 hash of the element 8                  (NOTHING: none): a line of sets
 *      elements   contentKey 16, split, ordinal u32      the set's labelled elements, 8 bytes each: only of sets, where they are verified
 *      valued     contentKey 16, split, ordinal u32      isEmpty u8, and values of fieldsRead as survivorOrder.ts has them:
 *                                                        only where a run reads fields
 *      grouped    contentKey 16, rank                    group u64: only where a field is the group
 *      ranked     rank                                   place, contentKey 16, facts, isNamed u8, id
 *      other      rank                                   as ranked: its id is that of an earlier document
 *      renamed    rank                                   clashes u8, and as ranked without isNamed and id: its id is its place, with
 *                                                        clashEnd appended where another document has that id
 *      ending     number u64, digits u8                  1: some id or place ends with `~` and the number, written with so many digits
 *      decided    rank                                   the number of its id in DecidedIds u32, first u64, isProtected u8: a document
 *                                                        that decisions name
 *      signature  rank                                   place, slots u32 little-endian x hashes, or the sample: of a class, by its first
 *                                                        member; with
 *                                                        groups, its crossing. Only where there are groups or units
 *      ranks      rank / 2^16: its first 6 bytes         u16 x ranks: the rests of the ranks that begin so, each once
 *      member     first u64, rank u64                    kindOfPair u8 (to the first), text u32 (equal: the same text):
 *                                                        every member of a class of two or more, also the first; with groups, its
 *                                                        group u64; with an order of survivors, its key in it
 *      crossed    first u64                              crossing, text u32 of its first member of another group: of every class,
 *                                                        where there are groups
 *      lead       first u64                              text u32, protected u32 (members), order: of the member of a class that
 *                                                        comes first in the order of survivors; only where there is such an order
 *      led        b u64, a u64                           protected u32, shares f64 f64 (below), order: an accepted pair, with the facts of the
 *                                                        lead of a
 *      pair       a u64, b u64 (ranks, a < b)            1; by containment, of a round, 2: the sample of b is larger than that of a
 *      crowd      rank u64, band u16, bucket 8            members u32 of its bucket, which is large or hot (0: more than are held, so it
 *                                                        is hot), and the member's number among them u32: with groups, group by group
 *      crowded    band u16, bucket 8, slot u32, idHash 8, 1: a member of a hot bucket, in the order of hotPairs; with groups, its
 *                 rank u64                               compared group u64
 *      large      band u16, bucket 8, two parts of the   rank u64, by band the state of its bucket (blocks/pairs.ts) u8, and as signature
 *                 bucket u16 u16, its own part u16,      without idHash: a member of a large bucket
 *                 number as in crowd u32
 *      hot        band u16, bucket 8, rank u64            slot u32, idHash 8, order u64 (place in the order of hotPairs); with groups, its
 *                                                        compared group u64
 *      head       band u16, bucket 8                      members u64, first u64, pairs made u64, compared group of the first u64, the first
 *                                                        of another group u64, its group u64 (without groups, each member's is its
 *                                                        rank), members that are in question with all others u64; of all members,
 *                                                        members by group: runs of (members u32, groups u32)
 *      half       b u64, a u64                           as signature, of a
 *      compared   a u64, b u64; with groups, the         agreement f64, place of a, place of b
 *                 documents of two groups that stand for
 *                 them: of a u64, of b u64               (by containment a byte follows: as in `pair`)
 *      unverified as compared                            as compared, of a pair whose sets must be compared
 *      unlisted   matching slots u32                     pairs of large buckets f64 that have so many and are only counted
 *      wanted     place                                  bits u8 of its set (largeSets.ts): 0 where it is not split
 *      set        place, range u16                       hashes, 8 bytes each, as the kernel compares them: several records, where
 *                                                        they are many, or a single 0: there is such a range
 *      changed    place                                  1: the second reading found the document otherwise than the first, or not
 *      tiled      tile u32, range of a u16, part u8,     as set: of an earlier document of pairs (part 0), or of a later one (1); a
 *                 rank u64, range u16; of b 0 u8         tile is some of the earlier documents (setPairStages.ts)
 *      sizes      as compared                            agreement f64, of a range: hashes of a f64, of b f64, of both f64
 *      evidence   as compared                            agreement f64, accepted u8, jaccard f64, a in b f64, b in a f64 (NaN: the sets
 *                                                        were not compared)
 *      edge       a u64, b u64                           (stars only) 1
 *      label      rank                                   root u64: the first document of its component
 *      step       root u64, later, earlier: ranks, or    tag 1: a near pair, jaccard f64; tag 0: `later` is a member of the class
 *                 keys of the order of survivors         `earlier`, kindOfPair u8. With such keys: both classes u64, that of
 *                                                        earlier first, and the bytes of the key of later u32
 *      (step)     root u64, 0, order of survivors        with groups: tag 0, class u64, group u64, text u32: a document of a cluster
 *                 root u64, 1, a u64, b u64              with groups: tag 1, shares f64 f64, both classes u64 as above, 0 u32; by
 *                                                        containment the container first, and where nothing is dropped the same twice
 *      risk       first u64                              1: a class that the pairs about to be compared may drop; only with an order of
 *                                                        survivors
 *      gone       first u64                              1: a class of which no member stays; only with an order of survivors
 *      node       root u64, first u64, rank u64          1: a document of a cluster, and its class
 *      dropped    rank                                   kept u64, jaccard f64, reason u8
 *      similar    root u64, first u64                    similarity f64, basis u8
 *      drawn      band u16, bucket 8, position u64        rank u64, idHash 8, relies u8: a drawn member, by its position in the order of
 *                                                        ranks, and whether it is in question with all others
 *      inBucket   rank u64, band u16, bucket 8            1: every hot bucket of some documents
 *      keptHot    as hot                                 as hot, and its key in the order of survivors, if any: a member that is kept
 *                                                        now; a `hot` record beside it: a member that is not
 *      leaning    rank u64, tag u8                       1: the document is near an earlier kept one, which the pairs of the round may
 *                                                        drop (tag 1) or cannot drop (tag 0)
 *      dependent  band u16, bucket 8, rank u64            1
 *      sized      rank u64, band u16, bucket 8            members u64: of a kept member, the kept members of its bucket; with groups,
 *                                                        those of other groups, plus 1
 *      sharing    b u64, a u64                           the hot buckets of a, which was compared with b: band u16, bucket 8
 *      likeness   thousandths u32                        accepted pairs u64 with a similarity of so many thousandths, rounded down
 *      row        table u8, a u64, b u64                 the columns of the table without ids: see TABLES
 *      named      table u8, a u64, b u64                 the same, and of b: flags u8, isNamed u8, place, id
 *      (ordered)  route u32, rank u64, ORDER.document u8 many documents (gatheredRecords.ts), from that of the rank on, heads: rank u64, and
 *                                                        as ranked without id; bodies: ids
 *                 route u32, rank u64, ORDER.member u8   rank u64 of the first member of its class, where that is another
 *                 route u32, rank of a u64, what u8,     as `named`
 *                 b u64, table u8
 *      fact       16 bytes, one for a task               JSON: TaskFact
 *
 * Where documents are compared by samples of fingerprints (sampleRecords.ts draws samples and their sizes), a fingerprint takes the
 * place of a bucket, in band 0:
 *
 *      crowd      rank u64, fingerprint 10                1: a document that has a frequent fingerprint
 *      head       fingerprint 10                          members u64: of a frequent fingerprint; of a hot one as of a bucket: those that
 *                                                        rely on frequent fingerprints are in question with all others; with groups,
 *                                                        pairs of two groups that are not in question count as made
 *      frequent   rank u64, members u64, fingerprint 10   1: the same documents, in the order in which they rely on fingerprints
 *      sampled    rank u64                                frequent u32, and the sample without its frequent fingerprints, after the
 *                                                        sizes of the whole one
 *      held       fingerprint 10, rank u64                role u8, members u64, next fingerprint 8, idHash 8, compared group u64
 *                                                        (without groups, its rank), sizes
 *      relied     isLarge u8, partners u64,               1: the document relies on the fingerprint
 *                 fingerprint 10, rank u64
 *      full       fingerprint 10                          1: all its documents are paired, although many rely on it
 *      chosen     fingerprint 10                          1: a document is paired by this hot fingerprint; only by containment
 *      met        a u64, b u64                            tag u8, sizes of a, sizes of b: both share a fingerprint (MET)
 *      (hot,      fingerprint 10, rank u64                next fingerprint 8, 0 u32, order u64 (twice the rank, plus 1 where it relies
 *      keptHot)                                          on frequent fingerprints), compared group u64 (as in `held`), idHash 8
 *      took       fingerprint 10, rank u64                as hot: a pairing included the kept member
 */

export const KINDS = {
  split: 0x01,
  skipped: 0x02,
  passed: 0x03,
  read: 0x10,
  sketch: 0x11,
  valued: 0x12,
  ranked: 0x13,
  other: 0x14,
  signature: 0x16,
  member: 0x17,
  renamed: 0x18,
  ending: 0x19,
  lead: 0x1a,
  pair: 0x20,
  hot: 0x21,
  head: 0x22,
  half: 0x23,
  compared: 0x24,
  wanted: 0x25,
  set: 0x26,
  tiled: 0x27,
  evidence: 0x28,
  led: 0x29,
  gone: 0x2a,
  risk: 0x2b,
  sizes: 0x2c,
  changed: 0x2d,
  unverified: 0x2e,
  edge: 0x30,
  label: 0x31,
  step: 0x32,
  node: 0x33,
  dropped: 0x34,
  similar: 0x35,
  crowd: 0x36,
  crowded: 0x37,
  drawn: 0x38,
  inBucket: 0x39,
  keptHot: 0x3a,
  leaning: 0x3b,
  dependent: 0x3c,
  sized: 0x3d,
  sharing: 0x3e,
  likeness: 0x3f,
  crossed: 0x42,
  large: 0x44,
  grouped: 0x43,
  ranks: 0x45,
  decided: 0x46,
  entry: 0x47,
  elements: 0x48,
  unlisted: 0x49,
  row: 0x40,
  frequent: 0x50,
  sampled: 0x51,
  held: 0x52,
  relied: 0x53,
  full: 0x54,
  chosen: 0x55,
  met: 0x56,
  took: 0x57,
  named: 0x41,
  fact: 0xff,
} as const;

/** Tables of `row`: a is the document by which the table is ordered first, b is the other one. */
export const TABLES = {
  /** A candidate pair. Value: agreement f64, accepted u8, jaccard f64 (NaN: none), a in b f64, b in a f64. */
  candidates: 1,
  /** Two members of one class; a is its first member (or with --expand-identical any earlier one). Value: kindOfPair u8. */
  identical: 2,
  /** a is dropped, b is kept. Value: jaccard f64, reason u8. */
  dropped: 3,
  /** a is the representative, b a document of its cluster (also a itself). Value: similarity f64, basis u8. */
  clusters: 4,
} as const;

/** Bytes of the value of a row without ids, by table. */
export const TABLE_BYTES: Readonly<Record<number, number>> = {
  [TABLES.candidates]: 33,
  [TABLES.identical]: 1,
  [TABLES.dropped]: 9,
  [TABLES.clusters]: 9,
};

/**
 * Offsets in the ordered keys, and the values of `what`, in their order: documents, what makes one a member of a class, then its rows
 * by table.
 */
export const ORDER = {
  ...{ rankAt: 4, whatAt: 12 },
  ...{ document: 0, member: 1, pairs: 2, dropped: 3, clusters: 4 },
} as const;

/** Offsets of the fields of b, from the end of the row's own value. */
export const OF_SECOND = { flags: 0, isNamed: 1, place: 2, id: 18 } as const;

/** Values of kindOfPair and of reason (why a document is dropped). */
export const IDENTICAL = 0;
export const SAME_TOKENS = 1;
export const NEAR = 2;

/** Lengths of fields, in bytes. */
export const KIND = 1;
export const RANK = 8;
export const CONTENT = 16;
/** The first bytes of a content key, which places and the heads of sketches have. */
export const CONTENT_HEAD = 4;
export const SPLIT = 12;
export const PLACE = 16;
/** Length of facts: flags u8, textKey 16, occurrences f64, textBytes f64, tokens f64. */
export const FACTS = 41;
/** The value of hasId in a skip of a file that is refused as a whole. */
export const REFUSED = 2;
/** The ordinal and the record of a whole file. */
export const WHOLE_ORDINAL = 0xffffffff;
export const WHOLE_RECORD = Number.MAX_SAFE_INTEGER;

/** Offsets of the fields of values. */
export const OF_RANKED = {
  place: 0,
  contentKey: PLACE,
  facts: PLACE + CONTENT,
  /** Of the facts. */
  occurrences: PLACE + CONTENT + 17,
  isNamed: 73,
  id: 74,
} as const;
export const OF_SIGNATURE = { place: 0, slots: PLACE } as const;
/** Length of a bucket's name: band u16, bucket 8. */
export const BUCKET = 10;
export const ID_HASH = 8;
export const OF_CROWD = { members: 0, number: 4 } as const;
export const OF_HOT = { slot: 0, idHash: 4, order: 12, group: 20 } as const;
/** Of samples the fields before `order` are others, of the same length: next fingerprint 8, 0 u32. */
export const OF_HOT_SAMPLE = { idHash: OF_HOT.group + RANK, bytes: OF_HOT.group + RANK + ID_HASH } as const;
/** The kinds of records that are members of hot buckets. */
export const HOT_KINDS: readonly number[] = [KINDS.hot, KINDS.keptHot, KINDS.took];
/** Whether a member of a hot fingerprint relies on frequent ones. `hot`: the value of its record. */
export const reliesIn = (hot: Uint8Array): boolean => (hot[OF_HOT.order + RANK - 1]! & 1) === 1;
export const OF_MEMBER = { kindOfPair: 0, text: 1, order: 5 } as const;
/** Offsets in `member` where documents have groups. */
export const OF_GROUPED = { text: 1, group: 5, order: 13 } as const;
export const OF_LEAD = { text: 0, protected: 4, order: 8 } as const;
export const OF_LED = { protected: 0, aInB: 4, bInA: 12, order: 20 } as const;
export const OF_HEAD = {
  members: 0,
  first: 8,
  made: 16,
  group: 24,
  other: 32,
  ofOther: 40,
  relying: 48,
  runs: 56,
} as const;
export const OF_EVIDENCE = { agreement: 0, accepted: 8, jaccard: 9, aInB: 17, bInA: 25, bytes: 33 } as const;

/** What a task reports: a record of kind `fact`. The counts `in` and `out` leave records of that kind out. */
export interface TaskFact {
  readonly run: string;
  readonly job: string;
  readonly side: 'map' | 'reduce';
  readonly in: number;
  readonly out: number;
  readonly sums: Readonly<Record<string, number>>;
  readonly most: Readonly<Record<string, number>>;
}

/** Whether a key of `member` names the first member of its class. */
export function isFirstMember(key: Uint8Array): boolean {
  for (let i = KIND; i < KIND + RANK; i++) if (key[i] !== key[i + RANK]) return false;
  return true;
}
