import type { ClusterState } from '../api.ts';
import { useControl } from '../say.ts';

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
        <button
          type="button"
          key={name}
          onClick={() =>
            refreshing(name)
              ? send('cancel-refresh', { group: name }, `The refresh of ${name} is cancelled.`)
              : send('start-refresh', { group: name }, `Every node of ${name} is replaced, one after the other.`)
          }
        >
          {refreshing(name) ? `Cancel the refresh of ${name}` : `Start a refresh of ${name}`}
        </button>
      ))}
      {zones.map((zone) => {
        const lost = cluster.lostZones.includes(zone);
        return (
          <button
            type="button"
            key={zone}
            aria-pressed={lost}
            onClick={() => send('lose-zone', { zone, lost: !lost }, lost ? `${zone} is back.` : `${zone} is lost.`)}
          >
            {lost ? `Bring ${zone} back` : `Lose ${zone}`}
          </button>
        );
      })}
    </section>
  );
}
