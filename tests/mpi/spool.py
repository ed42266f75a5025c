"""Reads what the recorder left, by the description in src/interpose/core/spool_format.hpp; independent of src/trace."""
import json
import struct
from dataclasses import dataclass
from pathlib import Path

KINDS = ["call", "send", "recv", "isend", "irecv", "isend_done", "irecv_done", "done_range", "collective",
         "icollective", "icollective_done", "probe", "test_failed", "cancelled", "comm_made",
         "sent_to"]
KINDS = dict(enumerate(KINDS)) | {20: "window", 21: "put", 22: "get", 23: "atomic", 24: "one_sided_done", 28: "file",
                                  29: "file_read", 30: "file_write", 31: "file_iread", 32: "file_iwrite", 33: "file_done",
                                  60: "thread_begins"}
NO_CALL = 0xffff
CONTINUED, WILDCARD, FOUND, SYNCHRONOUS, IN_PLACE = 1, 2, 4, 8, 16
LAYOUT = struct.Struct("<QQQQiiIBBH")
HEADER = struct.Struct("<8sIIiiQQ")


@dataclass
class Record:
    enter: int
    leave: int
    bytes: int
    operation: int
    peer: int
    tag: int
    comm: int
    kind: str
    flags: int
    call: str


def definitions(directory, rank):
    lines = (Path(directory) / f"rank-{rank}.defs").read_text().split("\n")
    return [json.loads(line) for line in lines[:-1]]  # what follows the last newline is incomplete


def names(directory, rank):
    return next(d["names"] for d in definitions(directory, rank) if d["def"] == "calls")


def records(directory, rank, thread=0):
    data = (Path(directory) / f"rank-{rank}.thread-{thread}.spool").read_bytes()
    magic, header_bytes, record_bytes, world_rank, number, _, dropped = HEADER.unpack_from(data)
    assert magic == b"WWSPOOL1" and record_bytes == LAYOUT.size == 48 and world_rank == rank and number == thread
    assert dropped == 0
    calls = names(directory, rank)
    found = []
    for at in range(header_bytes, len(data) - 47, 48):
        *values, kind, flags, call = LAYOUT.unpack_from(data, at)
        if call == 0:
            break
        found.append(Record(*values, KINDS[kind], flags, "" if call == NO_CALL else calls[call]))
    return found
