import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient, outsideClients } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { accountCases } from './console/account.ts';
import { clusterCases } from './console/cluster.ts';
import { ConsoleDriver } from './console/driver.ts';
import { faultsCases } from './console/faults.ts';
import { fleetCases } from './console/fleet.ts';
import { matrixCases } from './console/matrix.ts';
import { secondShellCases } from './console/second-shell.ts';
import { Services } from './console/services.ts';
import { timeCases } from './console/time.ts';
import { viewsCases } from './console/views.ts';
import { whatIfCases } from './console/what-if.ts';

/** Old releases read other variables than new ones: each that is installed counts. */
const awsClients = outsideClients('aws', 'apt-get install awscli');
const clients = [
  outsideClient('chromium', 'apt-get install chromium'),
  awsClients[0]!,
  outsideClient('curl', 'apt-get install curl'),
];
const missing = clients.find((client) => client.missing);

describe.skipIf(missing !== undefined)(`the console in a real browser ${missing?.reason ?? ''}`.trim(), () => {
  const ui = new ConsoleDriver();
  const services = new Services(ui);
  beforeAll(() => ui.open(clients[0]!.path, '--spot', '--jobs-per-hour', '0', '--seed', 'console'), 500_000);
  afterEach(() => ui.noteControls());
  afterAll(async () => expect(await ui.close()).toBe(0), 120_000);

  timeCases(ui, services);
  secondShellCases(ui, services, awsClients);
  fleetCases(ui, services);
  faultsCases(ui, services);
  clusterCases(ui, services);
  viewsCases(ui, services);
  whatIfCases(ui, services);
  matrixCases(ui, services);
  accountCases(ui, services);

  it('the page logged no error and sent no request to another host', () => {
    expect(ui.troubles).toEqual([]);
  });
});
