import { luceneVersion, majorOf } from '../../../engine/state/versions.ts';
import type { XObject } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { buildHash } from '../../responses/node-usage.ts';
import type { Reply, Route } from '../../routes/route.ts';

export const mainRoutes: readonly Route[] = [
  { api: 'info', action: 'cluster:monitor/main', methods: ['GET', 'HEAD'], paths: ['/'], run: info },
];

/** `GET /`. It is pretty-printed unless told otherwise, and answered without a master. */
function info(call: Call): Reply {
  return { body: infoBody(call), pretty: true };
}

function infoBody(call: Call): XObject {
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
