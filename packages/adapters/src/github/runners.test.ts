import { HostStage, minutes, org } from '@drover/cloud-github/testing';
import { Secret, TerminalError } from '@drover/core';
import { type PlatformLevel, runnerUrl } from '@drover/core/names/platform-level';
import type { RunnerList } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { PlatformClient } from './client.ts';
import { tokenCredentials } from './credentials.ts';
import { heldMemory } from './fleet-memory.test-support.ts';
import { platformRunners } from './runners.ts';

/** One invocation: a new client, with whatever memory is given. */
function invocation(
  stage: HostStage,
  runnerGroup?: string,
  memory = heldMemory(),
  level: PlatformLevel = { kind: 'org', name: org },
) {
  const credentials = tokenCredentials(async () => new Secret(stage.token));
  const { clock, fetch } = stage;
  const client = new PlatformClient({
    apiUrl: stage.host.apiUrl,
    level,
    clock,
    fetch,
    credentials,
  });
  return platformRunners({ client, clock, memory, runnerGroup });
}

const names = (list: RunnerList) => list.pages.flatMap((page) => page.runners.map(({ name }) => name));

describe('runners of each level', () => {
  const levels: [PlatformLevel, string, string?][] = [
    [{ kind: 'org', name: org }, org, 'Default'],
    [{ kind: 'repo', name: `${org}/app` }, `${org}/app`],
    [{ kind: 'enterprise', name: 'example-enterprise' }, 'enterprises/example-enterprise', 'Default'],
  ];

  it.each(levels)('runners of %o are registered, listed, found, relabelled and removed', async (level, page, group) => {
    for (const apiUrl of ['https://api.github.com', 'https://api.octo.ghe.com', 'https://ghe.example.com/api/v3']) {
      const stage = new HostStage({ apiUrl });
      stage.register(1, 'elsewhere-', ['fleet'], 1, 'other');
      const runners = invocation(stage, group, heldMemory(), level);
      const token = await runners.mint('i-1');
      const { id } = stage.host.registry.register({ token: token.reveal(), name: 'i-1', labels: ['fleet'] });

      expect(stage.host.registry.levelOf(token.reveal())).toBe(page);
      expect(runnerUrl(apiUrl, level)).toBe(`${stage.host.webUrl}/${page}`);
      expect(names(await runners.list())).toEqual(['i-1']);
      await runners.keepLabels(id, ['mine']);
      expect((await runners.findByName('i-1'))?.customLabels).toEqual(['mine']);
      expect(await runners.remove(id)).toBe('removed');
      expect(await runners.remove(id)).toBe('absent');
    }
  });
});

describe('the labels', () => {
  it('keepLabels removes custom labels that are not kept; those that the platform gave stay', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const runners = invocation(stage);
    expect((await runners.findByName('runner-1'))!.customLabels).toEqual(['fleet']);

    await runners.keepLabels(id!, ['instance_id:i-1']);

    expect(await runners.findByName('runner-1')).toMatchObject({
      labels: ['self-hosted', 'Linux', 'X64', 'instance_id:i-1'],
      customLabels: ['instance_id:i-1'],
    });
  });

  it('keepLabels succeeds for a runner that does not exist any more', async () => {
    await expect(invocation(new HostStage()).keepLabels(7, [])).resolves.toBeUndefined();
  });
});

describe('the list', () => {
  it('the list of runners has every page', async () => {
    const stage = new HostStage();
    stage.register(250);

    const list = await invocation(stage).list();

    expect(list.pages.map(({ runners }) => runners.length)).toEqual([100, 100, 50]);
    expect(new Set(names(list)).size).toBe(250);
    expect(list.pages[0]!.runners[0]).toEqual({
      id: 1,
      name: 'runner-1',
      status: 'offline',
      busy: false,
      labels: ['self-hosted', 'Linux', 'X64', 'fleet'],
    });
    expect(stage.host.countedRequests).toBe(3);
  });

  it('the list of runners needs no further request when the last page is full', async () => {
    const stage = new HostStage();
    stage.register(200);

    await invocation(stage).list();

    expect(stage.host.countedRequests).toBe(2);
  });

  it('the list of runners is free when nothing has changed, and costs only the pages that have', async () => {
    const stage = new HostStage();
    const [first] = stage.register(250);
    const known = await invocation(stage).list();

    const unchanged = await invocation(stage).list(known);
    expect(stage.host.countedRequests).toBe(3);
    expect(names(unchanged)).toEqual(names(known));
    stage.connect(first!);
    const changed = await invocation(stage).list(unchanged);

    expect(stage.host.countedRequests).toBe(4);
    expect(changed.pages[0]!.runners[0]!.status).toBe('online');
    expect(changed.pages[1]!.runners).toEqual(known.pages[1]!.runners);
  });

  it('the list of runners follows pages that grow or shrink', async () => {
    const stage = new HostStage();
    stage.register(100);
    const small = await invocation(stage).list();
    stage.register(50, 'more-');
    const large = await invocation(stage).list(small);
    for (let id = 1; id <= 120; id++) stage.host.registry.remove(id);

    expect(names(large)).toHaveLength(150);
    expect(names(await invocation(stage).list(large))).toHaveLength(30);
  });

  it('the list of runners costs one request a minute for a hundred runners when all of them change all the time', async () => {
    const stage = new HostStage();
    const ids = stage.register(100);
    let known: RunnerList | undefined;
    for (let minute = 0; minute < 60; minute++) {
      stage.connect(ids[minute]!);
      known = await invocation(stage).list(known);
      await stage.clock.advance(1 * minutes);
    }

    expect(stage.host.countedRequests).toBe(60);
  });

  it('the list of runners ends with advice when there are more runners than it can read', async () => {
    const stage = new HostStage({ pointsPerMinute: 1_000_000 });
    const endless = async (input: unknown, init?: RequestInit) => {
      const url = new URL(String(input));
      url.searchParams.set('page', '1');
      const response = await stage.fetch(url, init);
      const body = (await response.text()).replace(/"total_count":\d+/, '"total_count":30000');
      return new Response(body, { status: 200, headers: response.headers });
    };
    stage.register(100);
    const credentials = tokenCredentials(async () => new Secret(stage.token));
    const { clock } = stage;
    const client = new PlatformClient({
      apiUrl: stage.host.apiUrl,
      level: { kind: 'org', name: org },
      clock,
      fetch: endless as typeof fetch,
      credentials,
    });

    const error = await platformRunners({ client, clock, memory: heldMemory() })
      .list()
      .catch((caught: TerminalError) => caught);

    expect(error).toBeInstanceOf(TerminalError);
    expect((error as TerminalError).remedy).toContain('runner_group');
  });
});

describe('a runner group', () => {
  it('a runner group is given by its name; only its runners are listed', async () => {
    const stage = new HostStage();
    for (let count = 1; count <= 120; count++) stage.host.addGroup(`group-${count}`);
    stage.register(5);
    stage.register(3, 'ours-', [], stage.host.addGroup('group-115'));

    expect(names(await invocation(stage, 'group-115').list())).toEqual(['ours-1', 'ours-2', 'ours-3']);
    expect(stage.host.countedRequests).toBe(3);
  });

  it('a runner group is looked up once: later invocations remember its number', async () => {
    const stage = new HostStage();
    stage.host.addGroup('builders');
    const memory = heldMemory();
    await invocation(stage, 'builders', memory).list();

    await invocation(stage, 'builders', memory).list();

    expect(memory.state.runnerGroup).toEqual({ name: 'builders', id: 2 });
    expect(stage.host.countedRequests).toBe(3);
  });

  it('a runner group is looked up again when it was deleted and created again, or when another one is configured', async () => {
    const stage = new HostStage();
    const memory = heldMemory({ runnerGroup: { name: 'builders', id: 99 } });
    stage.register(1, 'ours-', [], stage.host.addGroup('builders'));
    stage.register(2, 'theirs-', [], stage.host.addGroup('testers'));

    expect(names(await invocation(stage, 'builders', memory).list())).toEqual(['ours-1']);
    expect(names(await invocation(stage, 'testers', memory).list())).toEqual(['theirs-1', 'theirs-2']);
  });

  it('a runner group that does not exist is an error that names those that do', async () => {
    const stage = new HostStage();
    stage.host.addGroup('builders');

    const error = await invocation(stage, 'biulders')
      .list()
      .catch((caught: TerminalError) => caught);

    expect(error).toBeInstanceOf(TerminalError);
    expect((error as TerminalError).message).toBe(
      'example-org has no runner group "biulders"; it has Default, builders',
    );
  });
});

describe('one runner', () => {
  it('a runner is found by its name among many, with one request', async () => {
    const stage = new HostStage();
    stage.register(300);

    expect(await invocation(stage).findByName('runner-222')).toMatchObject({ id: 222 });
    expect(await invocation(stage).findByName('runner-2')).toMatchObject({ id: 2 });
    expect(await invocation(stage).findByName('nobody')).toBeUndefined();
    expect(stage.host.countedRequests).toBe(3);
  });

  it('a runner is found also on a server that does not know the filter', async () => {
    const stage = new HostStage();
    stage.register(150);
    const ignorant = (async (input: unknown, init?: RequestInit) => {
      const url = new URL(String(input));
      url.searchParams.delete('name');
      return await stage.fetch(url, init);
    }) as typeof fetch;
    const { clock } = stage;
    const credentials = tokenCredentials(async () => new Secret(stage.token));
    const client = new PlatformClient({
      apiUrl: stage.host.apiUrl,
      level: { kind: 'org', name: org },
      clock,
      fetch: ignorant,
      credentials,
    });

    const runners = platformRunners({ client, clock, memory: heldMemory() });

    expect(await runners.findByName('runner-140')).toMatchObject({ id: 140 });
    expect(await runners.findByName('nobody')).toBeUndefined();
  });

  it('a runner is removed, absent or busy', async () => {
    const stage = new HostStage({ busyFlag: { mostLagMs: 0, flipChance: 0 } });
    const [idle, busy] = stage.register(2);
    stage.connect(busy!);
    stage.host.registry.queue.enqueue({ durationMs: 5 * minutes });
    const runners = invocation(stage);

    expect(await runners.remove(busy!)).toBe('busy');
    expect(await runners.remove(idle!)).toBe('removed');
    expect(await runners.remove(idle!)).toBe('absent');
  });

  it('a runner is not called absent when the credentials may not see it', async () => {
    const stage = new HostStage();
    const [id] = stage.register(1);
    const other = { account: 'user ID 9', org: 'other-org', mayManageRunners: true };
    stage.host.credentials.addToken(stage.token, other);

    await expect(invocation(stage).remove(id!)).rejects.toThrow('returned 404');
    expect(stage.host.registry.runners).toHaveLength(1);
  });

  it('a runner registers with a token that is minted for it', async () => {
    const stage = new HostStage();

    const token = await invocation(stage).mint('i-1');

    expect(`${token}`).toBe('[secret]');
    expect(stage.host.registry.register({ token: token.reveal(), name: 'a', labels: [] }).id).toBe(1);
  });
});
