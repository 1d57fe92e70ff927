import { type Clock, type Logger, TerminalError, TransientError } from '@drover/core';
import { hooks, metrics } from '@drover/core/names/runner-fleet';
import { brakeIsOn } from '../decide/decide-brake.ts';
import {
  decideAbandon,
  decideJit,
  decideRegistration,
  decideRetry,
  type JitDecision,
  type JitStep,
  type RegistrationDecision,
  type RegistrationStep,
} from '../decide/decide-registration.ts';
import { type FleetInstance, waitsForLaunch } from '../model/fleet.ts';
import type {
  FleetMemory,
  GroupReader,
  HostReports,
  LifecycleHooks,
  Metrics,
  RegistrationTokens,
  RunnerDirectory,
  TokenSecrets,
  TransitionTimes,
} from '../ports.ts';
import { endSilentBoots } from './end-silent-boots.ts';
import { failureFields } from './failure-fields.ts';

export interface RegistrationPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly group: GroupReader;
  readonly hooks: LifecycleHooks;
  readonly times: TransitionTimes;
  readonly secrets: Pick<TokenSecrets, 'find' | 'store' | 'claim' | 'fill' | 'delete' | 'keepFailed'>;
  readonly tokens: RegistrationTokens;
  readonly runners: Pick<RunnerDirectory, 'findByName'>;
  readonly memory: FleetMemory;
  readonly metrics: Metrics;
  readonly reports: HostReports;
  readonly bootTimeoutMs: number;
  /** Each instance serves one job: tokens are just-in-time configurations. @default false */
  readonly oneJob?: boolean;
}

/** The trigger of the pass: the launch of one instance, or the minute's schedule. */
export interface RegistrationHint {
  readonly instanceId?: string;
  /** The event says that the instance was just launched, so it cannot have a runner yet. */
  readonly freshLaunch?: boolean;
}

/** One pass over every instance in a launch wait. An event only makes the pass come sooner. */
export async function registerInstances(ports: RegistrationPorts, hint: RegistrationHint): Promise<void> {
  const group = await ports.group.read();
  const waiting = group.instances.filter(waitsForLaunch);
  const chosen = hint.instanceId === undefined ? waiting : waiting.filter(({ id }) => id === hint.instanceId);
  if (chosen.length === 0) return;
  const { registrationRetry, bootFailures } = await ports.memory.read();
  const brake = brakeIsOn(bootFailures, ports.clock.now());
  if (ports.clock.now() < (registrationRetry?.notBefore ?? 0)) return await keepOpen(ports, chosen);
  for (const instance of chosen) {
    try {
      await registerOne(ports, instance, { freshLaunch: hint.freshLaunch === true, brake });
    } catch (error) {
      await noteFailure(ports, error);
      return await keepOpen(ports, chosen);
    }
  }
  await forgetFailures(ports);
  if (hint.instanceId === undefined) await endSilentBoots(ports, waiting);
}

async function registerOne(
  ports: RegistrationPorts,
  { id, inWarmPool, lifecycleState }: FleetInstance,
  { freshLaunch, brake }: { readonly freshLaunch: boolean; readonly brake: boolean },
): Promise<void> {
  const secret = await ports.secrets.find(id);
  const step =
    ports.oneJob === true
      ? await jitStep(ports, id, decideJit({ secret, parked: lifecycleState.startsWith('Warmed:') }, ports.clock.now()))
      : await runnerStep(ports, id, decideRegistration({ secret, inWarmPool, freshLaunch }, ports.clock.now()));
  if (step.kind === 'wait') return;
  if (step.kind === 'discard') {
    await ports.secrets.delete(id);
    return ports.log.info('registration', { instance: id, decision: step.kind, because: step.because });
  }
  if (step.kind === 'mint' && (await mint(ports, id)) === 'taken') return;
  // A runner that is registered has no token any more, and its boot has succeeded.
  if (brake && step.because !== 'runner-exists' && secret?.keepFailed !== true) await ports.secrets.keepFailed(id);
  const completed = await ports.hooks.complete(id, hooks.registration.name, 'CONTINUE');
  if (completed === 'accepted' || step.kind === 'mint')
    ports.log.info('registration', { instance: id, decision: step.kind, because: step.because });
}

/** In jobs mode one run only may make a configuration: another one would take the runner of the first away. */
async function mint({ oneJob, secrets, tokens }: RegistrationPorts, id: string): Promise<'stored' | 'taken'> {
  if (oneJob !== true) {
    await secrets.store(id, await tokens.mint(id));
    return 'stored';
  }
  if ((await secrets.claim(id)) === 'taken') return 'taken';
  try {
    await secrets.fill(id, await tokens.mint(id));
  } catch (error) {
    // The next pass need not wait until the claim has ended.
    await secrets.delete(id).catch(() => {});
    throw error;
  }
  return 'stored';
}

async function runnerStep(
  ports: RegistrationPorts,
  instanceId: string,
  decision: RegistrationDecision,
): Promise<RegistrationStep> {
  if (decision.kind !== 'find-runner') return decision;
  return (await ports.runners.findByName(instanceId)) === undefined ? decision.ifAbsent : decision.ifExists;
}

/** A heartbeat is accepted as long as the hook is open. */
async function jitStep(ports: RegistrationPorts, instanceId: string, decision: JitDecision): Promise<JitStep> {
  if (decision.kind !== 'ask-hook') return decision;
  const open = (await ports.hooks.heartbeat(instanceId, hooks.registration.name)) === 'accepted';
  return open ? decision.ifOpen : decision.ifDone;
}

/** Keeps both launch hooks of every waiting instance open; gives up one of them, slowly, after hour 20. */
async function keepOpen(ports: RegistrationPorts, waiting: readonly FleetInstance[]): Promise<void> {
  const times = await ports.times.startedAt(waiting.map(({ id }) => id));
  const ages = waiting.flatMap(({ id }) => (times.has(id) ? [{ instanceId: id, since: times.get(id)! }] : []));
  const now = ports.clock.now();
  const abandoned = decideAbandon(ages, (await ports.memory.read()).lastAbandonAt, now);
  for (const { id } of waiting) {
    if (id === abandoned) continue;
    await ports.hooks.heartbeat(id, hooks.registration.name);
    await ports.hooks.heartbeat(id, hooks.bootstrap.name);
  }
  if (abandoned === undefined) return;
  await ports.memory.update((memory) => ({ ...memory, lastAbandonAt: now }));
  ports.log.error('giving up an instance that could not be registered for 20 hours', { instance: abandoned });
  await ports.hooks.complete(abandoned, hooks.registration.name, 'ABANDON');
}

/** Says what is wrong and what to fix; the hook stays open either way. */
async function noteFailure(ports: RegistrationPorts, error: unknown): Promise<void> {
  const reason = error instanceof TerminalError ? 'credentials' : 'transient';
  ports.log.error('registration failed', { reason, ...failureFields(error) });
  const retryAfterMs = error instanceof TransientError ? error.retryAfterMs : undefined;
  const now = ports.clock.now();
  await ports.memory.update((memory) => {
    const failures = memory.registrationRetry?.failures ?? 0;
    return {
      ...memory,
      registrationRetry: { failures: failures + 1, notBefore: decideRetry(failures, retryAfterMs, now) },
    };
  });
  await ports.metrics.put({ [metrics.registrationFailures]: 1 }, { Reason: reason });
}

async function forgetFailures(ports: RegistrationPorts): Promise<void> {
  if ((await ports.memory.read()).registrationRetry === undefined) return;
  const registrableSince = ports.clock.now();
  await ports.memory.update(({ registrationRetry: _, ...memory }) => ({ ...memory, registrableSince }));
}
