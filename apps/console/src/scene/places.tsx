import type { Observation } from '@drover/observation/api';
import { phaseOfInstance, runsJob } from '@drover/observation/phase';
import { addressOf } from '../route.ts';
import { aboutPlatform } from '../tools/offers.ts';
import { waitsFor } from '../views/alarms.tsx';
import { counted } from '../words.ts';

const shownJobs = 40;

/** Platform, functions, fleet and cluster in one row above the zones. */
export function Places({ state }: { readonly state: Observation }) {
  const { platform, fleet, functions, cluster, alarms, unknown } = state;
  const on = alarms.filter((alarm) => alarm.state === 'ALARM' && !alarm.scaling);
  const failing = functions.filter(({ last }) => last[0]?.ok === false);
  const idle = fleet.instances.filter((one) => phaseOfInstance(one) === 'idle').length;
  const busy = fleet.instances.filter(runsJob).length;
  const queued = fleet.queuedJobs ?? 0;
  return (
    <div class="places">
      <a
        class={`place${platform.down || platform.rateLimited ? ' bad' : ''}`}
        href={addressOf('scene', aboutPlatform)}
        hidden={unknown.fleet !== undefined}
      >
        <strong>GitHub {platform.down ? 'down' : platform.rateLimited ? 'rate-limited' : 'up'}</strong>
        <span class="figures-row">
          <Figure value={fleet.queuedJobs ?? '?'} unit="queued" />
          {platform.down ? 'every request fails' : <Figure value={platform.remaining ?? '∞'} unit="requests left" />}
        </span>
        <span class="queue" data-place="queue" aria-hidden="true">
          {fleet.jobs
            .filter((job) => job.state === 'queued')
            .slice(0, shownJobs)
            .map(({ id }) => (
              <i key={id} />
            ))}
          {queued > shownJobs && <b>+{queued - shownJobs}</b>}
        </span>
      </a>
      <a class={`place${failing.length > 0 ? ' bad' : ''}`} href={addressOf('functions')}>
        <strong>Functions</strong>
        <span class="figures-row">
          <Figure value={failing.length} unit={`of ${functions.length} failing`} />
        </span>
        <span class="dots" aria-hidden="true">
          {functions.map(({ name, last }) => (
            <i class={last[0]?.ok === false ? 'bad' : 'good'} title={name} key={name} />
          ))}
        </span>
      </a>
      {unknown.fleet !== undefined && <Absent what="Fleet" because={unknown.fleet} />}
      <div class="place" hidden={unknown.fleet !== undefined}>
        <strong>Fleet {fleet.groupName}</strong>
        <span class="figures-row">
          <Figure value={busy} unit="busy" />
          <Figure value={idle} unit={`idle of target ${fleet.idleTarget}`} />
          <Figure value={fleet.desiredCapacity} unit={`desired (${fleet.minSize}–${fleet.maxSize})`} />
        </span>
        {fleet.demand && (
          <span>
            {counted(fleet.demand.assigned, 'job')} assigned, {fleet.demand.waiting} waiting
          </span>
        )}
        <a class="quiet" href={addressOf('jobs')}>
          {counted(fleet.completedJobs, 'job')} done, {fleet.lostJobs} lost
        </a>
        <Refresh refresh={fleet.refresh} />
      </div>
      {unknown.cluster !== undefined && <Absent what="Cluster" because={unknown.cluster} />}
      <a
        class={`place ${cluster.trouble === undefined ? cluster.health : 'dead'}`}
        href={addressOf('shards')}
        hidden={unknown.cluster !== undefined}
      >
        <strong>
          Cluster {cluster.name} <span class={`health ${cluster.health}`}>{cluster.health}</span>
        </strong>
        {cluster.trouble !== undefined && <span role="alert">{cluster.trouble}</span>}
        {cluster.health === 'unknown' ? (
          <span>shards and documents: not known</span>
        ) : (
          <>
            <span class="figures-row">
              <Figure value={cluster.activeShards} unit="shards" />
              <Figure value={cluster.unassignedShards} unit="unassigned" />
              <Figure value={cluster.relocations.length} unit="relocating" />
            </span>
            <span>{counted(cluster.documents, 'document')}</span>
          </>
        )}
        {cluster.refreshes.map((refresh) => (
          <Refresh refresh={refresh} key={refresh.group} />
        ))}
      </a>
      <a class={`place${on.length > 0 ? ' bad' : ''}`} href={addressOf('alarms')}>
        <strong>Alarms</strong>
        <span class="figures-row">
          <Figure value={on.length} unit={on.length === 1 ? 'alarm on' : 'alarms on'} />
        </span>
        {on.slice(0, 3).map(({ name }) => (
          <span key={name}>{name}</span>
        ))}
        {alarms.map((alarm) => {
          const waits = waitsFor(alarm, state);
          return waits && <span key={alarm.name}>{`${alarm.name} ${waits}`}</span>;
        })}
      </a>
    </div>
  );
}

/** A number that is read from afar, with its unit. */
const Figure = ({ value, unit }: { readonly value: number | string; readonly unit: string }) => (
  <span class="figure">
    <b>{typeof value === 'number' ? value.toLocaleString('en') : value}</b> {unit}
  </span>
);

const Absent = ({ what, because }: { readonly what: string; readonly because: string }) => (
  <div class="place">
    <strong>{what}: none</strong>
    <span>{because}</span>
  </div>
);

const Refresh = ({ refresh }: { readonly refresh: Observation['fleet']['refresh'] }) =>
  refresh === undefined ? null : (
    <span>
      Instance refresh of {refresh.group}: {refresh.status}, {refresh.percentageComplete} %
    </span>
  );
