/** What arrowTable.ts uses of the modules of flechette that write record batch by record batch, which declare no types. */
interface ArrowSchema {
  readonly version: number;
  readonly endianness: number;
  readonly fields: readonly import('@uwdata/flechette').Field[];
  readonly metadata: null;
}

declare module '@uwdata/flechette/src/encode/builder.js' {
  export class Builder {
    constructor(sink: { write(bytes: Uint8Array): void; pad(count: number): void });
    addBuffer(bytes: Uint8Array): void;
  }
}

declare module '@uwdata/flechette/src/encode/schema.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js';
  export function encodeSchema(builder: Builder, schema: ArrowSchema): number;
}

declare module '@uwdata/flechette/src/encode/record-batch.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js';
  export function encodeRecordBatch(
    builder: Builder,
    batch: {
      readonly nodes: readonly { readonly length: number; readonly nullCount: number }[];
      readonly regions: readonly { readonly offset: number; readonly length: number }[];
      readonly variadic: readonly number[];
    },
  ): number;
}

declare module '@uwdata/flechette/src/encode/message.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js';
  export function writeMessage(
    builder: Builder,
    header: number,
    offset: number,
    bodyLength: number,
    blocks?: object[],
  ): void;
}

declare module '@uwdata/flechette/src/encode/footer.js' {
  import type { Builder } from '@uwdata/flechette/src/encode/builder.js';
  export function writeFooter(
    builder: Builder,
    schema: ArrowSchema,
    dictionaries: readonly object[],
    batches: readonly object[],
    metadata: null,
  ): void;
}

declare module '@uwdata/flechette/src/constants.js' {
  export const MAGIC: Uint8Array;
  export const EOS: Uint8Array;
  export const MessageHeader: { readonly Schema: number; readonly RecordBatch: number };
}
