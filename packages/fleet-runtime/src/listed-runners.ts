import { platformRunners } from '@drover/adapters/github';
import type { CommonAws, ComposedGroup } from './compose.ts';

/** The fleet's runners as the REST API lists them; the function that watches the demand has no use for them. */
export const listedRunners = <Aws extends CommonAws>({
  platform: client,
  config: { runnerGroup },
  ports: { clock, memory },
}: ComposedGroup<Aws>) => platformRunners({ client, clock, memory, runnerGroup });
