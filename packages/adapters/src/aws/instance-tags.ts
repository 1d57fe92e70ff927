import type { InstanceTags } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { call } from './errors.ts';
import { ec2Sdk } from './sdk-modules.ts';

/** Tags on an instance. */
export const instanceTags = (aws: ClusterAws): InstanceTags => ({
  set: async (instanceId, tags) => {
    const client = await aws.ec2();
    const { CreateTagsCommand } = await ec2Sdk();
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    await call('ec2:CreateTags', () => client.send(new CreateTagsCommand({ Resources: [instanceId], Tags })));
  },
});
