import type { WhatIfRequest, WhatIfRun, WhatIfState } from '@drover/observation/api';
import { useEffect, useState } from 'preact/hooks';
import { useFetched } from '../live.ts';
import { type Question, requestOf } from './question.ts';

const everyMs = 1_000;

export interface WhatIf {
  readonly state: WhatIfState | undefined;
  /** The one that is looked at: the one of the address, or the newest. */
  readonly run: WhatIfRun | undefined;
  /** Asks the server again at once. */
  readonly refresh: () => void;
}

/** Questions and their results, fetched again while one runs. */
export function useWhatIf(id: string): WhatIf {
  const [tick, setTick] = useState(0);
  const refresh = () => setTick((before) => before + 1);
  const state = useFetched<WhatIfState>('/api/what-if', tick);
  const chosen = id === '' ? state?.runs[0]?.id : id;
  const run = useFetched<WhatIfRun>(chosen === undefined ? undefined : `/api/what-if/${chosen}`, tick);
  const running = state === undefined || state.inputs === undefined || state.runs.some(isRunning) || isRunning(run);
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(refresh, everyMs);
    return () => clearTimeout(timer);
  }, [running, tick]);
  return { state, run, refresh };
}

const isRunning = (run: WhatIfRun | undefined): boolean => run?.state === 'running';

/** Sends a question; returns the run, or why it was refused. */
async function ask(request: WhatIfRequest): Promise<WhatIfRun | string> {
  const response = await post('/api/what-if', request);
  if (response === undefined) return 'the server does not respond';
  const body = (await response.json()) as WhatIfRun & { readonly message: string };
  return response.ok ? body : body.message;
}

/** Sends the question of a form; returns the run, or why there is none. */
export async function askQuestion(question: Question): Promise<WhatIfRun | string> {
  const request = await requestOf(question).catch(() => undefined);
  return request === undefined ? 'the history file cannot be read any more, choose it again' : await ask(request);
}

export const cancel = (id: number): Promise<unknown> => post(`/api/what-if/${id}/cancel`, {});

const post = (address: string, body: unknown): Promise<Response | undefined> =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
