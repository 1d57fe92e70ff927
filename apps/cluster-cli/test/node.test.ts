import { X509Certificate } from 'node:crypto';
import { certificateFiles, facts as names, upgradeObject } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import { allCrashes, CrashPlan, type CrashPoint, crashEverywhere } from './support/crash.ts';
import { LaunchingMasters, minute, stateBucket } from './support/launching-masters.ts';
import { SearchWorld, secretIds, setGroupSize } from './support/search-world.ts';

/** A certificate without a known key. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUTMeZnEHCqee07z3UwHX1euVR3REwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOdGVzdCBhdXRob3JpdHkwIBcNMjYxMTE1MDYzNTM4WhgPMjA1
NjExMDcwNjM1MzhaMBkxFzAVBgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEDB5n6RmFRaeoa9uPM5+KrxewUYREfeDN1HNnhJ4B
SoY/Q4oXS8SWj9oeH5JxD9DoQHSxK9YdBsosyl7QrR3xBqNTMFEwHQYDVR0OBBYE
FEhfo3ID5W/MCxghRx2Xy7TOK7CnMB8GA1UdIwQYMBaAFEhfo3ID5W/MCxghRx2X
y7TOK7CnMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgAwlEFNDR
e44wpEoZU5jE8gjp0mT6hmGUkZ71EwyPH2gCIFqIkoMTQuWtHCCnPqwQuCGelgas
UM2aqik54ALTeZOm
-----END CERTIFICATE-----
`;

const hostNames = (masters: LaunchingMasters, ids: readonly string[]) =>
  ids.map((id) => masters.world.machines.get(id)!.hostName).sort();

describe('node prepare', () => {
  it('lets all masters use the list that the first of them wrote', async () => {
    const masters = await LaunchingMasters.launch();
    const ids = masters.ids;

    const runs = ids.map((id) => masters.begin(id, ['node', 'prepare']));
    for (const { exitCode, io } of runs) expect(await masters.until(exitCode), io.stderr()).toBe(0);

    for (const id of ids)
      expect(masters.prepared(id)).toEqual({
        instance_id: id,
        zone: masters.world.observe.instance(id)!.availabilityZone,
        private_ip: masters.world.observe.instance(id)!.privateIp,
        host_name: masters.world.machines.get(id)!.hostName,
        memory_mb: 3835,
        initial_masters: hostNames(masters, ids),
      });
    const recorded = JSON.parse(masters.object('initial-masters.json')!) as { masters: { instanceId: string }[] };
    expect(recorded.masters.map(({ instanceId }) => instanceId).sort()).toEqual([...ids].sort());
  });

  it('waits for the last master and gives up after twenty minutes, with one line', async () => {
    const masters = await LaunchingMasters.launch(2);
    const before = masters.clock.now();

    const ended = await masters.run(masters.ids[0]!, '--quiet', 'node', 'prepare');

    expect(ended).toMatchObject({ exitCode: 4, stdout: '' });
    expect(ended.stderr.trim().split('\n')).toEqual([
      expect.stringContaining('timed out: the masters of search are not all there: 2 of 3 masters are visible'),
    ]);
    expect(masters.clock.now() - before).toBeGreaterThanOrEqual(20 * minute);
    expect(masters.clock.now() - before).toBeLessThan(21 * minute);
    expect(masters.object('initial-masters.json')).toBeUndefined();
  });

  it('node prepare never lets a master that came later form a cluster, also under a name that is in the list', async () => {
    const masters = await LaunchingMasters.launch();
    const [first, second] = masters.ids;
    await masters.run(first!, 'node', 'prepare');
    const list = JSON.parse(masters.object('initial-masters.json')!) as { masters: { instanceId: string }[] };
    const others = list.masters.map((one) => (one.instanceId === second ? { ...one, instanceId: 'i-gone' } : one));
    masters.world.operate.putObject(
      stateBucket,
      'initial-masters.json',
      Buffer.from(JSON.stringify({ masters: others })),
    );

    await masters.run(second!, 'node', 'prepare');

    expect(masters.prepared(second!)?.initial_masters).toBeNull();
  });

  it('drops the list and notifies all others once its own Elasticsearch is in a cluster', async () => {
    const masters = await LaunchingMasters.launch();
    const [first, second] = masters.ids;
    await masters.run(first!, 'node', 'prepare');
    expect(masters.prepared(first!)?.initial_masters).toHaveLength(3);
    masters.answers.set(first!, () => ({ body: { cluster_uuid: 'u-1' } }));

    await masters.run(first!, 'node', 'prepare');
    await masters.run(second!, 'node', 'prepare');

    expect(masters.prepared(first!)?.initial_masters).toBeNull();
    expect(masters.object('formed.json')).toBe('{"cluster_uuid":"u-1"}');
    expect(masters.prepared(second!)?.initial_masters).toBeNull();
  });

  it('node prepare does not take a running Elasticsearch without a cluster UUID for a formed cluster', async () => {
    const masters = await LaunchingMasters.launch();
    const [first] = masters.ids;
    masters.answers.set(first!, () => ({ body: { cluster_uuid: '_na_' } }));

    await masters.run(first!, 'node', 'prepare');

    expect(masters.prepared(first!)?.initial_masters).toHaveLength(3);
    expect(masters.object('formed.json')).toBeUndefined();
  });

  it('warns when this node is in another cluster than the others', async () => {
    const masters = await LaunchingMasters.launch();
    masters.world.operate.putObject(stateBucket, 'formed.json', Buffer.from('{"cluster_uuid":"u-1"}'));
    masters.answers.set(masters.ids[0]!, () => ({ body: { cluster_uuid: 'u-2' } }));

    const { exitCode, stderr } = await masters.run(masters.ids[0]!, 'node', 'prepare');

    expect(exitCode).toBe(0);
    expect(stderr).toContain('two clusters may have formed');
  });

  it('asks only the metadata service on a data node', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    masters.writeFacts(id!, { drover: { role: 'search_data' }, elasticsearch: { state_bucket: 'none' } });

    expect(await masters.run(id!, 'node', 'prepare')).toMatchObject({ exitCode: 0 });
    expect(masters.prepared(id!)).toMatchObject({ instance_id: id, initial_masters: null });
  });

  describe('a new node whose user data is older than its cluster', () => {
    /**
     * The masters' address returns 503 until `silentMs` have passed, then one node of 8.19.21, to a caller that has
     * logged in. What needs no master is returned at all times by a node of 8.18.8 that may not join.
     */
    async function launchBesideUpgraded(silentMs: number, formed = true) {
      const masters = await LaunchingMasters.launch(1);
      const [id] = masters.ids;
      const master_url = 'http://search-master.internal';
      masters.writeFacts(id!, { drover: { role: 'search_data' }, elasticsearch: { version: '8.18.8', master_url } });
      if (formed) masters.world.operate.putObject(stateBucket, 'formed.json', Buffer.from('{"cluster_uuid":"u-1"}'));
      masters.world.operate.putObject(stateBucket, upgradeObject('8.19.21'), Buffer.from('{"to":"8.19.21"}'));
      const speaksAt = masters.clock.now() + silentMs;
      masters.world.network.register('search-master.internal', async ({ path, headers }) => {
        if (path === '/_nodes')
          return { status: 200, headers: {}, body: JSON.stringify({ nodes: { old: { version: '8.18.8' } } }) };
        if (headers.authorization !== `Basic ${Buffer.from('elastic:the-password').toString('base64')}`)
          return { status: 401, headers: {}, body: '{}' };
        return masters.clock.now() < speaksAt
          ? { status: 503, headers: {}, body: '' }
          : { status: 200, headers: {}, body: JSON.stringify([{ version: '8.19.21' }]) };
      });
      return { masters, id: id! };
    }

    it('node prepare waits until a cluster that has formed returns its version', async () => {
      const { masters, id } = await launchBesideUpgraded(10 * minute);

      expect(await masters.run(id, 'node', 'prepare')).toMatchObject({ exitCode: 0 });
      expect(masters.prepared(id)).toMatchObject({ version: '8.19.21' });
    });

    it('node prepare fails when a cluster that has formed does not return its version for fifteen minutes', async () => {
      const { masters, id } = await launchBesideUpgraded(20 * minute);

      const { exitCode, stderr } = await masters.run(id, 'node', 'prepare');

      expect([exitCode, stderr]).toEqual([
        expect.any(Number),
        expect.stringContaining('which version the cluster runs'),
      ]);
      expect(exitCode).not.toBe(0);
      expect(masters.prepared(id)).toBeUndefined();
    });

    it('node prepare does not wait for a version while no cluster has formed', async () => {
      const { masters, id } = await launchBesideUpgraded(20 * minute, false);

      expect(await masters.run(id, 'node', 'prepare')).toMatchObject({ exitCode: 0 });
      expect(masters.prepared(id)).not.toHaveProperty('version');
    });

    it.each([
      ['gives the launch up when the cluster ended an upgrade before it joined', 200, '_na_', undefined],
      ['gives the launch up when its own node, in no cluster, refuses the password', 401, undefined, undefined],
      ['leaves a node alone that has been in a cluster', 200, 'u-1', 'Pending:Wait'],
      ['leaves a node alone whose Elasticsearch does not respond', 503, undefined, 'Pending:Wait'],
    ])('node prepare of a later run %s', async (_what, status, cluster_uuid, state) => {
      const { masters, id } = await launchBesideUpgraded(10 * minute, false);
      await masters.run(id, 'node', 'prepare');
      masters.answers.set(id, (path) =>
        path === '/' ? { status, body: { cluster_uuid } } : { status: 503, body: {} },
      );
      await masters.clock.advance(30 * minute);

      const { exitCode, stderr } = await masters.run(id, 'node', 'prepare');
      await masters.clock.advance(5 * minute);

      expect([masters.stateOf(id), exitCode === 0]).toEqual([state, state !== undefined]);
      if (state === undefined)
        expect(stderr).toContain('runs 8.18.8 and has not joined, but every node of the cluster runs 8.19.21 or newer');
    });
  });

  it('publishes how long the certificates of the node are good, once it has them', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    masters.writeFacts(id!, { drover: { role: 'search_data' } });
    await masters.run(id!, 'node', 'prepare');
    expect(await masters.certificateDays()).toEqual([]);
    const { files } = masters.world.machines.get(id!)!;
    files.set(certificateFiles.authority, certificate);
    files.set(certificateFiles.node, certificate);

    expect(await masters.run(id!, 'node', 'prepare')).toMatchObject({ exitCode: 0, stderr: '' });

    const [days] = await masters.certificateDays();
    expect(days).toBeCloseTo(
      (Date.parse(new X509Certificate(certificate).validTo) - masters.clock.now()) / 86_400_000,
      1,
    );
  });

  it('prepares the node all the same when that cannot be published, or is no certificate', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    masters.writeFacts(id!, { drover: { role: 'search_data' } });
    const { files } = masters.world.machines.get(id!)!;
    files.set(certificateFiles.authority, certificate);
    files.set(certificateFiles.node, 'half a cert');
    const effect = { kind: 'error', code: 'AccessDenied', status: 403 } as const;
    masters.world.engine.faults.add({ service: 'monitoring', operation: 'PutMetricData', effect });

    const { exitCode, stderr } = await masters.run(id!, '--quiet', 'node', 'prepare');

    expect(exitCode).toBe(0);
    expect(masters.prepared(id!)).toMatchObject({ instance_id: id });
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`${certificateFiles.node} is no certificate`),
      expect.stringContaining('how long the certificate is good could not be published'),
    ]);
  });

  it('node prepare does not count a master that is terminating', async () => {
    const masters = await LaunchingMasters.launch(4);
    const [leaving, ...staying] = masters.ids;
    await masters.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: 'search',
      LifecycleHookName: 'launching',
      InstanceId: leaving,
      LifecycleActionResult: 'ABANDON',
    });

    await masters.run(staying[0]!, 'node', 'prepare');

    const list = masters.prepared(staying[0]!)?.initial_masters as string[];
    expect(list).not.toContain(masters.world.machines.get(leaving!)!.hostName);
  });

  it('says what is wrong with the facts in one line', async () => {
    const masters = await LaunchingMasters.launch(1);
    masters.writeFacts(masters.ids[0]!, { elasticsearch: { master_count: 'three' } });

    const { exitCode, stderr } = await masters.run(masters.ids[0]!, 'node', 'prepare');

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^cluster-cli: the fact elasticsearch.master_count is "three", but it must be a number[^\n]*\n$/,
    );
  });
});

/** Three masters prepare at once; one of them dies once, and its boot runs again. */
async function prepareStory(at: CrashPoint | undefined) {
  const masters = await LaunchingMasters.launch();
  const ids = masters.ids;
  const plan = new CrashPlan(({ machine }) => machine.instance.id === ids[0], at);
  for (const id of ids) masters.begin(id, ['node', 'prepare'], plan.wrap);
  await masters.clock.advance(5 * minute);
  if (at !== undefined) await masters.run(ids[0]!, 'node', 'prepare');
  const lists = ids.map((id) => JSON.stringify(masters.prepared(id)?.initial_masters));
  const violations = lists.every((list) => list === JSON.stringify(hostNames(masters, ids)))
    ? []
    : [`the masters do not agree: ${lists.join(' ')}`];
  return { plan, violations };
}

it('node prepare may die at every call: all masters agree in the end', { timeout: 300_000 }, async () => {
  const { cases, failures } = await crashEverywhere('node prepare', prepareStory, allCrashes);

  expect(failures).toEqual([]);
  expect(cases).toBeGreaterThan(12);
});

describe('node secret', () => {
  it('prints the password, or the text, of a secret that the facts name', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;

    expect(await masters.run(id!, 'node', 'secret', 'elastic_secret')).toMatchObject({
      exitCode: 0,
      stdout: 'the-password\n',
      stderr: '',
    });
    expect(await masters.run(id!, 'node', 'secret', 'ca_certificate_secret')).toMatchObject({
      stdout: '-----BEGIN CERTIFICATE-----\n',
    });
  });

  it('refuses a terminal, and a fact that is no secret', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    const run = masters.begin(id!, ['node', 'secret', 'elastic_secret'], (io) => ({
      ...io,
      stdout: { ...io.stdout, isTTY: true },
    }));

    expect(await masters.until(run.exitCode)).toBe(2);
    expect(run.io.stdout()).toBe('');
    const other = await masters.run(id!, 'node', 'secret', 'state_bucket');
    expect(other).toMatchObject({ exitCode: 2, stdout: '' });
    expect(other.stderr).toContain('the facts name no secret state_bucket (there are elastic_secret');
  });
});

describe('node abandon', () => {
  const abandon = ['node', 'abandon', '--reason', 'puppet failed'] as const;
  /** Done, or ended by the shutdown of the instance that it has let go. */
  const endsWithItsMachine = [0, 128 + 15];

  it('gives the launch up, cancels the refresh, and lets the empty instance go', async () => {
    const masters = await LaunchingMasters.launch();
    const [id] = masters.ids;

    const ended = await masters.run(id!, ...abandon);
    await masters.clock.advance(minute);

    expect(endsWithItsMachine).toContain(ended.exitCode);
    expect(ended.stderr).toContain('the launch was abandoned: puppet failed');
    expect(masters.stateOf(id!) ?? 'gone').not.toMatch(/Wait|Retained/);
  });

  it.each([
    [
      'holds shards',
      (path: string) => ({
        body: path.startsWith('/_cat/allocation')
          ? [{ node: 'a', shards: '2', 'disk.indices': '10' }]
          : { nodes: { 'node-1': { name: 'a' } } },
      }),
      'refused (holds-shards): the node holds 2 shards',
    ],
    ['may hold shards', undefined, 'refused (may-hold-shards): Elasticsearch does not respond'],
  ])('node abandon never gives up a node that %s', async (_, answer, expected) => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    if (answer === undefined) masters.world.machines.get(id!)!.files.set('/var/lib/elasticsearch/indices/uuid', '');
    else masters.answers.set(id!, answer);

    const ended = await masters.run(id!, ...abandon);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain(expected);
    expect(masters.stateOf(id!)).toBe('Pending:Wait');
  });

  it.each([
    ['lets it go when nothing came until then', undefined, 'gone', ['stop']],
    ['keeps an instance that was given a shard until then', 'uuid', 'Terminating:Wait', ['stop', 'start']],
  ])('node abandon stops Elasticsearch before its last look, and %s', async (_, arrives, state, acts) => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    const { files } = masters.world.machines.get(id!)!;
    const done: string[] = [];
    // As with a shard on its way: it does not count, and arrives while the process stops.
    const node = { name: 'a', shards: '0', 'disk.indices': '0' };
    masters.answers.set(id!, (path) => ({
      body: path.startsWith('/_cat/allocation') ? [{ ...node, node: 'a' }] : { nodes: { 'node-1': node } },
    }));
    const stop = async () => {
      done.push('stop');
      if (arrives !== undefined) files.set(`/var/lib/elasticsearch/indices/${arrives}`, '');
    };
    const start = async () => void done.push('start');
    const run = masters.begin(id!, abandon, (io) => ({ ...io, search: { stop, start } }));
    await masters.until(run.exitCode);
    await masters.clock.advance(minute);

    expect(done).toEqual(acts);
    expect(masters.stateOf(id!) ?? 'gone').toBe(state);
    expect(run.io.stderr().includes('kept until it is drained')).toBe(arrives !== undefined);
  });

  it('refuses an instance that is not launching', async () => {
    const masters = await LaunchingMasters.launch(1);
    const [id] = masters.ids;
    await masters.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: 'search',
      LifecycleHookName: 'launching',
      InstanceId: id,
      LifecycleActionResult: 'CONTINUE',
    });
    await masters.clock.advance(minute);

    const ended = await masters.run(id!, ...abandon);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('refused (not-launching): the instance is InService');
  });

  it('node abandon may die at every call: the launch ends, and a second run is no failure', {
    timeout: 300_000,
  }, async () => {
    const { cases, failures } = await crashEverywhere(
      'node abandon',
      async (at) => {
        const masters = await LaunchingMasters.launch(1);
        const [id] = masters.ids;
        const plan = new CrashPlan(() => true, at);
        masters.begin(id!, abandon, plan.wrap);
        await masters.clock.advance(90_000);
        const violations: string[] = [];
        if (at !== undefined && masters.stateOf(id!) === 'Pending:Wait') {
          const again = await masters.run(id!, ...abandon);
          if (!endsWithItsMachine.includes(again.exitCode))
            violations.push(`the second run ended with ${again.exitCode}: ${again.stderr}`);
        }
        await masters.clock.advance(minute);
        if (masters.stateOf(id!) === 'Pending:Wait') violations.push('the launch goes on');
        return { plan, violations };
      },
      allCrashes,
    );

    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(8);
  });
});

describe('node settle', () => {
  it('registers the repository, installs the four policies, sets the password, and then finds nothing to do', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');

    const first = await world.run(host!, 'cluster-cli --quiet --format json node settle');
    const second = await world.run(host!, 'cluster-cli --quiet node settle');

    expect(first.exitCode, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual([
      { what: 'elastic', state: 'stored' },
      ...['hourly', 'daily', 'weekly', 'monthly'].map((each) => ({ what: `${each}-snapshots`, state: 'created' })),
      { what: 'slm.retention_schedule', state: 'changed' },
      { what: 'kibana_system', state: 'changed' },
    ]);
    expect(second).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(
      (await world.run(host!, 'cluster-cli --quiet --username kibana_system api GET /_security/_authenticate'))
        .exitCode,
    ).toBe(0);
  });

  it('node settle keeps the snapshot policies of the facts instead of the built-in ones, the user of the exporter and a token of Kibana', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');
    const { files } = world.world.machines.get(host!)!;
    const [file] = names.files;
    const { elasticsearch, ...others } = JSON.parse(files.get(file)!);
    const own = {
      snapshot_policies: { nightly: { schedule: '0 30 1 * * ?', expire: '14d', count: 14, overdue: '2d' } },
      exporter_user: 'exporter',
      exporter_secret: 'exporter-password',
      kibana_token_secret: 'kibana-token',
    };
    files.set(file, JSON.stringify({ ...others, elasticsearch: { ...elasticsearch, ...own } }));
    const SecretString = 'of-the-exporter';
    await world.aws('secretsmanager', 'CreateSecret', { Name: own.exporter_secret, SecretString });
    await world.aws('secretsmanager', 'CreateSecret', { Name: own.kibana_token_secret });

    const first = await world.run(host!, 'cluster-cli --quiet --format json node settle');
    expect(first.exitCode, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual([
      { what: 'elastic', state: 'stored' },
      { what: 'nightly', state: 'created' },
      { what: 'slm.retention_schedule', state: 'changed' },
      { what: 'kibana_system', state: 'changed' },
      { what: 'exporter', state: 'changed' },
      { what: 'token of elastic/kibana', state: 'created' },
    ]);
    expect(await world.run(host!, 'cluster-cli --quiet node settle')).toMatchObject({ exitCode: 0, stdout: '' });
    const login = 'cluster-cli --quiet --username exporter api GET /_security/_authenticate';
    expect((await world.run(host!, login)).stdout).toContain('drover_exporter');
    expect(await world.run(host!, 'cluster-cli snapshots policy --check')).toMatchObject({ exitCode: 0 });
  });

  it('node settle keeps the recovery rate of the facts as a cluster setting, and puts back one that was changed', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');
    const { files } = world.world.machines.get(host!)!;
    const [file] = names.files;
    const { elasticsearch, ...others } = JSON.parse(files.get(file)!);
    const facts = { ...elasticsearch, recovery_max_bytes_per_sec: '200mb' };
    files.set(file, JSON.stringify({ ...others, elasticsearch: facts }));
    const setting = 'indices.recovery.max_bytes_per_sec';
    const settle = async () => {
      const { stdout } = await world.run(host!, 'cluster-cli --quiet --format json node settle');
      return JSON.parse(stdout).find(({ what }: { what: string }) => what === setting).state;
    };

    expect(await settle()).toBe('created');
    expect(await settle()).toBe('unchanged');
    await world.search('PUT', '/_cluster/settings', { persistent: { [setting]: '5mb' } });
    expect(await settle()).toBe('changed');
    expect(await world.search('GET', '/_cluster/settings?flat_settings=true')).toMatchObject({
      persistent: { [setting]: '200mb' },
    });
  });

  it('node settle keeps the delay of the facts on every index of users that has no other one, follows a change, and takes its own away again', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');
    const { files } = world.world.machines.get(host!)!;
    const [file] = names.files;
    const given = files.get(file)!;
    const setting = 'index.unassigned.node_left.delayed_timeout';
    const settle = async (delay?: string) => {
      const { elasticsearch, ...others } = JSON.parse(given);
      files.set(file, JSON.stringify({ ...others, elasticsearch: { ...elasticsearch, node_left_delay: delay } }));
      const { stdout } = await world.run(host!, 'cluster-cli --quiet --format json node settle');
      return JSON.parse(stdout).find(({ what }: { what: string }) => what === setting)?.state;
    };
    const delays = async () => {
      const path = `/_all/_settings/${setting}?flat_settings=true&expand_wildcards=all`;
      const found = await world.search<Record<string, { settings: Record<string, string> }>>('GET', path);
      return Object.fromEntries(Object.entries(found).map(([index, { settings }]) => [index, settings[setting]]));
    };
    await world.search('PUT', '/logs', {});
    await world.search('PUT', '/own', { settings: { [setting]: '0s' } });
    await world.search('PUT', '/still', { settings: { 'index.blocks.read_only': true } });

    expect([await settle(), await delays()]).toEqual([undefined, { own: '0s' }]);
    expect([await settle('5m'), await delays()]).toEqual(['created', { logs: '5m', own: '0s' }]);
    await world.search('PUT', '/later', {});
    expect([await settle('5m'), await settle('5m')]).toEqual(['changed', 'unchanged']);
    expect([await settle('10m'), await delays()]).toEqual(['changed', { later: '10m', logs: '10m', own: '0s' }]);
    expect([await settle(), await delays()]).toEqual(['changed', { own: '0s' }]);
    expect(await settle()).toBe(undefined);
  });

  it('node settle has all nodes take one password of elastic, also those launched after the secret was changed by hand', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');
    const [old] = world.inService('search-data');
    const initial = world.elasticPassword();
    const letIn = async (instanceId: string, password: string) =>
      (await world.run(instanceId, `cluster-cli --password ${password} api GET /_security/_authenticate`)).exitCode;
    await world.run(host!, 'cluster-cli --quiet node settle');
    await world.aws('secretsmanager', 'PutSecretValue', { SecretId: secretIds.elastic, SecretString: 'by-hand' });
    await setGroupSize(world, 'search-data', 2);
    await world.clock.runUntil(() => world.nodes.size === 3, 60 * minute);
    await world.clock.advance(minute);
    const fresh = [...world.nodes.keys()].find((id) => id !== host && id !== old)!;

    const settled = await world.run(host!, 'cluster-cli --quiet node settle');

    for (const id of [old!, fresh]) expect([await letIn(id, initial), await letIn(id, 'by-hand')]).toEqual([0, 1]);
    expect(settled.exitCode).toBe(1);
    expect(settled.stderr).toMatch(/the password in secret \S+ does not let elastic in.*move AWSCURRENT back/);
  });

  it('leaves a password alone that is being changed', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });
    const [host] = world.inService('search');
    await world.run(host!, 'cluster-cli --quiet node settle');
    await world.aws('secretsmanager', 'PutSecretValue', {
      SecretId: secretIds.kibana,
      SecretString: 'the-next-one',
      VersionStages: ['AWSPENDING'],
    });
    await world.search('POST', '/_security/user/kibana_system/_password', { password: 'the-next-one' });

    const { stdout } = await world.run(host!, 'cluster-cli --quiet node settle');

    expect(stdout).toMatch(/kibana_system +changing/);
  });

  it('node settle may die at every call: the next run settles the rest', { timeout: 300_000 }, async () => {
    const { cases, failures } = await crashEverywhere(
      'node settle',
      async (at) => {
        let first = true;
        const plan = new CrashPlan(({ argv }) => first && argv.includes('settle'), at);
        const world = await SearchWorld.start({ cron: false, masters: 1, data: 1, wrap: plan.wrap });
        const [host] = world.inService('search');
        void world.begin(host!, 'cluster-cli --quiet node settle');
        await world.clock.advance(2 * minute);
        first = false;
        const violations: string[] = [];
        for (const expected of at === undefined ? [''] : [undefined, '']) {
          const { exitCode, stdout } = await world.run(host!, 'cluster-cli --quiet node settle');
          if (exitCode !== 0) violations.push(`a later run ended with ${exitCode}`);
          if (expected !== undefined && stdout !== expected)
            violations.push(`there was still something to do: ${stdout}`);
        }
        return { plan, violations };
      },
      allCrashes,
    );

    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(20);
  });
});
