import { MemoryStore } from '@drover/cloud-elasticsearch';
import { beforeEach, describe, expect, it } from 'vitest';
import { hour, SearchWorld } from './support/search-world.ts';

let world: SearchWorld;
let host: string;
/** Node that may not touch the bucket. */
let locked: string | undefined;
const cli = (words: string) => world.run(host, `cluster-cli ${words}`);

beforeEach(async () => {
  locked = undefined;
  const store = new MemoryStore();
  const openStore = (_location: unknown, node: { readonly name: string }) => {
    const deny = async (): Promise<never> => {
      throw new Error('Access Denied (Service: Amazon S3; Status Code: 403)');
    };
    return node.name === locked ? { put: deny, get: deny, list: deny, delete: deny } : store;
  };
  world = await SearchWorld.start({ cron: false, cluster: { openStore } });
  [host] = world.inService('search-data') as [string];
  for (const index of ['logs-1', 'logs-2']) {
    await world.search('PUT', `/${index}`, { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await world.search('PUT', `/${index}/_doc/1?refresh=true`, { index });
  }
});

describe('snapshots create', () => {
  it('registers the missing repository with the bucket of the facts, names the snapshot and waits for it', async () => {
    const ended = await cli('snapshots create backups --wait');

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^search-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.\d{6}\n$/);
    expect(await world.search('GET', '/_snapshot/backups')).toMatchObject({
      backups: { type: 's3', settings: { bucket: 'search-snapshots' } },
    });
    expect(await world.search('GET', `/_snapshot/backups/${ended.stdout.trim()}`)).toMatchObject({
      snapshots: [{ state: 'SUCCESS', include_global_state: true }],
    });
  });

  it('takes the bucket that was named', async () => {
    await cli('snapshots create other --bucket-name elsewhere');

    expect(await world.search('GET', '/_snapshot/other')).toMatchObject({
      other: { settings: { bucket: 'elsewhere' } },
    });
  });

  it('says what to do when no bucket is known', async () => {
    world.world.machines.get(host)!.files.clear();

    const ended = await cli('--password initial-search/elastic snapshots create backups');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('snapshot repository backups does not exist and no bucket is known');
  });
});

describe('the snapshot commands together', () => {
  it('register a repository, take a snapshot, show its status, bring it back and forget the repository', async () => {
    expect((await cli('snapshots create-repository own search-snapshots')).exitCode).toBe(0);
    const name = (await cli('snapshots create own --wait')).stdout.trim();
    const status = await cli(`snapshots status own ${name}`);
    expect(JSON.parse(status.stdout)).toMatchObject({ snapshots: [{ snapshot: name, state: 'SUCCESS' }] });

    await world.search('DELETE', '/logs-1');
    expect((await cli(`snapshots restore own ${name} --index logs-1 --wait --yes`)).exitCode).toBe(0);
    expect(await world.search('GET', '/logs-1/_doc/1')).toMatchObject({ found: true });

    expect((await cli('snapshots delete-repository own --yes')).exitCode).toBe(0);
    expect(await world.search('GET', '/_snapshot/own')).toMatchObject({ status: 404 });
  });
});

describe('snapshots list and status', () => {
  it('prints exactly the promised columns', async () => {
    await cli('snapshots create backups --wait');

    const [header, line] = (await cli('snapshots list backups')).stdout.split('\n');

    expect(header!.trim().split(/\s+/)).toEqual([
      'id',
      'repository',
      'status',
      'start_epoch',
      'start_time',
      'end_epoch',
      'end_time',
      'duration',
      'indices',
    ]);
    expect(line).toMatch(/^search-\S+\s+backups\s+SUCCESS\s/);
    expect((await cli('snapshots list')).stdout).toContain('SUCCESS');
    expect((await cli('cat snapshots backups')).exitCode).toBe(0);
  });

  it('shows the status as JSON', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();

    const ended = await cli(`snapshots status backups ${name}`);

    expect(JSON.parse(ended.stdout)).toMatchObject({ snapshots: [{ snapshot: name, state: 'SUCCESS' }] });
  });
});

describe('snapshots restore', () => {
  it('brings indices back beside what exists, and waits', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();

    const ended = await cli(
      `snapshots restore backups ${name} --index 'logs-*' --rename-prefix restored- --wait --yes`,
    );

    expect([ended.exitCode, ended.stdout]).toEqual([0, 'restored-logs-1\nrestored-logs-2\n']);
    expect(await world.search('GET', '/restored-logs-1/_count')).toMatchObject({ count: 1 });
  });

  it('refuses to touch an open index: exit 3 and the way out', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();

    const ended = await cli(`snapshots restore backups ${name} --yes`);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('refused (index-is-open): logs-1, logs-2 exists and is open');
    expect(ended.stderr).toContain('--rename-prefix');
  });

  it('brings a deleted index back under its own name', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();
    await world.search('DELETE', '/logs-1');

    expect((await cli(`snapshots restore backups ${name} --index logs-1 --wait --yes`)).exitCode).toBe(0);
    expect(await world.search('GET', '/logs-1/_count')).toMatchObject({ count: 1 });
  });

  it('brings a data stream back that rolls over, by its name and beside itself', async () => {
    await world.search('PUT', '/_index_template/web', { index_patterns: ['web-*'], data_stream: {} });
    await world.search('POST', '/web-app/_doc?refresh=true', { '@timestamp': '2026-01-05T00:00:00Z' });
    const name = (await cli('snapshots create backups --wait')).stdout.trim();

    const beside = await cli(`snapshots restore backups ${name} --index 'web-*' --rename-prefix old- --wait --yes`);
    expect([beside.exitCode, beside.stdout]).toEqual([0, expect.stringMatching(/^\.ds-old-web-app-.*-000001\n$/)]);
    expect(beside.stderr).toContain('no index template matches the data streams old-web-app');
    await world.search('DELETE', '/_data_stream/web-app');
    expect((await cli(`snapshots restore backups ${name} --index web-app --wait --yes`)).exitCode).toBe(0);
    expect(await world.search('GET', '/web-app/_count')).toMatchObject({ count: 1 });
    expect(await world.search('POST', '/web-app/_rollover')).toMatchObject({ rolled_over: true });
  });

  it('brings the feature kibana and the global state back, and refuses its index by name', async () => {
    await world.search('PUT', '/.kibana_1/_doc/1?refresh=true', { title: 'dashboard' });
    await world.search('PUT', '/_index_template/web', { index_patterns: ['web-*'] });
    const name = (await cli('snapshots create backups --wait')).stdout.trim();
    await world.search('DELETE', '/.kibana_1/_doc/1?refresh=true');
    await world.search('PUT', '/_index_template/web', { index_patterns: ['changed-*'] });

    const byName = await cli(`snapshots restore backups ${name} --index .kibana_1 --yes`);
    expect([byName.exitCode, byName.stderr]).toEqual([3, expect.stringContaining('--feature-states kibana')]);
    const wish = `snapshots restore backups ${name} --feature-states kibana --include-global-state`;
    expect((await cli(`${wish} --dry-run`)).stdout).toBe('.kibana_1\n');
    expect((await cli(`${wish} --wait --yes`)).exitCode).toBe(0);
    expect(await world.search('GET', '/.kibana_1/_count')).toMatchObject({ count: 1 });
    expect(await world.search('GET', '/_index_template/web')).toMatchObject({
      index_templates: [{ index_template: { index_patterns: ['web-*'] } }],
    });
  });

  it('renames by a pattern, which needs its replacement', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();
    const wish = `snapshots restore backups ${name} --rename-pattern 'logs-(.)' --yes`;

    expect((await cli(wish)).exitCode).toBe(2);
    expect((await cli(`${wish} --rename-replacement 'l$1' --wait`)).stdout).toBe('l1\nl2\n');
  });

  it('needs --yes where no one can be asked', async () => {
    const name = (await cli('snapshots create backups --wait')).stdout.trim();

    expect((await cli(`snapshots restore backups ${name} --rename-prefix r-`)).exitCode).toBe(2);
  });
});

describe('snapshots create-repository', () => {
  it('verifies on every node and names them', async () => {
    const ended = await cli('snapshots create-repository backups my-bucket');

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout.trim().split('\n')).toHaveLength(6);
  });

  it('says which node failed and why', async () => {
    locked = world.nodeOf(world.inService('search-data')[1]!).name;

    const ended = await cli('snapshots create-repository backups my-bucket');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(`cannot be used by 1 nodes: ${locked}:`);
    expect(ended.stderr).toContain('Access Denied');
    expect(ended.stderr).toContain('s3:PutObject');
  });

  it('says so when it is the master that failed', async () => {
    const master = await world.search<{ node: string }[]>('GET', '/_cat/master?format=json');
    locked = master[0]!.node;

    const ended = await cli('snapshots create-repository backups my-bucket');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the master: Access Denied');
  });

  it('delete-repository removes a registered repository', async () => {
    await cli('snapshots create-repository backups my-bucket');

    expect((await cli('snapshots delete-repository backups --yes')).exitCode).toBe(0);
    expect((await cli('snapshots delete-repository backups --yes')).exitCode).toBe(1);
  });
});

describe('snapshots policy', () => {
  const states = (stdout: string) =>
    Object.fromEntries(
      (JSON.parse(stdout) as { policy: string; state: string }[]).map(({ policy, state }) => [policy, state]),
    );
  const all = (state: string) => ({
    'hourly-snapshots': state,
    'daily-snapshots': state,
    'weekly-snapshots': state,
    'monthly-snapshots': state,
  });

  it('[rule 26] registers the repository first, installs the four policies and lets retention run hourly', async () => {
    const first = await cli('--format json snapshots policy');
    const second = await cli('--format json snapshots policy');

    expect([first.exitCode, states(first.stdout)]).toEqual([
      0,
      { ...all('created'), 'slm.retention_schedule': 'changed' },
    ]);
    expect([second.exitCode, states(second.stdout)]).toEqual([
      0,
      { ...all('unchanged'), 'slm.retention_schedule': 'unchanged' },
    ]);
    const policies = await world.search<Record<string, { policy: { schedule: string; repository: string } }>>(
      'GET',
      '/_slm/policy',
    );
    expect(policies['weekly-snapshots']!.policy).toMatchObject({
      schedule: '0 30 1 ? * 2',
      repository: 'backups',
      config: { indices: ['*', '-drover-drill-*'], include_global_state: true },
    });
  });

  it('--check changes nothing and exits 3 on drift, which the next run repairs', async () => {
    const missing = await cli('--format json snapshots policy --check');
    await cli('snapshots policy');
    expect((await cli('snapshots policy --check')).exitCode).toBe(0);
    const { policy } = (await world.search<Record<string, { policy: object }>>('GET', '/_slm/policy/daily-snapshots'))[
      'daily-snapshots'
    ]!;
    await world.search('PUT', '/_slm/policy/daily-snapshots', { ...policy, schedule: '0 0 5 * * ?' });
    const drifted = await cli('--format json snapshots policy --check');
    const repaired = await cli('--format json snapshots policy');

    expect([missing.exitCode, states(missing.stdout)['hourly-snapshots']]).toEqual([3, 'missing']);
    expect([drifted.exitCode, states(drifted.stdout)['daily-snapshots']]).toEqual([3, 'drifted']);
    expect(drifted.stderr).toContain('refused (policy-drift): daily-snapshots differ');
    expect([repaired.exitCode, states(repaired.stdout)['daily-snapshots']]).toEqual([0, 'changed']);
  });

  it('takes other policies from a file', async () => {
    const policy = {
      name: '<n-{now/d}>',
      schedule: '0 0 3 * * ?',
      repository: 'backups',
      config: { indices: ['*', '-drover-drill-*'], include_global_state: true },
    };
    world.world.machines.get(host)!.files.set('/tmp/policies.json', JSON.stringify({ nightly: { policy } }));

    const ended = await cli('--format json snapshots policy /tmp/policies.json');

    expect(states(ended.stdout)).toMatchObject({ nightly: 'created' });
  });

  it('keeps what the table of the specification says, within the hour', async () => {
    await cli('snapshots policy');
    await world.clock.advance(60 * hour);

    const rows = await world.search<{ id: string; start_epoch: string }[]>(
      'GET',
      '/_cat/snapshots/backups?format=json&h=id,start_epoch',
    );
    const oldest = Math.min(...rows.map(({ start_epoch }) => Number(start_epoch) * 1000));

    expect(rows.length).toBeGreaterThan(40);
    // 48 hourly ones and the one since the last retention, three daily, one weekly.
    expect(rows.length).toBeLessThanOrEqual(48 + 1 + 3 + 1);
    expect(world.clock.now() - oldest).toBeLessThan(61 * hour);
    expect(rows[0]!.id).toMatch(/^search-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.\d{6}-\S+$/);
  });
});
