import { preloadSdk } from '@drover/adapters/aws/lazy-sdk';
import { drainModule } from './commands/cluster/decommission-node.ts';
import { loadCommand } from './commands/load.ts';
import { awsModule } from './context.ts';
import { preloadMain } from './main.ts';
import { formatsModule } from './render/output.ts';
import { commands } from './tree/tree.ts';

/**
 * Loads every module that commands load on demand. A simulation does this first: loading takes real time, in which
 * virtual time would run away.
 */
export async function preload(): Promise<void> {
  await Promise.all([
    ...commands.map((command) => loadCommand(command)),
    awsModule(),
    drainModule(),
    formatsModule(),
    preloadMain(),
    preloadSdk(),
  ]);
}
