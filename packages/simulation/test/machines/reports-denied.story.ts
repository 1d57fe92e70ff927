import type { HttpHandler } from '@drover/cloud-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet;
let id: string;
let denied = 0;

const accessDenied = {
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

/** Nothing that the machine writes to S3 is accepted. */
const denyReports = (_: string, http: HttpHandler): HttpHandler => {
  return async (request) => {
    if (request.method !== 'PUT' || !/(^|\.)s3\..*amazonaws\.com$/.test(request.host)) return await http(request);
    denied += 1;
    return accessDenied;
  };
};

beforeAll(async () => {
  fleet = await LinuxFleet.deploy({}, { intercept: denyReports });
  id = await fleet.oneOnline();
});
afterAll(async () => await fleet?.end());

describe('a host whose reports are denied', () => {
  it('a host whose reports are denied from launch to the end of its drain serves jobs and drains', async () => {
    const job = fleet.job(15);
    await fleet.untilJob(job, 'running', 60);
    await fleet.terminate(id, false);
    await fleet.untilJob(job, 'completed', 120);
    await fleet.untilSeconds('it left the group', () => fleet.stateOf(id) === 'gone', 400);
    expect(job).toMatchObject({ result: 'succeeded', runnerName: id });
    // Its runner stays registered until a later pass of the functions removes what has no instance.
    expect(fleet.online).not.toContain(id);
    expect(denied).toBeGreaterThan(1);
  });
});
