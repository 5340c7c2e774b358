"""Prints the rows of a snapshot of a Paimon table as lines of JSON, sorted.

usage: read_table.py pypaimon|pypaimon-rust TABLE-DIRECTORY SNAPSHOT

Bytes are printed in hexadecimal digits, dates in days and times in milliseconds since 1970, columns without a value not at all.
"""

import datetime
import json
import sys

EPOCH = datetime.datetime(1970, 1, 1)


def read_pypaimon(table, snapshot):
    from pypaimon.table.file_store_table import FileStoreTable

    # Nothing of the other library may take part.
    options = {"scan.snapshot-id": snapshot, "scan.native-plan.enabled": "false", "read.native.enabled": "false"}
    builder = FileStoreTable.from_path(table).copy(options).new_read_builder()
    splits = builder.new_scan().plan().splits()
    return builder.new_read().to_arrow(splits).to_batches()


def read_pypaimon_rust(table, snapshot):
    from pypaimon_rust.datafusion import Table

    with open(f"{table}/schema/schema-{snapshot}", encoding="utf-8") as schema:
        builder = Table.from_resolved_schema(table, schema.read()).new_read_builder({"scan.snapshot-id": snapshot})
    plan = builder.new_scan().plan()
    assert plan.snapshot_id() == int(snapshot), plan.snapshot_id()
    return builder.new_read().read(plan.splits())


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.datetime):
        return (value.replace(tzinfo=None) - EPOCH) // datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.date):
        return (value - EPOCH.date()).days
    return value


def main(reader, table, snapshot):
    read = {"pypaimon": read_pypaimon, "pypaimon-rust": read_pypaimon_rust}[reader]
    lines = []
    for batch in read(table, snapshot):
        for row in batch.to_pylist():
            lines.append(
                json.dumps({name: plain(value) for name, value in row.items() if value is not None}, sort_keys=True)
            )
    for line in sorted(lines):
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
