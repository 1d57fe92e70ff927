import type { Incident } from '@drover/observation/api';
import { useContext } from 'preact/hooks';
import { CanBranch, useBranch } from './branch.ts';

/** The last moment at which nothing of the incident had happened. */
export const before = ({ openedAt }: Pick<Incident, 'openedAt'>): number => openedAt - 1;

/** Lets another course of events begin right before an incident. */
export function GoBack({ incident }: { readonly incident: Incident }) {
  const branch = useBranch();
  if (!useContext(CanBranch)) return null;
  return (
    <p class="acts">
      <button type="button" onClick={() => branch(before(incident), 'The time before it is being replayed.')}>
        ↶ Go back to before this
      </button>
    </p>
  );
}
