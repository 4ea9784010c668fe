/** The rules of the house: who may import whom, where the platform may be touched, and what no file may hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import ts from 'typescript';

/** Bundled with the parsers that few runs need. */
const PARSER_PACKAGES = [
  ...['htmlparser2', 'entities', 'hyparquet', 'hyparquet-compressors', 'hyparquet-writer'],
];
/** Floors from the ground up; a room imports its own floor and lower ones. DESIGN of the house: ARCHITECTURE.md. */
const FLOORS: readonly Omit<Room, 'floor' | 'mayImport'>[] = [
  { files: ['src/errors.ts'], node: false, packages: [] },
  { files: ['src/arrays/'], node: false, packages: [] },
  { files: ['src/text/'], node: false, packages: [] },
  { files: ['src/sketch/'], node: false, packages: [] },
  { files: ['src/analysis/methods/'], node: false, packages: [] },
  { files: ['src/blocks/'], node: false, packages: ['msgpackr'] },
  { files: ['src/kernel/'], node: false, packages: [] },
  { files: ['mappers/', 'reducers/'], node: false, packages: [] },
  { files: ['src/options/'], node: true, packages: [] },
  { files: ['src/store/'], node: true, packages: ['msgpackr'] },
  {
    files: ['src/readers/'],
    node: true,
    packages: [...PARSER_PACKAGES, '@aws-sdk/client-s3'],
  },
  { files: ['src/result/'], node: true, packages: ['msgpackr'] },
  { files: ['src/tasks/'], node: true, packages: [] },
  { files: ['src/engines/'], node: true, packages: ['piscina'] },
  { files: ['src/index/'], node: true, packages: [] },
  { files: ['src/coordinator/'], node: true, packages: [] },
  { files: ['src/analysis/'], node: false, packages: [] },
  { files: ['src/view/page/'], node: false, packages: [] },
  { files: ['src/view/'], node: true, packages: [] },
  { files: ['src/core.ts'], node: false, packages: [] },
  { files: ['src/index.ts'], node: false, packages: [] },
  { files: ['cli/'], node: true, packages: ['commander'] },
];

interface Room {
  readonly floor: number;
  /** Folders end with a slash. The first room that holds a file has it. */
  readonly files: readonly string[];
  readonly mayImport: readonly string[];
  /** Node's modules and globals; rooms without them have neither clock nor chance. */
  readonly node: boolean;
  readonly packages: readonly string[];
}

/** The command line: the only place that prints. */
const TOP = FLOORS.length - 1;

/** Only tasks open mappers and reducers to run them; higher rooms import their types and what the coordinator calls itself. */
const ROOMS: readonly Room[] = FLOORS.flatMap((room, floor) => {
  const below = FLOORS.slice(0, floor + 1).flatMap(({ files }) => files);
  // Mappers and reducers never import each other.
  if (room.files.length === 1) return [{ ...room, floor, mayImport: below }];
  const lower = FLOORS.slice(0, floor).flatMap(({ files }) => files);
  return room.files.map((folder) => ({ ...room, floor, files: [folder], mayImport: [...lower, folder] }));
});

const TREES = ['src', 'mappers', 'reducers', 'cli'];
/** The library for browsers and other runtimes. */
const CORE = 'src/core.ts';
const GENERATED = ['src/sketch/formatNames.ts', 'src/text/unicode/table.ts'];
const DEFAULT_EXPORTS = ['src/engines/worker.ts'];
/** Who may hide a type by a cast: blocks and kernel, which lay types over bytes. */
const CASTS = /^src\/(blocks|kernel)\//;
/** Type names that two files export. The list may only shrink. */
const TWICE_EXPORTED: readonly string[] = [];
/** Base names that stand in two rooms; mappers, reducers, the kernel's sources and commands repeat names on purpose. */
const SHARED_NAMES: readonly string[] = [
  'engine.ts',
  'table.ts',
  // Until the pairs of src/blocks/ are removed.
  'pairs.ts',
];
const REPEATING = /^(mappers|reducers|cli|src\/kernel\/assembly)\//;
const EMPTY_NAMES = /^(utils?|utilities|helpers?|commons?|misc|lib)$/i;
/** Globals of the platform, the clock and chance. */
const IMPURE = ['Buffer', 'process', 'require', '__dirname', '__filename', 'Date', 'performance'];

function holds(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => {
    if (pattern.endsWith('/')) return path.startsWith(pattern);
    const [start, end] = pattern.split('*') as [string, string | undefined];
    if (end === undefined) return path === pattern;
    const middle = path.slice(start.length, path.length - end.length);
    return path.startsWith(start) && path.endsWith(end) && !middle.includes('/');
  });
}

/** A name that stands for itself here: no property, no key, and not declared in this file. */
function isGlobal(node: ts.Identifier, declared: ReadonlySet<string>): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node)
    return false;
  return !declared.has(node.text);
}

function specifierOf(node: ts.Node): string | null {
  let specifier: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    specifier = node.arguments[0];
  } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    specifier = node.argument.literal;
  return specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : null;
}

/** Every node of a file, without recursion into the depth of the tree. */
function nodesOf(source: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [source];
  for (let i = 0; i < nodes.length; i++) {
    ts.forEachChild(nodes[i]!, (child) => {
      nodes.push(child);
    });
  }
  return nodes;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return (
    ts.canHaveModifiers(node) &&
    node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true
  );
}

/** What a file imports, and the violations of the file alone. */
function factsOf(path: string, text: string, room: Room): { specifiers: string[]; problems: string[] } {
  const nodes = nodesOf(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  const declared = new Set<string>();
  for (const node of nodes) {
    const name = 'name' in node ? (node.name as ts.Node | undefined) : undefined;
    if (name !== undefined && ts.isIdentifier(name) && !ts.isPropertyAccessExpression(node))
      declared.add(name.text);
  }
  const specifiers: string[] = [];
  const problems = new Set<string>();
  for (const node of nodes) {
    const specifier = specifierOf(node);
    if (specifier !== null) specifiers.push(specifier);
    if (node.kind === ts.SyntaxKind.AnyKeyword) problems.add('has the type any');
    if (isDefaultExport(node) && !DEFAULT_EXPORTS.includes(path)) problems.add('has a default export');
    if (!room.node && ts.isPropertyAccessExpression(node) && /^Math\.random$/.test(node.getText())) {
      problems.add('uses Math.random');
    }
    if (!ts.isIdentifier(node) || !isGlobal(node, declared)) continue;
    if (node.text === 'console' && room.floor < TOP) problems.add('prints with console');
    if (!room.node && IMPURE.includes(node.text)) problems.add(`uses the global ${node.text}`);
  }
  if (/@ts-(ignore|expect-error|nocheck)/.test(text)) problems.add('silences the compiler');
  const words = path.replace(/\.ts$/, '').split(/[/._-]|(?<=[a-z])(?=[A-Z])/);
  if (words.some((word) => EMPTY_NAMES.test(word))) problems.add('has a name that says nothing');
  return { specifiers, problems: [...problems] };
}

function importProblem(room: Room, specifier: string, target: string | null): string | null {
  if (target !== null) return holds(room.mayImport, target) ? null : `may not import ${target}`;
  if (specifier.startsWith('node:')) return room.node ? null : `may not import ${specifier}`;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return room.packages.includes(name) ? null : `may not import the package ${name}`;
}

/** One ring of imports, or null: follows arrows in depth with a stack of its own. */
function cycleIn(arrows: ReadonlyMap<string, readonly string[]>): string[] | null {
  const finished = new Set<string>();
  for (const start of arrows.keys()) {
    const path: string[] = [start];
    const next: number[] = [0];
    while (path.length > 0) {
      const at = path.length - 1;
      const target = arrows.get(path[at]!)?.[next[at]!++];
      if (target === undefined) {
        finished.add(path.pop()!);
        next.pop();
      } else if (path.includes(target)) return [...path.slice(path.indexOf(target)), target];
      else if (!finished.has(target)) {
        path.push(target);
        next.push(0);
      }
    }
  }
  return null;
}

/** Every violation in a tree of files, as sentences that begin with the path. */
function violationsIn(files: ReadonlyMap<string, string>): string[] {
  const violations: string[] = [];
  const arrows = new Map<string, string[]>();
  for (const [path, text] of files) {
    const room = ROOMS.find(({ files: patterns }) => holds(patterns, path));
    if (room === undefined) {
      violations.push(`${path} is in no room`);
      continue;
    }
    const { specifiers, problems } = factsOf(path, text, room);
    violations.push(...problems.map((problem) => `${path} ${problem}`));
    const targets: string[] = [];
    for (const specifier of specifiers) {
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')
        : null;
      if (target !== null) targets.push(target);
      const problem = importProblem(room, specifier, target);
      if (problem !== null) violations.push(`${path} ${problem}`);
    }
    arrows.set(path, targets);
  }
  const cycle = cycleIn(arrows);
  if (cycle !== null) violations.push(`cycle: ${cycle.join(' -> ')}`);
  return violations;
}

/** The folder of package.json: the tests run compiled, from below `dist`. */
function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function readTrees(trees: readonly string[] = TREES): Map<string, string> {
  const files = new Map<string, string>();
  const root = projectFolder();
  for (const tree of trees) {
    if (!existsSync(join(root, tree))) continue;
    for (const entry of readdirSync(join(root, tree), { recursive: true, encoding: 'utf8' }).sort()) {
      const path = posix.join(tree, entry.replaceAll('\\', '/'));
      // Types of packages that declare none are no modules of ours.
      if (path.endsWith('.ts') && !path.endsWith('.d.ts'))
        files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  }
  return files;
}

test('the code keeps the rules of the house', (t) => {
  const files = readTrees();
  t.true(files.size > 5);
  t.deepEqual(violationsIn(files), []);
});

/** What a file loads when it is loaded: of ours by path, of others by name. Types are not loaded. */
function loadedBy(files: ReadonlyMap<string, string>, start: string): string[] {
  const loaded = [start];
  for (const path of loaded) {
    if (!path.endsWith('.ts')) continue;
    const source = ts.createSourceFile(path, files.get(path) ?? '', ts.ScriptTarget.ES2022, true);
    for (const node of nodesOf(source)) {
      const specifier = ts.isImportTypeNode(node) || isTypeOnly(node) ? null : specifierOf(node);
      if (specifier === null) continue;
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')
        : specifier;
      if (!loaded.includes(target)) loaded.push(target);
    }
  }
  return loaded;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isExportDeclaration(node) && node.isTypeOnly;
}

test('the core loads no module of Node, no package, and no room that is above the options', (t) => {
  const loaded = loadedBy(readTrees(), CORE);
  t.true(loaded.length > 40, `${loaded.length} files`);
  const allowed = /^src\/(errors\.ts|core\.ts|(arrays|text|sketch|kernel|options|analysis)\/.*)$/;
  t.deepEqual(
    loaded.filter((path) => !allowed.test(path)),
    [],
  );
  const planted = new Map([
    [
      CORE,
      "import type { A } from './a.js'; import { type B, c } from './c.js'; export type * from './d.js';",
    ],
    ['src/c.ts', "export { e } from 'node:os';"],
  ]);
  t.deepEqual(loadedBy(planted, CORE), [CORE, 'src/c.ts', 'node:os']);
});

test('no cast hides a type outside blocks and kernel', (t) => {
  const found = [...readTrees()].filter(
    ([path, text]) => !CASTS.test(path) && text.includes('as unknown as'),
  );
  t.deepEqual(
    found.map(([path]) => path),
    [],
  );
});

/** A file as the rules for names see it. */
interface Declarations {
  /** Exported names of values; `types` are those of interfaces, type aliases and classes. */
  readonly values: readonly string[];
  readonly types: readonly string[];
  /** `path name` for each imported name, `path *` where all of a file are. */
  readonly imports: readonly string[];
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function isTypeDeclaration(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

/** The names that a statement declares. */
function namesOf(node: ts.Node): string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap(namesOf);
  if (ts.isVariableDeclaration(node) && !ts.isIdentifier(node.name)) {
    return node.name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOf(element) : []));
  }
  const name = 'name' in node ? (node.name as ts.Node | undefined) : undefined;
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

/** What an import or export from `path` takes of the other file: names, or `*`. */
function takenBy(node: ts.Node): string[] {
  let taken: ts.Node | undefined;
  if (ts.isImportDeclaration(node)) taken = node.importClause?.namedBindings;
  else if (ts.isExportDeclaration(node)) taken = node.exportClause;
  else if (ts.isImportTypeNode(node)) return [node.qualifier?.getText() ?? '*'];
  if (taken === undefined || !(ts.isNamedImports(taken) || ts.isNamedExports(taken))) return ['*'];
  return taken.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

function declarationsOf(path: string, text: string): Declarations {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found = { values: [] as string[], types: [] as string[], imports: [] as string[] };
  for (const node of nodesOf(source)) {
    if (isExported(node)) {
      const isType = isTypeDeclaration(node);
      if (isType) found.types.push(...namesOf(node));
      if (!isType || ts.isClassDeclaration(node)) found.values.push(...namesOf(node));
    }
    const specifier = specifierOf(node);
    if (specifier?.startsWith('.')) {
      const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
      found.imports.push(...takenBy(node).map((name) => `${target} ${name}`));
    }
  }
  return found;
}

function declarationsIn(files: ReadonlyMap<string, string>): Map<string, Declarations> {
  return new Map([...files].map(([path, text]) => [path, declarationsOf(path, text)]));
}

/** Keys that several of the pairs have. */
function repeated(pairs: Iterable<readonly [key: string, place: string]>): string[] {
  const places = new Map<string, Set<string>>();
  for (const [key, place] of pairs) places.set(key, (places.get(key) ?? new Set()).add(place));
  return [...places].flatMap(([key, { size }]) => (size > 1 ? [key] : [])).sort();
}

function typesTwice(files: ReadonlyMap<string, string>): string[] {
  const pairs = [...declarationsIn(files)].flatMap(([path, { types }]) =>
    types.map((type) => [type, path] as const),
  );
  return repeated(pairs.filter(([, path]) => path.startsWith('src/')));
}

function baseNamesTwice(paths: Iterable<string>): string[] {
  return repeated(
    [...paths].filter((path) => !REPEATING.test(path)).map((path) => [posix.basename(path), path]),
  );
}

/** Values that `files` export and no file in `importers` takes; types may be exported for declaration files alone. */
function unimported(files: ReadonlyMap<string, string>, importers: ReadonlyMap<string, string>): string[] {
  const taken = new Set([...declarationsIn(importers).values()].flatMap(({ imports }) => imports));
  return [...declarationsIn(files)].flatMap(([path, { values }]) =>
    [...DEFAULT_EXPORTS, CORE, 'src/index.ts'].includes(path) ||
    path.startsWith('src/kernel/assembly/') ||
    taken.has(`${path} *`)
      ? []
      : values.filter((name) => !taken.has(`${path} ${name}`)).map((name) => `${path} ${name}`),
  );
}

/** Whether a file begins with a comment that says what it holds. */
const hasHeader = (text: string): boolean => /^(?:#!.*\n)?\/\*\*[\s\S]*?\*\//.test(text);

/** Differences between what was found and a list of exceptions, in both directions, so that the list stays short. */
function againstList(found: readonly string[], exceptions: readonly string[]): string[] {
  return [
    ...found.filter((one) => !exceptions.includes(one)).map((one) => `${one} breaks the rule`),
    ...exceptions.filter((one) => !found.includes(one)).map((one) => `${one} no longer needs its exception`),
  ];
}

test('no two files of src export a type of one name', (t) => {
  t.deepEqual(againstList(typesTwice(readTrees()), TWICE_EXPORTED), []);
});

test('no two rooms have a file of one name', (t) => {
  t.deepEqual(againstList(baseNamesTwice(readTrees().keys()), SHARED_NAMES), []);
});

test('every export has an importer', (t) => {
  const product = readTrees();
  const all = new Map([...product, ...readTrees(['test', 'benchmarks'])]);
  t.deepEqual(unimported(product, all), []);
});

test('every file begins with what it holds', (t) => {
  for (const [path, text] of readTrees()) if (!GENERATED.includes(path)) t.true(hasHeader(text), path);
});

test('the checkers of names and headers find what they look for', (t) => {
  const files = new Map([
    ['src/store/a.ts', 'export interface Twin { a: 1 }\nexport const [, one, far] = [0, 1, 2];\n'],
    ['src/result/a.ts', "import { one } from '../store/a.js';\nexport type Twin = typeof one;\n"],
    ['src/result/b.ts', 'interface Twin { b: 1 }\nexport const here = (t: Twin): void => {};\n'],
    ['mappers/a.ts', "export class Twin {}\nexport * from '../src/result/b.js';\n"],
  ]);
  t.deepEqual(typesTwice(files), ['Twin']);
  t.deepEqual(baseNamesTwice(files.keys()), ['a.ts']);
  t.deepEqual(unimported(files, files), ['src/store/a.ts far', 'mappers/a.ts Twin']);
  t.false(hasHeader('import a from "a";'));
  t.true(hasHeader('#!/usr/bin/env node\n/** One. */\n'));
});

test('names of blocks stand in one table', (t) => {
  const names = readFileSync(join(projectFolder(), 'src/blocks/names.ts'), 'utf8');
  const families = [...names.matchAll(/^ {2}(\w+):\s*'/gm)].map(([, family]) => family);
  t.true(families.length > 25);
  const literal = new RegExp(`\`(${families.join('|')})/\\$\\{`);
  const found = [...readTrees()].filter(
    ([path, text]) =>
      /^src\/(tasks|coordinator)\//.test(path) &&
      text.split('\n').some((line) => !/^\s*(\*|\/)/.test(line) && literal.test(line)),
  );
  t.deepEqual(
    found.map(([path]) => path),
    [],
  );
});

test('the checker allows what the table allows', (t) => {
  const good = {
    'src/errors.ts': 'export const a = { process: 1, Date: 2 }.process;',
    'src/blocks/block.ts':
      "import { pack } from 'msgpackr'; import { a } from '../errors.js'; export { a, pack };",
    'mappers/tiles.ts':
      "import type { B } from '../src/blocks/block.js'; export type M = B; // any console process",
    'src/readers/list/filter.ts':
      "import { join } from 'node:path'; import p from 'entities'; export { join, p };",
    'src/tasks/table.ts': "export * from '../../mappers/tiles.js';",
    'src/engines/worker.ts': 'export default function work(): void { process.exit(1); }',
    'src/coordinator/start/resume.ts': "export * from '../tasks/table.js';",
    'cli/main.ts': "import { a } from '../src/errors.js'; console.log(a, await import('commander'));",
    'src/text/unicode/table.ts': '\n'.repeat(1000),
  };
  t.deepEqual(violationsIn(new Map(Object.entries(good))), []);
});

const PLANTED: Readonly<Record<string, readonly [path: string, text: string]>> = {
  'may not import src/tasks/task.ts': ['src/sketch/a.ts', "import type { T } from '../tasks/task.js';"],
  'may not import reducers/b.ts': ['mappers/a.ts', "export { b } from '../reducers/b.js';"],
  'may not import mappers/a.ts': ['src/text/threads.ts', "const m = await import('../../mappers/a.js');"],
  'may not import src/coordinator/run.ts': ['src/tasks/run.ts', "import '../coordinator/run.js';"],
  'may not import src/blocks/b.ts': ['src/errors.ts', "type B = import('./blocks/b.js').B;"],
  'may not import node:fs': ['src/blocks/a.ts', "import { openSync } from 'node:fs';"],
  'may not import the package piscina': ['src/store/a.ts', "import { Piscina } from 'piscina';"],
  'may not import the package fs': ['src/index.ts', "import fs from 'fs/promises';"],
  'uses the global Buffer': ['src/kernel/a.ts', 'export const a = Buffer.alloc(1);'],
  'uses the global process': ['reducers/a.ts', 'if (process.env.A) throw 1;'],
  'uses the global Date': ['mappers/a.ts', 'export const now = Date.now();'],
  'uses Math.random': ['src/sketch/a.ts', 'export const a = Math.random();'],
  'prints with console': ['src/coordinator/a.ts', 'console.error(1);'],
  'has the type any': ['src/engines/a.ts', 'export function f(a: unknown): any { return a; }'],
  'has a default export': ['src/store/a.ts', 'export default function f(): void {}'],
  'silences the compiler': ['cli/a.ts', '// @ts-ignore\nexport const a = 1;'],
  'has a name that says nothing': ['src/store/fileUtils.ts', ''],
  'is in no room': ['src/misplaced.ts', ''],
};

for (const [problem, [path, text]] of Object.entries(PLANTED)) {
  test(`the checker finds a file that ${problem}`, (t) => {
    t.deepEqual(violationsIn(new Map([[path, text]])), [`${path} ${problem}`]);
  });
}

test('the checker finds a ring of imports', (t) => {
  const ring = new Map([
    ['src/sketch/a.ts', "import './b.js';"],
    ['src/sketch/b.ts', "import './c.js'; import '../errors.js';"],
    ['src/sketch/c.ts', "import type { A } from './a.js';"],
  ]);
  const names = ['a', 'b', 'c', 'a'].map((name) => `src/sketch/${name}.ts`);
  t.deepEqual(violationsIn(ring), [`cycle: ${names.join(' -> ')}`]);
});
