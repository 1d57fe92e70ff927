import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ControlName, Controls } from './api.ts';

/** Shows a message to the user of the page. */
export const ShowMessage = createContext<(message: string) => void>(() => {});

type Send = <Name extends ControlName>(name: Name, input: Controls[Name], done: string) => Promise<void>;

/** Sends a control to the server and shows `done`, or why it was refused. */
export function useControl(): Send {
  const show = useContext(ShowMessage);
  return async (name, input, done) => {
    const problem = await problemOf(name, input);
    show(problem === undefined ? done : `Not done: ${problem}`);
  };
}

async function problemOf(name: ControlName, input: unknown): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/controls/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return response.ok ? undefined : ((await response.json()) as { message: string }).message;
  } catch {
    return 'the server does not respond';
  }
}
