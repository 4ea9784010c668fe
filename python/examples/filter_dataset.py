"""A Dataset of `datasets` without near-duplicates, by the drop list of a run over its rows."""

import tempfile

import mr_minhash


def without_duplicates(dataset, column: str = 'text', threshold: float = 0.8):
    """Rows go to the program one after the other; what stays is chosen by number, and keeps every column."""
    records = ({'id': str(row), 'text': text} for row, text in enumerate(dataset[column]))
    with tempfile.TemporaryDirectory() as out:
        result = mr_minhash.run(records=records, out=out, force=True, threshold=threshold)
        dropped = {int(row['document']) for row in result.dropped}
    return dataset.select(row for row in range(len(dataset)) if row not in dropped)
