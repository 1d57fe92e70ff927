import { groupNames, hooks, metrics } from '@drover/core/names/search-cluster';
import { concernsSpread, decideSpread, type SpreadFacts, type SpreadStep } from '../../decide/spread/spread-masters.ts';
import { majorityZone } from '../../decide/spread/zones.ts';
import { type GroupMember, inService, terminatingWait } from '../../model/lifecycle.ts';
import type { GroupFrame } from '../../model/spread.ts';
import type { ClusterMetrics, GroupSizes, LifecycleHook, SpreadNotes } from '../../ports.ts';
import { type QuietRun, readObstacles } from './read-obstacles.ts';

export interface SpreadRun extends QuietRun {
  /** Of this host, which is the elected master. */
  readonly instanceId: string;
  readonly sizes: GroupSizes;
  readonly hook: Pick<LifecycleHook, 'complete'>;
  readonly notes: SpreadNotes;
  readonly metrics: ClusterMetrics;
  onAction(what: string): void;
}

/** How long and how often a pass looks for the newcomer: one in the wrong zone ends before it has become a node. */
const lookForMs = 90_000;
const lookEveryMs = 10_000;

/**
 * One pass of the elected master over the zones of the masters. It may die between any two calls: the note and the
 * sizes of the group say how far it came, and the next pass of the then elected master goes on.
 */
export async function spreadMasters(run: SpreadRun): Promise<SpreadStep> {
  const facts = await gather(run);
  if (facts === undefined) return { kind: 'none' };
  const majority = majorityZone(facts.group);
  await run.metrics.put(run.resourceName, { [metrics.mastersInOneZone]: majority?.avoidable === true ? 1 : 0 });
  if (!concernsSpread(facts)) return { kind: 'none' };
  const step = decideSpread({ ...facts, obstacles: await readObstacles(run) }, run.clock.now());
  await apply(run, facts.group, step);
  if (step.kind === 'begin') await endMisplaced(run);
  return step;
}

/** Facts that have to be read at every pass. */
async function gather(run: SpreadRun): Promise<Omit<SpreadFacts, 'obstacles'> | undefined> {
  const name = groupNames.master(run.resourceName);
  const [group] = await run.sizes.frames([name]);
  if (group === undefined) return undefined;
  return { group, note: await run.notes.read(), elected: run.instanceId };
}

async function endMisplaced(run: SpreadRun): Promise<void> {
  const until = run.clock.now() + lookForMs;
  while (run.clock.now() < until) {
    await run.clock.sleep(lookEveryMs);
    const facts = await gather(run);
    if (facts?.note === undefined || facts.note.ended !== undefined) return;
    const step = decideSpread({ ...facts, obstacles: ['a master is being launched'] }, run.clock.now());
    if (step.kind === 'wait' && facts.group.members.some((master) => isNew(master, facts.note!.instances))) return;
    if (step.kind === 'wait') continue;
    await apply(run, facts.group, step);
    if (step.kind === 'end-instance') await letGo(run, step.instance, until);
    return;
  }
}

const isNew = ({ instanceId }: GroupMember, before: readonly string[]) => !before.includes(instanceId);

/** Its hook waits for a drain, but it is no node yet: it would boot and join only to leave. Without this it drains like any other. */
async function letGo(run: SpreadRun, { instanceId, groupName, lifecycleState }: GroupMember, until: number) {
  if (lifecycleState === inService) return;
  while (run.clock.now() < until) {
    const found = (await run.instances.ofGroups([groupName])).find((one) => one.instanceId === instanceId);
    if (found === undefined) return;
    if (found.lifecycleState === terminatingWait) {
      const { nodes } = await run.search.topology.topology();
      if (nodes.some(({ ip }) => ip === found.privateIp)) return;
      return void (await run.hook.complete(found, hooks.terminating.name, 'CONTINUE'));
    }
    await run.clock.sleep(lookEveryMs);
  }
}

async function apply(run: SpreadRun, { groupName }: GroupFrame, step: SpreadStep): Promise<void> {
  if (step.kind === 'none' || step.kind === 'wait') return;
  const { note } = step;
  run.onAction(describe(step, groupName));
  if (step.kind === 'begin') {
    await run.notes.write(note);
    return await run.sizes.setDesired(groupName, note.masters + 1);
  }
  if (step.kind === 'end-instance') await run.sizes.endInstance(step.instance.instanceId);
  if (step.kind === 'lower') await run.sizes.setDesired(groupName, note.masters);
  await run.notes.write(note);
}

function describe(step: Exclude<SpreadStep, { readonly kind: 'none' | 'wait' }>, groupName: string): string {
  const { zones, masters, ended } = step.note;
  if (step.kind === 'begin') return `${groupName} gets one more master than ${masters}, for ${zones.join(' or ')}`;
  const of = `the attempt to spread the masters of ${groupName} ended: ${ended?.outcome}`;
  if (step.kind === 'close') return of;
  const goes = step.kind === 'lower' ? `${groupName} wants ${masters} masters again` : endOf(step.instance);
  return `${goes}; ${of}`;
}

const endOf = ({ instanceId, zone }: GroupMember) => `${instanceId} in ${zone} goes, and its group wants one less`;
