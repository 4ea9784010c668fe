/** One block of every kind with every type of column; run as a program, it prints their bytes. */
import { pathToFileURL } from 'node:url';
import {
  BLOCK_KINDS,
  type Block,
  type BlockKind,
  type Column,
  encodeBlock,
  sealBlock,
} from '../../src/blocks/block.js';

export const KINDS = Object.keys(BLOCK_KINDS) as BlockKind[];

export const META: Record<string, unknown> = {
  text: 'ünïcode \0 日本 𝄞, and longer than thirty-two bytes so that msgpack needs another length byte',
  number: 1.5,
  large: 2 ** 40,
  none: null,
  yes: true,
  list: [1, 'two', [3]],
  map: { nested: { deep: -1 } },
};

export function columns(length: number): Record<string, Column> {
  return {
    bytes: Uint8Array.from({ length }, (_, i) => i * 7),
    halves: Uint16Array.from({ length }, (_, i) => i * 9973),
    words: Uint32Array.from({ length }, (_, i) => i * 0x9e3779b1),
    doubles: Float64Array.from({ length }, (_, i) => i / 3),
  };
}

export function sample(kind: BlockKind, length: number, shared = false): Block {
  const block = encodeBlock(kind, META, columns(length), shared);
  sealBlock(block);
  return block;
}

/** Every kind at lengths around the alignment, as hexadecimal lines. */
export function sampleText(): string {
  const lines: string[] = [];
  for (const kind of KINDS) {
    for (const length of [0, 1, 8, 63, 64, 65]) {
      lines.push(
        `${kind} ${length} ${Buffer.from(sample(kind, length).buffer as ArrayBuffer).toString('hex')}`,
      );
    }
  }
  return lines.join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(sampleText());
