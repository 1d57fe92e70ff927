import type { InstanceState } from '../api.ts';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { useControl } from '../say.ts';
import { span } from '../words.ts';

const words: Readonly<Record<InstanceState['runner'], string>> = {
  none: 'no runner',
  offline: 'offline',
  idle: 'idle',
  busy: 'busy',
};

interface InstanceTileProps {
  readonly instance: InstanceState;
  /** Only an instance with an open hook needs it. */
  readonly now: number | undefined;
}

/** One instance: where it is in its life, what its runner does, how long its hooks still wait. */
export const InstanceTile = onlyWhenChanged(Tile);

function Tile({ instance, now }: InstanceTileProps) {
  const send = useControl();
  const { id, lifecycleState, runner, spot, hooks, healthy } = instance;
  const short = id.slice(0, 10);
  return (
    <li class={`tile ${runner} ${phaseOf(lifecycleState)}`}>
      <strong title={id}>{short}</strong>
      <span class="state">{lifecycleState}</span>
      <span>
        {words[runner]}
        {instance.protected ? ', protected' : ''}
        {spot ? ', spot' : ''}
        {healthy ? '' : ', unhealthy'}
      </span>
      {hooks.map(({ name, until }) => (
        <span class="hook" key={name}>
          {name}: {span(until - (now ?? until))} left
        </span>
      ))}
      <span class="acts">
        <button
          type="button"
          aria-label={`Terminate ${id}`}
          onClick={() => send('terminate-instance', { instance: id }, `${short} is to be terminated.`)}
        >
          Terminate
        </button>
        <button
          type="button"
          aria-label={`Break ${id}`}
          onClick={() => send('break-instance', { instance: id }, `${short} does not answer any more.`)}
        >
          Break
        </button>
        {spot && (
          <button
            type="button"
            aria-label={`Reclaim ${id}`}
            onClick={() => send('reclaim-spot', { instance: id }, `${short} has two minutes.`)}
          >
            Reclaim
          </button>
        )}
      </span>
    </li>
  );
}

function phaseOf(state: string): string {
  if (state.startsWith('Warmed:')) return 'pooled';
  if (state.startsWith('Pending')) return 'pending';
  return state.startsWith('Terminating') ? 'terminating' : 'serving';
}
