"""The visible text of pages by the rules of docs/dev/formats.md, with Python's own parser, which shares no code with the program.

Writes a text under the name of each page: a run over PAGES and one over TEXTS with --html raw must have the same pairs.
Usage: htmlTexts.py PAGES TEXTS
"""
import codecs, os, re, sys
from html.parser import HTMLParser

VOID = set('area base basefont br col command embed frame hr img input keygen link meta param source track wbr'.split())
UNSEEN = set('script style template noscript title textarea select datalist iframe noembed noframes audio video canvas object rp desc metadata annotation annotation-xml'.split())
BLOCK = set('address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul listing xmp'.split())
HIDING = re.compile(r'display\s*:\s*none|visibility\s*:\s*(hidden|collapse)', re.I)

class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.out, self.stack, self.unseen = [], [], 0
    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        hidden = tag in UNSEEN or 'hidden' in given or HIDING.search(given.get('style') or '') or (tag == 'dialog' and 'open' not in given)
        if tag in BLOCK: self.out.append('\n')
        if tag in VOID: return
        if self.stack and tag in ('p', 'li', 'dt', 'dd', 'tr', 'td', 'th') and self.stack[-1][0] == tag: self.pop()
        self.stack.append((tag, bool(hidden)))
        self.unseen += bool(hidden)
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
    def pop(self):
        self.unseen -= self.stack.pop()[1]
    def handle_endtag(self, tag):
        if any(name == tag for name, _ in self.stack):
            while self.stack[-1][0] != tag: self.pop()
            self.pop()
        if tag in BLOCK: self.out.append('\n')
    def handle_data(self, data):
        if not self.unseen: self.out.append(data)

def text(source):
    page = Page(); page.feed(source); page.close()
    return ''.join(page.out)

def decoded(data):
    if data.startswith(codecs.BOM_UTF8): return data[3:].decode('utf-8', 'replace')
    found = re.search(rb'''<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)''', data[:1024], re.I) or re.match(rb'''\s*<\?xml[^>]*encoding=["']([\w-]+)''', data)
    label = found.group(1).decode() if found else 'utf-8'
    if label.lower() in ('iso-8859-1', 'us-ascii', 'ascii', 'latin1'): label = 'cp1252'
    try: return data.decode(label, 'replace')
    except LookupError: return data.decode('utf-8', 'replace')

source, target = sys.argv[1:3]
count = 0
for folder, _, names in os.walk(source):
    for name in names:
        if not name.endswith(('.html', '.htm', '.xhtml')): continue
        path = os.path.join(folder, name)
        to = os.path.join(target, os.path.relpath(path, source))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(path, 'rb') as f: data = f.read()
        with open(to, 'w', encoding='utf-8', errors='replace') as f: f.write(text(decoded(data)))
        count += 1
print(count, 'pages')
