import type { ClusterState } from '../api.ts';
import { useSameParts } from '../same-parts.ts';
import { TilesByZone, zonesOf } from '../tiles-by-zone.tsx';
import { counted } from '../words.ts';
import { ClusterControls } from './cluster-controls.tsx';
import { NodeTile } from './node-tile.tsx';
import { SnapshotCalendar } from './snapshot-calendar.tsx';

/** The search cluster: its health, its nodes by zone with their shards, relocating shards and snapshots. */
export function ClusterView({ cluster: newest, now }: { readonly cluster: ClusterState; readonly now: number }) {
  const cluster = useSameParts(newest);
  const zones = zonesOf(cluster.nodes);
  return (
    <>
      <section aria-labelledby="cluster-title">
        <h2 id="cluster-title">Cluster {cluster.name}</h2>
        <p>
          <span class={`health ${cluster.health}`}>{cluster.health}</span> {counted(cluster.activeShards, 'shard')}{' '}
          active, {cluster.unassignedShards} unassigned, {counted(cluster.documents, 'document')}
        </p>
        {cluster.refreshes
          .filter(({ status }) => status !== 'Successful')
          .map(({ group, status, percentageComplete }) => (
            <p key={group}>
              Instance refresh of {group}: {status}, {percentageComplete} %
            </p>
          ))}
      </section>
      <ClusterControls cluster={cluster} zones={zones} />
      <section aria-labelledby="nodes-title">
        <h2 id="nodes-title">Nodes</h2>
        <TilesByZone
          items={cluster.nodes}
          zones={zones}
          note={(zone) => (cluster.lostZones.includes(zone) ? ' (lost)' : '')}
          tile={(node) => <NodeTile node={node} key={node.instanceId} />}
        />
      </section>
      <section aria-labelledby="moves-title">
        <h2 id="moves-title">Relocating shards</h2>
        {cluster.relocations.length === 0 ? (
          <p>No shard is relocating.</p>
        ) : (
          <ul class="moves">
            {cluster.relocations.map(({ index, number, from, to, percent }) => (
              <li key={`${index} ${number} ${to}`}>
                <span>
                  {index}[{number}] {from} → {to}
                </span>
                <progress max="100" value={percent} aria-label={`${index} ${number} to ${to}`} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <SnapshotCalendar policies={cluster.snapshots} now={now} />
    </>
  );
}
