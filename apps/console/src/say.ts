import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ControlName, Controls } from './api.ts';
import { control } from './live.ts';

/** Shows a sentence to whoever sits before the page. */
export const Say = createContext<(message: string) => void>(() => {});

/** A control that says what came of it. */
export function useControl(): <Name extends ControlName>(
  name: Name,
  input: Controls[Name],
  done: string,
) => Promise<void> {
  const say = useContext(Say);
  return async (name, input, done) => {
    const trouble = await control(name, input);
    say(trouble === undefined ? done : `Not done: ${trouble}`);
  };
}
