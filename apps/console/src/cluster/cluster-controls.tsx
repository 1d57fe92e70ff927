import type { ClusterState } from '../api.ts';
import { Toggle } from '../buttons.tsx';
import { useControl } from '../controls.ts';

/** Operations and failures that can be tried on the cluster. */
export function ClusterControls({ cluster, zones }: Readonly<{ cluster: ClusterState; zones: readonly string[] }>) {
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
          turnOn={[
            `Start a refresh of ${name}`,
            () => send('start-refresh', { group: name }, `Every node of ${name} is replaced, one at a time.`),
          ]}
          turnOff={[
            `Cancel the refresh of ${name}`,
            () => send('cancel-refresh', { group: name }, `The refresh of ${name} is cancelled.`),
          ]}
        />
      ))}
      {zones.map((zone) => (
        <Toggle
          key={zone}
          on={cluster.lostZones.includes(zone)}
          turnOn={[`Lose ${zone}`, () => send('lose-zone', { zone, lost: true }, `${zone} is lost.`)]}
          turnOff={[`Bring ${zone} back`, () => send('lose-zone', { zone, lost: false }, `${zone} is back.`)]}
        />
      ))}
    </section>
  );
}
