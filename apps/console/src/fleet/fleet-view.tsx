import type { FleetState, InstanceState, PlatformState } from '../api.ts';
import { useSameParts } from '../same-parts.ts';
import { TilesByZone, zonesOf } from '../tiles-by-zone.tsx';
import { counted } from '../words.ts';
import { FleetControls } from './fleet-controls.tsx';
import { IdleChart } from './idle-chart.tsx';
import { InstanceTile } from './instance-tile.tsx';

interface FleetViewProps {
  readonly fleet: FleetState;
  readonly platform: PlatformState;
  readonly now: number;
}

/** The fleet: its instances by zone, the warm pool, idle and busy over time, its controls. */
export function FleetView({ fleet: newest, platform, now }: FleetViewProps) {
  const fleet = useSameParts(newest);
  const members = fleet.instances.filter(({ warmPool }) => !warmPool);
  const pool = fleet.instances.filter(({ warmPool }) => warmPool);
  const alarmed = fleet.alarms.filter(({ state, scaling }) => state === 'ALARM' && !scaling);
  const tile = (instance: InstanceState) => (
    <InstanceTile instance={instance} now={instance.hooks.length > 0 ? now : undefined} key={instance.id} />
  );
  return (
    <>
      <section aria-labelledby="fleet-title">
        <h2 id="fleet-title">Fleet {fleet.groupName}</h2>
        <dl class="figures">
          <Figure name="desired" value={fleet.desiredCapacity} more={`between ${fleet.minSize} and ${fleet.maxSize}`} />
          <Figure
            name="idle"
            value={members.filter(({ runner }) => runner === 'idle').length}
            more={`target ${fleet.idleTarget}`}
          />
          <Figure name="busy" value={fleet.runningJobs} more={counted(fleet.completedJobs, 'job done', 'jobs done')} />
          <Figure name="queue" value={fleet.queuedJobs} more={`${fleet.lostJobs} lost`} />
          <Figure
            name="platform"
            value={platform.down ? 'down' : platform.rateLimited ? 'limited' : 'up'}
            more={`${platform.remaining} requests left`}
          />
        </dl>
        {alarmed.length > 0 && (
          <p class="trouble">
            {counted(alarmed.length, 'alarm is on', 'alarms are on')}: {alarmed.map(({ name }) => name).join(', ')}
          </p>
        )}
        {fleet.refresh !== undefined && (
          <p>
            Instance refresh: {fleet.refresh.status}, {fleet.refresh.percentageComplete} %
          </p>
        )}
      </section>
      <FleetControls fleet={fleet} platform={platform} />
      <section aria-labelledby="instances-title">
        <h2 id="instances-title">Instances</h2>
        <TilesByZone items={members} zones={zonesOf(members)} tile={tile} />
        <h3>Warm pool</h3>
        {pool.length === 0 ? <p>The warm pool is empty.</p> : <ul class="tiles">{pool.map(tile)}</ul>}
      </section>
      <IdleChart history={fleet.history} target={fleet.idleTarget} />
    </>
  );
}

function Figure({ name, value, more }: Readonly<{ name: string; value: number | string; more: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong> <span>{more}</span>
      </dd>
    </div>
  );
}
