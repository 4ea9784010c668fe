/** A whole page around the markup of a report or a view, with a style for light and dark screens and paper, wide and narrow. */
import type { Markup } from './markup.js';

/**
 * One accent colour, for links, accepted pairs and the current item; red and green for a and b, and for dropped and kept. The contrast
 * of text and background is at least 4.5 to 1.
 */
const LIGHT = `--ground:#fff;--card:#f6f7f9;--text:#1a1f26;--dim:#59626e;--line:#dfe3e8;--accent:#0b5fa5;--on-accent:#fff;--rejected:#9aa4b0;--estimated:#cbd2da;--own-a:#ffe1dd;--own-a-text:#8f1d10;--own-b:#d9f2e0;--own-b-text:#0b5a2a;--moved:#dcebfa;--moved-text:#0b4a80;--rewritten:#fdf0c8;--rewritten-text:#6a4a00`;
const DARK = `--ground:#13171c;--card:#1c2229;--text:#e7ebf0;--dim:#a2adba;--line:#313a44;--accent:#6cb8f0;--on-accent:#0c1117;--rejected:#77828f;--estimated:#4a5563;--own-a:#4d221d;--own-a-text:#ffc2b8;--own-b:#173f27;--own-b-text:#a8efc0;--moved:#17375a;--moved-text:#b5d9fb;--rewritten:#463a10;--rewritten-text:#ffe394`;

/** The style sheet. */
const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:1440px;margin:0 auto;padding:0 24px}
body:has(.long,.whole) :is(main,header){max-width:1680px}
h1{font-size:1.6rem;line-height:1.25;font-weight:650;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:1.2rem;font-weight:650;margin:48px 0 12px}
h3{font-size:1rem;font-weight:650;margin:0 0 6px}
:is(.scroll,.bars,.pair,p)+h3{margin-top:28px}
h4{font-size:.95rem;margin:14px 0 2px}
p{margin:6px 0 12px;max-width:76ch}
.dim,figcaption,caption{color:var(--dim)}
p.dim{font-size:.9rem}
.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em;overflow-wrap:anywhere}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:0 24px;margin:0;padding:8px 0 0;border-bottom:1px solid var(--line);align-items:center}
nav a{display:block;padding:8px 0;text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px;color:var(--dim)}
nav a:hover{color:var(--text);border-color:var(--line)}
nav [aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
nav li:has(button){margin-left:auto}
nav button{padding:0 10px;min-height:26px;color:var(--dim)}
main>h1,header>h1{padding-top:28px}
a{color:var(--accent);text-underline-offset:3px}
td a,.heads a{text-decoration:none}
td a:hover,.badge+a{text-decoration:underline}
.answer p{font-size:1.5rem;line-height:1.3;margin:14px 0 16px;max-width:none}
.answer strong{font-weight:650}
.answer .main{font-size:3.2rem;line-height:1;letter-spacing:-.02em;color:var(--accent);margin-right:.1em}
.stack{display:flex;gap:2px;height:20px;border-radius:6px;overflow:hidden}
.stack i{min-width:3px}
.stack .kept,.legend .kept{background:var(--estimated)}
.stack .near,.legend .near{background:var(--accent)}
.stack .same,.legend .same{background:color-mix(in srgb,var(--accent) 65%,var(--ground))}
.stack .identical,.legend .identical{background:color-mix(in srgb,var(--accent) 35%,var(--ground))}
.answer .legend{margin:10px 0 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:0;margin:28px 0 0;padding:0;list-style:none;border:1px solid var(--line);border-radius:10px;overflow:hidden}
.figures li{padding:14px 18px;border-left:1px solid var(--line);margin-left:-1px}
.figures strong{display:block;font-size:1.4rem;font-weight:650;line-height:1.2}
.figures span{color:var(--dim);font-size:.9rem}
table{border-collapse:collapse;width:100%;font-size:.93rem}
caption{text-align:left;padding:0 0 8px;font-size:.87rem}
th,td{padding:6px 16px 6px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
:is(th,td):last-child{padding-right:0}
thead th{color:var(--dim);font-size:.82rem;vertical-align:bottom}
.n{text-align:right;white-space:nowrap}
.scroll{overflow-x:auto}
:is(.scroll,summary,a,button,input,tr,.different):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.beside-table{display:grid;grid-template-columns:minmax(0,1.35fr) minmax(0,1fr);gap:40px;align-items:start}
figure{margin:0}
figcaption{font-size:.87rem;margin-top:6px;max-width:80ch}
.chart{display:block;max-width:100%;height:auto}
.chart text{fill:var(--dim);font-size:12.5px;font-family:inherit}
.chart .grid{stroke:var(--line)}
.chart .axis{stroke:var(--dim)}
.chart .threshold{stroke:var(--text);stroke-width:1.5;stroke-dasharray:4 4}
.chart .threshold-text{fill:var(--text);font-weight:600}
.chart .curve{fill:none;stroke:var(--dim);stroke-width:1.5}
rect.accepted{fill:var(--accent)}rect.rejected{fill:var(--rejected)}rect.estimated{fill:var(--estimated)}
.narrow{display:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 10px;padding:0;font-size:.87rem;color:var(--dim)}
.legend i{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px;border-radius:3px;background:var(--accent)}
.legend .rejected{background:var(--rejected)}.legend .estimated{background:var(--estimated)}
.legend .curve{height:2px;vertical-align:4px;background:var(--dim)}
.legend .threshold{height:0;vertical-align:4px;background:none;border-top:2px dashed var(--text);border-radius:0}
.track{display:block;min-width:80px;height:10px;margin-top:6px;border-radius:4px;background:var(--card);overflow:hidden}
.bar{display:block;height:100%;background:var(--accent)}
.bar.kept,.bar.skipped{background:var(--rejected)}
.counts{columns:2;column-gap:48px}
.counts .scroll{break-inside:avoid;margin:0 0 24px}
.counts thead{display:none}
.counts th{width:7.5em}
.counts caption{color:var(--text);font-weight:600;font-size:1rem}
.bars td:last-child{width:32%}
summary{cursor:pointer}
summary:hover{color:var(--accent)}
.numbers{margin-top:8px;font-size:.87rem}
.numbers summary{color:var(--dim)}
.numbers .scroll{max-height:360px;overflow-y:auto;margin-top:8px}
.more{border-top:1px solid var(--line);margin-top:28px;padding-top:16px}
section:has(.more)+section .more{margin-top:16px}
.more summary h2{display:inline;font-size:1.05rem;margin:0}
.more>div{padding-top:16px;scroll-margin-top:64px}
details.pair,details.cluster{border:1px solid var(--line);border-radius:10px;margin:8px 0}
details:is(.pair,.cluster)>summary{padding:10px 14px;overflow-wrap:anywhere}
summary strong{margin-right:8px}
.badge{display:inline-block;padding:0 8px;border-radius:9px;border:1px solid var(--line);color:var(--dim);font-size:.8rem;margin-right:8px}
.badge.yes{color:var(--own-b-text);background:var(--own-b);border-color:transparent}
.badge.no{color:var(--own-a-text);background:var(--own-a);border-color:transparent}
.body{padding:0 14px 14px}
.texts{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);background:var(--ground);border:1px solid var(--line);border-width:0 1px;line-height:20px;font-size:13px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.texts>*{padding:0 14px;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;unicode-bidi:plaintext;min-height:20px}
.texts>.b{border-left:1px solid var(--line)}
.texts>.different{box-shadow:inset 3px 0 var(--accent)}
.texts>.current{background:var(--card)}
.heads{position:sticky;top:0;z-index:1;border-width:1px;border-radius:8px 8px 0 0;background:var(--card)}
.heads>.head{white-space:normal;padding:7px 14px}
.heads b{color:var(--dim);font-weight:600;margin-right:4px}
.heads .badge{font-family:system-ui,sans-serif;margin:0 0 0 10px}
.whole{border-bottom:1px solid var(--line)}
.fold summary,.gap{list-style:none;text-align:center;color:var(--dim);background:var(--card);border:1px solid var(--line);border-width:1px;padding:3px;margin:0 0 -1px;max-width:none;font-size:.85rem}
.fold+.texts,.texts+.fold{margin-top:0}
.fold summary::before{content:"⋯ "}
.fold[open] summary::before{content:"▾ "}
.fold summary::-webkit-details-marker{display:none}
.fold .texts{color:var(--dim)}
mark{border-radius:3px;padding:1px 1px;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.a mark,mark.a{background:var(--own-a);color:var(--own-a-text)}
.b mark,mark.b{background:var(--own-b);color:var(--own-b-text)}
mark.moved,.texts mark.moved{background:var(--moved);color:var(--moved-text)}
mark.rewritten,.texts mark.rewritten{background:var(--rewritten);color:var(--rewritten-text);text-decoration:underline dotted}
.elements{padding:0;margin:0 0 8px}
.elements li{display:inline}
.elements li:not(:last-child)::after{content:", "}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 18px;margin:10px 0}
dl.facts dt{color:var(--dim)}
dl.facts dd{margin:0;overflow-wrap:anywhere}
dl.facts.row{display:flex;flex-wrap:wrap;gap:10px 36px;margin:12px 0 18px}
dl.facts.row dt{font-size:.82rem}
h1 .dim{font-weight:400}
pre.command{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
button,select,input:is([type=search],[type=text]){font:inherit;font-size:.9rem;color:var(--text);background:var(--ground);border:1px solid var(--line);border-radius:8px;padding:3px 12px;min-height:32px}
button{cursor:pointer}
button:hover{border-color:var(--accent);color:var(--accent)}
button:disabled{color:var(--dim);border-color:var(--line);cursor:default}
.search{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;margin:10px 0 14px}
.search input:not([type=checkbox]){flex:1 1 16em;min-width:0}
.choices{display:flex;flex-wrap:wrap;gap:0 32px}
.sorts{display:flex;flex-wrap:wrap;gap:6px;align-items:center;font-size:.9rem}
.sorts a{padding:2px 12px;border:1px solid var(--line);border-radius:16px;text-decoration:none;color:var(--text)}
.sorts a:hover{border-color:var(--accent)}
.sorts [aria-current]{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.beside{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;max-width:none}
.long table{table-layout:fixed;min-width:640px}
.long td{height:36px;padding-top:0;padding-bottom:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;vertical-align:middle}
.tall td{height:56px}
.long tbody tr:hover td{background:var(--card)}
.long th{white-space:normal}
.long caption{position:absolute;clip-path:inset(50%)}
.long>p{margin-top:16px}
.long input[type=checkbox]{vertical-align:middle;margin:0 6px 0 0}
.long th.n{width:6.5em}.long th.no{width:4.6em}.long th.fate{width:13.5em}
.long .few{width:8.5em}.long .acts{width:20em}
.long table:has(.acts){min-width:920px}
.long td .id{white-space:nowrap}
.words{display:block;color:var(--dim);font-size:.87rem;line-height:1.35;overflow:hidden;text-overflow:ellipsis}
.words b{font-weight:600;color:var(--text)}
.long td button{padding:0 8px;min-height:28px;font-size:.82rem}
.long .current td{background:var(--card)}
.error{color:var(--own-a-text);background:var(--own-a);padding:6px 10px;border-radius:8px;white-space:pre-line}
#message{position:fixed;left:50%;bottom:16px;translate:-50%;margin:0;max-width:min(90vw,60em);padding:10px 18px;border-radius:10px;background:var(--text);color:var(--ground);z-index:2}
#message:empty{display:none}
#message.error{background:var(--own-a);color:var(--own-a-text)}
label.check{display:inline-flex;white-space:nowrap;align-items:center;gap:6px;font-size:.9rem}
dialog{max-width:min(92vw,38em);color:var(--text);background:var(--ground);border:1px solid var(--line);border-radius:10px}
dialog h2{margin:0}
footer{padding:40px 24px;color:var(--dim);font-size:.9rem}
@media (max-width:860px){.beside-table{grid-template-columns:minmax(0,1fr);gap:24px}}
@media (max-width:640px){
main,header,footer{padding-left:16px;padding-right:16px}
h1{font-size:1.35rem}
h2{margin-top:36px}
.answer p{font-size:1.15rem}.answer .main{font-size:2.6rem}
.wide{display:none}.narrow{display:block}
.figures{grid-template-columns:1fr 1fr}.figures strong{font-size:1.2rem}.figures li{border-top:1px solid var(--line);margin-top:-1px}
nav ul{gap:0 12px;font-size:.93rem}nav li:has(button){display:none}
.texts{grid-template-columns:minmax(0,1fr)}
.texts>.b{border-left:0}
.texts>.a:not(.different):not(.head)+.b{display:none}
.texts>.different,.texts>.different+.b{padding-left:30px;position:relative}
.texts>.different{padding-top:6px}.texts>.different+.b{padding-bottom:6px;box-shadow:inset 3px 0 var(--accent)}
.texts>.different::before,.texts>.different+.b::before{position:absolute;left:12px;color:var(--dim)}
.texts>.different::before{content:"a"}.texts>.different+.b::before{content:"b"}
.body{padding:0 8px 10px}
.long th.n{width:5.8em}.long th.no{width:3.6em}
.tall table,.long table:has(.acts){min-width:0}
.clusters :is(th,td):is(:nth-child(3),:nth-child(4):not(:last-child)){display:none}
:is(.members,.pairs) table{display:block}
:is(.members,.pairs) thead{display:none}
:is(.members,.pairs) :is(tbody,tr){display:block}
:is(.members,.pairs) td{border:0;height:auto;min-width:0}
:is(.members,.pairs) tbody tr{display:grid;grid-template-columns:3.6em minmax(0,1fr) auto;gap:4px 0;padding:8px 0;border-bottom:1px solid var(--line)}
.pairs td:nth-child(2),.pairs td:nth-child(3){grid-column:2/-1}
.pairs td:nth-child(4){display:none}
.members :is(td:nth-child(4),td:nth-child(5)){grid-column:2/-1}
.changes th.n{width:4em}.changes th.fate{width:9em}
th,td{padding-right:10px}
.track{min-width:44px}
.counts{columns:1}
.bars tr>:last-child{display:none}
}
@media print{
button,.search,.sorts{display:none}
:root{color-scheme:light;${LIGHT}}
body{font-size:11pt}
nav{display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.numbers{display:none}
figure,tr,.figures li{break-inside:avoid}
h2,h3,summary{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
}
`;

/** The beginning of every page, which identifies a page of this program. */
export const PAGE_BEGINNING = '<!doctype html>\n<!-- mr-minhash report -->\n';

/** The head of a saved page: browsers fetch nothing and run nothing, for any ids and texts. */
export const SAVED_PAGE: Markup = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">`;

/** @param head further markup for the head, before the title */
export function htmlPage(title: Markup, head: Markup, body: readonly Markup[]): string {
  return `${PAGE_BEGINNING}<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`;
}
