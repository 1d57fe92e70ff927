import type { WhatIfRun } from '@drover/observation/api';
import { addressOf } from '../route.ts';
import { Answer } from './answer.tsx';
import { QuestionForm } from './question-form.tsx';
import { cancel, useWhatIf } from './use-what-if.ts';

/** Shows the effect of other inputs of the fleet on waits and cost, without changing it. */
export function WhatIfView({ id }: { readonly id: string }) {
  const { state, run, refresh } = useWhatIf(id);
  const busy = state?.runs.some((one) => one.state === 'running') === true;
  const show = (asked: WhatIfRun) => {
    location.hash = addressOf('what-if', String(asked.id));
    refresh();
  };
  return (
    <section class="view what-if" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if the fleet had other inputs?</h2>
      <p class="note">
        Each combination is deployed to an embedded cloud of its own, and the jobs are played on it. It runs in
        processes of its own: what you see here goes on.
      </p>
      {state?.refused !== undefined && <p>{state.refused}</p>}
      {state?.inputs !== undefined && !busy && <QuestionForm deployed={state.inputs} asked={show} />}
      {run !== undefined && <Run run={run} refresh={refresh} asked={show} />}
      {state !== undefined && state.runs.length > 1 && <Earlier runs={state.runs} shown={run?.id} />}
    </section>
  );
}

interface RunProps {
  readonly run: WhatIfRun;
  readonly refresh: () => void;
  readonly asked: (run: WhatIfRun) => void;
}

function Run({ run, refresh, asked }: RunProps) {
  const { id, title, state, percent, problem, notes, report } = run;
  return (
    <section aria-label={`Question ${id}`}>
      <h3>{title}</h3>
      {state === 'running' && (
        <p class="running" role="status">
          <progress max={100} value={percent} aria-label="Replayed" />{' '}
          {percent === 0 ? 'Preparing the configurations…' : `${percent} % replayed`}{' '}
          <button type="button" onClick={() => cancel(id).then(refresh)}>
            Cancel the replay
          </button>
        </p>
      )}
      {state === 'cancelled' && <p>Cancelled at {percent} %.</p>}
      {state === 'failed' && <p class="trouble">No result: {problem}</p>}
      {report !== undefined && <Answer run={run} report={report} asked={asked} />}
      {notes.length > 0 && (
        <details>
          <summary>{notes.length === 1 ? 'One note' : `${notes.length} notes`}</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const Earlier = ({ runs, shown }: { readonly runs: readonly WhatIfRun[]; readonly shown: number | undefined }) => (
  <section aria-labelledby="earlier-title">
    <h3 id="earlier-title">Questions</h3>
    <ul class="earlier">
      {runs.map(({ id, title, state }) => (
        <li class={state === 'done' ? 'good' : state === 'failed' ? 'bad' : undefined} key={id}>
          <a href={addressOf('what-if', String(id))} aria-current={id === shown ? 'page' : undefined}>
            {id}: {title}
          </a>
          {state === 'done' ? '' : ` (${state})`}
        </li>
      ))}
    </ul>
  </section>
);
