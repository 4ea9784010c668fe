/** What a reader sees of a page: rules by example, random trees against a plain writer, and broken markup. */
import test from 'ava';
import fc from 'fast-check';
import { parser } from '../../../../src/readers/parsers/load.js';

function textOf(source: string | Uint8Array, isXml = false): string {
  return Buffer.from(parser('htmlText').htmlText(Buffer.from(source as string), isXml)).toString();
}

const RULES: readonly (readonly [rule: string, source: string, text: string])[] = [
  ['inline elements do not part words', '<p>o<b>n</b>e <i>two</i></p>', 'one two'],
  ['white space collapses', ' \n a \t\r\n<b> b</b>  <b> </b> c ', 'a b c'],
  ['blocks and <br> are lines', 'a<p>b<div><div>c</div></div>d<br><br/>e<hr>f', 'a\nb\nc\nd\ne\nf'],
  ['lists', '<ul><li>a<li>b<ul><li>c</ul></ul><dl><dt>d<dd>e</dl>', 'a\nb\nc\nd\ne'],
  ['cells', '<table><tr><td>a<th>b<tr><td> c </td>\n<td></td><td>d</table>', 'a\tb\nc\td'],
  ['<pre> stands', 'a<pre>\n b\r\n\n  c\t</pre>d', 'a\n b\n\n  c\t\nd'],
  ['the title is not on the page', '<title>a &lt; b</title><body>c', 'c'],
  ['scripts and styles', '<script>"<p>a</p>"</script><STYLE>p{}</STYLE>b<script src=x></script>', 'b'],
  ['templates and <noscript>', '<template><p>a</p></template><noscript>b</noscript>c', 'c'],
  ['form values', '<textarea>a</textarea><select><option>b</select><button>c</button>', 'c'],
  ['comments', 'a<!-- b > c -->d<!--><!--->e<!-- <p> --!>f', 'adef'],
  ['declarations', '<?xml version="1.0"?><!DOCTYPE html SYSTEM "a>b">c', 'b">c'],
  ['hidden elements', '<div hidden>a<p>b</div>c<p hidden=until-found>d<p HIDDEN>e<p>f', 'c\nf'],
  [
    'hidden by style',
    '<p style="color:red; Display : NONE">a<p style="visibility:hidden">b<p style=display:none>c<p>d',
    'd',
  ],
  [
    'not hidden by style',
    '<p style="display:block">a<p style="x-display:none">b<p aria-hidden=true>c',
    'a\nb\nc',
  ],
  ['void elements are not hidden from what follows', '<input hidden>a<br style="display:none">b', 'ab'],
  ['what is hidden parts nothing', 'a<div hidden>b</div>c<dialog>d</dialog>e', 'ace'],
  ['dialogs', '<dialog>a</dialog><dialog open>b</dialog>', 'b'],
  ['what stands in for media', '<video>a</video><object><p>b</object><iframe><p>c</iframe>d', 'd'],
  ['svg and math', '<svg><title>a</title><desc>b</desc><text>c</text></svg><math><mi>d</mi></math>', 'cd'],
  ['ruby', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢kan'],
  ['entities', '&lt;&amp;&eacute;&#233;&#xE9;&notin;&copy1 &AMP;', '<&ééé∉©1 &'],
  ['no entities', 'a & b &; &x; &#; &#x;', 'a & b &; &x; &#; &#x;'],
  ['odd numbers', '&#128;&#0;&#x110000;&#xD800;', '€���'],
  [
    'entities of white space',
    'a&#32;&#10; b&nbsp;c&NewLine;d<pre>e&#10;&Tab;f</pre>',
    'a b\u00a0c d\ne\n\tf',
  ],
  ['entities beyond the plane', '&#x1F600;&nGt;', '😀≫⃒'],
  ['what is no tag', 'a < b <3 c </ d> <', 'a < b <3 c <'],
  ['unclosed', '<div><p>a<b>b<div class="c', 'ab'],
  ['stray ends', '</div>a</p>b</i></br>c', 'a\nb\nc'],
  ['an end ends what is in it', '<div><p hidden>a</div>b', 'b'],
  ['raw text', '<xmp>&lt;<b></xmp><plaintext>&amp;</plaintext>', '&lt;<b>\n&amp;</plaintext>'],
  ['CDATA', 'a<![CDATA[b<c]]>d', 'ad'],
  ['attributes', '<p title="a > b" data-x=\'<p>\' y=<z>c', 'c'],
  ['nothing', '', ''],
];

for (const [rule, source, text] of RULES) test(rule, (t) => t.is(textOf(source), text));

test('in XHTML an element may end itself, and CDATA is text', (t) => {
  t.is(textOf('<script src="a"/><p/>a<div hidden="hidden"/>b<![CDATA[<c>]]>', true), 'ab<c>');
});

type Tree = string | { readonly name: string; readonly children: readonly Tree[] };

const SEPARATORS = ['', ' ', '\t', '\n'];

/** Words and separators of a tree, in order. */
function* partsOf(tree: Tree, isPre = false): Generator<string | number> {
  if (typeof tree === 'string') {
    const seen = tree.replaceAll('&amp;', '&').replaceAll('&nbsp;', '\u00a0');
    for (const letter of seen) yield !isPre && /[ \n]/.test(letter) ? 1 : letter;
    return;
  }
  const { name, children } = tree;
  if (name === 'script' || name === 'div hidden' || name === '!--') return;
  const around = name === 'td' ? 2 : name === 'span' || name === 'x-own' ? 0 : 3;
  yield around;
  for (const [i, child] of children.entries()) {
    const isDropped = name === 'pre' && i === 0 && typeof child === 'string' && child.startsWith('\n');
    yield* partsOf(isDropped ? child.slice(1) : child, isPre || name === 'pre');
  }
  if (name !== 'br') yield around;
}

function expectedOf(trees: readonly Tree[]): string {
  let out = '';
  let pending = 0;
  for (const part of trees.flatMap((tree) => [...partsOf(tree)])) {
    if (typeof part === 'number') pending = Math.max(pending, part);
    else {
      if (out !== '' && !(pending === 3 && out.endsWith('\n'))) out += SEPARATORS[pending]!;
      out += part;
      pending = 0;
    }
  }
  return out;
}

function sourceOf(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  const { name, children } = tree;
  const inner = children.map(sourceOf).join('');
  if (name === '!--') return `<!--${inner}-->`;
  if (name === 'br') return '<br>';
  return `<${name} class="a > b">${inner}</${name.split(' ')[0]!.toUpperCase()}\n>`;
}

const { trees } = fc.letrec<{ trees: Tree[]; tree: Tree }>((tie) => ({
  trees: fc.array(tie('tree'), { maxLength: 4 }),
  tree: fc.oneof(
    { maxDepth: 4 },
    fc
      .array(fc.constantFrom('a', 'é', '中', ' ', '\n', '&amp;', '&nbsp;'), { minLength: 1, maxLength: 5 })
      .map((s) => s.join('')),
    fc.record({
      name: fc.constantFrom('div', 'span', 'x-own', 'section', 'td', 'pre', 'div hidden'),
      children: tie('trees') as fc.Arbitrary<Tree[]>,
    }),
    fc
      .constantFrom('br', 'script', '!--')
      .map((name) => ({ name, children: name === 'br' ? [] : ['<p>no'] })),
  ),
}));

/** Two texts behind each other are one. */
const joined = (all: readonly Tree[]): Tree[] =>
  all.reduce<Tree[]>((done, tree) => {
    const last = done.at(-1);
    const next = typeof tree === 'string' ? tree : { ...tree, children: joined(tree.children) };
    if (typeof last === 'string' && typeof next === 'string') done[done.length - 1] = last + next;
    else done.push(next);
    return done;
  }, []);

test('the text of random trees is that of a plain writer', (t) => {
  fc.assert(
    fc.property(trees, (random) => {
      const all = joined(random);
      t.is(textOf(all.map(sourceOf).join('')), expectedOf(all), all.map(sourceOf).join(''));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('every prefix of a page has a text, and broken markup never fails', (t) => {
  const page = RULES.map(([, source]) => source).join('\n');
  for (let end = 0; end <= page.length; end++) textOf(page.slice(0, end));
  const parts = [
    '<',
    '>',
    '</',
    '<!--',
    '-->',
    '<p',
    ' hidden',
    '="',
    "'",
    '&',
    '#x',
    '<script>',
    '<svg>',
    '</svg',
    '<pre>',
    '\0',
    'a',
    ' ',
    '<![CDATA[',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), (some) => {
      t.is(typeof textOf(some.join('')), 'string');
    }),
    { seed: 4, numRuns: 500 },
  );
});

test('pages that are long or deep are walked once', (t) => {
  const many = 1_000_000;
  t.is(textOf(`${'<b>'.repeat(many)}a${'</i></b>'.repeat(1000)}`), 'a');
  t.is(textOf(`${'<div>'.repeat(200_000)}a${'</p></div>'.repeat(200_000)}`), 'a');
  t.is(textOf(`<div hidden>${'<p><b>'.repeat(100_000)}a</div>b`), 'b');
  t.is(textOf(`a${' '.repeat(300_000)}&${'b'.repeat(300_000)}`).length, 300_003);
  t.is(textOf(`a<p ${'x="y" '.repeat(100_000)}>b`), 'a\nb');
});
