/** The scanner of JSON lines in the kernel: where a scan ends. */
import test from 'ava';
import { LINE_RECORD, ROW_WORDS } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { kernelModule } from './sketchKernels.js';

test('a scan of lines ends within its input, with or without a final line feed', (t) => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const scanner = createWasmKernel(kernelModule).jsonLines!('text', 'id');
  for (const lines of ['{"text":"a"}', '{"text":"a"}\n{"text":"bc"}']) {
    for (const [end, taken] of [
      ['', 0],
      ['\n', 1],
    ] as const) {
      for (const skew of [0, 1, 7]) {
        const bytes = encode(`${'#'.repeat(skew)}${lines}${end}{`);
        const to = skew + lines.length + taken;
        const records = lines.split('\n').length;
        t.is(scanner.scan(bytes, skew, to, 1000), records);
        t.is(scanner.end, to);
        for (let row = 0; row < records; row++) t.is(scanner.rows[row * ROW_WORDS], LINE_RECORD);
      }
    }
  }
});
