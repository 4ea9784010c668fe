/** The sources of files below a single folder, by their paths alone. */
import test from 'ava';
import fc from 'fast-check';
import { FileSources } from '../../../src/coordinator/finish/sources.js';
import { PLAIN_TEXT } from '../../../src/readers/list/fileList.js';
import { FileTableBuilder } from '../../../src/readers/list/fileTable.js';

test('files belong to their folder below the PATH, or to the PATH itself', (t) => {
  const part = fc.constantFrom('a', 'a!', 'a0', 'ab', 'b', 'bc');
  const paths = fc.uniqueArray(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  );
  fc.assert(
    fc.property(paths, (all) => {
      // Files come in the order of the bytes of their paths.
      const sorted = all.sort();
      const table = new FileTableBuilder();
      table.addFolder('/in', '');
      for (const path of sorted) table.addFile('', path, PLAIN_TEXT);
      const sources = new FileSources(table.finish(), new Uint32Array(sorted.length).fill(1));
      const names = [...sources.ofFile].map((source) => sources.name(source));
      t.deepEqual(
        names,
        sorted.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.')),
      );
      t.is(sources.length, new Set(names).size);
    }),
  );
});
