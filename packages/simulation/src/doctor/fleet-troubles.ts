import { CompleteLifecycleActionCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import type { FleetProps } from '@drover/stage/fleet-template';
import type { FleetStage } from '@drover/stage/testing';
import { startRun } from '../stories/one-run.ts';
import { runPrinted } from './printed-commands.ts';
import type { Trouble } from './trouble.ts';

const minute = 60_000;

const launch = { service: 'autoscaling', operation: 'Launch' };

/** A trouble of a fleet, the row of doctor that names it, and its remedy. */
export interface FleetTrouble extends Trouble<FleetStage> {
  /** A check that must not take it for its own. */
  readonly silent?: string;
  readonly inputs?: FleetProps;
  readonly options?: Parameters<typeof FleetStage.open>[1];
}

async function terminateBusy(stage: FleetStage): Promise<void> {
  await stage.untilOnline(1);
  const [job] = stage.enqueue(60);
  await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);
  await stage.terminate(job!.runnerName!, false);
  await stage.pass(3);
}

/** A session of this owner holds the scale set, and GitHub does not let it go. */
async function holdScaleSet(stage: FleetStage, ownerOf: (own: string) => string): Promise<void> {
  await stage.untilOnline(1);
  await stage.pass(5);
  const { scaleSets } = stage.fleet.codeHost;
  const set = scaleSets.named('runners')!;
  const owner = ownerOf(set.session!.owner);
  scaleSets.evict(set);
  scaleSets.openSession(set, owner)!.seenAt = Number.POSITIVE_INFINITY;
  await stage.pass(15);
}

/** One way into each condition of the specification's table of errors, and the way out that doctor prints. */
export const fleetTroubles: readonly FleetTrouble[] = [
  {
    check: 'runner-not-registering',
    verdict: 'problem',
    says: /registration failed.*503|is Pending for/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({
        service: 'platform',
        operation: /POST.*registration-token/,
        effect: { kind: 'error', status: 503 },
      });
      await stage.setDesired(2);
      await stage.pass(60);
    },
    alarms: ['launch_stuck', 'hook_too_old'],
    fix: /launches of runners are retried/,
  },
  {
    check: 'credentials-rejected',
    verdict: 'problem',
    says: /Bad credentials.*/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fleet.revokePlatformToken();
      await stage.setDesired(2);
      await stage.pass(5);
    },
    alarms: ['registration_fails'],
    fix: /store a valid token/,
    remedy: async ({ fleet }) => fleet.grantPlatformToken(),
  },
  {
    check: 'credentials-rejected',
    verdict: 'problem',
    says: /admin:org/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fleet.grantPlatformToken({ mayManageRunners: false });
      await stage.pass(1);
    },
    fix: /give the credentials the right that they lack: .*admin:org/s,
    remedy: async ({ fleet }) => fleet.grantPlatformToken(),
  },
  {
    check: 'token-expires',
    verdict: 'problem',
    says: /expires in 13 days \(\d{4}-\d\d-\d\d\).*put-secret-value --secret-id arn:/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fleet.grantPlatformToken({ expiresAt: stage.fleet.clock.now() + 14 * 24 * 60 * minute });
      await stage.pass(2);
    },
    fix: /make a new token with the same rights at the platform, and store it: aws secretsmanager/,
    remedy: async (stage, fix) => {
      const { credentials, org } = stage.fleet.codeHost;
      credentials.addToken('ghp_renewed', { account: 'user ID 1', org, mayManageRunners: true });
      await runPrinted(stage, fix, { 'file://token': 'ghp_renewed' });
    },
  },
  {
    check: 'platform-unreachable',
    verdict: 'problem',
    says: /503.*githubstatus\.com.*nothing scales.*gives it up/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'platform', operation: /.*/, effect: { kind: 'error', status: 503 } });
      await stage.pass(15);
    },
    fix: /wait: the fleet goes on by itself when GitHub is back/,
  },
  {
    check: 'rate-limit-low',
    verdict: 'problem',
    says: /rate limit.*fleet rate-limit/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'platform', operation: /GET.*runners.*/, effect: { kind: 'error', status: 429 } });
      await stage.pass(1);
    },
    fix: /shows what is left and when it is renewed/,
  },
  {
    check: 'rate-limit-low',
    verdict: 'problem',
    says: /the alarm rate_limit_low-runners is on/,
    async cause(stage) {
      await stage.untilOnline(1);
      for (let requests = 0; requests < 4_900; requests++) stage.fleet.codeHost.limits.count('user ID 1', 'core');
      await stage.pass(6);
    },
    alarms: ['rate_limit_low'],
    fix: /shows what is left and when it is renewed/,
  },
  {
    check: 'no-outbound-internet',
    verdict: 'problem',
    says: /has no default route.*/,
    // With a minimum of 1 the stack itself would wait for an instance in service, and fail.
    inputs: { asgMinSize: 0 },
    options: { functionSubnets: 'isolated-with-endpoints', transport: 'sdk' },
    async cause(stage) {
      await stage.setDesired(1);
      await stage.pass(10);
    },
    fix: /subnets with a route 0\.0\.0\.0\/0 to a NAT gateway, and deploy/,
    remedy: (stage) => stage.update({ asgMinSize: 0 }, 'nat-beside-isolated'),
  },
  {
    check: 'remote-agent-failing',
    verdict: 'problem',
    says: /Terminating:Wait.*never registered/,
    options: {
      before: (fleet) =>
        void fleet.world.engine.faults.add({ service: 'machine', operation: 'agent', effect: { kind: 'dead-agent' } }),
    },
    async cause(stage) {
      await terminateBusy(stage);
      // A host that is idle would have gone by itself by then.
      await stage.pass(10);
    },
    fix: /drover fleet complete-termination i-\w+ if no job is running there/,
    remedy: runPrinted,
  },
  {
    check: 'job-still-running',
    verdict: 'notice',
    says: /waits for its job/,
    cause: terminateBusy,
    fix: /^wait; or raise allowed_drain_time/,
  },
  {
    check: 'function-throttling',
    verdict: 'problem',
    says: /throttles-runners_record_metric is in ALARM/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fleet.world.operate.limitConcurrency(0);
      await stage.pass(5);
    },
    alarms: ['throttles'],
    fix: /higher concurrency quota/,
    remedy: async ({ fleet }) => fleet.world.operate.limitConcurrency(1_000),
  },
  {
    check: 'function-throttling',
    verdict: 'problem',
    says: /reserved concurrency of 0.*delete-function-concurrency/,
    async cause(stage) {
      await stage.untilOnline(1);
      const FunctionName = 'runners_record_metric';
      await stage.aws.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
      await stage.pass(10);
    },
    fix: /^aws lambda delete-function-concurrency/,
    remedy: runPrinted,
  },
  {
    check: 'function-timeout',
    verdict: 'problem',
    says: /Task timed out after 60/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'monitoring', operation: 'PutMetricData', effect: { kind: 'slow', ms: 300_000 } });
      await stage.pass(10);
    },
    alarms: ['duration'],
    fix: /the next run continues/,
  },
  {
    check: 'warm-pool-not-filling',
    verdict: 'notice',
    says: /on_demand_base_capacity is 1/,
    inputs: { onDemandBaseCapacity: 1 },
    cause: (stage) => stage.untilOnline(1),
    fix: /set on_demand_base_capacity to null/,
    remedy: (stage) => stage.update({}),
  },
  {
    check: 'warm-pool-not-filling',
    verdict: 'problem',
    says: /the warm pool is empty, its minimum is 1/,
    inputs: { warmPoolMinSize: 1, warmPoolMaxSize: 2 },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(30);
      stage.fault({ ...launch, effect: { kind: 'error' } });
      await stage.setDesired(3);
      await stage.pass(75);
    },
    alarms: ['warm_pool_empty'],
    fix: /look at the newest activities: aws autoscaling describe-scaling-activities/,
  },
  {
    check: 'warm-pool-running',
    verdict: 'problem',
    says: /hibernation failed/,
    inputs: { warmPoolMaxSize: 4, warmPoolMinSize: 1 },
    options: {
      before: (fleet) =>
        void fleet.world.engine.faults.add({
          service: 'machine',
          operation: 'hibernate',
          effect: { kind: 'failed-hibernation' },
        }),
    },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(30);
    },
    fix: /and deploy; .*aws autoscaling set-instance-health/,
    remedy: runPrinted,
  },
  {
    check: 'configuration-failing',
    verdict: 'problem',
    says: /launches were abandoned.*puppet\.log/s,
    inputs: { asgMaxSize: 2 },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.setDesired(2);
      await stage.pass(1);
      const pending = [...stage.group.members.values()].find(({ state }) => state === 'Pending:Wait');
      // Acts as the boot script does when Puppet fails.
      const command = new CompleteLifecycleActionCommand({
        AutoScalingGroupName: 'runners',
        LifecycleHookName: 'bootstrap',
        InstanceId: pending!.instanceId,
        LifecycleActionResult: 'ABANDON',
      });
      await stage.fleet.drive(stage.aws.autoscaling.send(command), minute);
      await stage.pass(3);
    },
    fix: /check puppet_hiera_config_path and packages/,
  },
  {
    check: 'configuration-failing',
    verdict: 'problem',
    silent: 'runner-not-registering',
    says: /boots failed.*SHA-256 is another.*i-\w+ kept for inspection.*start-session --target i-/s,
    inputs: { asgMaxSize: 2 },
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'machine', operation: 'configure', effect: { kind: 'boot-failure' } });
      await stage.setDesired(2);
      await stage.pass(20);
    },
    alarms: ['boots_failing'],
    fix: /correct the cause and deploy\. To launch another now: aws autoscaling complete-lifecycle-action/,
    // Without a host that is kept nothing is left to type: the cause is corrected.
    remedy: async (stage, fix) => (/complete-lifecycle-action/.test(fix) ? await runPrinted(stage, fix) : undefined),
    withinMinutes: 180,
  },
  {
    check: 'host-broken',
    verdict: 'problem',
    silent: 'configuration-failing',
    says: /1 hosts broke within a day, the last, i-\w+, .* ago: no job can begin here: configuration-changed/s,
    async cause(stage) {
      await stage.untilOnline(1);
      const [id = ''] = stage.online;
      stage.fleet.world.machines.get(id)!.files.delete('/opt/actions-runner/.runner');
      stage.enqueue(1);
      await stage.pass(20);
    },
    fix: /correct the one that changes its runner/,
    withinMinutes: 180,
  },
  {
    check: 'rollout-stopped',
    verdict: 'problem',
    says: /launched from the new template, failed to boot .* ago: the hosts of before \(1\) go on.*configuration-failing/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'machine', operation: 'configure', effect: { kind: 'boot-failure' } });
      await stage.update({ rootVolumeSize: 40 });
      await stage.pass(40);
    },
    alarms: ['rollout_stopped'],
    fix: /correct what row configuration-failing names and deploy/,
    remedy: (stage) => stage.update({ rootVolumeSize: 41 }),
    withinMinutes: 240,
  },
  {
    check: 'configuration-failing',
    verdict: 'problem',
    says: /2 boots failed within a day: nothing new in the boot log for 3\d minutes.*docker pull registry.example.com\/large.*boot_timeout/s,
    inputs: { asgMaxSize: 2 },
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'machine', operation: 'configure', effect: { kind: 'timeout' } });
      await stage.setDesired(2);
      await stage.pass(75);
    },
    fix: /correct what the lines name, or raise boot_timeout|aws ssm start-session/,
    withinMinutes: 300,
  },
  {
    check: 'instances-missing',
    verdict: 'problem',
    says: /3 wanted, 1 in service, 2 missing: the process Launch of the group is suspended.*resume-processes/s,
    async cause(stage) {
      await stage.untilOnline(1);
      const AutoScalingGroupName = 'runners';
      const suspend = new SuspendProcessesCommand({ AutoScalingGroupName, ScalingProcesses: ['Launch'] });
      await stage.fleet.drive(stage.aws.autoscaling.send(suspend), minute);
      await stage.setDesired(3);
      await stage.pass(10);
    },
    fix: /^aws autoscaling resume-processes/,
    remedy: runPrinted,
  },
  {
    check: 'instances-missing',
    verdict: 'problem',
    says: /1 wanted, 0 in service, 1 missing: launches fail/,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ ...launch, effect: { kind: 'error', code: 'VcpuLimitExceeded' } });
      for (const id of stage.group.members.keys()) stage.fleet.world.machines.kill(id);
      await stage.pass(30);
    },
    alarms: ['none_in_service'],
    fix: /see launch-failing, zone-without-capacity and configuration-failing/,
  },
  {
    check: 'launch-failing',
    verdict: 'problem',
    says: /launches of runners failed in eu-west-1\w.*: You have requested more vCPU capacity.*; 1 instance is missing.*quota/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ ...launch, effect: { kind: 'error', code: 'VcpuLimitExceeded' } });
      await stage.setDesired(2);
      await stage.pass(10);
    },
    fix: /quota/,
  },
  {
    check: 'zone-without-capacity',
    verdict: 'notice',
    says: /launches failed in eu-west-1a.*sufficient capacity.*other zones have all instances.*instance_types/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'autoscaling', operation: 'Launch', subject: 'eu-west-1a', effect: { kind: 'error' } });
      await stage.setDesired(4);
      await stage.pass(10);
    },
    fix: /^wait; or give several instance_types/,
  },
  {
    check: 'zone-without-capacity',
    verdict: 'problem',
    says: /launches failed in eu-west-1a, eu-west-1b.*1 of the wanted instances are missing/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'autoscaling', operation: 'Launch', effect: { kind: 'error' } });
      await stage.setDesired(2);
      await stage.pass(10);
    },
    fix: /^wait; or give several instance_types/,
  },
  {
    check: 'runner-version',
    verdict: 'problem',
    says: /2\.336\.0 gets no jobs in .*leave runner_version out/,
    inputs: { runnerVersion: '2.336.0', runnerChecksum: 'a'.repeat(64) },
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fleet.codeHost.registry.releases.publish('2.337.0', { graceDays: 3 });
      await stage.pass(80);
    },
    alarms: ['runner_outdated'],
    fix: /leave runner_version out for the newest, or set a newer one, and deploy/,
    remedy: (stage) => stage.update({}),
    // Its alarm looks at hours, and at the last three while nothing is published.
    withinMinutes: 240,
  },
  {
    check: 'runner-version',
    verdict: 'problem',
    says: /no runner software is mirrored yet.*drover fleet logs runner_version/,
    inputs: { asgMinSize: 0 },
    options: {
      before: ({ world }) =>
        world.engine.faults.add({
          service: 'platform',
          operation: /GET.*releases\/latest/,
          effect: { kind: 'error', status: 503 },
        }),
    },
    cause: (stage) => stage.pass(20),
    fix: /drover fleet logs runner_version/,
  },
  {
    check: 'image-bakes-fail',
    verdict: 'problem',
    says: /the bake failed on i-\w+: .*; new instances take the same image as before; the next bake: in 2\d h/,
    inputs: { bakedImage: true, imageBakeDays: 7 },
    options: {
      before: ({ world }) =>
        world.engine.faults.add({ service: 'machine', operation: 'bake', effect: { kind: 'boot-failure' } }),
    },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(40);
    },
    alarms: ['image_bakes_fail'],
    fix: /drover fleet logs i-\w+ --since 2d.*drover image bake --stack runner-fleet tries again now/,
    remedy: runPrinted,
  },
  {
    check: 'jobs-reach-role',
    verdict: 'notice',
    says: /docker and passwordless_sudo are on: they let every job become root/,
    inputs: { docker: true, passwordlessSudo: true },
    cause: (stage) => stage.untilOnline(1),
    fix: /switch it off and deploy/,
    remedy: (stage) => stage.update({}),
  },
  {
    check: 'scale-set-left',
    verdict: 'problem',
    says: /scale set runners .*for 2\d min, with 0 runners.*fleet logs record_metric/s,
    inputs: { scalingMode: 'jobs' },
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({ service: 'platform', operation: /DELETE.*scalesets.*/i, effect: { kind: 'error', status: 503 } });
      await stage.update({});
      await stage.pass(25);
    },
    fix: /then fix what it names; or delete the scale set/,
  },
  {
    check: 'demand-signal-old',
    verdict: 'problem',
    says: /min old; the demand function logged .*503/,
    inputs: { scalingMode: 'jobs' },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(5);
      stage.fault({ service: 'platform', operation: /.*scalesets.*/i, effect: { kind: 'error', status: 503 } });
      await stage.pass(12);
    },
    alarms: ['demand_signal_old'],
    fix: /drover fleet logs demand --stack runner-fleet, then fix what it names/,
  },
  {
    check: 'demand-signal-old',
    verdict: 'problem',
    says: /a session of this fleet \(runners_demand-\S+\), whose id is lost, has held the scale set/,
    inputs: { scalingMode: 'jobs' },
    cause: (stage) => holdScaleSet(stage, (own) => own),
    alarms: ['demand_signal_old'],
    fix: /^drover fleet reset-scale-set --stack runner-fleet/,
    remedy: runPrinted,
  },
  {
    check: 'demand-signal-old',
    verdict: 'problem',
    says: /a session of arc-listener has held the scale set/,
    inputs: { scalingMode: 'jobs' },
    cause: (stage) => holdScaleSet(stage, () => 'arc-listener'),
    alarms: ['demand_signal_old'],
    fix: /^end the listener arc-listener, or give this fleet another group_name/,
    async remedy({ fleet: { codeHost } }) {
      codeHost.scaleSets.evict(codeHost.scaleSets.named('runners')!);
    },
  },
  {
    check: 'scale-set-missing',
    verdict: 'notice',
    says: /deleted at the platform and made again/,
    inputs: { scalingMode: 'jobs' },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(5);
      const { scaleSets } = stage.fleet.codeHost;
      scaleSets.delete(scaleSets.named('runners')!);
      await stage.pass(5);
    },
    fix: /find out who deletes it/,
  },
  {
    check: 'jobs-not-taken',
    verdict: 'problem',
    says: /1 jobs wait although as many runners have been idle for 15 minutes/,
    inputs: { scalingMode: 'jobs' },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(20);
      stage.fault({ service: 'platform', operation: 'dispatch', effect: { kind: 'error' } });
      stage.enqueue(5);
      await stage.pass(20);
    },
    alarms: ['jobs_not_taken'],
    fix: /check that the runner group admits their repositories, and cancel and re-run them/,
    async remedy(stage) {
      const { queue } = stage.fleet.codeHost.registry;
      for (const job of queue.waiting) queue.run(job).complete({ lost: 'cancelled' });
      stage.enqueue(5);
    },
  },
  {
    check: 'rerun-refused',
    verdict: 'problem',
    says: /1 interrupted jobs are not run again, the last one build of .*returned 403/,
    inputs: {
      scalingMode: 'jobs',
      asgMinSize: 0,
      instanceTypes: ['m7a.large', 'm6a.large'],
      onDemandBaseCapacity: 0,
      rerunInterruptedJobs: true,
    },
    async cause(stage) {
      const { world, codeHost } = stage.fleet;
      await stage.pass(2);
      stage.fault({ service: 'platform', operation: /POST.*rerun/, effect: { kind: 'error', status: 403 } });
      const { job } = startRun(codeHost, { build: 30 }).jobs[0]!;
      await stage.fleet.until('it runs', () => job.state === 'running', 20 * minute);
      await stage.pass(1);
      world.operate.reclaimSpot(job.runnerName!);
      await stage.pass(20);
    },
    fix: /Actions: write/,
  },
  {
    check: 'function-failing',
    verdict: 'problem',
    says: /runners_record_metric failed \d+ times.*injected fault.*errors-runners_record_metric, metric_silent-runners.*fleet logs record_metric/s,
    async cause(stage) {
      await stage.untilOnline(1);
      stage.fault({
        service: 'monitoring',
        operation: 'PutMetricData',
        effect: { kind: 'error', code: 'AccessDenied' },
      });
      await stage.pass(15);
    },
    alarms: ['errors', 'metric_silent'],
    fix: /then correct what it names/,
  },
  {
    check: 'alarm-on',
    verdict: 'notice',
    says: /on: group_at_maximum-runners.*raise asg_max_size/s,
    inputs: { asgMinSize: 1, asgMaxSize: 1 },
    async cause(stage) {
      await stage.untilOnline(1);
      await stage.pass(20);
    },
    alarms: ['group_at_maximum'],
    fix: /raise asg_max_size/,
    remedy: (stage) => stage.update({ asgMinSize: 1, asgMaxSize: 4 }),
  },
  {
    check: 'alarm-on',
    verdict: 'problem',
    says: /on: runners_missing-runners.*the sweep replaces them/s,
    async cause(stage) {
      await stage.untilOnline(1);
      const { registry } = stage.fleet.codeHost;
      stage.fault({
        service: 'autoscaling',
        operation: 'SetInstanceHealth',
        effect: { kind: 'error', code: 'AccessDenied' },
      });
      for (const { id } of registry.runners) registry.remove(id);
      await stage.pass(35);
    },
    alarms: ['runners_missing'],
    fix: /drover fleet runners shows which instances have none: the sweep replaces them/,
  },
];
