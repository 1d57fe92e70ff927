import type { HttpRequest, Origin } from '@drover/cloud-engine';
import type { RunnerRecord } from '../model.ts';
import type { ScaleSet, ScaleSetLabel, ScaleSetSettings, Session } from './scale-set.ts';
import type { ScaleSets } from './scale-sets.ts';
import * as refusals from './service-errors.ts';

/** One request as a route of the service sees it. */
export interface ServiceCall {
  readonly sets: ScaleSets;
  readonly request: HttpRequest;
  readonly origin: Origin;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Of the admin token, or of the set whose messages are read. */
  readonly level: string;
  /** The names of the level's runner groups, with their ids. */
  readonly groups: ReadonlyMap<string, number>;
  /** An Enterprise Server: of several labels the first one counts. */
  readonly enterprise: boolean;
  /** A set and its session as a client reads them. */
  presentSet(set: ScaleSet): object;
  presentSession(set: ScaleSet, session: Session): object;
  jitConfig(set: ScaleSet, runner: RunnerRecord, workFolder: string): string;
  /** The owner of the queue token. */
  readonly reader: { readonly set: ScaleSet; readonly session: Session } | undefined;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface ServiceRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Which token it asks for. */
  readonly token: 'admin' | 'queue';
  answer(call: ServiceCall): ServiceAnswer | Promise<ServiceAnswer>;
}

const sets = '/_apis/runtime/runnerscalesets';
const agents = '/_apis/distributedtask/pools/0/agents';

/** Every call of the Actions service that clients of scale sets make (actions/scaleset v0.4.0). */
export const serviceRoutes: readonly ServiceRoute[] = [
  { method: 'GET', path: '/_apis/runtime/runnergroups/', token: 'admin', answer: findGroup },
  { method: 'GET', path: sets, token: 'admin', answer: findSet },
  { method: 'POST', path: sets, token: 'admin', answer: createSet },
  { method: 'GET', path: `${sets}/{id}`, token: 'admin', answer: (call) => ok(call.presentSet(setOf(call))) },
  { method: 'PATCH', path: `${sets}/{id}`, token: 'admin', answer: updateSet },
  { method: 'DELETE', path: `${sets}/{id}`, token: 'admin', answer: deleteSet },
  { method: 'POST', path: `${sets}/{id}/sessions`, token: 'admin', answer: openSession },
  { method: 'PATCH', path: `${sets}/{id}/sessions/{session}`, token: 'admin', answer: refreshSession },
  { method: 'DELETE', path: `${sets}/{id}/sessions/{session}`, token: 'admin', answer: closeSession },
  { method: 'POST', path: `${sets}/{id}/acquirejobs`, token: 'queue', answer: acquireJobs },
  { method: 'POST', path: `${sets}/{id}/generatejitconfig`, token: 'admin', answer: generateJitConfig },
  { method: 'GET', path: `${sets}/{id}/messages`, token: 'queue', answer: nextMessage },
  { method: 'DELETE', path: `${sets}/{id}/messages/{message}`, token: 'queue', answer: acknowledge },
  { method: 'GET', path: '/scalesets/message', token: 'queue', answer: nextMessage },
  { method: 'DELETE', path: '/scalesets/message/{message}', token: 'queue', answer: acknowledge },
  { method: 'GET', path: agents, token: 'admin', answer: findRunner },
  { method: 'GET', path: `${agents}/{id}`, token: 'admin', answer: readRunner },
  { method: 'DELETE', path: `${agents}/{id}`, token: 'admin', answer: removeRunner },
];

const ok = (body: unknown): ServiceAnswer => ({ status: 200, body });
const done: ServiceAnswer = { status: 204 };
const list = (value: readonly unknown[]) => ok({ count: value.length, value });

function setOf({ sets, params, level }: ServiceCall): ScaleSet {
  const set = sets.get(Number(params.id));
  if (set === undefined || set.level !== level) throw refusals.noSuchSet(params.id!);
  return set;
}

/** Names of groups are compared without regard to case: clients ask for `default`. */
function findGroup({ groups, query }: ServiceCall): ServiceAnswer {
  const wanted = query.get('groupName')?.toLowerCase();
  const found = [...groups].filter(([name]) => wanted === undefined || name.toLowerCase() === wanted);
  return list(found.map(([name, id]) => ({ id, name, size: 0, isDefaultGroup: id === 1 })));
}

function findSet(call: ServiceCall): ServiceAnswer {
  const [groupId, name] = [call.query.get('runnerGroupId'), call.query.get('name')];
  const found = call.sets.all.filter(
    ({ level, settings }) =>
      level === call.level &&
      (groupId === null || settings.groupId === Number(groupId)) &&
      (name === null || settings.name === name),
  );
  return list(found.map((set) => call.presentSet(set)));
}

/**
 * A member that is not given stays as it was; moments of a set that does not exist yet are sent too and mean nothing.
 */
function settingsIn({ body, groups, enterprise }: ServiceCall, before?: ScaleSetSettings): ScaleSetSettings {
  const given = body as {
    readonly name?: string;
    readonly runnerGroupId?: number;
    readonly labels?: readonly ScaleSetLabel[];
    readonly RunnerSetting?: { readonly disableUpdate?: boolean };
  };
  const name = given.name ?? before?.name ?? '';
  if (name === '') throw refusals.badRequest('A runner scale set must have a name.');
  const groupId = given.runnerGroupId ?? before?.groupId ?? 1;
  if (![...groups.values()].includes(groupId)) throw refusals.noSuchGroup(groupId);
  const labels = given.labels?.map(({ type, name: label }) => ({ type, name: label })) ??
    before?.labels ?? [{ type: 'System', name }];
  // actions/scaleset, README: on Enterprise Server 3.18 to 3.20 more than one label needs a feature flag; they are dropped without a word.
  const kept = enterprise ? labels.slice(0, 1) : labels;
  const disableUpdate = given.RunnerSetting?.disableUpdate ?? false;
  return { name, groupId, labels: kept, disableUpdate };
}

function createSet(call: ServiceCall): ServiceAnswer {
  const settings = settingsIn(call);
  const set = call.sets.create(call.level, settings);
  if (set === undefined) throw refusals.setExists(settings.name);
  return ok(call.presentSet(set));
}

function updateSet(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  const settings = settingsIn(call, set.settings);
  if (!call.sets.update(set, settings)) throw refusals.setExists(settings.name);
  return ok(call.presentSet(set));
}

function deleteSet(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  if (!call.sets.delete(set)) throw refusals.setIsBusy(set.settings.name);
  return done;
}

function openSession(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  const { ownerName } = call.body as { readonly ownerName?: string };
  if (ownerName === undefined || ownerName === '') throw refusals.badRequest('A session must have an owner.');
  const session = call.sets.openSession(set, ownerName);
  if (session === undefined) throw refusals.sessionConflict(set.settings.name, set.session!.owner);
  return ok(call.presentSession(set, session));
}

function refreshSession(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  const session = call.sets.sessions.of(set);
  if (session?.id !== call.params.session) throw refusals.sessionUnknown();
  return ok(call.presentSession(set, call.sets.sessions.refresh(set, session!)));
}

function closeSession(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  if (call.sets.sessions.of(set)?.id !== call.params.session) throw refusals.sessionExpired(call.params.session!);
  call.sets.sessions.end(set);
  return done;
}

/** The long poll. A message that is not acknowledged comes again, with the statistics of that moment. */
async function nextMessage({ sets, reader, query, request }: ServiceCall): Promise<ServiceAnswer> {
  const { set, session } = reader!;
  const capacity = request.headers['x-scalesetmaxcapacity'];
  if (capacity === undefined || !/^\d+$/.test(capacity))
    throw refusals.badRequest('The header X-ScaleSetMaxCapacity must be a number.');
  const answer = await sets.poll(set, session, Number(query.get('lastMessageId') ?? 0), Number(capacity));
  if (answer === 'nothing') return { status: 202 };
  if (answer === 'session-gone') throw refusals.unauthorized();
  const body = JSON.stringify(answer.events);
  const statistics = sets.statistics(set);
  return ok({ messageId: answer.id, messageType: 'RunnerScaleSetJobMessages', statistics, body });
}

function acknowledge({ reader, params }: ServiceCall): ServiceAnswer {
  reader!.set.messages.acknowledge(Number(params.message));
  return done;
}

function acquireJobs({ sets, reader, body }: ServiceCall): ServiceAnswer {
  if (!Array.isArray(body)) throw refusals.badRequest('The body must be a list of ids.');
  return list(sets.assignments.acquire(reader!.set, body.map(Number)));
}

function generateJitConfig(call: ServiceCall): ServiceAnswer {
  const set = setOf(call);
  const { name, workFolder } = call.body as { readonly name?: string; readonly workFolder?: string };
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name))
    throw refusals.badRequest('The name of a runner is not valid.');
  const runner = call.sets.addRunner(set, name);
  if (runner === undefined) throw refusals.agentExists(name);
  return ok({ runner: presentRunner(runner), encodedJITConfig: call.jitConfig(set, runner, workFolder ?? '_work') });
}

const presentRunner = ({ id, name, scaleSetId, ephemeral, createdAt, session }: RunnerRecord) => ({
  id,
  name,
  runnerScaleSetId: scaleSetId ?? 0,
  ephemeral,
  createdOn: new Date(createdAt).toISOString(),
  status: session === undefined ? 'offline' : 'online',
});

function findRunner({ sets, query }: ServiceCall): ServiceAnswer {
  const runner = sets.runnerNamed(query.get('agentName') ?? '');
  return list(runner === undefined ? [] : [presentRunner(runner)]);
}

function readRunner({ sets, params }: ServiceCall): ServiceAnswer {
  const runner = sets.runnerWithId(Number(params.id));
  if (runner === undefined) throw refusals.agentUnknown(params.id!);
  return ok(presentRunner(runner));
}

function removeRunner({ sets, params, origin }: ServiceCall): ServiceAnswer {
  const { kind, name } = origin;
  if (!sets.removeRunner(Number(params.id), { account: 'Actions service', origin: { kind, name } }))
    throw refusals.jobStillRunning(params.id!);
  return done;
}
