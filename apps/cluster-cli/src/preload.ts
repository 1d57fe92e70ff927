import { loadCommand } from './commands/load.ts';
import { commands } from './tree/tree.ts';

/**
 * Loads every module that commands load on demand. A simulation does this first: while a file is read no timer runs, so
 * virtual time would run away.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    ...commands.map((command) => loadCommand(command)),
    import('./aws.ts'),
    import('./commands/cluster/drain-node.ts'),
    import('./formats/encode.ts'),
    import('./parse/full.ts'),
    import('./report-failure.ts'),
    import('@drover/adapters/aws/objects'),
    import('@drover/adapters/aws/sdk/auto-scaling'),
    import('@drover/adapters/aws/sdk/ec2'),
    import('@drover/adapters/aws/sdk/secrets-manager'),
  ]);
}
