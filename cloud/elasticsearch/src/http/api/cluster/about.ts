import type { Document } from '@drover/formats';
import { luceneVersion, majorOf } from '../../../engine/state/versions.ts';
import { isoTime } from '../../../engine/values/units.ts';
import type { Call } from '../../call.ts';
import { buildHash } from '../../responses/node-usage.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

/** Facts of the cluster about itself: version, license, certificates, remote clusters. */
export const aboutRoutes: readonly Endpoint[] = [
  {
    api: 'info',
    action: 'cluster:monitor/main',
    also: ['HEAD /'],
    run: info,
  },
  {
    api: 'license.get',
    action: 'cluster:monitor/xpack/license/get',
    run: license,
  },
  {
    api: 'cluster.remote_info',
    action: 'cluster:monitor/remote/info',
    run: () => ({ body: {} }),
  },
  {
    api: 'ssl.certificates',
    action: 'cluster:monitor/xpack/ssl/certificates/get',
    run: () => ({ body: [] }),
  },
];

/** `GET /`. It is pretty-printed by default, and needs no master. */
function info(call: Call): Reply {
  return { body: infoBody(call), pretty: true };
}

function infoBody(call: Call): Document {
  const { version } = call;
  const major = majorOf(version);
  return {
    name: call.node.name,
    cluster_name: call.cluster.clusterName,
    cluster_uuid: call.localState().clusterUUID,
    version: {
      number: version,
      build_flavor: 'default',
      build_type: 'deb',
      build_hash: buildHash,
      build_date: '2026-01-01T00:00:00.000000000Z',
      build_snapshot: false,
      lucene_version: luceneVersion(version),
      minimum_wire_compatibility_version: major === 7 ? '6.8.0' : major === 8 ? '7.17.0' : '8.19.0',
      minimum_index_compatibility_version: major === 7 ? '6.0.0-beta1' : `${major - 1}.0.0`,
    },
    tagline: 'You Know, for Search',
  };
}

async function license(call: Call): Promise<Reply> {
  const { core } = await call.master();
  return {
    body: {
      license: {
        status: 'active',
        uid: `00000000-0000-0000-0000-${Buffer.from(core.state.clusterUUID).toString('hex').slice(0, 12)}`,
        type: 'basic',
        issue_date: isoTime(call.node.startedAtMs),
        issue_date_in_millis: call.node.startedAtMs,
        max_nodes: 1000,
        max_resource_units: null,
        issued_to: call.cluster.clusterName,
        issuer: 'elasticsearch',
        start_date_in_millis: -1,
      },
    },
  };
}
