import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ShowMessage } from '../controls.ts';

/** Another course of events can begin here: it is a world, and none is being replayed. */
export const CanBranch = createContext(false);

/** The moment from which a session starts over. */
const beginning = 0;

/** Sends a wish for another course of events, and says what comes of it. */
function useTravel(): (address: string, body: object, done: string) => Promise<void> {
  const show = useContext(ShowMessage);
  return async (address, body, done) => {
    const sent = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    show({ text: sent?.ok === true ? done : 'Not done: it cannot be replayed here.', undo: undefined });
  };
}

/** Begins a branch at a moment. */
export function useBranch(): (at: number, done: string) => Promise<void> {
  const travel = useTravel();
  return (at, done) => travel('/api/branch', { at }, done);
}

/** Begins the session again without what came in. */
export function useStartOver(): () => Promise<void> {
  const travel = useTravel();
  return () => travel('/api/branch', { at: beginning }, 'A new beginning is being deployed. This timeline is kept.');
}

/** Returns to a course of events that was left. */
export function useReturn(): (course: number, name: string) => Promise<void> {
  const travel = useTravel();
  return (course, name) => travel(`/api/courses/${course}`, {}, `The ${name} is being replayed.`);
}
