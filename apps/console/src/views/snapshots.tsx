import type { SnapshotPolicyState } from '@drover/observation/api';
import { clockTime, counted, span } from '../words.ts';

/** The snapshots of each policy, a square each, and how to restore one. */
export function SnapshotCalendar({
  policies,
  now,
}: Readonly<{ policies: readonly SnapshotPolicyState[]; now: number }>) {
  return (
    <section class="view" aria-labelledby="snapshots-title">
      <h2 id="snapshots-title">Snapshots</h2>
      <p class="note">
        A snapshot holds every index at one moment. cluster-cli snapshots restore NAME brings indices of it back.
      </p>
      {policies.length === 0 && <p>No policy is installed yet.</p>}
      <ul class="policies">
        {policies.map(({ policy, keeps, snapshots, nextAt, lastFailure }) => (
          <li key={policy}>
            <strong>{policy}</strong>{' '}
            <span>
              {counted(snapshots.length, 'snapshot')}, at most {keeps} are kept
              {nextAt === undefined ? '' : `, the next in ${span(nextAt - now)}`}
            </span>
            {lastFailure !== undefined && <span class="trouble"> {lastFailure}</span>}
            <span class="calendar" role="img" aria-label={`${snapshots.length} snapshots of ${policy}`}>
              {snapshots.map(({ name, at, state }) => (
                <span class={`day ${state.toLowerCase()}`} title={`${name} ${clockTime(at)} ${state}`} key={name} />
              ))}
            </span>
            {snapshots.length > 0 && <Newest snapshot={snapshots.at(-1)!} now={now} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

const Newest = ({
  snapshot,
  now,
}: {
  readonly snapshot: SnapshotPolicyState['snapshots'][number];
  readonly now: number;
}) => (
  <span class="note">
    newest: <code>{snapshot.name}</code>, {span(now - snapshot.at)} ago, {snapshot.state}
  </span>
);
