import type { Document } from '@drover/formats';
import { illegalArgument, parseError, resourceNotFound, validationFailed } from '../../../engine/errors.ts';
import { nameProblems, refuseRetention } from '../../../engine/slm/refuse-policy.ts';
import { refuseSchedule } from '../../../engine/slm/schedule.ts';
import { resolveName, type SlmService } from '../../../engine/slm/slm-service.ts';
import {
  noCounts,
  type SlmCounts,
  type SlmEntry,
  type SlmOutcome,
  type SlmPolicy,
  slmState,
  withEntry,
  withSlm,
} from '../../../engine/slm/slm-state.ts';
import { formatTime, isoTime, parseTimeMs } from '../../../engine/values/units.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { moment } from '../../responses/human.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const slmRoutes: readonly Endpoint[] = [
  {
    api: 'slm.put_lifecycle',
    action: 'cluster:admin/slm/put',
    run: put,
  },
  {
    api: 'slm.get_lifecycle',
    action: 'cluster:admin/slm/get',
    run: get,
  },
  {
    api: 'slm.delete_lifecycle',
    action: 'cluster:admin/slm/delete',
    run: remove,
  },
  {
    api: 'slm.execute_lifecycle',
    action: 'cluster:admin/slm/execute',
    also: ['POST /_slm/policy/{policy_id}/_execute'],
    run: execute,
  },
  {
    api: 'slm.execute_retention',
    action: 'cluster:admin/slm/execute-retention',
    run: executeRetention,
  },
  {
    api: 'slm.get_stats',
    action: 'cluster:admin/slm/stats',
    run: stats,
  },
  {
    api: 'slm.get_status',
    action: 'cluster:admin/slm/status',
    run: status,
  },
  { api: 'slm.start', action: 'cluster:admin/slm/start', run: (call) => setMode(call, 'RUNNING') },
  { api: 'slm.stop', action: 'cluster:admin/slm/stop', run: (call) => setMode(call, 'STOPPED') },
];

async function setMode(call: Call, mode: 'RUNNING' | 'STOPPED'): Promise<Reply> {
  const { core } = await call.master();
  core.update((state) => withSlm(state, { mode }));
  return { body: { acknowledged: true } };
}

async function put(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const id = call.text('policy_id')!;
  const policy = readPolicy(call, id);
  const { core } = await call.master();
  const tooOften = refuseSchedule(policy.schedule, call.now, core.settings.timeMs('slm.minimum_interval'));
  if (tooOften !== undefined)
    throw tooOften.includes('too frequent') ? illegalArgument(tooOften) : validationFailed([tooOften]);
  if (!core.state.repositories.has(policy.repository))
    throw illegalArgument(`no such repository [${policy.repository}]`);
  core.update((state) => {
    const before = slmState(state).policies.get(id);
    // The same policy again changes nothing, not even its date.
    if (before !== undefined && JSON.stringify(before.policy) === JSON.stringify(policy)) return state;
    const entry: SlmEntry = {
      ...(before ?? { runsSinceSuccess: 0, counts: noCounts }),
      id,
      policy,
      version: (before?.version ?? 0) + 1,
      modifiedMs: call.now,
    };
    return withEntry(state, entry);
  });
  return { body: { acknowledged: true } };
}

function readPolicy(call: Call, id: string): SlmPolicy {
  const body = call.object();
  // Members that a server does not know it takes and forgets.
  const missing = ['name', 'schedule', 'repository'].filter((key) => body[key] === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`);
  refusePolicy(call, id, body);
  return {
    name: String(body.name),
    schedule: String(body.schedule),
    repository: String(body.repository),
    config: isDocument(body.config) ? body.config : {},
    ...(isDocument(body.retention) ? { retention: known(body.retention) } : {}),
    ...(body.unhealthy_if_no_snapshot_within === undefined || !call.atLeast('9.1.0')
      ? {}
      : { unhealthyIfNoSnapshotWithin: String(body.unhealthy_if_no_snapshot_within) }),
  };
}

const known = (retention: Document): Document =>
  Object.fromEntries(
    Object.entries(retention).filter(([name]) => ['expire_after', 'min_count', 'max_count'].includes(name)),
  );

function refusePolicy(call: Call, id: string, body: Document): void {
  const problems: string[] = [];
  if (id.startsWith('_')) problems.push(`invalid policy id [${id}]: must not start with '_'`);
  if (/[,\s]/.test(id))
    problems.push(
      `invalid policy id [${id}]: must not contain the following characters [' ','"','*',',','/','<','>','?','\\','|']`,
    );
  if (Buffer.byteLength(id) > 255)
    problems.push(`invalid policy id [${id}]: name is too long, (${Buffer.byteLength(id)} > 255)`);
  if (String(body.repository) === '') problems.push('invalid repository name []: cannot be empty');
  problems.push(...nameProblems(resolveName(String(body.name), call.now)));
  if (isDocument(body.retention)) refuseRetention(body.retention);
  const metadata = isDocument(body.config) ? body.config.metadata : undefined;
  if (isDocument(metadata) && metadata.policy !== undefined)
    problems.push('invalid configuration.metadata: field name [policy] is reserved and will be added automatically');
  const within = body.unhealthy_if_no_snapshot_within;
  if (within !== undefined && call.atLeast('9.1.0') && parseTimeMs(String(within)) === undefined)
    throw illegalArgument(
      `failed to parse setting [unhealthy_if_no_snapshot_within] with value [${within}] as a time value: unit is missing or unrecognized`,
    );
  if (problems.length > 0) throw validationFailed(problems);
}

async function get(call: Call): Promise<Reply> {
  const { core, slm } = await call.master();
  const { policies } = slmState(core.state);
  const ids = call.list('policy_id');
  const chosen = ids.length === 0 ? [...policies.values()] : ids.flatMap((id) => policies.get(id) ?? []);
  if (chosen.length === 0 && ids.length > 0)
    throw resourceNotFound(`snapshot lifecycle policy or policies [${ids.join(', ')}] not found`);
  return { body: Object.fromEntries(chosen.map((entry) => [entry.id, entryBody(call, slm, entry)])) };
}

function entryBody(call: Call, slm: SlmService, entry: SlmEntry): Document {
  const next = slm.nextExecutionMs(entry);
  const running = slm.inProgress(entry.id);
  return {
    version: entry.version,
    ...moment(call.human, 'modified_date', 'modified_date_millis', entry.modifiedMs),
    policy: policyBody(entry.policy),
    ...(entry.lastSuccess === undefined ? {} : { last_success: outcomeBody(call, entry.lastSuccess) }),
    ...(entry.lastFailure === undefined ? {} : { last_failure: outcomeBody(call, entry.lastFailure) }),
    ...(next === undefined ? {} : moment(call.human, 'next_execution', 'next_execution_millis', next)),
    ...(running === undefined
      ? {}
      : {
          in_progress: {
            name: running.name,
            uuid: running.uuid,
            state: running.state,
            ...moment(call.human, 'start_time', 'start_time_millis', running.startMs),
          },
        }),
    stats: countsBody(entry.id, entry.counts),
  };
}

function policyBody(policy: SlmPolicy): Document {
  return {
    name: policy.name,
    schedule: policy.schedule,
    repository: policy.repository,
    ...(Object.keys(policy.config).length === 0 ? {} : { config: policy.config }),
    ...(policy.retention === undefined ? {} : { retention: policy.retention }),
    ...(policy.unhealthyIfNoSnapshotWithin === undefined
      ? {}
      : { unhealthy_if_no_snapshot_within: policy.unhealthyIfNoSnapshotWithin }),
  };
}

function outcomeBody(call: Call, outcome: SlmOutcome): Document {
  return {
    snapshot_name: outcome.snapshotName,
    ...(outcome.startMs === undefined ? {} : moment(call.human, 'start_time_string', 'start_time', outcome.startMs)),
    ...(call.human ? { time_string: isoTime(outcome.timeMs) } : {}),
    time: outcome.timeMs,
    ...(outcome.details === undefined ? {} : { details: outcome.details }),
  };
}

const countsBody = (policy: string, counts: SlmCounts): Document => ({
  policy,
  snapshots_taken: counts.taken,
  snapshots_failed: counts.failed,
  snapshots_deleted: counts.deleted,
  snapshot_deletion_failures: counts.deletionFailures,
});

async function remove(call: Call): Promise<Reply> {
  const id = call.text('policy_id')!;
  const { core } = await call.master();
  if (!slmState(core.state).policies.has(id)) throw resourceNotFound(`snapshot lifecycle policy not found: ${id}`);
  core.update((state) => {
    const policies = new Map(slmState(state).policies);
    policies.delete(id);
    return withSlm(state, { policies });
  });
  return { body: { acknowledged: true } };
}

async function execute(call: Call): Promise<Reply> {
  const id = call.text('policy_id')!;
  const { core, slm } = await call.master();
  if (!slmState(core.state).policies.has(id)) throw illegalArgument(`no such snapshot lifecycle policy [${id}]`);
  return { body: { snapshot_name: await slm.execute(id) } };
}

async function executeRetention(call: Call): Promise<Reply> {
  const { slm } = await call.master();
  void slm.retain();
  return { body: { acknowledged: true } };
}

async function stats(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const slm = slmState(core.state);
  // A policy that is deleted takes its counts along.
  const each = [...slm.policies.values()].map(({ id, counts }) => [id, counts] as const);
  const sum = (value: (counts: SlmCounts) => number) => each.reduce((total, [, counts]) => total + value(counts), 0);
  return {
    body: {
      retention_runs: slm.retentionRuns,
      retention_failed: slm.retentionFailed,
      retention_timed_out: slm.retentionTimedOut,
      retention_deletion_time: formatTime(slm.retentionMs),
      retention_deletion_time_millis: slm.retentionMs,
      total_snapshots_taken: sum(({ taken }) => taken),
      total_snapshots_failed: sum(({ failed }) => failed),
      total_snapshots_deleted: sum(({ deleted }) => deleted),
      total_snapshot_deletion_failures: sum(({ deletionFailures }) => deletionFailures),
      policy_stats: each.map(([id, counts]) => countsBody(id, counts)),
    },
  };
}

async function status(call: Call): Promise<Reply> {
  const { core } = await call.master();
  return { body: { operation_mode: slmState(core.state).mode } };
}
