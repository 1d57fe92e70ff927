import type { PromiseState } from '@drover/observation/api';
import { onlyWhenChanged } from './only-when-changed.tsx';
import { timeOfDay } from './words.ts';

const marks = { kept: '✓', broken: '✗', unknown: '?' } as const;

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
      {promises.map(({ name, kept, figure, explanation, unknownSince }) => {
        const state = !kept ? 'broken' : unknownSince === undefined ? 'kept' : 'unknown';
        return (
          <li class={state} title={explanation ?? `${name}: ${state}, ${figure}`} key={name}>
            <span aria-hidden="true">{marks[state]}</span>
            <span class="words">
              {' '}
              {name} <small>{unknownSince === undefined ? figure : `not known since ${timeOfDay(unknownSince)}`}</small>
            </span>
            {explanation !== undefined && <span class="explanation">{explanation}</span>}
          </li>
        );
      })}
    </ul>
  );
}
