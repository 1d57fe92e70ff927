import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeScalingActivitiesCommand,
  SetDesiredCapacityCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { FaultRule } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { type Clients, clients } from '@drover/cloud-world';
import { type FunctionSuffix, functionName, typeGroupName } from '@drover/core/names/runner-fleet';
import { DeployedFleet } from './deployed-fleet.ts';
import { type FleetProps, type FunctionSubnets, synthesiseFleet } from './fleet-app.ts';
import type { Transport } from './program-services.ts';

interface StageOptions {
  readonly seed?: number;
  /** An assembly synthesised earlier from `stageInputs` of the same inputs. @default synthesised now */
  readonly assembly?: string | undefined;
  /** Called before the template is deployed. */
  readonly before?: (fleet: DeployedFleet) => unknown;
  /** @default nat */
  readonly functionSubnets?: FunctionSubnets;
  /** `direct` goes past the network, so stories about the network take `sdk`. @default direct */
  readonly transport?: Transport;
}

/** Promises of a group's inputs. */
export interface GroupLimits {
  readonly minSize: number;
  readonly maxSize: number;
  /** Jobs mode. */
  readonly jobs?: { readonly idleTarget: number };
  /** Idle mode; without it a surplus is not looked at. */
  readonly idleTarget?: number;
  /** The longest boot that the world draws. @default 20 minutes */
  readonly longestBootMs?: number;
}

/** Promises of a fleet's inputs; its group is that of the default type. */
export interface FleetLimits extends GroupLimits {
  readonly allowedDrainTimeMs: number;
  /** The longest drain time, if it was changed while instances drained. @default allowedDrainTimeMs */
  readonly longestDrainTimeMs?: number;
  /** Of each further type, by its name. */
  readonly types?: Readonly<Record<string, GroupLimits>>;
}

/** Limits of types: the fleet's where a type has none of its own, but beginning at zero. */
const typeLimits = ({ types = {} }: FleetProps, maxSize: number): Pick<FleetLimits, 'types'> => ({
  types: Object.fromEntries(
    Object.entries(types).map(([name, type]) => [
      name,
      {
        minSize: type.asgMinSize ?? 0,
        maxSize: type.asgMaxSize ?? maxSize,
        idleTarget: type.idleRunnersTargetCount ?? 0,
      },
    ]),
  ),
});

const minute = 60_000;
const assemblies = new Map<string, string>();

/** A small fleet, with what a story asks for. */
export const stageInputs = <Inputs extends FleetProps>(inputs: Inputs) => ({
  groupName: 'runners',
  asgMinSize: 1,
  asgMaxSize: 4,
  warmPoolMaxSize: 0,
  ...inputs,
});

/** Equal inputs are synthesised once. */
function synthesised(inputs: FleetProps, functionSubnets: FunctionSubnets): string {
  const key = JSON.stringify([inputs, functionSubnets]);
  const assembly =
    assemblies.get(key) ?? synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-stage-')), inputs, functionSubnets);
  assemblies.set(key, assembly);
  return assembly;
}

/** A deployed fleet with the operator's tools beside it, for stories that change one thing at a time. */
export class FleetStage {
  readonly fleet: DeployedFleet;
  readonly aws: Clients;
  /** The route that jobs ask for: in jobs mode the scale set, which has the group's name. */
  readonly #runsOn: { readonly runsOn?: readonly string[] };

  constructor(fleet: DeployedFleet, limits: FleetLimits) {
    this.fleet = fleet;
    this.#runsOn = limits.jobs === undefined ? {} : { runsOn: [fleet.groupName] };
    this.aws = clients(fleet.world);
  }

  /** Synthesises (once for equal inputs), deploys, and waits until every runner is online. */
  static async open<Stage extends FleetStage>(
    this: new (
      fleet: DeployedFleet,
      limits: FleetLimits,
    ) => Stage,
    inputs: FleetProps,
    options: StageOptions = {},
  ): Promise<Stage> {
    const { functionSubnets = 'nat', seed = 1, transport = 'direct' } = options;
    const full = stageInputs(inputs);
    const { groupName } = full;
    const assembly = options.assembly ?? synthesised(full, functionSubnets);
    const types = Object.keys(inputs.types ?? {});
    const fleet = new DeployedFleet({ assembly, groupName, types, seed, transport });
    const allowedDrainTimeMs = (inputs.allowedDrainTime ?? 900) * 1000;
    const idleTarget = inputs.idleRunnersTargetCount ?? 1;
    const schedules = inputs.idleTargetSchedules !== undefined;
    const jobs = inputs.scalingMode === 'jobs' ? { jobs: { idleTarget } } : schedules ? {} : { idleTarget };
    const { asgMinSize: minSize, asgMaxSize: maxSize } = full;
    const limits = { allowedDrainTimeMs, minSize, maxSize, ...jobs, ...typeLimits(inputs, maxSize) };
    const stage = new this(fleet, limits);
    await options.before?.(fleet);
    await fleet.deploy();
    return stage;
  }

  /** Deploys the stack with other inputs, as `cdk deploy` does. */
  async update(inputs: FleetProps, functionSubnets: FunctionSubnets = 'nat'): Promise<void> {
    await this.fleet.update(synthesised(stageInputs(inputs), functionSubnets));
  }

  get online(): readonly string[] {
    return this.fleet.codeHost.registry.runners.filter(({ session }) => session !== undefined).map(({ name }) => name);
  }

  get group() {
    return this.fleet.group('runners')!;
  }

  groupOf(type: string) {
    return this.fleet.group(typeGroupName('runners', type));
  }

  stateOf(instanceId: string): string {
    return this.group.members.get(instanceId)?.state ?? 'gone';
  }

  async untilOnline(count: number, limitMinutes = 30): Promise<void> {
    await this.fleet.until(`${count} runners online`, () => this.online.length >= count, limitMinutes * minute);
  }

  enqueue(durationMinutes: number, count = 1): Job[] {
    return Array.from({ length: count }, () =>
      this.fleet.codeHost.registry.queue.enqueue({ durationMs: durationMinutes * minute, ...this.#runsOn }),
    );
  }

  async pass(minutes: number): Promise<void> {
    await this.fleet.drive(this.fleet.clock.sleep(minutes * minute), (minutes + 5) * minute);
  }

  fault(rule: FaultRule): () => void {
    return this.fleet.world.engine.faults.add(rule);
  }

  async terminate(instanceId: string, decrement = true): Promise<void> {
    const command = new TerminateInstanceInAutoScalingGroupCommand({
      InstanceId: instanceId,
      ShouldDecrementDesiredCapacity: decrement,
    });
    await this.fleet.drive(this.aws.autoscaling.send(command), minute);
  }

  async setDesired(capacity: number): Promise<void> {
    const command = new SetDesiredCapacityCommand({ AutoScalingGroupName: 'runners', DesiredCapacity: capacity });
    await this.fleet.drive(this.aws.autoscaling.send(command), minute);
  }

  /** Waits until the instance has left the group; returns how many minutes it took. */
  async untilGone(instanceId: string, limitMinutes: number): Promise<number> {
    const start = this.fleet.clock.now();
    await this.fleet.until(`${instanceId} is gone`, () => this.stateOf(instanceId) === 'gone', limitMinutes * minute);
    return (this.fleet.clock.now() - start) / minute;
  }

  /** Causes of all scaling activities, newest first. */
  async causes(): Promise<string[]> {
    const { Activities } = await this.fleet.drive(
      this.aws.autoscaling.send(
        new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'runners', MaxRecords: 100 }),
      ),
      minute,
    );
    return (Activities ?? []).map(({ Cause = '' }) => Cause);
  }

  /** All that a function has logged. */
  async logOf(suffix: FunctionSuffix): Promise<string> {
    const logGroupName = `/aws/lambda/${functionName('runners', suffix)}`;
    return this.fleet.world.observe.logLines(logGroupName).join('\n');
  }

  /** Alarms whose name begins so. */
  async alarms(prefix: string): Promise<readonly MetricAlarm[]> {
    const answer = this.aws.cloudwatch.send(new DescribeAlarmsCommand({ AlarmNamePrefix: prefix }));
    return (await this.fleet.drive(answer, minute)).MetricAlarms ?? [];
  }
}
