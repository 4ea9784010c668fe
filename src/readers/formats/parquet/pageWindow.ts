/**
 * The pages of one column of one row group, read one after the other: memory holds a page, not the column.
 */
import { crc32 } from '../../../arrays/checksum.js';
import { readInto } from '../../bytes/wholeFiles.js';
import type { Chunk } from './footer.js';
import { CutOff, ParquetFault, structIn, type ThriftStruct } from './thrift.js';

/** Bytes that are read with the data of a page, for the header of the next one; and for a header whose page may be skipped. */
const HEADER_BYTES = 4096;

/** A header may hold the least and the greatest value of its page. */
const MOST_HEADER = 64 << 20;

/** A page by its header; `kind` as in PageType. */
export interface PageHeader {
  readonly kind: number;
  /** Bytes of its data as they are, and unpacked. */
  readonly packed: number;
  readonly unpacked: number;
  /** Checksum of the packed data; null: there is none. */
  readonly checksum: number | null;
  /** The fields of its kind; null for unknown kinds. */
  readonly facts: ThriftStruct | null;
}

export const DATA_PAGE = 0;
export const DICTIONARY_PAGE = 2;
export const DATA_PAGE_V2 = 3;

/** By kind: the field of the header with its facts. */
const FACTS: Readonly<Record<number, number>> = { [DATA_PAGE]: 5, [DICTIONARY_PAGE]: 7, [DATA_PAGE_V2]: 8 };

/** A page that is unpacked. */
export interface KeptPage {
  /** Where its data stand in the file. */
  at: number;
  bytes: Uint8Array | null;
}

/** Parameters for reading the pages of a file. */
export interface OpenPages {
  readonly descriptor: number;
  /** Unpacked bytes above which a page is not read. */
  readonly mostPage: number;
  /** Called with the bytes of a page before it is read: memory may have no room for it. */
  readonly room?: (bytes: number) => void;
  /** The last large page, for the next split that has rows of it; null: no split follows. */
  readonly kept: KeptPage | null;
  /** Called before every read. */
  readonly progress: () => void;
}

export class PageWindow {
  private readonly open: OpenPages;
  private readonly to: number;
  /** In the file. */
  private position: number;
  private held = new Uint8Array(0);
  /** Where the held bytes stand in the file. */
  private start = 0;

  constructor(open: OpenPages, chunk: Chunk) {
    this.open = open;
    this.position = chunk.from;
    this.to = chunk.to;
  }

  /** The place in the file. */
  get at(): number {
    return this.position;
  }

  get isAtEnd(): boolean {
    return this.position >= this.to;
  }

  /** The header at this place; the window is behind it then. @throws ParquetFault */
  header(): PageHeader {
    for (let wanted = 64; ; wanted = 4 * this.bytes(wanted).length) {
      let header: ReturnType<typeof structIn>;
      try {
        header = structIn(this.bytes(wanted));
      } catch (error) {
        const more = this.to - this.position;
        if (!(error instanceof CutOff) || this.bytes(wanted).length >= Math.min(more, MOST_HEADER))
          throw error;
        continue;
      }
      this.position += header.end;
      return this.checked(header.struct);
    }
  }

  private checked(header: ThriftStruct): PageHeader {
    const kind = header.number(1);
    const packed = header.count(3);
    const unpacked = header.count(2);
    if (packed > this.to - this.position) throw new CutOff();
    const field = FACTS[kind];
    const facts = field === undefined ? null : header.struct(field);
    if (field !== undefined && facts === null) throw new ParquetFault();
    return { kind, packed, unpacked, checksum: header.has(4) ? header.number(4) : null, facts };
  }

  /** Skips the data of a page. */
  pass({ packed }: PageHeader): void {
    this.position += packed;
  }

  /** The data of a page, as they are. They are not overwritten later. @throws ParquetFault */
  data({ packed, unpacked, checksum }: PageHeader): Uint8Array {
    const size = Math.max(packed, unpacked);
    if (size > this.open.mostPage) throw new ParquetFault('TOO_LARGE');
    this.open.room?.(size);
    const bytes = this.bytes(packed).subarray(0, packed);
    if (bytes.length < packed) throw new CutOff();
    if (checksum !== null && crc32(bytes) >>> 0 !== checksum >>> 0) throw new ParquetFault();
    this.position += packed;
    // The held bytes are not needed once the data are unpacked.
    this.held = this.bytes(0).slice();
    this.start = this.position;
    return bytes;
  }

  /** At least so many bytes from this place on, or all that are left. */
  private bytes(wanted: number): Uint8Array {
    const at = this.position - this.start;
    const isHeld = at >= 0 && at <= this.held.length;
    const have = isHeld ? this.held.length - at : 0;
    if (have >= wanted || this.start + this.held.length === this.to) {
      if (isHeld) return this.held.subarray(at);
    }
    this.open.progress();
    const size = Math.min(wanted + HEADER_BYTES, this.to - this.position);
    const held = new Uint8Array(size);
    if (have > 0) held.set(this.held.subarray(at, at + Math.min(have, size)));
    const end = readInto(this.open.descriptor, held, Math.min(have, size), this.position + have);
    if (end < 0) throw new ParquetFault('UNREADABLE');
    if (end < size) throw new CutOff();
    this.held = held;
    this.start = this.position;
    return held;
  }
}
