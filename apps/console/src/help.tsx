import { useRef } from 'preact/hooks';

const terms: readonly (readonly [string, string])[] = [
  ['Scene', 'Zones as columns: runners above, search nodes with their shards below. Each can be opened.'],
  [
    'Desired capacity',
    'How many instances the Auto Scaling group should have, between its least and its greatest size.',
  ],
  ['Idle target', 'How many runners should wait for a job, so that the next one starts at once.'],
  ['Warm pool', 'Instances that are installed and hibernated: they start faster than new ones.'],
  ['Hook', 'A lifecycle hook: an instance waits in it until it may enter or leave service.'],
  ['Drain', 'An instance that is to go finishes its job, or moves its shards away, first.'],
  ['Incident', 'A fault or an act, what the system did about it, and how it ended.'],
  [
    'Promises',
    'At the top: no job lost by Drover, no acknowledged document lost, every invariant held. Red shows what was broken first.',
  ],
  [
    'Timeline',
    'Moment goes back to what was seen earlier. A branch plays on from there; the timeline that you left is kept.',
  ],
  ['Keys', 'Ctrl K or / finds anything, the space bar pauses and resumes.'],
];

/** Explains the words of the page. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" aria-label="What you see" onClick={() => dialog.current?.showModal()}>
        ?
      </button>
      <dialog ref={dialog} class="help" aria-label="What you see">
        <h2>What you see</h2>
        <dl>
          {terms.map(([term, meaning]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
