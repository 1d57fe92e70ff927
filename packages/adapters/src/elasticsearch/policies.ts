import type { SlmPolicy } from '@drover/search-cluster';
import type { SnapshotHistory, SnapshotPolicies } from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { SearchError } from './client/errors.ts';
import { clusterSettings } from './cluster.ts';
import { settingsInForce } from './disks.ts';
import { asNumber, asObject } from './reading.ts';

const retentionSetting = 'slm.retention_schedule';
/** Known to servers from 8.19 and 9.1 on; older ones refuse a policy that carries it. */
const newestMember = 'unhealthy_if_no_snapshot_within';

/** Snapshot lifecycle policies. */
export const snapshotPolicyStore = (client: SearchClient): SnapshotPolicies => ({
  list: async () => {
    const answer = asObject(await client.json({ method: 'GET', path: '/_slm/policy' }, [404]), 'policies');
    if ('error' in answer) return {};
    return Object.fromEntries(
      Object.entries(answer).map(([id, entry]) => [
        id,
        asObject(asObject(entry, id).policy, 'policy') as unknown as SlmPolicy,
      ]),
    );
  },
  put: async (id, policy) => {
    try {
      await putPolicy(client, id, policy);
    } catch (error) {
      if (!refusesMember(error)) throw error;
      const { [newestMember]: _, ...known } = policy;
      await putPolicy(client, id, known);
    }
  },
  retentionSchedule: async () => {
    return (await settingsInForce(client))(retentionSetting);
  },
  setRetentionSchedule: (schedule) => clusterSettings(client).setPersistent(retentionSetting, schedule),
});

async function putPolicy(client: SearchClient, id: string, policy: SlmPolicy): Promise<void> {
  await client.json({ method: 'PUT', path: `/_slm/policy/${encodeURIComponent(id)}`, body: JSON.stringify(policy) });
}

const refusesMember = (error: unknown) =>
  error instanceof SearchError && error.status === 400 && error.message.includes(newestMember);

/** The runs that snapshot lifecycle management remembers: cheaper than listing the repository. */
export const snapshotHistory = (client: SearchClient): SnapshotHistory => ({
  policyRuns: async () => {
    const path = '/_slm/policy?filter_path=*.modified_date_millis,*.last_success.time';
    const policies = asObject(await client.get(path), 'policies');
    return Object.entries(policies).map(([id, entry]) => {
      const { modified_date_millis, last_success } = asObject(entry, id);
      return {
        id,
        changedAt: asNumber(modified_date_millis, 'modified_date_millis'),
        lastSuccessAt: last_success === undefined ? undefined : asNumber(asObject(last_success, id).time, 'time'),
      };
    });
  },
});
