import { listed } from '../render/short.ts';
import { notice, type Outcome, ok } from './findings.ts';

/** An instance in service that Systems Manager does not reach. */
export interface SilentAgent {
  readonly id: string;
  readonly status: string;
}

/** Of instances that should be reached, those that are not, with what Systems Manager says of them. */
export const silentOnes = (ids: readonly string[], agents: ReadonlyMap<string, string>): readonly SilentAgent[] =>
  ids.map((id) => ({ id, status: agents.get(id) ?? 'never registered' })).filter(({ status }) => status !== 'Online');

/** Nothing fails yet: the next command that has to be sent there will. */
export const judgeAgents = (silent: readonly SilentAgent[], fails: string): Outcome =>
  silent.length === 0
    ? ok('Systems Manager reaches every instance in service')
    : notice(
        `Systems Manager does not reach ${listed(silent.map(({ id, status }) => `${id} (${status})`))}: ${fails}`,
        'on the instance: sudo /opt/drover/bin/configure, which installs the agent where the image has none; then journalctl -u amazon-ssm-agent (Ubuntu: -u snap.amazon-ssm-agent.amazon-ssm-agent). Its subnet needs a way to ssm, ssmmessages and ec2messages',
      );
