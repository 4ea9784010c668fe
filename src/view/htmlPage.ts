/** Makes a whole page from the markup of a report or a view; its style is light, dark and on paper, wide and narrow. */
import type { Markup } from './markup.js';

/**
 * Colours after Okabe and Ito, which people with colour vision deficiency can tell apart; text and ground have a contrast of at least
 * 4.5 to 1.
 */
const LIGHT = `--ground:#fff;--card:#f6f7f9;--text:#1c2128;--dim:#59626e;--line:#d5dae1;--accent:#0063a3;--accepted:#0072b2;--rejected:#7c8794;--estimated:#b9c2cd;--threshold:#b84700;--curve:#00795a;--own-a:#ffe1dd;--own-a-text:#8f1d10;--own-b:#d9f2e0;--own-b-text:#0b5a2a;--moved:#dcebfa;--moved-text:#0b4a80;--rewritten:#fdf0c8;--rewritten-text:#6a4a00`;
const DARK = `--ground:#14181d;--card:#1d232a;--text:#e7ebf0;--dim:#a2adba;--line:#363f4a;--accent:#6cb8f0;--accepted:#56b4e9;--rejected:#8995a3;--estimated:#566170;--threshold:#ff9d5c;--curve:#4fd0a5;--own-a:#4d221d;--own-a-text:#ffc2b8;--own-b:#173f27;--own-b-text:#a8efc0;--moved:#17375a;--moved-text:#b5d9fb;--rewritten:#463a10;--rewritten-text:#ffe394`;

/** The style sheet. */
const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,header,footer{max-width:1200px;margin:0 auto;padding:0 20px}
header{padding-top:12px}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:44px 0 4px;padding-top:16px;border-top:1px solid var(--line)}
h3{font-size:1.02rem;margin:24px 0 6px}
h4{font-size:.95rem;margin:14px 0 2px}
p{margin:6px 0 12px;max-width:76ch}
.dim,figcaption,caption{color:var(--dim)}
.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em;overflow-wrap:anywhere}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:0 22px;margin:14px 0 0;padding:0;border-bottom:1px solid var(--line);align-items:center}
nav a{display:block;padding:8px 0;text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
nav a:hover{border-color:var(--line)}
nav li:has(button){margin-left:auto}
a{color:var(--accent)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(158px,1fr));gap:12px;margin:20px 0 0;padding:0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.tiles strong{display:block;font-size:1.6rem;line-height:1.2;font-variant-numeric:tabular-nums}
.tiles span{color:var(--dim);font-size:.9rem}
.tiles li:first-child{border-color:var(--accent);border-left-width:4px}
.tiles li:first-child strong{color:var(--accent)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
caption{text-align:left;padding:0 0 6px;font-size:.9rem}
th,td{padding:5px 12px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--dim);font-size:.85rem;vertical-align:bottom}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.chart-table{display:grid;grid-template-columns:minmax(0,1.7fr) minmax(0,1fr);gap:28px;align-items:start}
.chart-table .scroll{max-height:420px;overflow-y:auto}
figure{margin:0}
figcaption{font-size:.9rem;margin-top:4px}
.chart{display:block;max-width:100%;height:auto}
.chart text{fill:var(--text);font-size:12.5px;font-family:inherit}
.chart .title{fill:var(--dim)}
.chart .value{font-size:12px}
.chart .grid{stroke:var(--line)}
.chart .axis{stroke:var(--dim)}
.chart .threshold{stroke:var(--threshold);stroke-width:2;stroke-dasharray:5 4}
.chart .threshold-text{fill:var(--threshold);font-weight:600}
.chart .curve{fill:none;stroke:var(--curve);stroke-width:2.5}
.chart .curve-text{fill:var(--curve)}
rect.accepted{fill:var(--accepted)}rect.rejected{fill:var(--rejected)}rect.estimated{fill:var(--estimated)}
.narrow{display:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 8px;padding:0;font-size:.9rem}
.legend i{display:inline-block;width:14px;height:14px;margin-right:6px;vertical-align:-2px;border-radius:3px;background:var(--accepted)}
.legend .rejected{background:var(--rejected)}.legend .estimated{background:var(--estimated)}
.legend .curve{height:3px;vertical-align:4px;background:var(--curve)}
.legend .threshold{height:0;vertical-align:4px;background:none;border-top:2px dashed var(--threshold);border-radius:0}
.track{display:block;min-width:80px;height:12px;margin-top:6px;border-radius:4px;background:var(--card);overflow:hidden}
.bar{display:block;height:100%;background:var(--accepted)}
.bar.kept,.bar.skipped{background:var(--rejected)}
.compact table{width:auto;min-width:min(100%,440px)}
.compact th,.compact td{padding-right:26px}
.counts{columns:2;column-gap:40px}
.counts .scroll{break-inside:avoid;margin:0 0 22px}
.counts thead{display:none}
.counts th{width:7.5em}
.counts caption{color:var(--text);font-weight:600;font-size:1rem}
.funnel td:last-child,.bars td:last-child{width:32%}
details.pair,details.cluster{border:1px solid var(--line);border-radius:10px;margin:10px 0;background:var(--card)}
details.pair>summary,details.cluster>summary{cursor:pointer;padding:10px 14px;overflow-wrap:anywhere}
summary strong{font-variant-numeric:tabular-nums;margin-right:8px}
.badge{display:inline-block;padding:0 8px;border-radius:9px;border:1px solid var(--line);color:var(--dim);font-size:.8rem;margin-right:8px}
.badge.yes{color:var(--own-b-text);background:var(--own-b);border-color:transparent}
.badge.no{color:var(--own-a-text);background:var(--own-a);border-color:transparent}
.body{padding:0 14px 14px}
.texts{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);background:var(--ground);border:1px solid var(--line);border-radius:8px;overflow:hidden;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.texts>*{padding:1px 10px;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4;unicode-bidi:plaintext;min-height:1.5em}
.texts>.head{white-space:normal;padding:6px 10px;border-bottom:1px solid var(--line);color:var(--dim)}
.texts>.b{border-left:1px solid var(--line)}
.texts>.different,.texts>.different+.b{background:var(--card)}
.texts>.different{box-shadow:inset 3px 0 var(--accent)}
.texts .badge{font-family:system-ui,sans-serif;margin:0 0 0 8px}
.fold summary,.gap{list-style:none;text-align:center;color:var(--dim);background:var(--card);border:1px solid var(--line);border-width:0 1px;padding:3px;margin:0;max-width:none;font-size:.85rem}
.fold summary{cursor:pointer}
.fold summary::before{content:"⋯ "}
.fold[open] summary::before{content:"▾ "}
.fold summary::-webkit-details-marker{display:none}
.fold summary:hover{color:var(--accent)}
mark{border-radius:3px;padding:0 1px;-webkit-box-decoration-break:clone;box-decoration-break:clone}
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
dl.facts.row{display:flex;flex-wrap:wrap;gap:8px 32px;margin:12px 0 16px}
dl.facts.row>div{min-width:6em}
dl.facts.row dt{font-size:.85rem}
dl.facts.row dd{font-variant-numeric:tabular-nums}
pre.command{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;overflow-x:auto;font-size:.85rem}
main>h1{padding-top:18px}
button,select,input:is([type=search],[type=text]){font:inherit;font-size:.9rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:3px 12px;min-height:30px}
button{cursor:pointer}
button:hover{border-color:var(--accent)}
button:focus-visible,input:focus-visible,tr:focus-visible,.different:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav [aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
nav button{padding:0 10px;min-height:26px}
.search{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:10px 0}
.search input:not([type=checkbox]){flex:1 1 16em;min-width:0}
.sorts [aria-current]{color:var(--text);font-weight:600;text-decoration:none}
.slider{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center}
.slider input{flex:1 1 16em;accent-color:var(--accent)}
.slider label{min-width:9em}
output{font-variant-numeric:tabular-nums}
.long table{table-layout:fixed;min-width:640px}
.long td{height:36px;padding-top:0;padding-bottom:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;vertical-align:middle}
.long th{white-space:normal}
.long th.n{width:7em}.long th.no{width:3.2em}.long th.fate{width:28%}
.long .few{width:8.5em}.long .acts{width:22em}
.long table:has(.acts){min-width:1000px}
.long td .id{white-space:nowrap}
.long td button{padding:0 8px;min-height:26px;font-size:.82rem}
.long .current td{background:var(--card)}
.whole .current{box-shadow:inset 3px 0 var(--accent)}
.whole .texts,.texts.heads{border-radius:0;border-width:0 1px;line-height:20px}
.texts.heads{position:sticky;top:0;border-top-width:1px;z-index:1}
.whole{border-bottom:1px solid var(--line)}
.tsv{float:right;margin-bottom:-24px;position:relative;padding:0 8px;min-height:24px;font-size:.8rem;color:var(--dim)}
.matrix{width:auto;font-size:.75rem;font-variant-numeric:tabular-nums}
.matrix th,.matrix td{padding:1px 4px;text-align:center;border:1px solid var(--ground);white-space:nowrap}
.matrix a{color:inherit;text-decoration:none}
.matrix .s9,.matrix .s8{background:var(--own-b);color:var(--own-b-text)}
.matrix .s7,.matrix .s6,.matrix .s5{background:var(--moved);color:var(--moved-text)}
.graph{display:block;width:min(100%,640px);height:auto}
.graph path{fill:none;stroke:var(--rejected);stroke-opacity:.35}
.graph .s9,.graph .s8{stroke:var(--accepted);stroke-opacity:.6}
.graph circle{fill:var(--text)}
.chain li{overflow-wrap:anywhere}
.fault{color:var(--own-a-text);background:var(--own-a);padding:6px 10px;border-radius:8px;white-space:pre-line}
#said{position:fixed;left:50%;bottom:12px;translate:-50%;margin:0;max-width:min(90vw,60em);padding:8px 14px;border-radius:8px;background:var(--card);border:1px solid var(--line);z-index:2}
#said:empty{display:none}
#said.fault{background:var(--own-a)}
label.check{display:inline-flex;white-space:nowrap;align-items:center;gap:6px;font-size:.9rem}
.bands{display:inline-flex;flex-wrap:wrap;gap:2px;vertical-align:-1px}
.bands i{width:9px;height:12px;border-radius:2px;border:1px solid var(--dim)}
.bands i.yes{background:var(--accepted);border-color:var(--accepted)}
dialog{max-width:min(92vw,38em);color:var(--text);background:var(--ground);border:1px solid var(--line);border-radius:10px}
dialog h2{border:0;margin:0}
footer{padding:32px 20px 40px;color:var(--dim);font-size:.9rem}
@media (max-width:860px){.chart-table{grid-template-columns:minmax(0,1fr)}}
@media (max-width:640px){
main,header,footer{padding-left:14px;padding-right:14px}
h1{font-size:1.35rem}
.wide{display:none}.narrow{display:block}
.tiles{grid-template-columns:1fr 1fr;gap:8px}.tiles strong{font-size:1.3rem}
.texts{grid-template-columns:minmax(0,1fr)}
.texts>.b{border-left:0;border-bottom:1px solid var(--line)}
.texts>.a::before,.texts>.b::before{color:var(--dim);margin-right:8px}
.texts>.a:not(.head,.blank)::before{content:"a"}.texts>.b:not(.head,.blank)::before{content:"b"}
.texts>.blank+.blank{display:none}
.body{padding:0 8px 10px}
.long th.n{width:5.8em}.long table:has(.acts){min-width:1120px}
th,td{padding-right:8px}
.track{min-width:44px}
.counts{columns:1}
.bars tr>:last-child{display:none}
.compact th,.compact td{padding-right:14px}
.funnel thead{display:none}
.funnel tr{display:grid;grid-template-columns:1fr auto 5.2em;border-bottom:1px solid var(--line);padding:6px 0}
.funnel th,.funnel td{border:0;padding:1px 0}
.funnel th{font-weight:600}
.funnel td:nth-child(4),.funnel td:nth-child(5){grid-column:1/-1;width:auto;color:var(--dim)}
}
@media print{
button,.search,.slider{display:none}
:root{color-scheme:light;${LIGHT}}
body{font-size:11pt}
nav{display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.chart-table .scroll{max-height:none;overflow:visible}
figure,tr,.tiles li{break-inside:avoid}
h2,h3,summary{break-after:avoid}
details::details-content{content-visibility:visible;display:block;height:auto}
}
`;

/** The beginning of every page, by which a page of this program is recognised. */
export const PAGE_BEGINNING = '<!doctype html>\n<!-- mr-minhash report -->\n';

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
