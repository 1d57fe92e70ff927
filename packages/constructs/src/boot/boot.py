#!/usr/bin/env python3
"""First start of an instance of Drover: fetches and checks the software that comes with the stack, then lets that
configure the instance. When this fails the launch is given up, and the group replaces the instance.

Needs only Python's own library, on which cloud-init runs too. What it has to know stands in the facts.
"""
import datetime
import hashlib
import hmac
import http.client
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from urllib import error, parse, request

FACTS = '/etc/puppetlabs/facter/facts.d/custom.json'
# Seconds for which a server that cannot be reached is tried again: an outage must not replace one instance after
# the other. The launch hook waits longer.
PATIENCE = 1200


class Damaged(Exception):
    """What came is not what was expected."""


AGAIN = (error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, Damaged)


class Boot:
    def __init__(self, facts_file):
        with open(facts_file) as file:
            self.facts = json.load(file)['drover']
        self.facts_file = facts_file
        self.home = self.facts.get('home', '/opt/drover')
        self.patience = self.facts.get('patience', PATIENCE)

    def run(self):
        for asset in self.facts['software']:
            self.retry(lambda: self.install(asset), asset['url'], self.patience)
        for command in (['node/bin/node', '--version'], ['bin/configure', self.facts_file]):
            subprocess.run([os.path.join(self.home, command[0]), *command[1:]], check=True, timeout=3000)

    def retry(self, act, what, patience):
        deadline, pause = time.monotonic() + patience, 2
        while True:
            try:
                return act()
            except AGAIN as problem:
                if time.monotonic() + pause > deadline:
                    raise RuntimeError(f'{what}: {problem}') from problem
                say(f'{what}: {problem}; trying again')
                time.sleep(pause)
                pause = min(60, pause * 2)

    def install(self, asset):
        with tempfile.TemporaryFile() as archive:
            digest = hashlib.sha256()
            with self.call('s3', asset['url']) as answer:
                for chunk in iter(lambda: answer.read(1 << 20), b''):
                    digest.update(chunk)
                    archive.write(chunk)
            if digest.hexdigest() != asset['sha256']:
                raise Damaged(f'its SHA-256 is {digest.hexdigest()}, expected is {asset["sha256"]}')
            archive.seek(0)
            unpack(archive, asset['prefix'], os.path.join(self.home, asset['into']))
        say(f'{asset["url"]} is installed')

    def give_up(self, reason):
        """Ends the launch with ABANDON: by the role's own program, or directly where that does not work (yet)."""
        say(f'giving this launch up: {reason}')
        program = os.path.join(self.home, 'bin/abandon-launch')
        try:
            # 3: there is no launch to give up (any more).
            if subprocess.run([program, reason], timeout=120).returncode in (0, 3):
                return
        except (OSError, subprocess.SubprocessError) as problem:
            say(problem)
        self.retry(self.abandon, 'Auto Scaling', min(120, self.patience))

    def abandon(self):
        launch = self.facts['launch']
        form = {
            'Action': 'CompleteLifecycleAction',
            'Version': '2011-01-01',
            'AutoScalingGroupName': launch['autoscaling_group_name'],
            'LifecycleHookName': launch['hook'],
            'InstanceId': self.metadata('instance-id'),
            'LifecycleActionResult': 'ABANDON',
        }
        self.call('autoscaling', launch['endpoint'], parse.urlencode(form).encode()).close()

    def metadata(self, path):
        endpoint = self.facts.get('metadata', 'http://169.254.169.254')
        ttl = {'x-aws-ec2-metadata-token-ttl-seconds': '300'}
        token = read(request.Request(f'{endpoint}/latest/api/token', method='PUT', headers=ttl))
        return read(request.Request(f'{endpoint}/latest/meta-data/{path}', headers={'x-aws-ec2-metadata-token': token}))

    def call(self, service, url, body=None):
        role = self.metadata('iam/security-credentials/').split()[0]
        credentials = json.loads(self.metadata(f'iam/security-credentials/{role}'))
        now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
        headers = sign(service, self.facts['region'], url, body, credentials, now)
        return request.urlopen(request.Request(url, data=body, headers=headers), timeout=60)


def sign(service, region, url, body, credentials, now):
    """The headers of AWS Signature Version 4. Our addresses have no query and need no escaping."""
    target = parse.urlsplit(url)
    digest = hashlib.sha256(body or b'').hexdigest()
    headers = {
        'host': target.netloc,
        'x-amz-content-sha256': digest,
        'x-amz-date': now,
        'x-amz-security-token': credentials['Token'],
    }
    names = ';'.join(headers)
    lines = [f'{name}:{value}' for name, value in headers.items()]
    canonical = '\n'.join(['GET' if body is None else 'POST', target.path or '/', '', *lines, '', names, digest])
    scope = f'{now[:8]}/{region}/{service}/aws4_request'
    text = '\n'.join(['AWS4-HMAC-SHA256', now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f'AWS4{credentials["SecretAccessKey"]}'.encode()
    for part in scope.split('/'):
        key = hmac.new(key, part.encode(), 'sha256').digest()
    signature = hmac.new(key, text.encode(), 'sha256').hexdigest()
    identity = f'{credentials["AccessKeyId"]}/{scope}'
    signed = f'AWS4-HMAC-SHA256 Credential={identity}, SignedHeaders={names}, Signature={signature}'
    return {**headers, 'authorization': signed}


def unpack(archive, prefix, into):
    """The files whose names begin with the prefix, without it."""
    with tarfile.open(fileobj=archive) as tar:
        for member in tar:
            if not member.isfile() or not member.name.startswith(prefix):
                continue
            path = os.path.join(into, member.name[len(prefix):])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(f'{path}.new', 'wb') as file:
                shutil.copyfileobj(tar.extractfile(member), file)
            os.chmod(f'{path}.new', 0o755 if member.mode & 0o111 else 0o644)
            os.replace(f'{path}.new', path)


def read(what):
    with request.urlopen(what, timeout=10) as answer:
        return answer.read().decode()


def say(text):
    print(f'boot: {text}', flush=True)


if __name__ == '__main__':
    boot = Boot(*sys.argv[1:] or [FACTS])
    try:
        boot.run()
    except Exception as problem:
        boot.give_up(f'{type(problem).__name__}: {problem}')
        sys.exit(1)
