import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { serve } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { silentLogger } from '@drover/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { abandon } from '../../../../apps/runner-agent/src/agent.ts';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { directCalls } from '../../../stage/src/fleet/direct-calls.ts';
import { BootingInstance } from './booting-instance.ts';
import { ScratchRoot } from './scratch-root.ts';
import { smallNode } from './small-node.ts';

const python = outsideClient('python3', 'apt-get install python3');
const botocore = outsideClient('python3', 'apt-get install python3-botocore', { probe: ['-c', 'import botocore'] });
const puppet = outsideClient('puppet', 'apt-get install puppet');
const bootScript = fileURLToPath(new URL('../../src/boot/boot.py', import.meta.url));
const noticeScript = fileURLToPath(new URL('../../src/boot/spot-notice.py', import.meta.url));

/** Puppet gives files to their owners, which only root may. */
const asRoot = process.getuid?.() === 0;
const whyNotRoot = asRoot ? '' : ' (skipped: only root may give files to their owners; run the tests as root)';

describe.skipIf(botocore.missing)(`the signature of the boot script ${botocore.reason}`, () => {
  it.each([
    ['s3', 'https://s3.eu-west-1.amazonaws.com/cdk-hnb659fds-assets-123456789012-eu-west-1/0123.tar', ''],
    [
      'autoscaling',
      'https://autoscaling.eu-west-1.amazonaws.com/',
      'Action=CompleteLifecycleAction&Version=2011-01-01',
    ],
    ['logs', 'https://logs.eu-west-1.amazonaws.com/', '{"logGroupName":"/drover"}', 'Logs_20140328.CreateLogStream'],
    [
      's3',
      'https://s3.eu-west-1.amazonaws.com/memory/hosts/arn%3Aaws%3Aec2%3Aeu-west-1%3A123456789012%3Ainstance/i-0',
      '{"phase":"booting"}',
      '',
      'PUT',
    ],
    ['autoscaling', 'https://autoscaling.cn-north-1.amazonaws.com.cn/', 'Action=DescribeAutoScalingGroups'],
  ])("the boot script's signature is botocore's own for %s %s", (service, url, body, target = '', method = '') => {
    const oracle = `
import hashlib, json, runpy, sys
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
service, url, body, target, method = sys.argv[2:]
method = method or None
data = body.encode() or None
headers = {'X-Amz-Content-SHA256': hashlib.sha256(data or b'').hexdigest()}
more = {'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target} if target else {}
headers.update(more)
theirs = AWSRequest(method=method or ('POST' if data else 'GET'), url=url, data=data, headers=headers)
(S3SigV4Auth if service == 's3' else SigV4Auth)(Credentials('AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', 'a/session+token=='), service, 'eu-west-1').add_auth(theirs)
held = {'AccessKeyId': 'AKIDEXAMPLE', 'SecretAccessKey': 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', 'Token': 'a/session+token=='}
ours = runpy.run_path(sys.argv[1])['sign'](service, 'eu-west-1', url, data, held, theirs.headers['X-Amz-Date'], more, method)
print(json.dumps([ours['authorization'], theirs.headers['Authorization']]))`;

    const said = execFileSync(botocore.path, ['-c', oracle, bootScript, service, url, body, target, method], {
      encoding: 'utf8',
    });

    const [ours, theirs] = JSON.parse(said) as [string, string];
    expect(ours).toBe(theirs);
    expect(ours).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/.* Signature=[0-9a-f]{64}$/);
  });
});

describe.skipIf(python.missing)(`the boot script on an instance of the embedded cloud ${python.reason}`, () => {
  const instance = new BootingInstance();
  const scratch = new ScratchRoot();
  beforeAll(() => instance.launch());
  afterAll(async () => {
    await instance.close();
    scratch.remove();
  });
  beforeEach(() => {
    for (const path of ['opt', 'run', 'instance', 'post-runcmd.json'])
      rmSync(join(instance.folder, path), { recursive: true, force: true });
  });

  const boot = () => instance.run(python.path, [instance.script, instance.facts]);
  const software = () => smallNode(instance);
  const puppetWith = (change: object) => ({
    hiera_config: scratch.hiera,
    module_path: join(instance.home, 'puppet/modules'),
    manifest: join(instance.home, 'puppet/manifests/site.pp'),
    log: join(instance.folder, 'puppet.log'),
    ...change,
  });

  const mark = (path: string) => {
    const file = join(instance.folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  /** Boots with software that is there already and succeeds, up to the commands of post_runcmd. */
  const bootWith = async (commands: readonly string[], facts: object = {}) => {
    for (const program of ['bin/configure', 'node/bin/node']) {
      mkdirSync(join(instance.home, program, '..'), { recursive: true });
      writeFileSync(join(instance.home, program), '#!/bin/sh\n', { mode: 0o755 });
    }
    writeFileSync(join(instance.folder, 'post-runcmd.json'), JSON.stringify(commands));
    instance.writeFacts({ software: [], launch: nowhere, ...facts });
    return await boot();
  };

  it('marks the boot as complete after the last command of post_runcmd, all in one shell', async () => {
    const { code, said } = await bootWith(['word=ready', `[ ! -e ${instance.folder}/run/booted ]`, 'echo "$word"']);

    expect([code, said]).toEqual([0, 'ready\n']);
    expect([mark('run/booted'), mark('instance/drover-booted'), mark('run/boot-failed')]).toEqual(['', '', undefined]);
  });

  it('takes the runner software of the mirror, checks it, and leaves a fact for Puppet that another boot removes', async () => {
    const archive = Buffer.from('an archive');
    const checksum = createHash('sha256').update(archive).digest('hex');
    const current = { version: '2.337.0', checksum, key: 'runner/archive' };
    const objects: Record<string, Uint8Array> = {
      '/memory/runner/current.json': Buffer.from(JSON.stringify(current)),
      '/memory/runner/archive': archive,
    };
    const fetched: string[] = [];
    const bucket = await serve(async ({ path }) => {
      fetched.push(path);
      const body = objects[path];
      return body === undefined ? { status: 404, headers: {}, body: '' } : { status: 200, headers: {}, body };
    });
    const mirror = { bucket: `${bucket.url}/memory`, object: 'runner/current.json' };
    const fact = () => mark('facts/drover_release.json');
    const { code, said } = await bootWith([], { mirror });
    const taken = [fact(), readFileSync(join(instance.home, 'release/archive.tar.gz'), 'utf8')];
    const fetchedBefore = fetched.length;
    await bootWith([], { mirror });
    const fetchedAgain = fetched.slice(fetchedBefore);
    objects['/memory/runner/archive'] = Buffer.from('another archive');
    rmSync(join(instance.home, 'release/archive.tar.gz'));
    const damaged = await bootWith([], { mirror });
    await bootWith([]);
    const untouched = fact();
    await bucket.close();

    expect(code, said).toBe(0);
    const url = `file://${instance.home}/release/archive.tar.gz`;
    expect([JSON.parse(taken[0]!), taken[1]]).toEqual([
      { drover_release: { version: '2.337.0', checksum, url } },
      'an archive',
    ]);
    // The archive is there by its checksum, as on an image of the fleet's own.
    expect(fetchedAgain).toEqual(['/memory/runner/current.json']);
    expect([damaged.code, damaged.said]).toEqual([1, expect.stringContaining(`expected is ${checksum}`)]);
    expect(untouched).toBeUndefined();
  });

  it('stops at the first command of post_runcmd that fails, and says which one it was', async () => {
    const { code, said } = await bootWith(['true', 'exit_with() { return 7; }; exit_with', 'echo not reached']);

    expect(code).toBe(1);
    expect(said).toContain(
      'giving this launch up: RuntimeError: command 2 of 3 in post_runcmd failed with exit code 7',
    );
    expect(said).not.toContain('not reached');
    expect(mark('run/boot-failed')).toBe('RuntimeError: command 2 of 3 in post_runcmd failed with exit code 7\n');
    expect([mark('run/booted'), mark('instance/drover-booted')]).toEqual([undefined, undefined]);
  });

  it.skipIf(puppet.missing || !asRoot)(
    `fetches, checks and unpacks its software with its own role, and configures itself${whyNotRoot}`,
    async () => {
      scratch.writeData({ 'drover_runner::checksum': scratch.runnerChecksum });
      instance.writeFacts({ software: software(), puppet: puppetWith({}) });

      const { code, said } = await boot();

      expect(code, said).toBe(0);
      expect(statSync(join(instance.home, 'bin/abandon-launch')).mode & 0o777).toBe(0o755);
      expect(existsSync(join(instance.home, 'runner-agent/runner-agent.cjs'))).toBe(true);
      expect(JSON.parse(scratch.read('etc/runner-agent/config.json'))).toMatchObject({
        autoscaling_group_name: 'actions-runner-test',
        platform_url: 'https://github.com/example-org',
      });
      expect(readFileSync(join(instance.folder, 'puppet.log'), 'utf8')).toContain('Applied catalog');
      expect(await instance.lifecycleState()).toBe('Pending:Wait');
    },
  );

  it('the output of the boot script contains no credentials', async () => {
    instance.writeFacts({
      software: software(),
      puppet: puppetWith({ manifest: '/no/such/site.pp' }),
      launch: nowhere,
    });

    const { said } = await boot();

    const { accessKeyId, secretAccessKey, sessionToken } = (await instance.world.machines.credentialsOf(
      instance.instanceId,
    ))!;
    for (const secret of [accessKeyId, secretAccessKey, sessionToken!]) expect(said).not.toContain(secret);
  });

  it('the boot script fetches its software through the proxy, and asks the metadata service directly', async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(502).end();
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const variables = { http_proxy, no_proxy: new URL(instance.metadata.url).host };
    const [ours] = software();
    instance.writeFacts({ software: [ours], variables, launch: nowhere });

    const { code, said } = await boot();
    proxy.close().closeAllConnections();

    expect(code).toBe(1);
    expect(said).toContain('HTTP Error 502');
    expect(asked).toContain(ours!.url);
    expect(asked.filter((url) => url.includes('/latest/'))).toEqual([]);
  });

  it('the boot script does not unpack an archive with another checksum', async () => {
    const [ours, node] = software();
    instance.writeFacts({ software: [{ ...ours!, sha256: 'f'.repeat(64) }, node], launch: nowhere });

    const { code, said } = await boot();

    expect(code).toBe(1);
    expect(said).toContain(`expected is ${'f'.repeat(64)}`);
    expect(existsSync(instance.home)).toBe(false);
  });

  it('the boot script fetches no software that its image has by its checksum, and fetches again what was not unpacked whole', async () => {
    const [ours, node] = software();
    const facts = {
      software: [ours!, node],
      launch: nowhere,
      puppet: puppetWith({ hiera_config: '/nowhere/hiera.yaml' }),
    };
    const installed = ({ said }: { said: string }) =>
      said.split('\n').filter((line) => line.startsWith('boot: http') && line.endsWith('is installed')).length;
    instance.writeFacts(facts);
    const first = installed(await boot());
    const second = installed(await boot());
    rmSync(join(instance.home, '.sha256'));
    const halfway = installed(await boot());
    instance.writeFacts({ ...facts, software: [{ ...ours!, sha256: 'f'.repeat(64) }, node] });
    const { said } = await boot();

    expect([first, second, halfway]).toEqual([2, 0, 1]);
    expect(said).toContain(`expected is ${'f'.repeat(64)}`);
    expect(existsSync(join(instance.home, '.sha256'))).toBe(false);
  });

  it('gives the launch up at once when its configuration data do not exist, even if its agent cannot', async () => {
    instance.writeFacts({ software: software(), puppet: puppetWith({ hiera_config: '/opt/my-data/hiera.yaml' }) });

    const { code, said } = await boot();
    await instance.clock.advance(1_000);

    expect(code).toBe(1);
    expect(said).toContain('/opt/my-data/hiera.yaml does not exist');
    expect(readFileSync(join(instance.folder, 'puppet.log'), 'utf8')).toContain(
      '/opt/my-data/hiera.yaml does not exist',
    );
    expect(await instance.lifecycleState()).toMatch(/^Terminating/);
  });

  it('the boot script keeps its launch open and reports while its log grows, and no longer', async () => {
    const launching = () => instance.world.observe.members().find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await instance.until(() => launching() !== undefined);
    await instance.plug(launching()!);
    const log = join(instance.folder, 'cloud-init-output.log');
    const token = `ghp_${'a1'.repeat(18)}`;
    writeFileSync(log, `login ${token}\n`);
    const asked: string[] = [];
    const stop = instance.world.engine.journal.subscribe(
      ({ kind, name }) => void (kind === 'request' && asked.push(name)),
    );
    const beats = () => asked.filter((name) => name === 'RecordLifecycleActionHeartbeat').length;
    const grow = `for line in 1 2 3 4 5 6 7 8; do echo "pulled $line" >>${log}; sleep 0.25; done`;

    const { code, said } = await bootWith([grow, 'sleep 3'], { beat: 0.5, launch: instance.launchFact });
    stop();

    expect([code, said]).toEqual([0, '']);
    expect(beats()).toBeGreaterThanOrEqual(3);
    // Of twelve looks those that found nothing new did nothing.
    expect(beats()).toBeLessThanOrEqual(7);
    const [bucket = '', ...key] = instance.reports.split('/');
    const { s3 } = clients(instance.world);
    const command = new GetObjectCommand({ Bucket: bucket, Key: `${key.join('/')}${instance.instanceId}` });
    const body = await s3.send(command).then(({ Body }) => Body!.transformToString());
    expect(JSON.parse(body)).toMatchObject({
      phase: 'booting',
      workers: 0,
      bootLog: expect.stringMatching(/^login \[redacted\]\npulled 1\n.*pulled 8$/s),
    });
  });

  it('a notice that comes while an instance boots is reported before its boot is over, and not after', async () => {
    const launching = () => instance.world.observe.members().find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await instance.until(() => launching() !== undefined);
    await instance.plug(launching()!);
    const { world, instanceId, folder } = instance;
    const script = join(folder, 'spot-notice.py');
    copyFileSync(noticeScript, script);
    instance.writeFacts({ pause: 0.1 });
    const reported = new Promise<void>((resolve) => {
      world.engine.journal.subscribe(({ name }) => void (name === 'PutObject' && resolve()));
    });

    const ended = instance.run(python.path, [script, instance.facts]);
    world.machines.spotNotice(world.machines.get(instanceId)!.instance, instance.clock.now() + 120_000);
    await reported;
    mkdirSync(join(folder, 'run'), { recursive: true });
    writeFileSync(join(folder, 'run/booted'), '');

    expect(await ended).toEqual({ code: 0, said: '' });
    const [bucket = '', ...key] = instance.reports.split('/');
    const command = new GetObjectCommand({ Bucket: bucket, Key: `${key.join('/')}${instanceId}` });
    const body = await clients(world)
      .s3.send(command)
      .then(({ Body }) => Body!.transformToString());
    expect(JSON.parse(body)).toEqual({ at: expect.any(Number), phase: 'booting', workers: 0, reclaimed: true });
  });

  it('the log of a boot that failed can be read after its instance is gone, without credentials and metrics', async () => {
    const launching = () => instance.world.observe.members().find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await instance.until(() => launching() !== undefined);
    await instance.plug(launching()!);
    const { instanceId } = instance;
    const token = `ghp_${'a1'.repeat(18)}`;
    const metrics = ['"_aws"', '"\\u005faws"'].map((key) => `{${key}:{"CloudWatchMetrics":[]},"n":1}`);
    const said = ['E: Unable to locate package foo', `login ${token}`, ...metrics];
    writeFileSync(join(instance.folder, 'cloud-init-output.log'), `${said.join('\n')}\n`);
    instance.writeFacts({ software: [{ ...instance.software[0]!, sha256: '0'.repeat(64) }] });

    const { said: output } = await boot();
    const states = () => instance.world.observe.instances().filter(({ id }) => id === instanceId);
    await instance.until(() => states().every(({ state }) => state === 'terminated'));

    expect(output).not.toContain('the logs could not be sent');
    const lines = instance.world.observe.logLines('/drover/runners/actions-runner-test');
    expect(lines.join('\n')).toMatch(/giving this launch up: RuntimeError: .*its SHA-256 is/);
    expect(lines).toContain('E: Unable to locate package foo');
    expect(lines).toContain('login [redacted]');
    expect(lines.filter((line) => line.includes('CloudWatchMetrics'))).toEqual(
      Array(2).fill('{"x_aws":{"CloudWatchMetrics":[]},"n":1}'),
    );
  });

  it('the agent of a replacement instance abandons its launch once and refuses to do it again', async () => {
    const replacement = () =>
      instance.world.observe.members().find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await instance.until(() => replacement() !== undefined);
    await instance.plug(replacement()!);
    const credentials = instance.world.machines.credentialsOf(instance.instanceId)!;
    const runtime = {
      clock: instance.clock,
      log: silentLogger,
      fetch: globalThis.fetch,
      metadataEndpoint: instance.metadata.url,
      aws: () => directCalls(instance.world, () => ({ credentials })),
    };
    const groupName = 'actions-runner-test';
    const config = { groupName, ownGroup: groupName, region: 'eu-west-1', reports: undefined };

    const first = await abandon(config, runtime, 'the disk is full');
    await instance.clock.advance(1_000);
    const second = await abandon(config, runtime, 'the disk is full');

    expect(first).toEqual({ kind: 'abandon' });
    expect(second).toMatchObject({ kind: 'refusal', name: 'not-launching' });
  });

  it.each([
    ['lets an instance go that holds nothing, whose termination hook would keep it', 'no-such-folder', '', true],
    ['lets an instance go that has no such service', 'no-such-folder', 'exit 5', true],
    ['leaves an instance to its termination hook when a folder with data is there', '.', '', false],
    ['leaves it to the hook when data comes until the service is stopped', 'data', 'mkdir -p "$0.data/data/1"', false],
    ['leaves it to the hook when the service cannot be stopped', 'no-such-folder', 'exit 1', false],
  ])('the boot script %s', async (_, unless, stopping, letsGo) => {
    const launching = () => instance.world.observe.members().find(({ state }) => state === 'Pending:Wait')?.instanceId;
    await instance.until(() => launching() !== undefined);
    await instance.plug(launching()!);
    const programs = join(instance.folder, 'programs');
    const data = join(programs, 'systemctl.data');
    rmSync(data, { recursive: true, force: true });
    mkdirSync(data, { recursive: true });
    const systemctl = `#!/bin/sh\necho "$@" >>"$0.log"\n[ "$1" = start ] || { ${stopping || ':'}; }\n`;
    writeFileSync(join(programs, 'systemctl'), systemctl, { mode: 0o755 });
    writeFileSync(join(programs, 'systemctl.log'), '');
    const variables = { PATH: `${programs}:${process.env.PATH}` };
    const release = {
      ...{ hook: 'deregistration', service: 'elasticsearch' },
      unless: join(unless === 'data' ? data : instance.folder, unless),
    };
    const note = { tag: 'drover:launch', endpoint: instance.launchFact.endpoint };
    instance.writeFacts({ software: [], patience: 20, variables, launch: { ...instance.launchFact, release, note } });
    // Its own calls, refused ones too: the function of the fleet may be first, because the host never had an agent.
    let completions = 0;
    const notes: string[] = [];
    const stop = instance.world.engine.journal.subscribe(({ kind, name, detail }) => {
      if (kind !== 'request' || !String(detail?.by).endsWith(instance.instanceId)) return;
      if (name === 'CompleteLifecycleAction') completions++;
      if (name === 'CreateTags') notes.push(String(detail?.error));
    });
    let ended = false;
    const booted = boot().finally(() => {
      ended = true;
    });
    while (!ended) {
      await instance.clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    stop();

    expect((await booted).said).toContain('giving this launch up');
    expect(completions > 1).toBe(letsGo);
    const kept = letsGo ? [] : ['start elasticsearch'];
    const asked = unless === '.' ? [] : ['stop elasticsearch', ...kept];
    expect(mark('programs/systemctl.log')!.split('\n').filter(Boolean)).toEqual(asked);
    // Its program is not there yet, so the script itself notes the reason. The role of a runner refuses that, which holds up nothing.
    expect(notes).toEqual(['UnauthorizedOperation']);
    expect((await booted).said).toContain('the reason was not noted on the instance: HTTP Error 403');
  });
});

/** An endpoint without Auto Scaling behind it, so that a test leaves the instance as it is. */
const nowhere = { autoscaling_group_name: 'g', hook: 'bootstrap', endpoint: 'http://127.0.0.1:9/' };
