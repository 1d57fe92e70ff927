import type { ClusterState } from '../api.ts';
import { useControl } from '../say.ts';
import { Toggle } from '../toggle.tsx';

/** What an operator, or bad luck, can do to the cluster. */
export function ClusterControls({
  cluster,
  zones,
}: {
  readonly cluster: ClusterState;
  readonly zones: readonly string[];
}) {
  const send = useControl();
  const refreshing = (group: string) =>
    cluster.refreshes.some((refresh) => refresh.group === group && /Progress|Pending|Cancelling/.test(refresh.status));
  return (
    <section class="controls" aria-labelledby="cluster-controls-title">
      <h2 id="cluster-controls-title">Try something</h2>
      {cluster.groups.map(({ name }) => (
        <Toggle
          key={name}
          on={refreshing(name)}
          turnOn={{
            label: `Start a refresh of ${name}`,
            press: () =>
              send('start-refresh', { group: name }, `Every node of ${name} is replaced, one after the other.`),
          }}
          turnOff={{
            label: `Cancel the refresh of ${name}`,
            press: () => send('cancel-refresh', { group: name }, `The refresh of ${name} is cancelled.`),
          }}
        />
      ))}
      {zones.map((zone) => (
        <Toggle
          key={zone}
          on={cluster.lostZones.includes(zone)}
          turnOn={{
            label: `Lose ${zone}`,
            press: () => send('lose-zone', { zone, lost: true }, `${zone} is lost.`),
          }}
          turnOff={{
            label: `Bring ${zone} back`,
            press: () => send('lose-zone', { zone, lost: false }, `${zone} is back.`),
          }}
        />
      ))}
    </section>
  );
}
