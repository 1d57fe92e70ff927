import type { InstanceRefresh } from '@drover/search-cluster';
import type { ClusterAws } from './clients.ts';
import { awsCode, call } from './errors.ts';
import { autoScalingSdk } from './sdk-modules.ts';

/** Stops a refresh: it does not roll back, and replacements in flight end. */
export const instanceRefresh = (aws: ClusterAws): InstanceRefresh => ({
  cancel: async (groupName) => {
    const client = await aws.autoScaling();
    const { CancelInstanceRefreshCommand } = await autoScalingSdk();
    const command = new CancelInstanceRefreshCommand({ AutoScalingGroupName: groupName });
    try {
      await call('autoscaling:CancelInstanceRefresh', () => client.send(command));
      return 'cancelled';
    } catch (error) {
      if (awsCode(error).startsWith('ActiveInstanceRefreshNotFound')) return 'none-active';
      throw error;
    }
  },
});
