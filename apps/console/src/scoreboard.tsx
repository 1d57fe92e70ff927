import type { PromiseState } from '@drover/observation/api';
import { onlyWhenChanged } from './only-when-changed.tsx';

/** The promises of the system, kept or broken since the beginning. */
export const Scoreboard = onlyWhenChanged(Promises);

interface ScoreboardProps {
  readonly promises: readonly PromiseState[];
  /** Why they cannot be judged. */
  readonly unknown: string | undefined;
}

function Promises({ promises, unknown }: ScoreboardProps) {
  if (unknown !== undefined) return <p class="scoreboard note">{unknown}</p>;
  return (
    <ul class="scoreboard" aria-label="Promises">
      {promises.map(({ name, kept, figure, explanation }) => (
        <li class={kept ? 'kept' : 'broken'} title={explanation ?? `${name}: kept`} key={name}>
          <span aria-hidden="true">{kept ? '✓' : '✗'}</span> {name} <small>{figure}</small>
          {explanation !== undefined && <span class="explanation">{explanation}</span>}
        </li>
      ))}
    </ul>
  );
}
