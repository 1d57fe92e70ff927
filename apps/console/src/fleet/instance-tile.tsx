import type { InstanceState } from '../api.ts';
import { type InstanceAction, TileButtons } from '../buttons.tsx';
import { onlyWhenChanged } from '../only-when-changed.tsx';
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

/** One instance: its lifecycle state, its runner, and the time until its hooks time out. */
export const InstanceTile = onlyWhenChanged(Tile);

function Tile({ instance, now }: InstanceTileProps) {
  const { id, lifecycleState, runner, spot, hooks, healthy } = instance;
  const short = id.slice(0, 10);
  const actions: readonly InstanceAction[] = [
    ['Terminate', 'terminate-instance', `${short} is being terminated.`],
    ['Break', 'break-instance', `${short} no longer responds.`],
  ];
  const reclaim: InstanceAction = ['Reclaim', 'reclaim-spot', `${short} is interrupted in two minutes.`];
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
      <TileButtons instance={id} name={id} actions={spot ? [...actions, reclaim] : actions} />
    </li>
  );
}

function phaseOf(state: string): string {
  if (state.startsWith('Warmed:')) return 'pooled';
  if (state.startsWith('Pending')) return 'pending';
  return state.startsWith('Terminating') ? 'terminating' : 'serving';
}
