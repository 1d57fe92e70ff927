#!/usr/bin/env python3
"""First start of an instance of Drover: fetches and checks the software that comes with the stack, lets that configure
the instance, then runs the commands of the input post_runcmd. When this fails the launch is given up, and the group
replaces the instance.

Needs only Python's own library, on which cloud-init runs too. What it has to know stands in the facts. Its result is a
file in /run/drover: `booted`, or `boot-failed` with the reason.
"""
import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from urllib import error, parse, request

FACTS = '/etc/puppetlabs/facter/facts.d/custom.json'
COMMANDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'post-runcmd.json')
# Seconds for which a server that cannot be reached is tried again: an outage must not replace one instance after
# the other. The launch hook waits longer.
PATIENCE = 1200
# The mirror of the runner software has nothing while its function cannot reach GitHub; so long the launch is kept open.
MIRROR_PATIENCE = 20 * 3600


# So often the launch is kept open and reported, as long as the boot has written something since: one that falls silent is ended.
BEAT = 240
# What a report shows of the logs.
SHOWN_LINES = 15
SHOWN_CHARACTERS = 1500

# What a failed boot sends: so much of the end of each log, without what looks like a credential (as the agent does it).
LOGS = ['/var/log/cloud-init-output.log', '/var/log/puppet.log']
TAIL = 100_000
CREDENTIALS = re.compile(
    r'\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|A[A-Z2-7]{28}|(AKIA|ASIA)[A-Z0-9]{16})\b|^[A-Za-z0-9+/]{60,80}={0,2}$'
    r'|(secret_?access_?key|session_?token|password|authorization)["\']?\s*[=:].*', re.I | re.M)
# The key by which CloudWatch would make metrics of a line (embedded metric format), in each way that JSON can spell it.
METRICS = re.compile(r'(?<![A-Za-z0-9])(_|\\u005[fF])(a|\\u0061)(w|\\u0077)(s|\\u0073)(?![A-Za-z0-9_])')


class Damaged(Exception):
    # What came is not what was expected.
    pass


AGAIN = (error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, Damaged)


class Boot:
    def __init__(self, facts_file):
        with open(facts_file) as file:
            facts = json.load(file)
        self.facts = facts['drover']
        # Where hosts of a fleet report.
        self.reports = facts.get('actions_runner', {}).get('host_reports')
        # Proxies and the like: for what is fetched here, and for every program that is started.
        os.environ.update(self.facts.get('variables', {}))
        self.facts_file = facts_file
        self.home = self.facts.get('home', '/opt/drover')
        self.patience = self.facts.get('patience', PATIENCE)
        self.marks = self.facts.get('marks', '/run/drover')
        # cloud-init keeps this folder for one instance: an image that is made from this one has not booted yet.
        self.instance = self.facts.get('instance', '/var/lib/cloud/instance')
        self.logs = self.facts.get('logs', {}).get('files', LOGS)
        self.beating = threading.Lock()
        self.over = False

    def run(self):
        if self.reports:
            threading.Thread(target=self.keep_open, daemon=True).start()
        software = self.facts.get('software')
        for asset in self.pointed() if software is None else software:
            self.retry(lambda: self.install(asset), asset['url'], self.patience)
        if 'software_pointer' in self.facts:
            command = [os.path.join(self.home, 'bin/take-software'), self.home, self.facts_file, self.home]
            subprocess.run(command, check=True, timeout=60)
        self.take_release()
        for command in (['node/bin/node', '--version'], ['bin/configure', self.facts_file]):
            subprocess.run([os.path.join(self.home, command[0]), *command[1:]], check=True, timeout=3000)
        if os.path.exists(COMMANDS):
            run_commands(COMMANDS)
        self.end_beats()
        # A reboot empties /run: the bootcmd of the user data makes the second file again from the first.
        write(os.path.join(self.instance, 'drover-booted'), '')
        write(os.path.join(self.marks, 'booted'), '')

    def pointed(self):
        """The archives of the last software that every node has had. Its pointer stays beside them, for whoever asks
        what is installed."""
        url = self.facts['software_pointer']
        pointer = self.retry(lambda: self.read_pointer(url), url, self.patience)
        # Other software comes by a roll, once the nodes that serve have it: what fails there must not come with launches.
        if not pointer['proven']:
            pointer = pointer['before']
        write(os.path.join(self.home, 'software.json.next'), json.dumps(pointer))
        # The pointer is below the bucket, two levels deep.
        bucket = url.rsplit('/', 2)[0]
        return [{**archive, 'url': f'{bucket}/{archive["key"]}'} for archive in pointer['archives']]

    def read_pointer(self, url):
        with self.call('s3', url) as answer:
            return json.load(answer)

    def keep_open(self):
        """A sign of life every few minutes, while the logs grow. Says nothing itself: that would be a line of the log."""
        seen = None
        while True:
            time.sleep(self.facts.get('beat', BEAT))
            sizes = [os.path.getsize(path) for path in self.logs if os.path.exists(path)]
            with self.beating:
                if self.over:
                    return
                if sizes == seen:
                    continue
                try:
                    self.lifecycle_action('RecordLifecycleActionHeartbeat', self.facts['launch']['hook'])
                    self.report()
                    seen = sizes
                # Whatever it was: without these signs a boot that goes on would be ended.
                except Exception:
                    seen = None

    def end_beats(self):
        """What follows reports itself: no report of the boot may come after it."""
        with self.beating:
            self.over = True

    def report(self):
        # cloud-init writes what this script and Puppet say, too.
        lines = tail(self.logs[0]).rstrip().splitlines() if os.path.exists(self.logs[0]) else []
        shown = CREDENTIALS.sub('[redacted]', '\n'.join(lines[-SHOWN_LINES:]))[-SHOWN_CHARACTERS:]
        report = {'at': int(time.time() * 1000), 'phase': 'booting', 'workers': 0, 'bootLog': shown}
        # Escaped, for its signature.
        key = parse.quote(self.reports + self.metadata('instance-id'))
        url = self.facts['launch']['endpoint'].replace('autoscaling', 's3') + key
        self.call('s3', url, json.dumps(report).encode(), {'content-type': 'application/json'}, 'PUT').close()

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
        # An image may have it: the mark is the last thing that is written, and the first that goes.
        into = os.path.join(self.home, asset['into'])
        mark = os.path.join(into, '.sha256')
        if os.path.exists(mark):
            with open(mark) as file:
                if file.read() == asset['sha256']:
                    say(f'{asset["url"]} is there already')
                    return
            os.remove(mark)
        with tempfile.TemporaryFile() as archive:
            self.fetch(asset['url'], asset['sha256'], archive)
            archive.seek(0)
            unpack(archive, asset['prefix'], into)
        write(mark, asset['sha256'])
        say(f'{asset["url"]} is installed')

    def fetch(self, url, checksum, file):
        digest = hashlib.sha256()
        with self.call('s3', url) as answer:
            for chunk in iter(lambda: answer.read(1 << 20), b''):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != checksum:
            raise Damaged(f'its SHA-256 is {digest.hexdigest()}, expected is {checksum}')

    def take_release(self):
        """The version that the fleet's mirror has now: chosen once, at the first start, and a fact for Puppet from then on.

        The archive stays, so that Puppet can repair the installation. A mirror without a release yet is waited for.
        """
        fact = os.path.join(os.path.dirname(os.path.abspath(self.facts_file)), 'drover_release.json')
        mirror = self.facts.get('mirror')
        if mirror is None:
            # An image may bring the fact of the instance that it was made of.
            if os.path.exists(fact):
                os.remove(fact)
            return
        path = os.path.join(self.home, 'release/archive.tar.gz')
        patience = self.facts.get('patience', MIRROR_PATIENCE)
        release = self.retry(lambda: self.fetch_release(mirror, path), f'{mirror["bucket"]}/{mirror["object"]}', patience)
        chosen = {'version': release['version'], 'checksum': release['checksum'], 'url': f'file://{path}'}
        write(fact, json.dumps({'drover_release': chosen}))
        say(f'the mirror has version {release["version"]}')

    def fetch_release(self, mirror, path):
        with self.call('s3', f'{mirror["bucket"]}/{mirror["object"]}') as answer:
            release = json.load(answer)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # An image may have it.
        if os.path.exists(path) and digest_of(path) == release['checksum']:
            return release
        with open(path, 'wb') as file:
            self.fetch(f'{mirror["bucket"]}/{release["key"]}', release['checksum'], file)
        return release

    def give_up(self, reason):
        """Ends the launch with ABANDON: by the role's own program, or directly where that does not work (yet)."""
        self.end_beats()
        say(f'giving this launch up: {reason}')
        write(os.path.join(self.marks, 'boot-failed'), f'{reason}\n')
        try:
            self.send_logs(reason)
        except Exception as problem:
            say(f'the logs could not be sent: {problem}')
        program = os.path.join(self.home, 'bin/abandon-launch')
        try:
            # 3: there is no launch to give up (any more).
            if subprocess.run([program, reason], timeout=120).returncode in (0, 3):
                return
        except (OSError, subprocess.SubprocessError) as problem:
            say(problem)
        launch = self.facts['launch']
        if 'note' in launch:
            self.note(launch['note'], f'boot failed: {reason}')
        self.complete(launch['hook'], 'ABANDON')
        release = launch.get('release')
        # Its termination hook would keep an instance with nothing on it.
        if release and stays_empty(release['unless'], release['service']):
            self.complete(release['hook'], 'CONTINUE')

    def note(self, note, text):
        """A tag of the instance: a deployment that waits for the cluster says this, when the log is gone."""
        form = {
            'Action': 'CreateTags',
            'Version': '2016-11-15',
            'ResourceId.1': self.metadata('instance-id'),
            'Tag.1.Key': note['tag'],
            # More is refused (EC2 API Reference, Tag).
            'Tag.1.Value': text[:256],
        }
        try:
            self.call('ec2', note['endpoint'], parse.urlencode(form).encode()).close()
        except AGAIN as problem:
            say(f'the reason was not noted on the instance: {problem}')

    def send_logs(self, reason):
        """The end of the logs goes to the fleet's log group: the instance is gone in a minute, and with it the logs."""
        logs = self.facts.get('logs')
        if not logs:
            return
        lines = [f'giving this launch up: {reason}']
        for path in self.logs:
            if os.path.exists(path):
                lines += [f'--- the end of {path}', *CREDENTIALS.sub('[redacted]', tail(path)).splitlines()]
        stream = {'logGroupName': logs['group'], 'logStreamName': f'{self.metadata("instance-id")}/boot'}
        now = int(time.time() * 1000)
        events = [{'timestamp': now, 'message': METRICS.sub('x_aws', line)} for line in lines if line.strip()]
        try:
            self.call_logs('CreateLogStream', stream)
        except error.HTTPError as problem:
            if problem.code != 400:
                raise
        self.call_logs('PutLogEvents', {**stream, 'logEvents': events})

    def call_logs(self, operation, what):
        headers = {'content-type': 'application/x-amz-json-1.1', 'x-amz-target': f'Logs_20140328.{operation}'}
        self.call('logs', self.facts['logs']['endpoint'], json.dumps(what).encode(), headers).close()

    def complete(self, hook, result):
        self.retry(lambda: self.lifecycle_action('CompleteLifecycleAction', hook, result), 'Auto Scaling', min(120, self.patience))

    def lifecycle_action(self, action, hook, result=None):
        launch = self.facts['launch']
        form = {
            'Action': action,
            'Version': '2011-01-01',
            'AutoScalingGroupName': launch['autoscaling_group_name'],
            'LifecycleHookName': hook,
            'InstanceId': self.metadata('instance-id'),
            **({'LifecycleActionResult': result} if result else {}),
        }
        self.call('autoscaling', launch['endpoint'], parse.urlencode(form).encode()).close()

    def metadata(self, path):
        endpoint = self.facts.get('metadata', 'http://169.254.169.254')
        ttl = {'x-aws-ec2-metadata-token-ttl-seconds': '300'}
        token = read(request.Request(f'{endpoint}/latest/api/token', method='PUT', headers=ttl))
        return read(request.Request(f'{endpoint}/latest/meta-data/{path}', headers={'x-aws-ec2-metadata-token': token}))

    def call(self, service, url, body=None, more={}, method=None):
        role = self.metadata('iam/security-credentials/').split()[0]
        credentials = json.loads(self.metadata(f'iam/security-credentials/{role}'))
        now = datetime.datetime.now(datetime.timezone.utc).strftime('%Y%m%dT%H%M%SZ')
        headers = sign(service, self.facts['region'], url, body, credentials, now, more, method)
        return request.urlopen(request.Request(url, data=body, headers=headers, method=method), timeout=60)


def stays_empty(folder, service):
    """A service that runs may be given data until the machine is gone. One that is stopped has what is in its folder."""
    def empty():
        return not (os.path.isdir(folder) and os.listdir(folder))

    def systemctl(action):
        return subprocess.run(['systemctl', action, service], timeout=300).returncode

    if not empty():
        return False
    # 5: there is no such service.
    if systemctl('stop') in (0, 5) and empty():
        return True
    systemctl('start')
    return False


def run_commands(path):
    """One shell for all commands, as cloud-init would have it; the first that fails is the last."""
    with open(path) as file:
        commands = json.load(file)
    with tempfile.NamedTemporaryFile('r') as reached:
        lines = (f'echo {number} >{reached.name}\n{command}' for number, command in enumerate(commands, 1))
        code = subprocess.run(['/bin/sh', '-e', '-c', '\n'.join(lines)]).returncode
        if code != 0:
            # Without its text, which may hold what no log should.
            raise RuntimeError(f'command {reached.read().strip()} of {len(commands)} in post_runcmd failed with exit code {code}')


def sign(service, region, url, body, credentials, now, more={}, method=None):
    """The headers of AWS Signature Version 4. Our addresses have no query, and their paths are escaped."""
    target = parse.urlsplit(url)
    digest = hashlib.sha256(body or b'').hexdigest()
    headers = {
        'host': target.netloc,
        'x-amz-content-sha256': digest,
        'x-amz-date': now,
        'x-amz-security-token': credentials['Token'],
    }
    headers = dict(sorted({**headers, **more}.items()))
    names = ';'.join(headers)
    lines = [f'{name}:{value}' for name, value in headers.items()]
    method = method or ('GET' if body is None else 'POST')
    canonical = '\n'.join([method, target.path or '/', '', *lines, '', names, digest])
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


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, 'rb') as file:
        for chunk in iter(lambda: file.read(1 << 20), b''):
            digest.update(chunk)
    return digest.hexdigest()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def read(what):
    with request.urlopen(what, timeout=10) as answer:
        return answer.read().decode()


def tail(path):
    with open(path, 'rb') as file:
        file.seek(max(0, os.path.getsize(path) - TAIL))
        return file.read().decode(errors='replace')


def say(text):
    print(f'boot: {text}', flush=True)


if __name__ == '__main__':
    boot = Boot(*sys.argv[1:] or [FACTS])
    try:
        boot.run()
    except Exception as problem:
        boot.give_up(f'{type(problem).__name__}: {problem}')
        sys.exit(1)
