import type { SnapshotPolicyState } from '../api.ts';
import { clockTime, span } from '../words.ts';

/** The snapshots of the four policies, a square each, against how many are kept. */
export function SnapshotCalendar({
  policies,
  now,
}: Readonly<{ policies: readonly SnapshotPolicyState[]; now: number }>) {
  return (
    <section class="view" aria-labelledby="snapshots-title">
      <h2 id="snapshots-title">Snapshots</h2>
      {policies.length === 0 && <p>No policy is installed yet.</p>}
      <ul class="policies">
        {policies.map(({ policy, keeps, snapshots, nextAt, lastFailure }) => (
          <li key={policy}>
            <strong>{policy}</strong>{' '}
            <span>
              {snapshots.length} of {keeps}
              {nextAt === undefined ? '' : `, the next in ${span(nextAt - now)}`}
            </span>
            {lastFailure !== undefined && <span class="trouble"> {lastFailure}</span>}
            <span class="calendar" role="img" aria-label={`${snapshots.length} snapshots of ${policy}`}>
              {Array.from({ length: keeps }, (_, index) => {
                const snapshot = snapshots[index];
                return (
                  <span
                    class={`day ${snapshot === undefined ? 'empty' : snapshot.state.toLowerCase()}`}
                    title={
                      snapshot === undefined
                        ? 'not yet'
                        : `${snapshot.name} ${clockTime(snapshot.at)} ${snapshot.state}`
                    }
                    key={snapshot?.name ?? index}
                  />
                );
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
