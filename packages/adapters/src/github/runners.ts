import { Secret, TerminalError } from '@drover/core';
import type {
  FleetMemory,
  FoundRunner,
  RateLimitReader,
  RegistrationTokens,
  Runner,
  RunnerDirectory,
  RunnerList,
  RunnerPage,
} from '@drover/runner-fleet';
import { instead } from '../instead.ts';
import type { PlatformClient } from './client.ts';
import { hasStatus } from './failures.ts';
import { list, number, object, optional, text, truth } from './reading.ts';
import { type RunnerGroupNumber, runnerGroupNumber } from './runner-groups.ts';

const runnerShape = object({
  id: number,
  name: text,
  status: text,
  busy: truth,
  version: optional(text),
  labels: list(object({ name: text, type: optional(text) })),
});
const runnersShape = object({ total_count: number, runners: list(runnerShape) });
const tokenShape = object({ token: text });

const pageSize = 100;
/** A group has at most 10,000 runners (docs.github.com, "Actions limits"); an organisation can have more. */
const mostPages = 200;

const allRunners = 'GET /{level}/actions/runners';
const oneRunner = 'GET /{level}/actions/runners/{runner_id}';
const groupRunners = 'GET /{level}/actions/runner-groups/{runner_group_id}/runners';

export interface PlatformRunnersOptions {
  readonly client: PlatformClient;
  readonly clock: { now(): number };
  readonly memory: FleetMemory;
  /** Only the runners of this group are listed. @default all of the level */
  readonly runnerGroup?: string | undefined;
}

/** The runners of an organisation, a repository or an enterprise, or those of one runner group. */
export function platformRunners(
  options: PlatformRunnersOptions,
): RunnerDirectory & RegistrationTokens & RateLimitReader {
  const { client, clock, memory, runnerGroup } = options;
  const group = runnerGroup === undefined ? undefined : runnerGroupNumber(client, memory, runnerGroup);
  const walk = async (previous?: RunnerList): Promise<RunnerList> => ({
    pages: await walkPages(client, group, previous),
    at: clock.now(),
  });
  return {
    list: walk,
    findByName: (name) => findByName(client, name, () => walk()),
    keepLabels: (runnerId, labels) => keepLabels(client, runnerId, labels),
    remove: (runnerId) => remove(client, runnerId),
    async mint() {
      const { data } = await client.call('POST /{level}/actions/runners/registration-token', tokenShape);
      return new Secret(data.token);
    },
    last: () => client.last(),
  };
}

/** Every page, one after another: the platform asks callers not to hurry. */
async function walkPages(
  client: PlatformClient,
  group: RunnerGroupNumber | undefined,
  previous: RunnerList | undefined,
): Promise<RunnerPage[]> {
  const pages: RunnerPage[] = [];
  for (let number = 1; number <= mostPages; number++) {
    const next = await readPage(client, group, number, previous?.pages[number - 1]);
    pages.push(next);
    if (number * pageSize >= next.total || next.runners.length === 0) return pages;
  }
  throw new TerminalError(`the platform lists more than ${mostPages * pageSize} runners`, {
    remedy: 'set runner_group, so that only the runners of one group are listed',
  });
}

async function readPage(
  client: PlatformClient,
  group: RunnerGroupNumber | undefined,
  page: number,
  known: RunnerPage | undefined,
): Promise<RunnerPage> {
  if (group === undefined) return await askPage(client, allRunners, { page }, known);
  const id = await group.id();
  try {
    return await askPage(client, groupRunners, { page, runner_group_id: id }, known);
  } catch (error) {
    // The group was deleted and made again under its name, or belongs to an organisation of before.
    if (!isGone(error) || !(await group.renew(id))) throw error;
    return await askPage(client, groupRunners, { page, runner_group_id: await group.id() }, undefined);
  }
}

async function askPage(
  client: PlatformClient,
  route: string,
  where: Readonly<Record<string, number>>,
  known: RunnerPage | undefined,
): Promise<RunnerPage> {
  const parameters = { ...where, per_page: pageSize };
  const etag = known?.etag === undefined ? {} : { etag: known.etag };
  const response = await client.callIfChanged(route, runnersShape, { parameters, ...etag });
  if (response.status === 304) return known!;
  const { data } = response;
  const tag = response.etag === undefined ? {} : { etag: response.etag };
  return { ...tag, total: data.total_count, runners: data.runners.map(toRunner) };
}

/** A server that is too old to know the filter returns every runner: then every page is read. */
async function findByName(
  client: PlatformClient,
  name: string,
  everybody: () => Promise<RunnerList>,
): Promise<FoundRunner | undefined> {
  const { data } = await client.call(allRunners, runnersShape, { parameters: { name, per_page: pageSize } });
  const found = data.runners.find((runner) => runner.name === name);
  if (found !== undefined) return toFoundRunner(found);
  if (data.total_count <= data.runners.length) return undefined;
  const listed = (await everybody()).pages.flatMap(({ runners }) => runners).find((runner) => runner.name === name);
  if (listed === undefined) return undefined;
  const one = await client.call(oneRunner, runnerShape, { parameters: { runner_id: listed.id } });
  return toFoundRunner(one.data);
}

/** A runner that is gone has no labels to take. */
async function keepLabels(client: PlatformClient, runnerId: number, labels: readonly string[]): Promise<void> {
  const parameters = { runner_id: runnerId, labels };
  const sent = client.send('PUT /{level}/actions/runners/{runner_id}/labels', { parameters });
  await sent.catch(instead(isGone, undefined));
}

/** 404 means that the runner is gone, but also that we may not see it: one more request shows which. */
async function remove(client: PlatformClient, runnerId: number): Promise<'removed' | 'absent' | 'busy'> {
  try {
    await client.send('DELETE /{level}/actions/runners/{runner_id}', { parameters: { runner_id: runnerId } });
    return 'removed';
  } catch (error) {
    if (hasStatus(422)(error)) return 'busy';
    if (!isGone(error)) throw error;
    await client.call(allRunners, runnersShape, { parameters: { per_page: 1 } });
    return 'absent';
  }
}

const isGone = hasStatus(404);

const toRunner = (record: ReturnType<typeof runnerShape>): Runner => ({
  id: record.id,
  name: record.name,
  status: record.status === 'online' ? 'online' : 'offline',
  busy: record.busy,
  labels: record.labels.map((label) => label.name),
  ...(record.version === undefined ? {} : { version: record.version }),
});

const toFoundRunner = (record: ReturnType<typeof runnerShape>): FoundRunner => ({
  ...toRunner(record),
  customLabels: record.labels.filter(({ type }) => type !== 'read-only').map(({ name }) => name),
});
