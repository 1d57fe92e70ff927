import type { Observation } from '@drover/observation/api';
import { useEffect, useState } from 'preact/hooks';

export interface Live {
  readonly state: Observation | undefined;
  readonly connected: boolean;
}

/** The newest observation, as the server sends it. The browser connects again by itself. */
export function useLiveState(): Live {
  const [live, setLive] = useState<Live>({ state: undefined, connected: false });
  useEffect(() => {
    const source = new EventSource('/api/events');
    source.onmessage = ({ data }) => {
      performance.mark('update-begin');
      const state = JSON.parse(data) as Observation;
      setLive({ state, connected: true });
    };
    source.onerror = () => setLive((before) => ({ ...before, connected: false }));
    return () => source.close();
  }, []);
  return live;
}

/**
 * The response of an address of the server, fetched again whenever `when` changes. Without an address nothing is asked.
 */
export function useFetched<T>(address: string | undefined, when: unknown): T | undefined {
  const [found, setFound] = useState<{ address: string; value: T } | undefined>();
  useEffect(() => {
    if (address === undefined) return;
    let current = true;
    fetch(address)
      .then((response) => (response.ok ? (response.json() as Promise<T>) : undefined))
      .then((value) => current && value !== undefined && setFound({ address, value }))
      .catch(() => {});
    return () => {
      current = false;
    };
  }, [address, when]);
  return found !== undefined && found.address === address ? found.value : undefined;
}
