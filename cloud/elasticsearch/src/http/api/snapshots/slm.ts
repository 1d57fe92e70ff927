import type { Document } from '@drover/formats';
import {
  ElasticsearchError,
  illegalArgument,
  parseError,
  resourceNotFound,
  validationFailed,
} from '../../../engine/errors.ts';
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
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { refuseName } from './snapshots.ts';

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

const fields = ['name', 'schedule', 'repository', 'config', 'retention', 'unhealthy_if_no_snapshot_within'];

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
      ...(before ?? { runsSinceSuccess: 0, counts: slmState(state).gone.get(id) ?? noCounts }),
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
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: `[1:2] [snapshot_lifecycle] unknown field [${unknown}]`,
    });
  const missing = ['name', 'schedule', 'repository'].filter((key) => body[key] === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`);
  refusePolicy(call, id, body);
  return {
    name: String(body.name),
    schedule: String(body.schedule),
    repository: String(body.repository),
    config: isDocument(body.config) ? body.config : {},
    ...(isDocument(body.retention) ? { retention: body.retention } : {}),
    ...(body.unhealthy_if_no_snapshot_within === undefined
      ? {}
      : { unhealthyIfNoSnapshotWithin: String(body.unhealthy_if_no_snapshot_within) }),
  };
}

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
  try {
    refuseName(String(body.repository), resolveName(String(body.name), call.now));
  } catch (error) {
    if (!(error instanceof ElasticsearchError)) throw error;
    problems.push(`invalid snapshot name [${body.name}]: ${String(error.failure.reason).split('], ').at(-1)}`);
  }
  const retention = isDocument(body.retention) ? body.retention : {};
  if (retention.expire_after !== undefined && parseTimeMs(String(retention.expire_after)) === undefined)
    throw illegalArgument(
      `failed to parse setting [expire_after] with value [${retention.expire_after}] as a time value: unit is missing or unrecognized`,
    );
  const [least, most] = [retention.min_count, retention.max_count].map((value) =>
    value === undefined ? undefined : Number(value),
  );
  if (least !== undefined && least < 1)
    throw illegalArgument(`minimum snapshot count must be at least 1, but was: ${least}`);
  if (most !== undefined && most < 1)
    throw illegalArgument(`maximum snapshot count must be at least 1, but was: ${most}`);
  if (least !== undefined && most !== undefined && least > most)
    throw illegalArgument(`minimum snapshot count ${least} cannot be larger than maximum snapshot count ${most}`);
  const within = body.unhealthy_if_no_snapshot_within;
  if (within !== undefined && parseTimeMs(String(within)) === undefined)
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
  const entry = slmState(core.state).policies.get(id);
  if (entry === undefined) throw resourceNotFound(`snapshot lifecycle policy not found: ${id}`);
  core.update((state) => {
    const policies = new Map(slmState(state).policies);
    policies.delete(id);
    return withSlm(state, { policies, gone: new Map(slmState(state).gone).set(id, entry.counts) });
  });
  return { body: { acknowledged: true } };
}

async function execute(call: Call): Promise<Reply> {
  const id = call.text('policy_id')!;
  const { core, slm } = await call.master();
  if (!slmState(core.state).policies.has(id)) throw illegalArgument(`no such snapshot lifecycle policy [${id}]`);
  return { body: { snapshot_name: await slm.execute(id) } };
}

async function stats(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const slm = slmState(core.state);
  const each = [
    ...[...slm.policies.values()].map(({ id, counts }) => [id, counts] as const),
    ...[...slm.gone].filter(([id]) => !slm.policies.has(id)),
  ];
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
