import type { ControlName, Controls } from '@drover/observation/api';
import type { LocalWorld } from '../../../../packages/local/src/local/local-world.ts';
import type { deployWorld } from '../../../../packages/local/test/local-world.test-support.ts';
import type { Expected } from './incident-truth.ts';

export type Deployed = Awaited<ReturnType<typeof deployWorld>>;

/** Something that a user breaks on the page, and how it is mended if it does not mend itself. */
export interface FaultTool {
  readonly name: string;
  /** Returns its incident as it must be shown. */
  strike(deployed: Deployed): Promise<Expected>;
  heal?(deployed: Deployed): Promise<void>;
}

const fleetGroup = 'runners';
const clusterGroups = ['search', 'search-data'];

const inService = ({ world }: LocalWorld, group: string): readonly string[] =>
  [...(world.observe.group(group)?.members.values() ?? [])]
    .filter(({ state }) => state === 'InService')
    .map(({ instanceId }) => instanceId);

const none = (what: string): never => {
  throw new Error(`there is no ${what} to strike`);
};

/** A runner with a job, or one without. */
function runner(busy: boolean) {
  return (local: LocalWorld): string => {
    const whole = (id: string) => local.world.machines.get(id)?.state === 'up';
    const serving = new Set(inService(local, fleetGroup).filter(whole));
    const { runners } = local.fleet.codeHost.registry;
    const found = runners.find(({ name, job }) => serving.has(name) && (job !== undefined) === busy);
    return found?.name ?? [...serving][0] ?? none('runner');
  };
}

const spot = (local: LocalWorld): string =>
  inService(local, fleetGroup).find((id) => local.world.observe.instance(id)?.spot === true) ?? none('spot instance');

const node = (group: string) => (local: LocalWorld) => inService(local, group)[0] ?? none('node');

type OnOne = 'break-instance' | 'hang-instance' | 'fill-disk' | 'reclaim-spot' | 'terminate-instance' | 'kill-node';

/** A tool on one machine. */
const on = (name: string, control: OnOne, group: string, find: (local: LocalWorld) => string): FaultTool => ({
  name,
  async strike(deployed) {
    const instance = find(deployed.local);
    await deployed.control(control, { instance });
    return { title: new RegExp(instance), groups: [group], instances: [instance], cluster: group !== fleetGroup };
  },
});

type Switch = 'platform-down' | 'platform-rate-limit' | 'slow-network' | 'throttle-functions';

const turned = (name: Switch, title: RegExp): FaultTool => ({
  name,
  async strike({ control }) {
    await control(name, { on: true });
    return { title, groups: [fleetGroup] };
  },
  heal: ({ control }) => control(name, { on: false }),
});

/** A node that stays broken until a user acts. */
const onNode = <Name extends ControlName>(
  name: string,
  control: Name,
  input: (instance: string) => Controls[Name],
  heal: (deployed: Deployed, instance: string) => Promise<void>,
): FaultTool => {
  const struck = new WeakMap<LocalWorld, string>();
  return {
    name,
    async strike(deployed) {
      const instance = node('search-data')(deployed.local);
      struck.set(deployed.local, instance);
      await deployed.control(control, input(instance));
      return { title: new RegExp(instance), groups: ['search-data'], instances: [instance], cluster: true };
    },
    heal: (deployed) => heal(deployed, struck.get(deployed.local) ?? ''),
  };
};

const zone = 'eu-west-1a';

/** Every fault tool of the page, on what it can be used. */
export const faultTools: readonly FaultTool[] = [
  on('break a busy instance', 'break-instance', fleetGroup, runner(true)),
  on('break an idle instance', 'break-instance', fleetGroup, runner(false)),
  on('hang a busy instance', 'hang-instance', fleetGroup, runner(true)),
  on('fill the disk of an instance', 'fill-disk', fleetGroup, runner(true)),
  on('reclaim a spot instance', 'reclaim-spot', fleetGroup, spot),
  on('terminate a busy instance', 'terminate-instance', fleetGroup, runner(true)),
  turned('platform-down', /^GitHub is down/),
  turned('platform-rate-limit', /rate limit/),
  turned('slow-network', /network is slow/),
  turned('throttle-functions', /runs no function/),
  {
    name: 'lose a zone',
    async strike({ control }) {
      await control('lose-zone', { zone, lost: true });
      return { title: new RegExp(`${zone} is lost`), groups: [fleetGroup, ...clusterGroups], cluster: true };
    },
    heal: ({ control }) => control('lose-zone', { zone, lost: false }),
  },
  on('kill a data node', 'kill-node', 'search-data', node('search-data')),
  on('kill a master', 'kill-node', 'search', node('search')),
  on('hang a data node', 'hang-instance', 'search-data', node('search-data')),
  onNode(
    'cut a data node off',
    'cut-off',
    (instance) => ({ instance, on: true }),
    ({ control }, instance) => control('cut-off', { instance, on: false }),
  ),
  onNode(
    'fill the disk of a data node',
    'fill-disk',
    (instance) => ({ instance }),
    ({ control }, instance) => control('terminate-instance', { instance }),
  ),
];

const named = (name: string) => faultTools.find((tool) => tool.name === name) ?? none(name);

/** Faults that meet: the second comes two minutes after the first. */
export const faultPairs: readonly (readonly [FaultTool, FaultTool])[] = (
  [
    ['platform-down', 'terminate a busy instance'],
    ['platform-down', 'break a busy instance'],
    ['lose a zone', 'platform-down'],
    ['lose a zone', 'throttle-functions'],
    ['kill a data node', 'break a busy instance'],
    ['kill a master', 'lose a zone'],
    ['hang a busy instance', 'kill a data node'],
    ['platform-rate-limit', 'reclaim a spot instance'],
    ['slow-network', 'kill a data node'],
    ['fill the disk of an instance', 'throttle-functions'],
  ] as const
).map(([first, second]) => [named(first), named(second)]);
