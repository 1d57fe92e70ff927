import { useEffect, useState } from 'preact/hooks';
import type { ControlName, Controls, LocalState } from './api.ts';

export interface Live {
  readonly state: LocalState | undefined;
  readonly connected: boolean;
}

/** The newest state, as the server sends it. The browser connects again by itself. */
export function useLiveState(): Live {
  const [live, setLive] = useState<Live>({ state: undefined, connected: false });
  useEffect(() => {
    const source = new EventSource('/api/events');
    source.onmessage = ({ data }) => {
      performance.mark('update-begin');
      const state = JSON.parse(data) as LocalState;
      setLive({ state, connected: true });
    };
    source.onerror = () => setLive((before) => ({ ...before, connected: false }));
    return () => source.close();
  }, []);
  return live;
}

/** Asks the server for something; answers what went wrong, or undefined. */
export async function control<Name extends ControlName>(
  name: Name,
  input: Controls[Name],
): Promise<string | undefined> {
  try {
    const response = await fetch(`/api/controls/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    if (response.ok) return undefined;
    return ((await response.json()) as { message: string }).message;
  } catch {
    return 'the server does not answer';
  }
}
