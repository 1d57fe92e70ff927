import { loadOnce } from '@drover/core/load-once';
import type { Context } from '../context.ts';
import type { CommandInput, CommandSpec } from '../tree/types.ts';

export interface CommandModule {
  run(context: Context, input: CommandInput): Promise<number>;
}

const table = () => import('./cat/table.ts');

/** One file per command, loaded when it is typed. */
const modules: Readonly<Record<string, () => Promise<CommandModule>>> = {
  'cluster-health': () => import('./cluster-health.ts'),
  'cat shards': table,
  'cat nodes': () => import('./cat/nodes.ts'),
  'cat snapshots': table,
  'cat repositories': table,
  'cat allocation': table,
  'cat indices': table,
  'cat health': table,
  'cluster allocation-explain': () => import('./cluster/allocation-explain.ts'),
  'cluster commission-node': () => import('./cluster/commission-node.ts'),
  'cluster decommission-node': () => import('./cluster/decommission-node.ts'),
  'cluster reap': () => import('./cluster/reap.ts'),
  'snapshots create': () => import('./snapshots/create.ts'),
  'snapshots restore': () => import('./snapshots/restore.ts'),
  'snapshots status': () => import('./snapshots/status.ts'),
  'snapshots list': () => import('./snapshots/list.ts'),
  'snapshots create-repository': () => import('./snapshots/create-repository.ts'),
  'snapshots delete-repository': () => import('./snapshots/delete-repository.ts'),
  'snapshots policy': () => import('./snapshots/policy.ts'),
  'node prepare': () => import('./node/prepare.ts'),
  'node secret': () => import('./node/secret.ts'),
  'node abandon': () => import('./node/abandon.ts'),
  'node settle': () => import('./node/settle.ts'),
  passwd: () => import('./passwd.ts'),
  api: () => import('./api.ts'),
  completion: () => import('./completion.ts'),
};

const loaded = new Map<string, () => Promise<CommandModule>>();

export function loadCommand({ path }: CommandSpec): Promise<CommandModule> {
  const name = path.join(' ');
  const load = loaded.get(name) ?? loadOnce(modules[name]!);
  loaded.set(name, load);
  return load();
}
