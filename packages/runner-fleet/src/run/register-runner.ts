import { type Logger, TerminalError } from '@drover/core';
import { hooks, labels } from '@drover/core/names/runner-fleet';
import type { OwnPlace, OwnToken, RunnerHost } from '../host-ports.ts';

export interface RegisterPorts {
  readonly log: Logger;
  readonly host: RunnerHost;
  readonly place: OwnPlace;
  readonly token: OwnToken;
  readonly instanceId: string;
  readonly groupName: string;
  readonly extraLabels: readonly string[];
}

/** Uses the waiting token: configures the runner, deletes the token. A host that is unfit gives the launch up at once. */
export async function registerRunner(ports: RegisterPorts): Promise<'registered' | 'not-yet'> {
  const token = await ports.token.read();
  if (token === undefined) return 'not-yet';
  const { instanceId, groupName, extraLabels } = ports;
  const ownLabels = [labels.instance(instanceId), labels.installation(groupName), ...extraLabels];
  const outcome = await ports.host.configureRunner({ token, name: instanceId, labels: ownLabels });
  if (outcome.kind === 'host-failed') {
    await ports.place.completeHook(hooks.bootstrap.name, 'ABANDON');
    throw new TerminalError(`the runner could not be configured on this host: ${outcome.message}`, {
      remedy: 'see /var/log/cloud-init-output.log and /var/log/puppet.log; the instance is being replaced',
    });
  }
  if (outcome.kind === 'platform-failed') {
    ports.log.warn('the platform did not take the registration; trying again', { error: outcome.message });
    return 'not-yet';
  }
  await ports.token.delete();
  ports.log.info('registered', { instance: instanceId });
  return 'registered';
}
