import type { Observation } from '@drover/observation/api';
import { useEffect, useState } from 'preact/hooks';
import { useFetched } from '../live.ts';

const minute = 60_000;

export interface Past {
  /** Moments of which a frame was recorded, oldest first. */
  readonly moments: readonly number[];
  /** The moment that is looked at; undefined: now. */
  readonly chosen: number | undefined;
  /** The observation of that time. */
  readonly frame: Observation | undefined;
  readonly choose: (moment: number | undefined) => void;
}

/** The last recorded moment up to that one, or the first. */
export const frameBefore = (moments: readonly number[], at: number): number | undefined =>
  moments.findLast((moment) => moment <= at) ?? moments[0];

/** Earlier moments, as the server recorded them: of a world. */
export function usePast({ clock, unknown }: Observation): Past {
  const address = unknown.tools === undefined ? '/api/frames' : undefined;
  const moments = useFetched<readonly number[]>(address, Math.floor(clock.now / minute)) ?? [];
  const [chosen, choose] = useState<number | undefined>();
  const [frame, setFrame] = useState<Observation | undefined>();
  useEffect(() => {
    if (chosen === undefined) return setFrame(undefined);
    let current = true;
    // The old frame stays until the new one is there.
    fetch(`/api/frames/${chosen}`)
      .then((response) => (response.ok ? (response.json() as Promise<Observation>) : undefined))
      .then((found) => current && found !== undefined && setFrame(found))
      .catch(() => {});
    return () => {
      current = false;
    };
  }, [chosen]);
  return { moments, chosen, frame, choose };
}
