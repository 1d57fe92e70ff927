"""Drives botocore clients against the embedded cloud's wire layer.

Reads one line of JSON: {"endpoint", "seed", "modelled": {client: [operation]}, "sample": n}.
For each operation it prints a case (the input it will send, the output it wants to be answered), waits for a line,
makes the call and prints what botocore parsed. Whoever started it compares.
"""

import datetime
import json
import random
import sys

import botocore
import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
DEEPEST = 4
ALPHABET = "abcXYZ019 -_.:/=+,;&<>\"'%#?@!*()[]{}|~$^`\\äß漢😀"

# Members whose values botocore or HTTP checks, adds or changes: a fixed value, or None to leave it out and not compare it.
FIXED = {
    # Encoded in base64 by botocore.
    "autoscaling": {"UserData": None},
    # Likewise; a copy of a snapshot is presigned for its source region.
    "ec2": {"SourceRegion": "eu-west-1", "DestinationRegion": None, "PresignedUrl": None, "UserData": None},
    # Needs a native package for Signature Version 4A.
    "events": {"EndpointId": None},
    # Everything up to the last slash of an id is cut off. Counts are texts here and numbers in the SDK.
    "route53": {
        "Id": "Z1",
        "HostedZoneId": "Z2",
        "DelegationSetId": "N1",
        "ResourceId": "Z3",
        "MaxItems": None,
        "MaxResults": None,
    },
    "s3": {
        "Bucket": "bucket-1",
        "CopySource": "bucket-1/key",
        # Computed, or checked, on the way.
        "ChecksumAlgorithm": None,
        "ChecksumMode": None,
        "ContentLength": None,
        "ContentMD5": None,
        "SSECustomerKey": None,
        "SSECustomerKeyMD5": None,
        "CopySourceSSECustomerKey": None,
        "CopySourceSSECustomerKeyMD5": None,
        # Added by botocore, which then decodes keys.
        "EncodingType": None,
        # A date here, a text in the SDK; and numbers here that are texts there.
        "Expires": None,
        "ExpiresString": None,
        "PartNumberMarker": None,
        "NextPartNumberMarker": None,
        **{
            "Checksum" + name: None
            for name in "CRC32 CRC32C CRC64NVME MD5 SHA1 SHA256 SHA512 XXHASH128 XXHASH3 XXHASH64".split()
        },
    },
}


class Drawing:
    """Random values of botocore's shapes."""

    def __init__(self, seed, client):
        self.rng = random.Random(seed)
        self.fixed = FIXED.get(client, {})

    def value(self, shape, name="", depth=0):
        if name in self.fixed and (self.fixed[name] is None or shape.type_name == "string"):
            return self.fixed[name]
        return getattr(self, "_" + shape.type_name)(shape, depth)

    def _structure(self, shape, depth):
        if getattr(shape, "is_document_type", False):
            return {"document": [self._text(), 7, True]}
        if getattr(shape, "is_tagged_union", False):
            name = self.rng.choice(list(shape.members))
            return {name: self.value(shape.members[name], name, depth + 1)}
        chosen = {
            name: member
            for name, member in shape.members.items()
            if name in shape.required_members
            or name == shape.serialization.get("payload")  # without it, botocore takes some answers of S3 for errors
            or member.serialization.get("location") == "statusCode"  # always there for the client
            or is_token(member)
            or self._wanted(member, depth)
        }
        if not chosen and depth < 2 * DEEPEST:
            leaves = [n for n, m in shape.members.items() if m.type_name not in ("structure", "list", "map")]
            chosen = {n: shape.members[n] for n in (leaves or list(shape.members))[:1]}
        drawn = {name: self.value(member, name, depth + 1) for name, member in chosen.items()}
        return {name: value for name, value in drawn.items() if value is not None}

    def _wanted(self, member, depth):
        if depth > DEEPEST:
            return False
        leaf = member.type_name not in ("structure", "list", "map")
        return self.rng.random() < (0.7 if leaf else 0.7 / (1 + depth / 2))

    def _list(self, shape, depth):
        length = max(shape.metadata.get("min", 1), 1 if depth > DEEPEST else self.rng.randint(1, 2))
        if shape.serialization.get("location") == "header":
            return ["h%06x" % self.rng.randint(0, 0xFFFFFF) for _ in range(length)]
        drawn = [self.value(shape.member, "", depth + 1) for _ in range(length)]
        return [value for value in drawn if value is not None]

    def _map(self, shape, depth):
        if shape.serialization.get("location") == "headers":
            return {"key-%d" % i: "value%d" % i for i in range(2)}
        return {"k%d%s" % (i, self._text()): self.value(shape.value, "", depth + 1) for i in range(self.rng.randint(1, 2))}

    def _string(self, shape, depth):
        if shape.serialization.get("location") in ("header", "headers") or shape.serialization.get("hostLabel"):
            text = "h%06x" % self.rng.randint(0, 0xFFFFFF)
        elif shape.serialization.get("jsonvalue"):
            return {"json": 1}
        else:
            text = self._text()
        return text + "x" * max(0, shape.metadata.get("min", 0) - len(text))

    _character = _string

    def _text(self):
        return "t" + "".join(self.rng.choice(ALPHABET) for _ in range(self.rng.randint(0, 8))) + str(self.rng.randint(0, 9))

    def _integer(self, shape, depth):
        if shape.serialization.get("location") == "statusCode":
            return 200
        least = int(shape.metadata.get("min", 0))
        return self.rng.randint(least, max(least, min(int(shape.metadata.get("max", 100000)), least + 100000)))

    _long = _integer

    def _double(self, shape, depth):
        return self._integer(shape, depth) + 0.25

    _float = _double

    def _boolean(self, shape, depth):
        return self.rng.random() < 0.5

    def _timestamp(self, shape, depth):
        return EPOCH + datetime.timedelta(seconds=1767225600 + self.rng.randint(0, 30000000))

    def _blob(self, shape, depth):
        return bytes(self.rng.randint(0, 255) for _ in range(max(shape.metadata.get("min", 0), self.rng.randint(1, 12))))


def is_token(shape):
    """Botocore fills idempotency tokens that are not given."""
    return bool(shape.metadata.get("idempotencyToken"))


def canonical(value):
    """JSON that keeps dates and bytes apart from text."""
    if isinstance(value, datetime.datetime):
        return {"$date": round((value - EPOCH).total_seconds() * 1000)}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).hex()}
    if isinstance(value, dict):
        return {key: canonical(held) for key, held in value.items() if key != "ResponseMetadata"}
    if isinstance(value, (list, tuple)):
        return [canonical(item) for item in value]
    if hasattr(value, "read"):
        return canonical(value.read())
    return value


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def chosen_operations(client, model, modelled, sample, seed):
    """Every modelled operation, and a sample of the others."""
    others = [name for name in model.operation_names if name not in modelled]
    random.Random("%s/%s" % (seed, client)).shuffle(others)
    return [name for name in modelled if name in model.operation_names] + others[:sample]


def exercise(client_name, client, operation, seed):
    model = client.meta.service_model.operation_model(operation)
    if model.has_event_stream_input or model.has_event_stream_output:
        return
    drawing = Drawing("%s/%s/%s" % (seed, client_name, operation), client_name)
    sent = drawing.value(model.input_shape) if model.input_shape else {}
    answer = drawing.value(model.output_shape) if model.output_shape else {}
    case = {"client": client_name, "operation": operation, "input": canonical(sent)}
    perform(client, {**case, "output": canonical(answer)}, sent)
    for shape in model.error_shapes[:1]:
        perform(client, {**case, "fails": shape.error_code, "message": "said <so> & \"why\""}, sent)


def perform(client, case, sent):
    """One call: announced, made when the other side is ready, reported."""
    say(case)
    sys.stdin.readline()
    try:
        say({"parsed": canonical(getattr(client, botocore.xform_name(case["operation"]))(**sent))})
    except ClientError as error:
        told = error.response.get("Error", {})
        modelled = isinstance(error, client.exceptions.from_code(told.get("Code")))
        say({"error": str(error), "code": told.get("Code"), "message": told.get("Message"), "modelled": modelled})
    except Exception as error:  # every failure is a finding for the other side
        say({"error": "%s: %s" % (type(error).__name__, error)})


def main():
    task = json.loads(sys.stdin.readline())
    session = botocore.session.get_session()
    session.set_credentials("test", "test", "token")
    say({"version": botocore.__version__, "fixed": FIXED})
    for client_name, modelled in task["modelled"].items():
        client = session.create_client(
            client_name,
            region_name="eu-west-1",
            endpoint_url=task["endpoint"],
            config=Config(retries={"max_attempts": 0}, read_timeout=20),
        )
        for operation in chosen_operations(client_name, client.meta.service_model, modelled, task["sample"], task["seed"]):
            exercise(client_name, client, operation, task["seed"])


main()
