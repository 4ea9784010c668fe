/**
 * Joins the chunks of a split build that one step of the program loads together. There is a chunk for each set of
 * entry points that share code, and loading one takes a millisecond.
 *
 * A layer is one file with all exports of its chunks. Each name has the prefix of its chunk, because two chunks may
 * use the same name.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

/** An import from a neighbouring file, as esbuild writes it: with names, or for its effects only. */
const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/([^"]+)";\n/gm;

const idOf = (chunk) => chunk.replace(/\W/g, '_');

/** The chunks that these entry points load, without the entry points; `files` is by name. */
function chunksOf(files, entryPoints) {
  const found = new Set();
  const visit = ({ imports }) => {
    for (const { path, kind } of imports) {
      const name = basename(path);
      if (kind !== 'import-statement' || !(name in files) || found.has(name)) continue;
      found.add(name);
      visit(files[name]);
    }
  };
  for (const entry of entryPoints) {
    const file = Object.values(files).find(({ entryPoint }) => entryPoint?.endsWith(entry));
    if (file === undefined)
      throw new Error(`${entry} is not loaded dynamically, so a layer cannot begin with it`);
    visit(file);
  }
  return [...found].filter((name) => files[name].entryPoint === undefined);
}

/**
 * The source with imports from chunks replaced by imports from their layers; imports from chunks of the same layer,
 * `own`, are kept. `layerOf` is by the name of a chunk.
 */
function rewritten(source, layerOf, own) {
  const bare = new Set();
  return source.replace(IMPORT, (statement, names, file) => {
    const layer = layerOf.get(file);
    if (layer === undefined || layer === own) return statement;
    if (names === undefined) {
      if (bare.has(layer)) return '';
      bare.add(layer);
      return `import "./${layer}";\n`;
    }
    const renamed = names.split(',').map((name) => {
      const [imported, local = imported] = name.trim().split(' as ');
      return `${idOf(file)}_${imported} as ${local}`;
    });
    return `import { ${renamed.join(', ')} } from "./${layer}";\n`;
  });
}

/**
 * Joins chunks in place. `layers`: by file name, the entry points (ends of their paths) whose chunks a layer has,
 * without those of earlier layers.
 */
export async function joinLayers(outdir, { outputs }, layers, settings) {
  const files = Object.fromEntries(Object.entries(outputs).map(([path, file]) => [basename(path), file]));
  const layerOf = new Map();
  for (const [layer, entryPoints] of Object.entries(layers)) {
    for (const chunk of chunksOf(files, entryPoints)) if (!layerOf.has(chunk)) layerOf.set(chunk, layer);
  }
  const textOf = (name) => rewritten(readFileSync(join(outdir, name), 'utf8'), layerOf, layerOf.get(name));
  const chunksIn = (layer) => [...layerOf.keys()].filter((chunk) => layerOf.get(chunk) === layer);
  const joined = Object.keys(layers).map(async (layer) => {
    const exported = chunksIn(layer).map((chunk) => {
      const names = files[chunk].exports.map((name) => `${name} as ${idOf(chunk)}_${name}`);
      return `export { ${names.join(', ')} } from './${chunk}';`;
    });
    const plugin = {
      name: 'layer',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^\.\// }, ({ path, kind }) =>
          kind === 'import-statement' && layerOf.get(basename(path)) === layer
            ? { path: resolve(outdir, path) }
            : { path, external: true },
        );
        onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: textOf(basename(path)) }));
      },
    };
    const stdin = { contents: exported.join('\n'), resolveDir: outdir };
    const { outputFiles } = await build({ ...settings, stdin, plugins: [plugin], write: false });
    return [layer, outputFiles[0].text];
  });
  const written = await Promise.all(joined);
  for (const name of Object.keys(files)) {
    if (layerOf.has(name)) rmSync(join(outdir, name));
    else writeFileSync(join(outdir, name), textOf(name));
  }
  for (const [layer, text] of written) writeFileSync(join(outdir, layer), text);
}
