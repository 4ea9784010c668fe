/**
 * Records of CSV (RFC 4180) as their cells: results that are read again, and lines that name fields. Lines of sets, of which
 * there are millions, have a reader of bytes of their own (setLines.ts).
 */

/** The cells of a CSV record (RFC 4180), or null where its quotes do not match. */
export function csvCells(record: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    let cell = '';
    if (record[at] === '"') {
      let end = at;
      do {
        // Two quotes in a row are one quote of the cell.
        if (end > at) cell += '"';
        const close = record.indexOf('"', end + 1);
        if (close < 0) return null;
        cell += record.slice(end + 1, close);
        end = close + 1;
      } while (record[end] === '"');
      at = end;
    } else {
      const comma = record.indexOf(',', at);
      const end = comma < 0 ? record.length : comma;
      cell = record.slice(at, end);
      at = end;
    }
    cells.push(cell);
    if (at >= record.length) return cells;
    if (record[at] !== ',') return null;
  }
}
