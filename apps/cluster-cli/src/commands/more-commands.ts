/** The commands that `commands.ts` loads when one of them is run. */
export { api } from './api.ts';
export { allocationExplain } from './cluster/allocation-explain.ts';
export { commissionThisNode } from './cluster/commission-node.ts';
export { reapCluster } from './cluster/reap.ts';
export { finishThisRestart, prepareThisRestart } from './cluster/restart.ts';
export { completion } from './completion.ts';
export { abandon } from './node/abandon.ts';
export { prepare } from './node/prepare.ts';
export { secret } from './node/secret.ts';
export { settle } from './node/settle.ts';
export { passwd } from './passwd.ts';
export { create } from './snapshots/create.ts';
export { drillNow } from './snapshots/drill.ts';
export { list, status } from './snapshots/inspect.ts';
export { policy } from './snapshots/policy.ts';
export { recover } from './snapshots/recover.ts';
export { createRepository, deleteRepository } from './snapshots/repositories.ts';
export { restore } from './snapshots/restore.ts';
