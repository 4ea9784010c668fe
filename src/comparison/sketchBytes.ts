/**
 * A sketch as bytes, to keep it or send it, and back.
 *
 *      0   4   "MMSK"
 *      4   2   version of this layout and of the hash functions, 1
 *      6   2   1: the text was empty, else 0
 *      8   4   P, bytes of the parameters
 *      12  4   N, slots
 *      16  P   the parameters, JSON in UTF-8
 *          4N  the slots
 *          4   CRC-32 of all bytes before it
 *
 * Numbers are little-endian, on every machine. Floor 4. Pure.
 */
import { crc32 } from '../blocks/crc32.js';
import { kindOf } from '../errors/valueKind.js';
import { MinHashError } from '../errors.js';
import { checkSketch, parametersOf, type Sketch } from './sketchValue.js';

const MAGIC = [0x4d, 0x4d, 0x53, 0x4b] as const;
const VERSION = 1;
const HEAD = 16;
const TAIL = 4;

/**
 * The bytes of a sketch, the same on every machine: 20, the parameters (some 100) and 4 a slot. `sketchFromBytes` makes it
 * again. The sketch of an empty text is kept as well.
 *
 * @throws MinHashError SKETCH_INVALID for a value that is no sketch
 */
export function sketchToBytes(sketch: Sketch): Uint8Array {
  checkSketch(sketch, 'sketch');
  const parameters = new TextEncoder().encode(sketch.parameters);
  const { slots } = sketch;
  const bytes = new Uint8Array(HEAD + parameters.length + 4 * slots.length + TAIL);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint16(4, VERSION, true);
  view.setUint16(6, sketch.empty ? 1 : 0, true);
  view.setUint32(8, parameters.length, true);
  view.setUint32(12, slots.length, true);
  bytes.set(parameters, HEAD);
  slots.forEach((slot, i) => {
    view.setUint32(HEAD + parameters.length + 4 * i, slot, true);
  });
  view.setUint32(bytes.length - TAIL, crc32(bytes.subarray(0, -TAIL)), true);
  return bytes;
}

/**
 * The sketch that `sketchToBytes` made bytes of: equal to it, and comparable with sketches of the same parameters.
 *
 * @throws MinHashError SKETCH_INVALID for bytes that are none of a sketch, are of another version, are cut off or too many,
 * do not match their checksum, or have parameters that no sketch has
 */
export function sketchFromBytes(bytes: Uint8Array): Sketch {
  if (!(bytes instanceof Uint8Array)) {
    throw damaged(`expected the Uint8Array that sketchToBytes gave, got ${kindOf(bytes)}`);
  }
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) throw damaged('they are not those of a sketch');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD + TAIL) throw damaged(`they end after ${bytes.length}, within their head`);
  const version = view.getUint16(4, true);
  if (version !== VERSION) throw damaged(`they are of version ${version}, expected ${VERSION}`);
  const end = HEAD + view.getUint32(8, true);
  const length = end + 4 * view.getUint32(12, true) + TAIL;
  if (bytes.length !== length) throw damaged(`they are ${bytes.length}, expected ${length}`);
  if (view.getUint32(length - TAIL, true) !== crc32(bytes.subarray(0, -TAIL))) {
    throw damaged('they do not match their checksum');
  }
  const parameters = new TextDecoder().decode(bytes.slice(HEAD, end));
  const found = parametersOf(parameters);
  const slots = Uint32Array.from({ length: view.getUint32(12, true) }, (_, i) =>
    view.getUint32(end + 4 * i, true),
  );
  const state = view.getUint16(6, true);
  if (found === null || found.hashes !== slots.length || state > 1) {
    throw damaged('their parameters are not those of a sketch');
  }
  return { slots, empty: state === 1, parameters };
}

function damaged(problem: string): MinHashError {
  return new MinHashError({ code: 'SKETCH_INVALID', detail: `bytes: ${problem}` });
}
