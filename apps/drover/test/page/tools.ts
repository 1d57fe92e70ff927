import type { ControlName, Controls } from '@drover/observation/api';
import type { LocalWorld } from '../../../../packages/local/src/local/local-world.ts';
import type { deployWorld } from '../../../../packages/local/test/local-world.test-support.ts';

type Deployed = Awaited<ReturnType<typeof deployWorld>>;

/** Something that a user breaks on the page, and how it is mended if it does not mend itself. */
export interface FaultTool {
  readonly name: string;
  strike(deployed: Deployed): Promise<void>;
  heal?(deployed: Deployed): Promise<void>;
}

const use = <Name extends ControlName>(name: Name, input: (local: LocalWorld) => Controls[Name]) => {
  return async ({ local, control }: Deployed) => {
    await control(name, input(local));
  };
};

const turned = (name: 'platform-down' | 'platform-rate-limit' | 'slow-network' | 'throttle-functions'): FaultTool => ({
  name,
  strike: use(name, () => ({ on: true })),
  heal: use(name, () => ({ on: false })),
});

const inService = ({ world }: LocalWorld, group: string): readonly string[] =>
  [...(world.observe.group(group)?.members.values() ?? [])]
    .filter(({ state }) => state === 'InService')
    .map(({ instanceId }) => instanceId);

const none = (what: string): never => {
  throw new Error(`there is no ${what} to strike`);
};

/** A runner with a job, or one without. */
function runner(local: LocalWorld, busy: boolean) {
  const { runners } = local.fleet.codeHost.registry;
  const serving = new Set(inService(local, local.fleet.groupName));
  const found = runners.find(({ name, job }) => serving.has(name) && (job !== undefined) === busy);
  return { instance: found?.name ?? [...serving][0] ?? none('runner') };
}

const node = (local: LocalWorld, group: string) => ({ instance: inService(local, group)[0] ?? none('node') });
const dataNode = (local: LocalWorld) => node(local, 'search-data');

const spot = (local: LocalWorld) => ({
  instance:
    inService(local, local.fleet.groupName).find((id) => local.world.observe.instance(id)?.spot === true) ??
    none('spot instance'),
});

const zone = 'eu-west-1a';

/** Every fault tool of the page, on what it can be used. */
export const faultTools: readonly FaultTool[] = [
  { name: 'break a busy instance', strike: use('break-instance', (local) => runner(local, true)) },
  { name: 'break an idle instance', strike: use('break-instance', (local) => runner(local, false)) },
  { name: 'hang a busy instance', strike: use('hang-instance', (local) => runner(local, true)) },
  { name: 'fill the disk of an instance', strike: use('fill-disk', (local) => runner(local, true)) },
  { name: 'reclaim a spot instance', strike: use('reclaim-spot', spot) },
  { name: 'terminate a busy instance', strike: use('terminate-instance', (local) => runner(local, true)) },
  turned('platform-down'),
  turned('platform-rate-limit'),
  turned('slow-network'),
  turned('throttle-functions'),
  {
    name: 'lose a zone',
    strike: use('lose-zone', () => ({ zone, lost: true })),
    heal: use('lose-zone', () => ({ zone, lost: false })),
  },
  { name: 'kill a data node', strike: use('kill-node', dataNode) },
  { name: 'kill a master', strike: use('kill-node', (local) => node(local, 'search')) },
];
