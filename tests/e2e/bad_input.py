"""What the tests of bad input share: how errors are demanded, and that nothing was changed."""

import dataclasses
import hashlib
import os

ERROR, INCOMPLETE, REFUSED, LEASE, PARTLY = 1, 3, 4, 5, 7
MIB = 1024 * 1024

WORKING = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}


@dataclasses.dataclass
class Wrong:
    """One error: "file:line:column" or None, a part of its message, and of its hint where there is to be one."""

    place: str
    message: str
    hint: str = None
    related: str = None


def place_of(diagnostic):
    if "line" not in diagnostic:
        return None
    return ":".join(str(diagnostic[name]) for name in ("file", "line", "column") if name in diagnostic)


def check_errors(found, wanted):
    """Just these, in this order."""
    told = [(place_of(each), each["message"], each.get("hint")) for each in found]
    assert len(found) == len(wanted), told
    for each, wrong in zip(found, wanted, strict=True):
        assert place_of(each) == wrong.place, told
        assert wrong.message in each["message"], told
        assert (wrong.hint is None) or wrong.hint in each.get("hint", ""), told
        if wrong.related:
            assert place_of(each["related"]) == wrong.related, each
        # One sentence, as the house has it.
        assert each["message"] and not each["message"].endswith(".") and "\n" not in each["message"]


def digest_of(path):
    """Of a huge file its beginning and its size."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(MIB)).hexdigest(), path.stat().st_size


def tree(folder):
    """{path: digest} of everything under a folder."""
    return {
        str(path.relative_to(folder)): digest_of(path) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.is_fifo() and os.access(path, os.R_OK)
    }
