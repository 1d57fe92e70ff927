import { Secret, TerminalError } from '@drover/core';
import type { DemandService, HeldSession, MessageSession, ScaleSet, SessionConflict } from '@drover/runner-fleet';
import { instead } from '../../instead.ts';
import {
  ActionsRefusal,
  type ActionsService,
  isRefusal,
  isRefusedWith,
  OverTime,
  readJson,
} from './actions-service.ts';
import { found, group, message, nothing, scaleSet, session } from './shapes.ts';

export const scaleSets = '_apis/runtime/runnerscalesets';
/** The default group has this number everywhere (GitHub's own client). */
const defaultGroup = 1;
/** A connection that stays silent this long is dead: the service responds after 50 s. */
const longestPollMs = 75_000;

export interface ScaleSetOptions {
  /** The scale set's and the group's. */
  readonly name: string;
  /** By which jobs ask for its runners. */
  readonly labels: readonly string[];
  /** The owner of a session, as the service shows it. */
  readonly owner: string;
  readonly runnerGroup: string | undefined;
}

/** Removes a scale set. */
export const scaleSetEnd = (
  service: ActionsService,
): Pick<DemandService, 'connect' | 'closeSession' | 'deleteScaleSet'> => ({
  connect: () => service.connect(),
  deleteScaleSet: (scaleSetId) =>
    service.call('DELETE', `${scaleSets}/${scaleSetId}`, nothing).catch(instead(isRefusedWith(404), undefined)),
  closeSession: (scaleSetId, sessionId) =>
    service.call('DELETE', `${sessions(scaleSetId)}/${sessionId}`, nothing).catch(instead(isOver, undefined)),
});

/** Opens a session of an owner. */
export const sessionOpening = (service: ActionsService, ownerName: string): Pick<DemandService, 'openSession'> => ({
  async openSession(scaleSetId) {
    service.about(scaleSetId);
    const body = { sessionId: '00000000-0000-0000-0000-000000000000', ownerName };
    return await service
      .call('POST', sessions(scaleSetId), session, { body })
      .then(toSession)
      .catch(asConflict)
      .catch(instead(isRefusedWith(404), 'scale-set-unknown'));
  },
});

/** The text is seen in two forms, one of which names the owner. */
function asConflict(error: unknown): SessionConflict {
  if (!(error instanceof ActionsRefusal) || error.status !== 409) throw error;
  const [, heldBy] = / for owner (\S+?)\.?(?: \(|$)/.exec(error.message) ?? [];
  return { heldBy };
}

const sessions = (scaleSetId: number) => `${scaleSets}/${scaleSetId}/sessions`;

/** The demand for runners of one scale set. */
export function demandService(service: ActionsService, options: ScaleSetOptions): DemandService {
  const settings = async () => ({
    name: options.name,
    runnerGroupId: await groupId(service, options.runnerGroup),
    labels: options.labels.map((name) => ({ type: 'System', name })),
    // The fleet keeps the runner software current.
    RunnerSetting: { disableUpdate: true },
    createdOn: '0001-01-01T00:00:00Z',
  });
  return {
    ...scaleSetEnd(service),
    ...sessionOpening(service, options.owner),
    findScaleSet: async () => await findScaleSet(service, options),
    createScaleSet: async () => await service.call('POST', scaleSets, scaleSet, { body: await settings() }),
    async updateScaleSet(scaleSetId) {
      await service.call('PATCH', `${scaleSets}/${scaleSetId}`, nothing, { body: await settings() });
    },
    asked: JSON.stringify([options.labels, options.runnerGroup ?? '']),
    async renewSession(scaleSetId, sessionId) {
      service.about(scaleSetId);
      const renewed = service.call('PATCH', `${sessions(scaleSetId)}/${sessionId}`, session);
      return await renewed.then(toSession).catch(instead(isOver, 'unknown'));
    },
    async poll(held, { lastMessageId, ceiling, withinMs }) {
      const url = new URL(held.session.queueUrl);
      if (lastMessageId !== undefined && lastMessageId > 0) {
        url.searchParams.set('lastMessageId', String(lastMessageId));
        url.searchParams.sort();
      }
      try {
        const answer = await service.send({
          method: 'GET',
          url: url.href,
          token: held.session.queueToken,
          headers: {
            accept: `application/json; api-version=6.0-preview`,
            'x-scalesetmaxcapacity': String(ceiling),
          },
          withinMs: Math.min(withinMs, longestPollMs),
        });
        // An empty response means the same as 202.
        return answer.status === 202 || answer.text === '' ? 'nothing' : readJson(answer, message, 'the queue');
      } catch (error) {
        if (error instanceof OverTime) return 'nothing';
        return tokenExpired(error);
      }
    },
    async acknowledge({ session: { queueUrl, queueToken: token } }, messageId) {
      const url = new URL(queueUrl);
      url.pathname += `/${messageId}`;
      return await doneUnlessExpired(service.send({ method: 'DELETE', url: url.href, token }));
    },
    async acquire({ scaleSetId, session: { queueToken: token } }: HeldSession, requestIds) {
      const path = `${scaleSets}/${scaleSetId}/acquirejobs`;
      return await doneUnlessExpired(service.call('POST', path, nothing, { body: requestIds, token }));
    },
  };
}

/** The scale set of this name in its runner group; names are unique there. */
export async function findScaleSet(
  service: ActionsService,
  { name, runnerGroup }: Pick<ScaleSetOptions, 'name' | 'runnerGroup'>,
): Promise<ScaleSet | undefined> {
  const query = { runnerGroupId: await groupId(service, runnerGroup), name };
  return (await service.call('GET', scaleSets, found(scaleSet), { query })).value.find((set) => set.name === name);
}

async function groupId(service: ActionsService, runnerGroup: string | undefined): Promise<number> {
  if (runnerGroup === undefined) return defaultGroup;
  const query = { groupName: runnerGroup };
  const { value } = await service.call('GET', '_apis/runtime/runnergroups/', found(group), { query });
  const [first] = value;
  if (first !== undefined) return first.id;
  throw new TerminalError(`there is no runner group ${JSON.stringify(runnerGroup)}`, {
    remedy: 'create the group in the settings of the organisation or enterprise, or change runner_group',
  });
}

const toSession = (told: ReturnType<typeof session>): MessageSession => ({
  id: told.sessionId,
  queueUrl: told.messageQueueUrl ?? '',
  queueToken: new Secret(told.messageQueueAccessToken ?? ''),
  statistics: told.statistics,
});

/** The session has expired or was never there, or its scale set is gone. */
const isOver = (error: unknown) => isRefusal(error, 'SessionExpired') || isRefusedWith(400, 404)(error);

const tokenExpired = instead(isRefusedWith(401), 'token-expired' as const);

const doneUnlessExpired = (asked: Promise<unknown>): Promise<'done' | 'token-expired'> =>
  asked.then(() => 'done' as const).catch(tokenExpired);
