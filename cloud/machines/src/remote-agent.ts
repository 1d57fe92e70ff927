import type { Engine } from '@drover/cloud-engine';
import { never } from '@drover/cloud-engine';
import type { Clock } from '@drover/core';
import type { Instance, MachineAccount, RemoteAgent } from './account.ts';
import type { InstanceCredentials } from './metadata/instance-credentials.ts';
import type { RunningCommand } from './processes/run-command.ts';
import type { CommandResult } from './program.ts';

/** Time after which an agent that cannot register tries again. */
const retryMs = 300_000;

/** The machine that an agent runs on. */
interface AgentMachine {
  readonly instance: Instance;
  readonly clock: Clock;
  readonly state: string;
  commandRun(): RunningCommand;
}

/** The Systems Manager agent of one machine, for one boot. */
export class MachineAgent implements RemoteAgent {
  readonly #machine: AgentMachine;
  readonly #engine: Engine;
  readonly #aws: MachineAccount;
  readonly #credentials: InstanceCredentials;
  #dead = false;

  constructor(machine: AgentMachine, engine: Engine, aws: MachineAccount, credentials: InstanceCredentials) {
    this.#machine = machine;
    this.#engine = engine;
    this.#aws = aws;
    this.#credentials = credentials;
  }

  startAfter(delayMs: number): void {
    this.#machine.clock.after(delayMs, () => this.#register());
  }

  alive(): boolean {
    return !this.#dead && this.#machine.state === 'up';
  }

  kill(reason: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#note('agent-dead', { reason });
  }

  /** Asks the fault plan whether the agent dies now. */
  askFaults(): void {
    if (this.#dead) return;
    const point = { service: 'machine', operation: 'agent', subject: this.#machine.instance.id };
    if (this.#engine.faults.strike(point, ['dead-agent']) !== undefined) this.kill('injected fault');
  }

  /** The lines are one shell script: the last exit code counts. Killed when it takes too long. */
  async run(commands: readonly string[], timeoutSeconds: number): Promise<CommandResult> {
    const run = this.#machine.commandRun();
    const limit = this.#machine.clock.after(timeoutSeconds * 1000, () => run.cancel());
    const result = await run.run(commands.join('\n'));
    limit.cancel();
    return this.#dead ? await never : result;
  }

  #register(): void {
    this.askFaults();
    if (this.#dead) return;
    const refusal = this.#refusal();
    if (refusal === undefined) {
      this.#aws.ssm.registerAgent(this.#machine.instance.id, this);
      this.#note('agent-registered');
    } else {
      this.#note('agent-not-registered', { reason: refusal });
      this.startAfter(retryMs);
    }
  }

  /** It needs a role that may report to Systems Manager: "Configure instance permissions required for Systems Manager". */
  #refusal(): string | undefined {
    try {
      const credentials = this.#credentials.current();
      if (credentials === undefined) return 'no instance profile with a role';
      const principal = this.#aws.iam.principalFor(credentials.accessKeyId, credentials.sessionToken);
      const { arn } = this.#machine.instance;
      this.#aws.iam.authorize(principal, { action: 'ssm:UpdateInstanceInformation', resource: arn }, 'ssm');
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #note(name: string, detail?: Readonly<Record<string, unknown>>): void {
    const subject = this.#machine.instance.id;
    this.#engine.journal.record({ kind: 'note', source: 'machine', name, subject, ...(detail && { detail }) });
  }
}
