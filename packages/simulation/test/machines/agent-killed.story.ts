import type { HttpHandler, HttpRequest } from '@drover/cloud-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;
/** After which steps the agent was killed. */
const killedAfter: string[] = [];

/** The name of a request to AWS; undefined for others. */
function operationOf({ method, host, headers, body }: HttpRequest): string | undefined {
  const [service = ''] = host.replace(/^[^.]+\.s3\./, 's3.').split('.');
  if (!host.includes('amazonaws.com')) return undefined;
  const action = new URLSearchParams(Buffer.from(body).toString()).get('Action');
  return `${service} ${headers['x-amz-target']?.split('.').at(-1) ?? action ?? method}`;
}

/** The agent dies when AWS has done what it asked for, before it learns so: the first time for each operation. */
const killOnce = (instanceId: string, http: HttpHandler): HttpHandler => {
  return async (request) => {
    const response = await http(request);
    const operation = operationOf(request);
    if (operation === undefined || killedAfter.includes(operation)) return response;
    const { exitCode } = await fleet.try(instanceId, 'systemctl kill --signal=KILL runner-agent');
    if (exitCode === 0) killedAfter.push(operation);
    return response;
  };
};

beforeAll(async () => {
  const before = (deployed: LinuxFleet) => {
    fleet = deployed;
  };
  await LinuxFleet.deploy({}, { intercept: killOnce, before });
  id = await fleet.oneOnline(300);
});
afterAll(async () => await fleet?.end());

describe('an agent that is killed after each of its steps', () => {
  it('a runner comes into service although its agent is killed after each step of the launch', () => {
    expect(fleet.stateOf(id)).toBe('InService');
    expect(killedAfter.length).toBeGreaterThanOrEqual(3);
  });

  it('a job and a drain are completed although the agent is killed after each step of them', async () => {
    const job = fleet.job(60);
    await fleet.untilJob(job, 'running', 60);
    const isProtected = () => fleet.group.members.get(id)?.protectedFromScaleIn === true;
    await fleet.untilSeconds('it is protected from scale-in', isProtected, 60);
    await fleet.terminate(id, false);
    await fleet.untilJob(job, 'completed', 120);
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(id) === 'gone', 400);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    console.log(`killed after: ${killedAfter.join(', ')}`);
    expect(killedAfter).toEqual(expect.arrayContaining([expect.stringMatching(/CompleteLifecycleAction/)]));
    expect(killedAfter).toEqual(expect.arrayContaining([expect.stringMatching(/SetInstanceProtection/)]));
  });
});
