import type { SlmPolicy } from '@drover/search-cluster';
import type { SnapshotHistory, SnapshotPolicies } from '@drover/search-cluster/snapshot-ports';
import type { SearchClient } from './client/client.ts';
import { clusterSettings } from './cluster.ts';
import { settingsInForce } from './disks.ts';
import { asNumber, asObject } from './reading.ts';

const retentionSetting = 'slm.retention_schedule';
/**
 * Kept by servers from 9.1 on. Older ones, 8.19 among them, take it and forget it, so that it stands in the metadata of
 * the policy's snapshots as well, which all of them keep.
 */
const overdueLimit = 'unhealthy_if_no_snapshot_within';

/** Snapshot lifecycle policies. */
export const snapshotPolicyStore = (client: SearchClient): SnapshotPolicies => ({
  list: async () => {
    const answer = asObject(await client.json({ method: 'GET', path: '/_slm/policy' }, [404]), 'policies');
    if ('error' in answer) return {};
    return Object.fromEntries(
      Object.entries(answer).map(([id, entry]) => [
        id,
        asWanted(asObject(asObject(entry, id).policy, 'policy') as unknown as SlmPolicy),
      ]),
    );
  },
  put: async (id, policy) => {
    const body = JSON.stringify(withLimit(policy));
    await client.json({ method: 'PUT', path: `/_slm/policy/${encodeURIComponent(id)}`, body });
  },
  remove: async (id) =>
    void (await client.json({ method: 'DELETE', path: `/_slm/policy/${encodeURIComponent(id)}` }, [404])),
  retentionSchedule: async () => {
    return (await settingsInForce(client))(retentionSetting);
  },
  setRetentionSchedule: (schedule) => clusterSettings(client).setPersistent(retentionSetting, schedule),
});

function withLimit(policy: SlmPolicy): SlmPolicy {
  const limit = policy[overdueLimit];
  if (limit === undefined) return policy;
  const { metadata, ...config } = policy.config ?? {};
  return {
    ...policy,
    config: { ...config, metadata: { ...asObject(metadata ?? {}, 'metadata'), [overdueLimit]: limit } },
  };
}

/** The policy as it was put: the limit where it belongs, and no metadata that is ours alone. */
function asWanted(policy: SlmPolicy): SlmPolicy {
  const { metadata, ...config } = policy.config ?? {};
  const { [overdueLimit]: limit, ...others } = asObject(metadata ?? {}, 'metadata');
  if (typeof limit !== 'string') return policy;
  return {
    ...policy,
    config: Object.keys(others).length === 0 ? config : { ...config, metadata: others },
    [overdueLimit]: limit,
  };
}

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
