import { TerminalError } from '@drover/core';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { readInstanceFacts } from '../../facts.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** The plugin that every node has. */
const ownPlugin = 'discovery-ec2';
const elasticArtifacts = 'https://artifacts.elastic.co';

/** Fetches and checks everything that an upgrade of this node installs; the node runs on. */
export async function preFlight(context: Context, { options }: CommandInput<'node pre-flight'>): Promise<number> {
  const { program, files } = context.io;
  if (program === undefined) throw new TerminalError('there are no programs of Drover on this host');
  const { elasticsearch } = await readInstanceFacts(files);
  const { mirror = elasticArtifacts, plugins = [] } = elasticsearch as {
    readonly mirror?: string;
    readonly plugins?: readonly string[];
  };
  const words = [options.elasticsearchVersion, mirror, ownPlugin, ...plugins];
  const { exitCode, stderr } = await program('/opt/drover/bin/fetch-elasticsearch', words);
  if (exitCode === 0) {
    context.log.info(`everything of ${options.elasticsearchVersion} is fetched`);
    return exitCodes.done;
  }
  const reason = stderr.trim().split('\n').at(-1) || `exit code ${exitCode}`;
  throw new TerminalError(`pre-flight: ${reason}`);
}
