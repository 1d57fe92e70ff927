#!/usr/bin/python3
"""Part of the stand-in for discovery-ec2: writes the addresses of the instances with the tags that elasticsearch.yml names, as EC2 tells
them to the role of this instance, to the file that the provider of seed hosts reads again whenever it looks for nodes."""
import datetime
import hashlib
import hmac
import json
import os
import re
import time
from urllib import parse, request

CONFIG = '/etc/elasticsearch/elasticsearch.yml'
SEEDS = '/etc/elasticsearch/unicast_hosts.txt'
METADATA = 'http://169.254.169.254/latest/'


def fetch(url, headers=None, method='GET'):
    with request.urlopen(request.Request(url, headers=headers or {}, method=method), timeout=10) as answer:
        return answer.read().decode()


def metadata(path):
    token = fetch(METADATA + 'api/token', {'X-aws-ec2-metadata-token-ttl-seconds': '60'}, 'PUT')
    return fetch(METADATA + path, {'X-aws-ec2-metadata-token': token})


def describe_instances(filters):
    region = metadata('meta-data/placement/region')
    roles = 'meta-data/iam/security-credentials/'
    role = json.loads(metadata(roles + metadata(roles).strip()))
    pairs = {'Action': 'DescribeInstances', 'Version': '2016-11-15'}
    for number, (name, value) in enumerate(filters.items(), 1):
        pairs[f'Filter.{number}.Name'], pairs[f'Filter.{number}.Value.1'] = name, value
    query = '&'.join(f'{parse.quote(key, safe="")}={parse.quote(pairs[key], safe="")}' for key in sorted(pairs))
    host = f'ec2.{region}.amazonaws.com'
    now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    headers = {'host': host, 'x-amz-date': now, 'x-amz-security-token': role['Token']}
    names = ';'.join(sorted(headers))
    lines = ''.join(f'{name}:{headers[name]}\n' for name in sorted(headers))
    canonical = f'GET\n/\n{query}\n{lines}\n{names}\n{hashlib.sha256(b"").hexdigest()}'
    scope = f'{now[:8]}/{region}/ec2/aws4_request'
    text = f'AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}'
    key = ('AWS4' + role['SecretAccessKey']).encode()
    for part in scope.split('/'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers['authorization'] = (
        f'AWS4-HMAC-SHA256 Credential={role["AccessKeyId"]}/{scope}, SignedHeaders={names}, Signature={signature}')
    return fetch(f'https://{host}/?{query}', headers)


def write_seeds():
    with open(CONFIG) as file:
        tags = dict(re.findall(r'^discovery\.ec2\.tag\.(\w+): "(.*)"$', file.read(), re.MULTILINE))
    found = describe_instances({'instance-state-name': 'running', **{f'tag:{name}': value for name, value in tags.items()}})
    addresses = sorted(set(re.findall(r'<privateIpAddress>([\d.]+)</privateIpAddress>', found)))
    with open(SEEDS + '.new', 'w') as file:
        file.write(''.join(f'{address}\n' for address in addresses))
    os.chmod(SEEDS + '.new', 0o644)
    os.rename(SEEDS + '.new', SEEDS)


while True:
    try:
        write_seeds()
    except Exception as problem:
        print(f'no seed hosts: {problem}', flush=True)
    time.sleep(5)
