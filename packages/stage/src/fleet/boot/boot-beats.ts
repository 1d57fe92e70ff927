import type { FleetAws } from '@drover/adapters/aws';
import { every } from '@drover/cloud-engine';
import type { MachineView, ProcessContext } from '@drover/cloud-machines';
import { bootLog, factsFile } from '@drover/runner-agent';

/** As in boot.py. */
const beatMs = 240_000;
const logFile = '/var/log/cloud-init-output.log';

interface Facts {
  readonly drover?: { readonly launch?: { readonly autoscaling_group_name: string; readonly hook: string } };
  readonly actions_runner?: { readonly host_reports?: string };
}

/** Puts a report of the boot where the instance's reports are. */
export async function putReport(
  { machine }: ProcessContext,
  { s3 }: Pick<FleetAws, 's3'>,
  report: object,
): Promise<void> {
  const { host_reports: reports = '' } = factsOf(machine).actions_runner ?? {};
  const [Bucket, ...key] = reports.split('/');
  await s3('PutObject', {
    Bucket: Bucket!,
    Key: `${key.join('/')}${machine.instance.id}`,
    Body: JSON.stringify(report),
    ContentType: 'application/json',
  });
}

const factsOf = ({ files }: MachineView) => JSON.parse(files.get(factsFile) ?? '{}') as Facts;

/** The boot script's signs of life: a heartbeat and a report every four minutes, if its log has grown since the last. */
export class BootBeats {
  readonly #context: ProcessContext;
  readonly #aws: Pick<FleetAws, 'autoscaling' | 's3'>;
  readonly #timer: { cancel(): void };
  #seen = -1;
  #over = false;

  constructor(context: ProcessContext, aws: Pick<FleetAws, 'autoscaling' | 's3'>) {
    this.#context = context;
    this.#aws = aws;
    this.#timer = every(context.clock, beatMs, () => void this.#beat());
  }

  /** Another line of the boot's log. */
  say(line: string): void {
    const { files } = this.#context.machine;
    files.set(logFile, `${files.get(logFile) ?? ''}${line}\n`);
  }

  /** The programs that follow report for themselves. */
  end(): void {
    this.#over = true;
    this.#timer.cancel();
  }

  async #beat(): Promise<void> {
    const { machine, signal, clock } = this.#context;
    if (signal.aborted) return this.end();
    const size = machine.files.get(logFile)?.length ?? 0;
    if (size === this.#seen) return;
    const facts = factsOf(machine);
    const { launch } = facts.drover ?? {};
    if (launch === undefined || facts.actions_runner?.host_reports === undefined) return;
    try {
      await this.#aws.autoscaling('RecordLifecycleActionHeartbeat', {
        AutoScalingGroupName: launch.autoscaling_group_name,
        LifecycleHookName: launch.hook,
        InstanceId: machine.instance.id,
      });
      const report = {
        at: clock.now(),
        phase: 'booting',
        workers: 0,
        bootLog: bootLog({ readFile: (path) => machine.files.get(path) }),
      };
      if (this.#over) return;
      await putReport(this.#context, this.#aws, report);
      this.#seen = size;
    } catch {
      // The next beat tries again.
    }
  }
}
