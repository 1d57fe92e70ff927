import { Secret } from '@drover/core';
import type { RegistrationTokens, Runner, RunnerDirectory, RunnerList, RunnerPage } from '@drover/runner-fleet';
import { type PlatformClient, PlatformStatusError } from './client.ts';

interface RunnerRecord {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly busy: boolean;
  readonly labels: readonly { readonly name: string }[];
}

interface RunnersBody {
  readonly total_count: number;
  readonly runners: readonly RunnerRecord[];
}

const pageSize = 100;
/** 10,000 runners is the platform's own limit for a group. */
const mostPages = 200;

export interface RunnerRoutes {
  readonly runners: string;
}

/** The organisation's runners, or those of one runner group. */
export function platformRunners(
  client: PlatformClient,
  clock: { now(): number },
  runnerGroupId?: number,
): RunnerDirectory & RegistrationTokens {
  const route =
    runnerGroupId === undefined
      ? 'GET /orgs/{org}/actions/runners'
      : 'GET /orgs/{org}/actions/runner-groups/{runner_group_id}/runners';
  const parameters = runnerGroupId === undefined ? {} : { runner_group_id: runnerGroupId };

  async function page(number: number, known: RunnerPage | undefined): Promise<RunnerPage> {
    const query = { ...parameters, per_page: pageSize, page: number };
    const response = await client.call<RunnersBody>(
      route,
      query,
      known?.etag === undefined ? {} : { etag: known.etag },
    );
    if (response.status === 304 && known !== undefined) return known;
    const { etag, data } = response;
    return { ...(etag === undefined ? {} : { etag }), total: data.total_count, runners: data.runners.map(toRunner) };
  }

  return {
    async list(previous?: RunnerList): Promise<RunnerList> {
      const pages: RunnerPage[] = [];
      for (let number = 1; number <= mostPages; number++) {
        const next = await page(number, previous?.pages[number - 1]);
        pages.push(next);
        if (number * pageSize >= next.total || next.runners.length === 0) return { at: clock.now(), pages };
      }
      throw new Error(
        `the platform lists more than ${mostPages * pageSize} runners; set runner_group to read only one group`,
      );
    },

    async findByName(name) {
      const { data } = await client.call<RunnersBody>('GET /orgs/{org}/actions/runners', { name, per_page: pageSize });
      return data.runners.map(toRunner).find((runner) => runner.name === name);
    },

    async remove(runnerId) {
      try {
        await client.call('DELETE /orgs/{org}/actions/runners/{runner_id}', { runner_id: runnerId });
        return 'removed';
      } catch (error) {
        if (error instanceof PlatformStatusError && error.status === 404) return 'absent';
        if (error instanceof PlatformStatusError && error.status === 422) return 'busy';
        throw error;
      }
    },

    async mint() {
      const { data } = await client.call<{ readonly token: string }>(
        'POST /orgs/{org}/actions/runners/registration-token',
      );
      return new Secret(data.token);
    },
  };
}

const toRunner = (record: RunnerRecord): Runner => ({
  id: record.id,
  name: record.name,
  status: record.status === 'online' ? 'online' : 'offline',
  busy: record.busy,
  labels: record.labels.map((label) => label.name),
});
