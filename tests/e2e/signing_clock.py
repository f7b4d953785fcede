"""The time that boto3 signs with: a simulator's clock runs ahead of the real one while a run of ours waits."""

import datetime

import botocore.auth

_real = botocore.auth.get_current_datetime
_ahead = datetime.timedelta(0)


def follow(moment=None):
    """From now on boto3 signs as at `moment` (UTC, without a zone) where that is later than now; None: as at the real time."""
    global _ahead
    _ahead = max(moment - _real(), datetime.timedelta(0)) if moment else datetime.timedelta(0)


def _now(*arguments, **settings):
    return _real(*arguments, **settings) + _ahead


botocore.auth.get_current_datetime = _now
