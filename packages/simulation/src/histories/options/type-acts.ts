import { operatorIo } from '@drover/local/truth/real-doctor';
import { removeType } from '@drover/operator/fleet/destroy';
import { fleetStackName } from '@drover/stage/fleet-template';
import type { Act } from '../acts.ts';
import type { HistoryWorld } from '../history-world.ts';
import { drawHistoryType, historyTypes, redrawOptions } from './draw-options.ts';

const minute = 60_000;
/** While GitHub is away the command says that the scale set is left, and is run again. */
const mostRuns = 12;

/** A type is added, changed or removed. */
const changeTypes: Act = (history) => {
  const { random, inputs } = history;
  const { scalingMode, types = {} } = inputs.fleet;
  if (scalingMode !== 'jobs' || history.isBusy('fleet')) return undefined;
  const name = random.pick(historyTypes);
  if (types[name] === undefined || random.chance(0.4))
    return history.deployFleet({ ...inputs.fleet, types: { ...types, [name]: drawHistoryType(name, random) } });
  return history.during('fleet', () => removeOne(history, name));
};

/** Its jobs begin first; then its key leaves, after the command or without it. */
async function removeOne(history: HistoryWorld, name: string): Promise<void> {
  const { work, clock, random } = history;
  const back = work.leave(name);
  try {
    for (let waited = 0; work.waiting > 0 && waited < 24; waited++) await clock.sleep(5 * minute);
    if (work.waiting > 0) throw new Error('jobs still wait after two hours: the type is not removed');
    if (random.chance(0.5)) await removeByCommand(history, name);
    const { [name]: _, ...types } = history.inputs.fleet.types ?? {};
    await history.deployFleet({ ...history.inputs.fleet, types });
  } finally {
    back();
  }
}

async function removeByCommand({ fleet }: HistoryWorld, name: string): Promise<void> {
  const io = operatorIo(fleet, () => {});
  for (let run = 1; run <= mostRuns; run++) {
    // A command that cannot reach AWS or GitHub ends with an error, and is run again as well.
    const exitCode = await removeType(io, name, { stack: fleetStackName, yes: true }).catch(() => 1);
    if (exitCode === 0) return;
    await fleet.clock.sleep(10 * minute);
  }
  throw new Error(`fleet remove-type ${name} did not end with 0 in ${mostRuns} runs`);
}

/** Acts on inputs that are off by default. */
export const optionActs: Readonly<Record<string, Act>> = {
  'change the types': changeTypes,
  'change what is off by default': (history) => {
    const changed = redrawOptions(history.random, history.inputs.fleet);
    return changed === undefined || history.isBusy('fleet') ? undefined : history.deployFleet(changed);
  },
};
