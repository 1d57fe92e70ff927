import type { Context } from '../context.ts';
import type { CommandInput, CommandName } from '../tree/tree.ts';
import { api } from './api.ts';
import { catNodes, catSnapshots, catTable } from './cat.ts';
import { allocationExplain } from './cluster/allocation-explain.ts';
import { commissionThisNode } from './cluster/commission-node.ts';
import { decommission } from './cluster/decommission-node.ts';
import { reapCluster } from './cluster/reap.ts';
import { clusterHealth } from './cluster-health.ts';
import { completion } from './completion.ts';
import { abandon } from './node/abandon.ts';
import { prepare } from './node/prepare.ts';
import { secret } from './node/secret.ts';
import { settle } from './node/settle.ts';
import { passwd } from './passwd.ts';
import { create } from './snapshots/create.ts';
import { list, status } from './snapshots/inspect.ts';
import { policy } from './snapshots/policy.ts';
import { createRepository, deleteRepository } from './snapshots/repositories.ts';
import { restore } from './snapshots/restore.ts';

/** A command: returns its exit code. */
type Run<Name extends CommandName> = (context: Context, input: CommandInput<Name>) => Promise<number>;

const commands: { readonly [Name in CommandName]: Run<Name> } = {
  'cluster-health': clusterHealth,
  'cat shards': catTable('shards'),
  'cat nodes': catNodes,
  'cat snapshots': catSnapshots,
  'cat repositories': catTable('repositories'),
  'cat allocation': catTable('allocation'),
  'cat indices': catTable('indices'),
  'cat health': catTable('health'),
  'cluster allocation-explain': allocationExplain,
  'cluster commission-node': commissionThisNode,
  'cluster decommission-node': decommission,
  'cluster reap': reapCluster,
  'snapshots create': create,
  'snapshots restore': restore,
  'snapshots status': status,
  'snapshots list': list,
  'snapshots create-repository': createRepository,
  'snapshots delete-repository': deleteRepository,
  'snapshots policy': policy,
  'node prepare': prepare,
  'node secret': secret,
  'node abandon': abandon,
  'node settle': settle,
  passwd,
  api,
  completion,
};

/** Finds a command. The parser has read its input by the same name, so the two belong together. */
export const commandOf = (name: CommandName): Run<CommandName> => commands[name] as Run<CommandName>;
