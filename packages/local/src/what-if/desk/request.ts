import { TerminalError } from '@drover/core';
import { defaultType } from '@drover/core/names/runner-fleet';
import type { WhatIfInputs, WhatIfRequest } from '@drover/observation/api';
import type { FleetInputs } from '@drover/observation/observed-inputs';

/** Each takes a minute of processor time for a week. */
const mostConfigurations = 24;
const mostValues = 6;
const mostHours = 31 * 24;
/** Of a history; some hundred thousand jobs as GitHub lists them are smaller. */
const mostBytes = 200 * 1024 ** 2;

/** The replays that a request asks for. */
export interface ReplayRequest {
  /** Each by its name in the report. */
  readonly configurations: Readonly<Record<string, { readonly varied: WhatIfInputs; readonly inputs: FleetInputs }>>;
  readonly jobs: WhatIfRequest['jobs'];
  readonly hours: number | undefined;
  readonly maxWait: number;
}

/** The inputs of a fleet that a question varies. */
export const variedIn = (inputs: FleetInputs): WhatIfInputs => ({
  idleTarget: Number(inputs.idle_runners_target_count),
  maxSize: Number(inputs.asg_max_size),
  mode: inputs.scaling_mode === 'jobs' ? 'jobs' : 'idle',
});

/** The inputs of each type, the default type first; undefined: the fleet has no types. */
export function typesIn(inputs: FleetInputs) {
  const { types, ...fleet } = inputs as FleetInputs & { readonly types?: Readonly<Record<string, FleetInputs>> };
  return { fleet: fleet as FleetInputs, types: types && { [defaultType]: fleet as FleetInputs, ...types } };
}

/** The inputs of the type that a request asks for. */
export function inputsFor({ type }: Pick<WhatIfRequest, 'type'>, inputs: FleetInputs): FleetInputs {
  const { fleet, types: given } = typesIn(inputs);
  const types: Readonly<Record<string, FleetInputs>> = given ?? { [defaultType]: fleet };
  const asked = type ?? defaultType;
  const found = Object.hasOwn(types, asked) ? types[asked] : undefined;
  if (found !== undefined) return found;
  throw new TerminalError(`the fleet has no type ${type}`, {
    remedy: `its types are ${Object.keys(types).join(', ')}`,
  });
}

export const configurationName = ({ mode, idleTarget, maxSize }: WhatIfInputs): string =>
  `${mode} mode, idle target ${idleTarget}, max ${maxSize}`;

/** The running fleet's inputs with the values that are asked for; refuses what is not allowed. */
export function parseReplayRequest(request: WhatIfRequest, inputs: FleetInputs): ReplayRequest {
  const idleTargets = numbers('idle targets', request.idleTargets, 0);
  const maxSizes = numbers('maximum sizes', request.maxSizes, 1);
  const modes = [...new Set(request.modes)].filter((mode) => mode === 'idle' || mode === 'jobs');
  if (modes.length === 0) throw new TerminalError('no mode is chosen', { remedy: 'choose idle, jobs or both' });
  const count = idleTargets.length * maxSizes.length * modes.length;
  if (count > mostConfigurations)
    throw new TerminalError(`${count} configurations would be replayed`, {
      remedy: `leave values out: allowed are at most ${mostConfigurations}`,
    });
  return {
    configurations: Object.fromEntries(
      modes
        .flatMap((mode) =>
          idleTargets.flatMap((idleTarget) => maxSizes.map((maxSize) => ({ mode, idleTarget, maxSize }))),
        )
        .map((varied) => [configurationName(varied), { varied, inputs: withInputs(inputs, varied) }]),
    ),
    jobs: traceOf(request.jobs),
    hours: request.hours === undefined ? undefined : wholeNumber('hours', request.hours, 1, mostHours),
    maxWait: wholeNumber('the longest wait', request.maxWaitSeconds, 1, 86_400),
  };
}

/** As `drover local` changes the mode: a fleet that scales on jobs goes down to nothing, and no decision is limited. */
function withInputs(inputs: FleetInputs, { mode, idleTarget, maxSize }: WhatIfInputs): FleetInputs {
  const { scale_up_limit: _, ...others } = inputs;
  const inMode =
    inputs.scaling_mode === mode
      ? inputs
      : { ...others, scaling_mode: mode, ...(mode === 'jobs' ? { asg_min_size: 0 } : {}) };
  return { ...inMode, idle_runners_target_count: idleTarget, asg_max_size: maxSize };
}

function traceOf(jobs: WhatIfRequest['jobs']): WhatIfRequest['jobs'] {
  if (jobs.kind === 'week' || jobs.kind === 'burst') return jobs;
  if (jobs.kind !== 'history' || typeof jobs.text !== 'string' || jobs.text.trim() === '')
    throw new TerminalError('there is no job to replay', { remedy: 'choose a file, or one of the samples' });
  if (jobs.text.length > mostBytes)
    throw new TerminalError(`the history has ${Math.round(jobs.text.length / 1024 ** 2)} MiB`, {
      remedy: 'cut it: a month of at most 100,000 jobs is replayed',
    });
  return jobs;
}

function numbers(name: string, values: unknown, least: number): readonly number[] {
  const given = Array.isArray(values) ? [...new Set(values as unknown[])] : [];
  if (given.length === 0 || given.length > mostValues)
    throw new TerminalError(`${given.length} ${name} are given`, { remedy: `give 1 to ${mostValues}` });
  return given.map((value) => wholeNumber(name, value, least, 1000)).sort((a, b) => a - b);
}

function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw new TerminalError(`${name}: ${JSON.stringify(value)} is not allowed`, { remedy: `give ${least} to ${most}` });
}
