import type { Document } from '@drover/formats';
import type { SearchNode } from '../../../engine/coordination/search-node.ts';
import { activeCopies, sumCopies } from '../../../engine/documents/store-totals.ts';
import { NotModelled } from '../../../engine/errors.ts';
import { transportAddress } from '../../../engine/state/node-info.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import type { Call } from '../../call.ts';
import { catEndpoint, type Rows } from '../../cat/columns.ts';
import { poolStatistics, threadPools } from '../../responses/thread-pools.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { askedNodes } from './nodes-info.ts';

export const taskRoutes: readonly Endpoint[] = [
  {
    api: 'tasks.list',
    action: 'cluster:monitor/tasks/lists',
    run: list,
  },
  {
    api: 'cluster.pending_tasks',
    action: 'cluster:monitor/task',
    run: pending,
  },
  catEndpoint('thread_pool', { action: 'cluster:monitor/state' }, catThreadPool),
];

interface Task {
  readonly node: SearchNode;
  readonly id: number;
  readonly action: string;
  readonly parent?: string;
}

/** The listing is the only task that runs: everything else is done at once. */
function running(call: Call): Task[] {
  const { nodes } = askedNodes(call, call.list('nodes'));
  const root = { node: call.node, id: 1, action: 'cluster:monitor/tasks/lists' };
  const all: Task[] = [
    ...(nodes.includes(call.node) ? [root] : []),
    ...nodes.map((node) => ({
      node,
      id: node === call.node ? 2 : 1,
      action: 'cluster:monitor/tasks/lists[n]',
      parent: `${call.node.id}:1`,
    })),
  ];
  const patterns = call.list('actions');
  return patterns.length === 0
    ? all
    : all.filter(({ action }) => patterns.some((pattern) => wildcardToRegExp(pattern).test(action)));
}

function taskBody(call: Call, task: Task): Document {
  return {
    node: task.node.id,
    id: task.id,
    type: 'transport',
    action: task.action,
    ...(call.flag('detailed') ? { description: '' } : {}),
    start_time_in_millis: call.now,
    ...(call.human ? { running_time: '100micros' } : {}),
    running_time_in_nanos: 100_000,
    cancellable: call.atLeast('7.14.0'),
    ...(call.atLeast('7.14.0') ? { cancelled: false } : {}),
    ...(task.parent === undefined ? {} : { parent_task_id: task.parent }),
    headers: call.headers['x-opaque-id'] === undefined ? {} : { 'X-Opaque-Id': call.headers['x-opaque-id'] },
  };
}

function list(call: Call): Reply {
  const tasks = running(call);
  const grouping = call.text('group_by') ?? 'nodes';
  const key = (task: Task) => `${task.node.id}:${task.id}`;
  if (grouping === 'none') return { body: { tasks: tasks.map((task) => taskBody(call, task)) } };
  if (grouping !== 'nodes') throw new NotModelled(`tasks grouped by [${grouping}]`);
  const nodes = [...new Set(tasks.map(({ node }) => node))];
  return {
    body: {
      nodes: Object.fromEntries(
        nodes.map((node) => [
          node.id,
          {
            ...nodeBody(node),
            tasks: Object.fromEntries(
              tasks.filter((task) => task.node === node).map((task) => [key(task), taskBody(call, task)]),
            ),
          },
        ]),
      ),
    },
  };
}

function nodeBody(node: SearchNode): Document {
  const discovery = node.discovery();
  return {
    name: node.name,
    transport_address: transportAddress(discovery),
    host: node.host,
    ip: transportAddress(discovery),
    roles: node.roles,
    attributes: discovery.attributes,
  };
}

async function pending(call: Call): Promise<Reply> {
  await call.state();
  return { body: { tasks: [] } };
}

async function catThreadPool(call: Call): Promise<Rows> {
  const services = await call.master();
  const patterns = call.list('thread_pool_patterns');
  const names = Object.keys(threadPools).filter(
    (name) => patterns.length === 0 || patterns.some((pattern) => wildcardToRegExp(pattern).test(name)),
  );
  return services.members().flatMap((node) => {
    const totals = sumCopies(activeCopies(services.core.state, node));
    const counted = poolStatistics(totals, node, call.now);
    const owner = {
      node_name: node.name,
      node_id: node.id,
      ephemeral_node_id: node.ephemeralId,
      pid: 1000,
      host: node.host,
      ip: node.ip,
      port: node.options.transportPort ?? 9300,
    };
    return names.map((name) => ({
      ...owner,
      name,
      ...(threadPools[name] as Record<string, string | number>),
      ...counted[name],
      pool_size: counted[name]!.threads!,
    }));
  });
}
