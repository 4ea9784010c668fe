/**
 * Rows of Parquet files as Spark's own reader supplies them: the columns of --text-field and --id-field by Spark's types, and the
 * expression that makes the values of a row (tasks/stream/columnValues.ts).
 *
 * Reads only types that Spark and worker threads turn into the same bytes: strings, integers and booleans. Refuses others.
 */
import { MinHashError } from '../../../errors.js';
import { type FieldPath, idFieldOf, textFieldsOf } from '../../../readers/formats/fields.js';
import { sqlText } from './sparkSql.js';

/** A type, parsed from Spark's notation. */
export type SparkType =
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, SparkType> }
  | { readonly kind: 'array'; readonly of: SparkType }
  | { readonly kind: 'plain' | 'map'; readonly text: string };

const PLAIN = /[^,:<>()]+(?:\([^()]*\))?/y;
const NAME = /`((?:[^`]|``)*)`:|([^:`]*):/y;

/** Reads `struct<a:string,b:array<int>>`. */
class TypeReader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws MinHashError ENGINE_UNUSABLE where the text is no type, or continues after one */
  whole(): SparkType {
    const type = this.type();
    return this.at === this.text.length ? type : this.refuse();
  }

  private type(): SparkType {
    if (this.takes('struct<')) return this.struct();
    if (this.takes('array<')) {
      const of = this.type();
      return this.takes('>') ? { kind: 'array', of } : this.refuse();
    }
    const from = this.at;
    if (this.takes('map<')) {
      this.type();
      if (!this.takes(',')) this.refuse();
      this.type();
      return this.takes('>') ? { kind: 'map', text: this.text.slice(from, this.at) } : this.refuse();
    }
    return { kind: 'plain', text: (this.match(PLAIN) ?? this.refuse())[0] };
  }

  private struct(): SparkType {
    const fields = new Map<string, SparkType>();
    if (this.takes('>')) return { kind: 'struct', fields };
    do {
      const [, quoted, plain] = this.match(NAME) ?? this.refuse();
      const name = plain ?? quoted!.replaceAll('``', '`');
      if (fields.has(name)) this.refuse();
      fields.set(name, this.type());
    } while (this.takes(','));
    return this.takes('>') ? { kind: 'struct', fields } : this.refuse();
  }

  private takes(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private refuse(): never {
    throw unreadable(
      `the columns are ${JSON.stringify(this.text.slice(0, 1000))}: expected names without : , < and > that stand once`,
    );
  }
}

/** @throws MinHashError ENGINE_UNUSABLE */
export const sparkType = (text: string): SparkType => new TypeReader(text).whole();

const unreadable = (why: string): MinHashError =>
  new MinHashError({ code: 'ENGINE_UNUSABLE', detail: `Parquet on Spark: ${why}` });

/** The column that a field option names. */
interface HeldColumn {
  readonly sql: string;
  /** Number of lists around the type. */
  readonly lists: number;
  /** The type inside the lists. */
  readonly type: SparkType;
}

/** The type inside the lists, and their number. */
function withoutLists(type: SparkType): { readonly lists: number; readonly type: SparkType } {
  let [lists, held] = [0, type];
  for (; held.kind === 'array'; held = held.of) lists++;
  return { lists, type: held };
}

/** The column at a path, through lists as worker threads go; null: there is none. */
function columnAt(root: SparkType, steps: readonly string[]): HeldColumn | null {
  let [lists, type] = [0, root];
  for (const step of steps) {
    if (type.kind === 'map') throw unreadable(`${steps.join('.')} leads through a map, which is not read`);
    if (type.kind !== 'struct') return null;
    const field = type.fields.get(step);
    if (field === undefined) return null;
    if (lists > 1) throw unreadable(`${steps.join('.')} leads through lists in lists, which is not read`);
    const held = withoutLists(field);
    lists += held.lists;
    type = held.type;
  }
  return { sql: columnSql(steps), lists, type };
}

function columnSql(steps: readonly string[]): string {
  const quoted = steps.map((step) => `\`${step.replaceAll('`', '``')}\``).join('.');
  // Only IDENTIFIER takes names with escapes.
  return steps.every((step) => /^\w+$/.test(step)) ? quoted : `IDENTIFIER(${sqlText(quoted)})`;
}

/** A field with exactly that name takes precedence over a path. */
function columnOf(root: SparkType, { name, steps }: FieldPath): HeldColumn | null {
  if (/[:,<>`]/.test(name)) throw unreadable(`the name ${JSON.stringify(name)} has one of : , < > and \``);
  return columnAt(root, [name]) ?? columnAt(root, steps);
}

const shown = (type: SparkType): string => (type.kind === 'struct' ? 'columns of its own' : textOf(type));
const textOf = (type: SparkType): string =>
  type.kind === 'plain' || type.kind === 'map' ? type.text : type.kind;

/** The strings of a list that are neither null nor empty, joined by line breaks; null where all are null. */
const joined = (list: string): string =>
  `CASE WHEN exists(${list}, x -> x IS NOT NULL) THEN array_join(filter(${list}, x -> x <> ''), '\\n') END`;

/** The expression for the text of a column, a STRING. */
function textSql(name: string, { sql, lists, type }: HeldColumn): string {
  if (type.kind !== 'plain' || type.text !== 'string')
    throw unreadable(`the column ${name} of --text-field is ${shown(type)}: expected strings`);
  if (lists === 0) return sql;
  let list = sql;
  for (let i = 1; i < lists; i++) list = `flatten(filter(${list}, x -> x IS NOT NULL))`;
  return joined(list);
}

/** Types whose STRING form equals their JSON form. */
const ID_TYPES = ['string', 'tinyint', 'smallint', 'int', 'bigint', 'boolean'];

function idSql(name: string, { sql, lists, type }: HeldColumn): string {
  if (lists > 0 || type.kind !== 'plain' || !ID_TYPES.includes(type.text)) {
    const what = lists > 0 ? 'a list' : shown(type);
    throw unreadable(
      `the column ${name} of --id-field is ${what}: expected strings, integers of at most 64 bits, signed, or booleans`,
    );
  }
  return `CAST(${sql} AS STRING)`;
}

/**
 * The expression for the values of a table's row, a BINARY.
 *
 * @throws MinHashError ENGINE_UNUSABLE where there is no text, or where Spark shows a type otherwise than worker threads do
 */
export function valuesSql(
  root: SparkType,
  { textField, idField }: { readonly textField: string; readonly idField: string },
): string {
  const texts = textFieldsOf(textField).flatMap((wish) => {
    const column = columnOf(root, wish);
    return column === null ? [] : [textSql(wish.name, column)];
  });
  if (texts.length === 0) {
    const names = root.kind === 'struct' ? [...root.fields.keys()].join(', ') : '';
    throw unreadable(
      `there is no column ${JSON.stringify(textField)}, as --text-field asks for; there are ${names}`,
    );
  }
  const text = texts.length === 1 ? texts[0]! : joined(`array(${texts.join(', ')})`);
  const wish = idFieldOf(idField);
  const column = columnOf(root, wish);
  const id = column === null ? 'CAST(NULL AS STRING)' : idSql(wish.name, column);
  const head = `concat(CASE WHEN ${text} IS NULL THEN '0' ELSE '1' END, lpad(hex(coalesce(octet_length(${id}), 0)), 8, '0'))`;
  const bytes = (sql: string): string => `coalesce(CAST(${sql} AS BINARY), X'')`;
  return `concat(CAST(${head} AS BINARY), ${bytes(id)}, ${bytes(text)})`;
}

/** Selects the number of a table and the type of its columns; a table without rows gives no row. */
export const columnsSql = (table: string, number: number, mark: (value: string) => string): string =>
  `SELECT ${mark(`concat('${number} ', typeof(struct(*)))`)} FROM ${table} LIMIT 1`;
