from samples import Alike, Change, Sample, Unset
from trueup_runner import found, tags_of

# Made for these tests alone.
FIRST = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd first"
SECOND = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP5cVkGQxGnKx0xz7zZL9z0q1j2bG8wqv7nYV0T2mCkR second"


def read(cloud, identity):
    answer = found(lambda: cloud.client().describe_key_pairs(KeyPairIds=[identity], IncludePublicKey=True), "InvalidKeyPair.NotFound")
    if not answer or not answer["KeyPairs"]:
        return None
    pair = answer["KeyPairs"][0]
    return {
        "name": pair["KeyName"],
        # The comment behind the key is EC2's own.
        "public_key": {" ".join(key.split()[:2]): key for key in (FIRST, SECOND)}.get(
            " ".join(pair["PublicKey"].split()[:2])
        ),
        "tags": tags_of(pair.get("Tags")),
    }


SAMPLE = Sample(
    kind="aws.key_pair",
    simulated="key-pair",
    values={"name": "ops", "public_key": FIRST, "tags": {"team": "research"}},
    in_place={"tags": Change({"team": "operations"})},
    replaces={"name": Change("ops-2"), "public_key": Change(SECOND)},
    unset={"tags": Unset({})},
    untried={
        "public_key": "is tried here; taken away, EC2 makes the key: test_secret_to.py",
        "secret_to": "takes the place of a public key: test_secret_to.py",
    },
    alike={"public_key": Alike(FIRST, f"{FIRST} on another machine")},
    moto_lacks={
        "life": "DeleteKeyPair by id answers and deletes nothing",
        "replace": "DeleteKeyPair by id answers and deletes nothing",
    },
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_key_pair(KeyPairId=identity),
)
