import { useEffect, useState } from 'preact/hooks';
import type { LocalState } from './api.ts';

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
