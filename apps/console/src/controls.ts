import type { ChangeableInputs, ControlName, Controls } from '@drover/observation/api';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** A control with what it needs. */
export type Act = { [Name in ControlName]: readonly [name: Name, input: Controls[Name]] }[ControlName];

export interface Message {
  readonly text: string;
  readonly undo: Act | undefined;
}

/** Shows a message to the user of the page. */
export const ShowMessage = createContext<(message: Message) => void>(() => {});

/** The page shows the past: nothing can be done to it. */
export const ReadOnly = createContext(false);

/** The fleet's inputs, where they can be changed from here. */
export const Changeable = createContext<ChangeableInputs | undefined>(undefined);

type Send = (act: Act, done: string, undo?: Act) => Promise<void>;

/** Sends a control to the server and shows `done` with a way to undo it, or why it was refused. */
export function useControl(): Send {
  const show = useContext(ShowMessage);
  return async ([name, input], done, undo) => {
    show({ text: 'Working…', undo: undefined });
    const problem = await problemOf(name, input);
    show(problem === undefined ? { text: done, undo } : { text: `Not done: ${problem}`, undo: undefined });
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
