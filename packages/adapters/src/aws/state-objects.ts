import { stateObjects as keys } from '@drover/core/names/search-cluster';
import type { StateObjects } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';

/** Objects that are created once and never changed, in the cluster's state bucket. */
export const stateObjects = (aws: ClusterAws, bucket: string): StateObjects => ({
  read: async (name) => await (await aws.objects()).get(bucket, keys[name]),
  create: async (name, text) => await (await aws.objects()).create(bucket, keys[name], text),
});
