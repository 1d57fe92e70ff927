import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import { documents, repository } from './snapshot-cases.ts';

const needs = ['a directory for file repositories (path.repo)', 'snapshot lifecycle management'] as const;
const options = { needs };

/** Refusals of x-pack-core are the server's, and recorded. In the lane a plugin of ours runs the policies. */
async function policies(target: ContractTarget, name: string) {
  await repository(target, name);
  await documents(target, `${name}-books`);
  const policy = {
    name: `<${name}-{now/d}>`,
    schedule: '0 30 1 * * ?',
    repository: name,
    config: { indices: `${name}-books`, include_global_state: false },
    retention: { max_count: 2, min_count: 1 },
  };
  target.cleanup(() => target.delete(`/_slm/policy/${name}`));
  const get = async () => (await target.must('GET', `/_slm/policy/${name}`)).body[name];
  return {
    policy,
    path: `/_slm/policy/${name}`,
    put: (change: object = {}) => target.must('PUT', `/_slm/policy/${name}`, { body: { ...policy, ...change } }),
    get,
    async run(): Promise<string> {
      const taken = async () => (await get()).stats.snapshots_taken as number;
      const before = await taken();
      const { body } = await target.must('POST', `/_slm/policy/${name}/_execute`);
      await target.until('the snapshot is done', async () => (await taken()) > before);
      return body.snapshot_name;
    },
  };
}

contract(
  'policies that make no sense are refused',
  async (target) => {
    const { policy, path } = await policies(target, 'contract-senseless');
    const put = (step: string, change: object, at = path) =>
      target.see(step, 'PUT', at, { body: { ...policy, ...change } });

    await put('schedule', { schedule: 'now and then' });
    await put('name in capitals', { name: 'Ab' });
    await put('name with blanks', { name: 'Ab c' });
    await put('name with a number sign', { name: 'a#b' });
    await put('name with an underscore', { name: '_a' });
    await put('no name', { name: '' });
    await put('no repository', { repository: '' });
    await put('at least none', { retention: { min_count: 0 } });
    await put('at most none', { retention: { max_count: 0 } });
    await put('fewer than the least', { retention: { min_count: 5, max_count: 2 } });
    await put('no time', { retention: { expire_after: 'x' } });
    await put('reserved', { config: { metadata: { policy: 'x' } } });
    await put('id with an underscore', {}, '/_slm/policy/_q');
    await target.see('nothing but a name', 'PUT', path, { body: { name: 'a' } });
    await target.see('no body', 'PUT', path);
  },
  options,
);

contract(
  'a policy for a missing repository, or that would run too often, is refused',
  async (target) => {
    const { policy, path } = await policies(target, 'contract-often');
    const status = async (change: object) => (await target.put(path, { ...policy, ...change })).status;

    expect(await status({ repository: 'contract-none' })).toBe(400);
    expect(await status({ schedule: '0 * * * * ?' })).toBe(400);
    expect(await status({ schedule: '1m' })).toBe(400);
    expect(await status({ schedule: '1h' })).toBe(200);
  },
  options,
);

contract(
  'members that a server does not know are taken and forgotten, the limit of 9.1 among them',
  async (target) => {
    const { put, get, policy } = await policies(target, 'contract-forgetful');
    await put({ nope: 1, unhealthy_if_no_snapshot_within: '2d', retention: { ...policy.retention, nope: 1 } });

    const found = (await get()).policy;
    expect(Object.keys(found).sort()).toEqual(['config', 'name', 'repository', 'retention', 'schedule']);
    expect(found.retention).toEqual(policy.retention);
  },
  options,
);

contract(
  'a policy that is put again keeps its version, a changed one gets the next',
  async (target) => {
    const { put, get } = await policies(target, 'contract-again');
    const seen = async () => {
      const { version, modified_date_millis } = await get();
      return { version, modified_date_millis };
    };
    await put();
    const first = await seen();
    expect(first.version).toBe(1);
    await target.transport.pass(50);
    await put();
    expect(await seen()).toEqual(first);
    await put({ schedule: '0 40 1 * * ?' });
    expect(await seen()).toEqual({ version: 2, modified_date_millis: expect.any(Number) });
    expect((await seen()).modified_date_millis).toBeGreaterThan(first.modified_date_millis);
  },
  options,
);

contract(
  'a run of a policy is noted and counted, and forgotten with its policy',
  async (target) => {
    const { put, get, run, path } = await policies(target, 'contract-noted');
    await put();
    const name = await run();
    const { last_success, last_failure, stats } = await get();
    expect(last_success).toMatchObject({ snapshot_name: name, time: expect.any(Number) });
    expect(last_failure).toBeUndefined();
    expect(stats).toMatchObject({ policy: 'contract-noted', snapshots_taken: 1, snapshots_failed: 0 });
    const counted = async () =>
      ((await target.must('GET', '/_slm/stats')).body.policy_stats as { policy: string }[]).filter(
        (each) => each.policy === 'contract-noted',
      );
    expect(await counted()).toHaveLength(1);

    await target.must('DELETE', path);
    expect(await counted()).toEqual([]);
    expect((await target.get('/_snapshot/contract-noted/*')).body.snapshots).toHaveLength(1);
  },
  options,
);

contract(
  'a run that fails is noted with its reason',
  async (target) => {
    const { put, get, path } = await policies(target, 'contract-failing');
    await put({ config: { indices: 'contract-none-such', include_global_state: false } });
    await target.post(`${path}/_execute`);

    const failure = await target.until('the failure', async () => (await get()).last_failure);
    expect(failure.details).toContain('no such index [contract-none-such]');
    expect((await get()).stats).toMatchObject({ snapshots_taken: 0, snapshots_failed: 1 });
  },
  options,
);

contract(
  'retention keeps the newest snapshots of a policy and leaves those of others',
  async (target) => {
    const { put, run } = await policies(target, 'contract-kept-few');
    await put();
    await target.must('PUT', '/_snapshot/contract-kept-few/mine?wait_for_completion=true', {
      body: { indices: 'contract-kept-few-books', include_global_state: false },
    });
    const names: string[] = [];
    for (let count = 0; count < 4; count++) {
      names.push(await run());
      await target.transport.pass(400);
    }

    await target.must('POST', '/_slm/_execute_retention');
    const wanted = ['mine', ...names.slice(-2)].sort();
    const kept = await target.until('retention', async () => {
      const { body } = await target.get('/_snapshot/contract-kept-few/_all');
      const found = (body.snapshots as { snapshot: string }[]).map(({ snapshot }) => snapshot).sort();
      return found.length <= wanted.length && found;
    });
    expect(kept).toEqual(wanted);
  },
  options,
);

contract(
  'snapshot lifecycle management stops and starts',
  async (target) => {
    const mode = async () => (await target.must('GET', '/_slm/status')).body;
    target.cleanup(() => target.post('/_slm/start'));

    expect(await mode()).toEqual({ operation_mode: 'RUNNING' });
    await target.must('POST', '/_slm/stop');
    await target.until('stopped', async () => (await mode()).operation_mode === 'STOPPED');
    await target.must('POST', '/_slm/start');
    expect(await mode()).toEqual({ operation_mode: 'RUNNING' });
  },
  options,
);

contract(
  'policies that are not there can be neither read nor deleted nor run',
  async (target) => {
    expect((await target.get('/_slm/policy/contract-none')).status).toBe(404);
    expect((await target.delete('/_slm/policy/contract-none')).status).toBe(404);
    expect((await target.post('/_slm/policy/contract-none/_execute')).status).toBe(400);
    expect((await target.must('GET', '/_slm/policy')).body).not.toHaveProperty('contract-none');
  },
  options,
);
