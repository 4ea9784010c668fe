/**
 * Records that hold many documents, or sketches of documents: a record of its own for each would cost more than what is done with it.
 *
 *      bodies
 *      heads       of each: where its body ends u32, and fields of one length
 *      count       u32
 *      head        u32: bytes of each head
 */
import { FieldWriter, type RecordSink, u32At } from './records.js';

/** Bytes of a record, about: the engine on disk writes blocks of 128 KB. */
const GATHERED = 120_000;
/** Bytes of the end of a body, and behind the heads. */
const [END, BEHIND] = [4, 8];

/** Gathers what it is given in records with one key; by default a kind alone. */
export class GatheredRecords {
  /** The key of the next record. */
  readonly key = new FieldWriter();
  private readonly heads = new FieldWriter();
  private readonly bodies = new FieldWriter();
  private readonly out: RecordSink;
  private count = 0;

  constructor(kind: number, out: RecordSink) {
    this.key.kind(kind);
    this.out = out;
  }

  /** Adds [from, to) of some bytes as a body. Returns what the caller appends the fields of its head to, as many bytes for each. */
  add(bytes: Uint8Array, from: number, to: number): FieldWriter {
    const { heads, bodies } = this;
    if (!this.hasRoom(to - from)) this.flush();
    this.count++;
    return heads.u32(bodies.raw(bytes, from, to).size);
  }

  /** Whether a body of so many bytes goes into the record that is held; false: none is held. */
  hasRoom(bytes: number): boolean {
    return this.count > 0 && this.heads.size + this.bodies.size + bytes <= GATHERED;
  }

  /** Writes what is held. */
  flush(): void {
    const { heads, bodies, count } = this;
    if (count === 0) return;
    bodies
      .raw(heads.view)
      .u32(count)
      .u32(heads.size / count);
    this.out.put(this.key.view, bodies.view);
    heads.reset();
    bodies.reset();
    this.count = 0;
  }
}

/** Reads a record: `open` it, then `next` until nothing is left in it. */
export class GatheredReading {
  /** The value of the record, with the offsets of the fields of the current head and of its body. */
  bytes: Uint8Array = new Uint8Array(0);
  head = 0;
  headEnd = 0;
  from = 0;
  to = 0;
  private size = 0;
  private end = 0;

  /** @param value of the record: read from as long as `next` is called */
  open(value: Uint8Array): void {
    this.bytes = value;
    this.to = 0;
    this.end = value.length - BEHIND;
    this.size = u32At(value, this.end + 4);
    this.headEnd = this.end - u32At(value, this.end) * this.size;
  }

  /** False: nothing is left. */
  next(): boolean {
    const { bytes, headEnd } = this;
    if (headEnd === this.end) return false;
    this.from = this.to;
    this.to = u32At(bytes, headEnd);
    this.head = headEnd + END;
    this.headEnd = headEnd + this.size;
    return true;
  }
}
