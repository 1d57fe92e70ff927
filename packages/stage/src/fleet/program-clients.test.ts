import { World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { programAws } from './program-clients.ts';

it('a program signs each call with the keys that its role has then: those of an instance are renewed', async () => {
  const clock = new VirtualClock();
  const world = new World({ clock, seed: 'keys' });
  const signedWith: (string | undefined)[] = [];
  const http = world.network.from({ kind: 'operator', name: 'test' });
  let accessKeyId = 'FIRST';
  const place = {
    http: async (request: Parameters<typeof http>[0]) => {
      signedWith.push(/Credential=(\w+)/.exec(request.headers.authorization ?? '')?.[1]);
      return await http(request);
    },
    clock,
    random: world.engine.random,
    process: undefined,
    alive: () => true,
    credentials: () => ({ accessKeyId, secretAccessKey: 'secret' }),
  };
  const { autoscaling } = programAws(world, place, 'sdk');

  for (accessKeyId of ['FIRST', 'SECOND'])
    await expect(autoscaling('DescribeAutoScalingGroups', {})).rejects.toThrow('security token');

  expect(signedWith).toEqual(['FIRST', 'SECOND']);
});
