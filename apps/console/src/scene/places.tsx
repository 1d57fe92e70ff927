import type { Observation } from '@drover/observation/api';
import { phaseOfInstance, runsJob } from '@drover/observation/phase';
import { addressOf } from '../route.ts';
import { aboutPlatform } from '../tools/offers.ts';
import { Age, isRead, type Part } from '../views/age.tsx';
import { waitsFor } from '../views/alarms.tsx';
import { counted } from '../words.ts';
import { lastKnown } from './last-known.ts';

const shownJobs = 40;

/** Platform, functions, fleet and cluster in one row above the zones. */
export function Places({ state }: { readonly state: Observation }) {
  const { platform, fleet, functions, cluster, alarms, unknown } = state;
  const on = alarms.filter((alarm) => alarm.state === 'ALARM' && !alarm.scaling);
  const failing = functions.filter(({ last }) => last[0]?.ok === false);
  const idle = fleet.instances.filter((one) => phaseOfInstance(one) === 'idle').length;
  const busy = fleet.instances.filter(runsJob).length;
  const queued = fleet.queuedJobs ?? 0;
  /** Nothing is known of what was not read: that is not zero. */
  const read = (part: Part, value: number): number | string => (isRead(state, part) ? value : '?');
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
          <Figure value={read('function logs', failing.length)} unit={`of ${functions.length} failing`} />
        </span>
        <Age state={state} of="function logs" />
        <span class="dots" aria-hidden="true">
          {functions.map(({ name, last }) => (
            <i class={last[0] === undefined ? 'unknown' : last[0].ok ? 'good' : 'bad'} title={name} key={name} />
          ))}
        </span>
      </a>
      {unknown.fleet !== undefined && <Absent what="Fleet" because={unknown.fleet} />}
      <div class="place" hidden={unknown.fleet !== undefined}>
        <strong>Fleet {fleet.groupName}</strong>
        <span class="figures-row">
          <Figure value={read('GitHub: runners', busy)} unit="busy" />
          <Figure value={read('GitHub: runners', idle)} unit={`idle of target ${fleet.idleTarget}`} />
          <Figure
            value={read('groups', fleet.desiredCapacity)}
            unit={isRead(state, 'groups') ? `desired (${fleet.minSize}–${fleet.maxSize})` : 'desired'}
          />
        </span>
        <Age state={state} of="groups" />
        <Age state={state} of="GitHub: runners" />
        {fleet.demand && (
          <span>
            {counted(fleet.demand.assigned, 'job')} assigned, {fleet.demand.waiting} waiting
          </span>
        )}
        <a class="quiet" href={addressOf('jobs')}>
          {isRead(state, 'job events')
            ? `${counted(fleet.completedJobs, 'job')} done, ${fleet.lostJobs} lost`
            : 'jobs: not read yet'}
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
          <span>{lastKnown(cluster, state.clock.now)}</span>
        ) : (
          <>
            <span class="figures-row">
              <Figure value={cluster.activeShards} unit="shards" />
              <Figure value={cluster.unassignedShards} unit="unassigned" />
              <Figure value={cluster.relocations.length} unit="relocating" />
            </span>
            <span>{counted(cluster.documents, 'document')}</span>
            <Age state={state} of="Elasticsearch: health" />
          </>
        )}
        {cluster.refreshes.map((refresh) => (
          <Refresh refresh={refresh} key={refresh.group} />
        ))}
      </a>
      <a class={`place${on.length > 0 ? ' bad' : ''}`} href={addressOf('alarms')}>
        <strong>Alarms</strong>
        <span class="figures-row">
          <Figure value={read('alarms', on.length)} unit={on.length === 1 ? 'alarm on' : 'alarms on'} />
        </span>
        <Age state={state} of="alarms" />
        {on.slice(0, 3).map(({ name }) => (
          <span class="name" title={name} key={name}>
            {name}
          </span>
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
export const Figure = ({ value, unit }: { readonly value: number | string; readonly unit: string }) => (
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
