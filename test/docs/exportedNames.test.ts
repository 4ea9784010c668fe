/** Every exported name of the library has a docstring, which editors show. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const files = new Map<string, ts.SourceFile>();

function parsed(path: string): ts.SourceFile {
  const text = (): string => readFileSync(join(ROOT, path), 'utf8');
  const file = files.get(path) ?? ts.createSourceFile(path, text(), ts.ScriptTarget.ES2022, true);
  files.set(path, file);
  return file;
}

/** Names that a file exports from other files: their name there, and the file. */
function reexported(file: ts.SourceFile): Map<string, { readonly name: string; readonly path: string }> {
  const found = new Map<string, { readonly name: string; readonly path: string }>();
  for (const statement of file.statements) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) continue;
    const target = (statement.moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts');
    const path = join(dirname(file.fileName), target);
    if (statement.exportClause === undefined)
      for (const [name, of] of reexported(parsed(path))) found.set(name, of);
    if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) continue;
    for (const { name, propertyName } of statement.exportClause.elements) {
      found.set(name.text, { name: (propertyName ?? name).text, path });
    }
  }
  return found;
}

/** The docstrings of the declarations of a name in a file, or in the file that declares it; null if there is none. */
function docstringsOf(path: string, name: string): string[] | null {
  const file = parsed(path);
  const from = reexported(file).get(name);
  if (from !== undefined) return docstringsOf(from.path, from.name);
  const declared = file.statements.filter((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.some(
        (one) => ts.isIdentifier(one.name) && one.name.text === name,
      );
    }
    return 'name' in statement && (statement.name as ts.Identifier | undefined)?.text === name;
  });
  if (declared.length === 0) return null;
  return declared.flatMap((node) => ts.getJSDocCommentsAndTags(node).map((doc) => doc.getText()));
}

test('every name that the library exports has a docstring', (t) => {
  const names = reexported(parsed('src/index.ts'));
  t.true(names.size > 60, `${names.size} names`);
  const without = [...names].filter(([, { name, path }]) => (docstringsOf(path, name) ?? []).length === 0);
  t.deepEqual(
    without.map(([name, { path }]) => `${name} of ${path}`),
    [],
  );
});
