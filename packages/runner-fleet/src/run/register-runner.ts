import { type Clock, describeError, type Logger, TerminalError } from '@drover/core';
import { hooks, labels } from '@drover/core/names/runner-fleet';
import type { OwnPlace, OwnToken, PlatformRefusal, RunnerHost } from '../host-ports.ts';
import { endLaunch } from './abandon-launch.ts';

export interface RegisterPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly host: RunnerHost;
  readonly place: OwnPlace;
  readonly token: OwnToken;
  readonly instanceId: string;
  readonly groupName: string;
  readonly extraLabels: readonly string[];
}

interface Refused {
  readonly news?: string;
  readonly remedy: string;
  readonly pauseMs: number;
}

/** The outcome of a registration that the platform refused. */
const afterRefusal: Readonly<Record<PlatformRefusal, Refused>> = {
  unavailable: { remedy: 'none: it is tried again', pauseMs: 10_000 },
  'token-refused': { remedy: 'none: the function stores a new one', pauseMs: 10_000 },
  // Only a deployment helps, and it replaces this instance.
  'version-too-old': {
    news: 'the runner version is too old to register',
    remedy: 'set a newer runner_version, or leave it out for the newest, and deploy',
    pauseMs: 300_000,
  },
  'runner-group-unknown': { remedy: 'create the group at the platform, or correct runner_group', pauseMs: 300_000 },
};

/**
 * Uses the waiting token: configures the runner, deletes the token. A host that is unfit gives the launch up at once. Returns
 * the pause until the next look.
 */
export async function registerRunner(ports: RegisterPorts): Promise<number> {
  const { instanceId, groupName, extraLabels, log } = ports;
  const token = await ports.token.read();
  if (token === undefined) return afterRefusal.unavailable.pauseMs;
  const ownLabels = [labels.instance(instanceId), labels.installation(groupName), ...extraLabels];
  const outcome = await ports.host.configureRunner({ token, name: instanceId, labels: ownLabels });
  if (outcome.kind === 'other-mode') return await giveWay(ports);
  if (outcome.kind === 'host-failed') return await abandonBootstrap(ports, outcome.message);
  if (outcome.kind === 'platform-failed') {
    const { reason, message } = outcome;
    const { news = 'the platform did not take the registration', remedy, pauseMs } = afterRefusal[reason];
    log.warn(news, { reason, error: message, remedy });
    if (reason === 'token-refused') await ports.token.delete();
    return pauseMs;
  }
  await ports.token.delete();
  log.info('registered', { instance: instanceId });
  return 0;
}

/**
 * The fleet has changed its mode since this host was made, or prepared for the warm pool. It never served, and no fault is to be
 * counted: another one takes its place at once.
 */
async function giveWay({ clock, log, place }: RegisterPorts): Promise<number> {
  const said = { at: clock.now(), phase: 'failed', workers: 0 } as const;
  await place
    .report(said)
    .catch((error: unknown) => log.warn('the report could not be written', { error: describeError(error) }));
  await place.completeHook(hooks.bootstrap.name, 'ABANDON');
  log.info('the launch is given up: the fleet has changed its scaling mode since this host was made');
  return keptPauseMs;
}

/** How long a host that is kept for inspection waits until it looks again. */
const keptPauseMs = 300_000;

/** Gives the launch up: the group replaces this instance, at once or when its launch hook ends. */
export async function abandonBootstrap(ports: RegisterPorts, because: string): Promise<number> {
  const reason = [because, ports.host.bootLog()].filter((part) => part !== '').join('\n');
  if ((await endLaunch(ports, reason)) === 'kept') return keptPauseMs;
  throw new TerminalError(`this host cannot have a runner: ${because}`, {
    remedy: 'see /var/log/cloud-init-output.log and /var/log/puppet.log; the instance is being replaced',
  });
}
