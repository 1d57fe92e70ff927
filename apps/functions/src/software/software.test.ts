import type { AwsCalls } from '@drover/adapters/aws';
import { silentLogger } from '@drover/core';
import { softwareObject } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import { softwareFunction } from './software.ts';

interface Input {
  readonly Key: string;
  readonly Body?: string;
  readonly CopySource?: string;
  readonly IfMatch?: string;
  readonly IfNoneMatch?: string;
}

/** A state bucket that keeps what is written, in order, and its function. */
function bucket(raced = false) {
  /** The call at which the function dies, before or after it. */
  const deaths: { at?: number; phase?: 'before' | 'after'; calls: number } = { calls: 0 };
  const objects = new Map<string, string>();
  const order: string[] = [];
  const etag = (text: string | undefined) => (text === undefined ? undefined : `"${text.length}-${text}"`);
  const fail = (name: string) => {
    throw Object.assign(new Error(name), { name });
  };
  const calls: Readonly<Record<string, (input: Input) => unknown>> = {
    GetObject: ({ Key }) => {
      const Body = objects.get(Key) ?? fail('NoSuchKey');
      return { Body, ETag: etag(Body as string) };
    },
    PutObject: ({ Key, Body, IfMatch, IfNoneMatch }) => {
      if (raced) objects.set(Key, '{"version":"other","digest":"x","archives":[]}');
      const found = etag(objects.get(Key));
      if (IfNoneMatch === '*' ? found !== undefined : found !== IfMatch) fail('PreconditionFailed');
      objects.set(Key, Body!);
      order.push(Key);
      return {};
    },
    CopyObject: ({ Key, CopySource }) => {
      objects.set(Key, CopySource!);
      order.push(Key);
      return {};
    },
  };
  const s3 = (async (operation: string, input: Input) => {
    const dies = deaths.calls++ === deaths.at;
    if (dies && deaths.phase === 'before') return await new Promise(() => {});
    const output = calls[operation]!(input);
    return dies ? await new Promise(() => {}) : output;
  }) as unknown as AwsCalls['s3'];
  const responses: { Status: string; Reason?: string }[] = [];
  const send = (async (_url: string, { body }: { body: string }) => {
    responses.push(JSON.parse(body));
    return { status: 200 };
  }) as never;
  const runtime = { env: { STATE_BUCKET: 'state' }, aws: { s3 }, log: silentLogger, fetch: send };
  const run = softwareFunction(runtime as never);
  const facts = { search_data: { elasticsearch: { heap_max_gib: 30 } } };
  let requests = 0;
  const deploy = (
    Version: string,
    RequestType = 'Update',
    RequestId = `request-${++requests}`,
    wanted: Readonly<Record<string, object>> = facts,
  ) =>
    run({
      RequestType,
      RequestId,
      ResponseURL: 'https://response',
      ResourceProperties: {
        Version,
        ElasticsearchVersion: '8.19.21',
        Facts: JSON.stringify(wanted),
        Archives: [{ Bucket: 'assets', Key: 'a b.tar', Sha256: `sum-${Version}`, Prefix: '', Into: '' }],
      },
    });
  const pointer = () =>
    JSON.parse(objects.get(softwareObject)!) as { version: string; digest: string; proven: boolean; before?: object };
  return { run, deploy, pointer, order, objects, responses, deaths };
}

describe('the function that writes the software pointer', () => {
  it('the archives are copied before the pointer names them', async () => {
    const { deploy, order, objects, pointer } = bucket();
    await deploy('1');
    expect(order).toEqual(['software/sum-1', softwareObject]);
    expect(objects.get('software/sum-1')).toBe('assets/a%20b.tar');
    expect(pointer()).toMatchObject({
      version: '1',
      elasticsearchVersion: '8.19.21',
      archives: [{ key: 'software/sum-1', sha256: 'sum-1' }],
      facts: { search_data: { elasticsearch: { heap_max_gib: 30 } } },
    });
  });

  it('a request of CloudFormation that is delivered again after the next one changes nothing', async () => {
    const { run, deploy, pointer } = bucket();
    await deploy('1', 'Create', 'first');
    await deploy('2', 'Update', 'second');
    const { digest } = pointer();
    await deploy('1', 'Create', 'first');
    expect(pointer()).toMatchObject({ version: '2', proven: false, before: { version: '1' } });
    await run({ back: digest });
    await deploy('2', 'Update', 'second');
    expect(pointer().version).toBe('1');
  });

  it('an operator gets back the pointer before the current one, once, and only for the one that he names', async () => {
    const { run, deploy, pointer } = bucket();
    await deploy('1');
    await deploy('2');
    const { digest } = pointer();
    await expect(run({ back: 'other' })).rejects.toThrow('nothing is changed');
    expect(await run({ back: digest })).toMatchObject({ version: '1' });
    expect(pointer()).toEqual(expect.not.objectContaining({ before: expect.anything() }));
    await expect(run({ back: digest })).rejects.toThrow('nothing is changed');
    await expect(run({ back: pointer().digest })).rejects.toThrow('no software before 1');
    expect(pointer().version).toBe('1');
  });

  it('an operator notes that every node has the current software, and no other', async () => {
    const { run, deploy, pointer } = bucket();
    await deploy('1');
    const { digest: first } = pointer();
    await deploy('2');
    expect(pointer().proven).toBe(false);
    await expect(run({ proven: first })).rejects.toThrow('nothing is changed');
    const { digest } = pointer();
    for (const _again of [1, 2]) expect(await run({ proven: digest })).toEqual({ version: '2', digest });
    expect(pointer()).toMatchObject({ version: '2', proven: true, before: { digest: first } });
  });

  it.each(['before', 'after'] as const)(
    'a function that dies %s any of its calls never points to what is not there, and the next one finishes',
    async (phase) => {
      for (let at = 0; ; at++) {
        const { deploy, pointer, objects, deaths } = bucket();
        await deploy('1');
        Object.assign(deaths, { at: deaths.calls + at, phase });
        const died = await Promise.race([
          deploy('2').then(() => false),
          new Promise((resolve) => setImmediate(() => resolve(true))),
        ]);
        const { version } = pointer();
        expect([...objects.keys()]).toContain(`software/sum-${version}`);
        delete deaths.at;
        await deploy('2');
        expect(pointer()).toMatchObject({ version: '2', proven: false, before: { version: '1' } });
        if (died === false) return expect(at).toBe(3);
      }
    },
  );

  it('a roll-back of the stack writes the old pointer, and the deletion of the stack leaves everything', async () => {
    const { deploy, pointer, order } = bucket();
    for (const version of ['1', '2', '1']) await deploy(version);
    expect(pointer()).toMatchObject({ version: '1' });
    const written = order.length;
    await deploy('1', 'Delete');
    expect(order).toHaveLength(written);
  });

  it('the first nodes of a new group boot with the software of the others, by facts of their own', async () => {
    const { deploy, pointer } = bucket();
    await deploy('1');
    const warm = { elasticsearch: { node_roles: ['data_warm'] } };
    await deploy('2', 'Update', 'adds', { search_data: { elasticsearch: { heap_max_gib: 20 } }, search_warm: warm });
    const { before } = pointer();
    expect(before).toMatchObject({
      version: '1',
      facts: { search_data: { elasticsearch: { heap_max_gib: 30 } }, search_warm: warm },
    });
  });

  it('a new group is refused while the nodes have software that knows no groups, and taken after a roll', async () => {
    const { run, deploy, pointer, objects, responses } = bucket();
    await deploy('1');
    const { knowsGroups, ...old } = JSON.parse(objects.get(softwareObject)!) as { knowsGroups: boolean };
    objects.set(softwareObject, JSON.stringify(old));
    const groups = { search_data: {}, search_warm: {} };
    await deploy('2', 'Update', 'too early', groups);
    expect(responses.at(-1)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('drover cluster roll'),
    });
    await deploy('2');
    await run({ proven: pointer().digest });
    await deploy('2', 'Update', 'in time', groups);
    expect([knowsGroups, responses.at(-1)?.Status]).toEqual([true, 'SUCCESS']);
  });

  it('a pointer that another writer has changed meanwhile is not overwritten, and the deployment fails', async () => {
    const { deploy, pointer, responses } = bucket(true);
    await deploy('1');
    expect([pointer().version, responses.at(-1)?.Status]).toEqual(['other', 'FAILED']);
  });
});
