import { clusterHealth } from '../../engine/coordination/health.ts';
import { clockTime } from '../../engine/values/units.ts';
import { percentText } from '../responses/human.ts';
import type { Endpoint } from '../routes/route.ts';
import { tableOf } from './columns.ts';

export const catHealthRoute: Endpoint = {
  api: 'cat.health',
  action: 'cluster:monitor/health',
  async run(call) {
    if (call.flag('help')) return { table: tableOf('health', call, []) };
    const { core } = await call.master();
    const health = clusterHealth(core.state, [...core.state.indices.values()]);
    const table = tableOf('health', call, [
      {
        epoch: Math.floor(call.now / 1000),
        timestamp: clockTime(call.now),
        cluster: call.cluster.clusterName,
        status: health.status,
        'node.total': health.nodes,
        'node.data': health.dataNodes,
        shards: health.active_shards,
        pri: health.active_primary_shards,
        relo: health.relocating_shards,
        init: health.initializing_shards,
        unassign: health.unassigned_shards,
        'unassign.pri': health.unassigned_primary_shards,
        pending_tasks: 0,
        max_task_wait_time: '-',
        active_shards_percent: percentText(health.activePercent),
      },
    ]);
    if (call.flag('ts', true)) return { table };
    return { table: { columns: table.columns.slice(2), rows: table.rows.map((row) => row.slice(2)) } };
  },
};
