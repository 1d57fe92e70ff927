import type { WhatIfAsked, WhatIfInputs, WhatIfRequest, WhatIfState } from '@drover/observation/api';
import { useState } from 'preact/hooks';

export type Deployed = NonNullable<WhatIfState['inputs']>;
export type Mode = Deployed['mode'];
export type Trace = WhatIfRequest['jobs']['kind'];

/** The contents of the form. */
export interface Question {
  /** Of a fleet with types. */
  readonly type: string | undefined;
  readonly idleTargets: string;
  readonly maxSizes: string;
  readonly modes: readonly Mode[];
  readonly trace: Trace;
  readonly file: File | undefined;
  readonly hours: number;
  readonly maxWait: number;
}

export const mostHours = 744;

/** As it was last changed: the form is gone while a question runs, and in other views. */
let kept: Question | undefined;

/** The question that is being written, until the page is reloaded. */
export function useQuestion(deployed: Deployed): [Question, (changed: Partial<Question>) => void] {
  const [question, setQuestion] = useState(kept ?? firstQuestion(deployed));
  const change = (changed: Partial<Question>) =>
    setQuestion((before) => {
      kept = { ...before, ...changed };
      return kept;
    });
  return [question, change];
}

/** Makes this the question of the form. A history has to be the file that was chosen there. */
export function takeOver({
  type,
  jobs,
  idleTargets,
  maxSizes,
  modes,
  hours = mostHours,
  maxWaitSeconds,
}: WhatIfAsked): Question {
  const file = jobs.kind === 'history' && kept?.file?.name === jobs.name ? kept?.file : undefined;
  kept = {
    type,
    idleTargets: listed(idleTargets),
    maxSizes: listed(maxSizes),
    modes,
    trace: jobs.kind,
    file,
    hours,
    maxWait: maxWaitSeconds,
  };
  return kept;
}

const firstQuestion = (deployed: Deployed): Question => ({
  type: deployed.types === undefined ? undefined : Object.keys(deployed.types)[0],
  ...firstValues(deployed),
  modes: ['idle', 'jobs'],
  trace: 'week',
  file: undefined,
  hours: 24,
  maxWait: 120,
});

/** Values to try around those of a fleet, or of one of its types. */
export const firstValues = ({ idleTarget, maxSize }: WhatIfInputs) => ({
  idleTargets: listed([1, idleTarget, 2 * idleTarget]),
  maxSizes: listed([maxSize, 2 * maxSize]),
});

const listed = (numbers: readonly number[]): string => [...new Set(numbers)].sort((a, b) => a - b).join(', ');

/** Text that is no number stays, so that the server can say what is wrong with it. */
const numbersIn = (text: string): number[] =>
  [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))].map(Number);

/** As the server takes it; the file is read now. */
export async function requestOf(question: Question): Promise<WhatIfRequest> {
  const { type, idleTargets, maxSizes, modes, trace, file, hours, maxWait } = question;
  const jobs =
    trace === 'history' ? { kind: trace, name: file?.name ?? '', text: (await file?.text()) ?? '' } : { kind: trace };
  return {
    ...(type === undefined ? {} : { type }),
    idleTargets: numbersIn(idleTargets),
    maxSizes: numbersIn(maxSizes),
    modes,
    jobs,
    hours,
    maxWaitSeconds: maxWait,
  };
}

/** How many configurations it asks for. */
export const countOf = ({ idleTargets, maxSizes, modes }: Question): number =>
  numbersIn(idleTargets).length * numbersIn(maxSizes).length * modes.length;
