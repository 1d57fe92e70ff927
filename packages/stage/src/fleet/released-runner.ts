import type { ProcessContext } from '@drover/cloud-machines';
import type { Kernel } from '@drover/runner-agent';
import type { OwnMetadata } from '@drover/runner-fleet';
import type { ProgramAws } from './program-services.ts';

/** The surroundings of an agent on its instance. */
export interface OfferedToAgent {
  /** The text of its configuration file. */
  readonly config: string;
  readonly kernel: Kernel;
  readonly aws: ProgramAws;
  readonly fetch: typeof fetch;
  readonly metadata?: OwnMetadata;
}

/** The programs and units of an older release, for the runners that it launched. */
export interface ReleasedRunner {
  /** The unit files of the runner and of its agent, as the Puppet code of that release wrote them. */
  readonly units: { readonly runner: string; readonly agent: string };
  /** `runner-agent run`. */
  run(context: ProcessContext, offered: OfferedToAgent): Promise<void>;
  /** The order to drain after `runner-agent` ran with these arguments; throws for arguments that it does not know. */
  order(argv: readonly string[], standing: string | undefined, now: number): string | undefined;
}
