import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
} from '@aws-sdk/client-auto-scaling';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient, outsideClients } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { type Browser, launchBrowser, type Page } from './browser.ts';
import { LocalProcess, root } from './local-process.ts';

/** Old releases read other variables than new ones: each that is installed counts. */
const awsClients = outsideClients('aws', 'apt-get install awscli');
const clients = [
  outsideClient('chromium', 'apt-get install chromium'),
  awsClients[0]!,
  outsideClient('curl', 'apt-get install curl'),
];
const missing = clients.find((client) => client.missing);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = ['Fleet', 'Cluster', 'Events'] as const;
const phone = { width: 375, height: 800 };
/** Simulated minutes pass in the meantime, and the machine may be busy. */
const patienceMs = 240_000;

describe.skipIf(missing !== undefined)(`the console in a real browser ${missing?.reason ?? ''}`.trim(), () => {
  let local: LocalProcess;
  let browser: Browser;
  let page: Page;
  let autoscaling: AutoScalingClient;
  const troubles: string[] = [];

  beforeAll(async () => {
    local = await LocalProcess.start('--spot', '--jobs-per-hour', '0', '--seed', 'console');
    autoscaling = new AutoScalingClient(local.aws);
    browser = await launchBrowser(clients[0]!.path);
    page = await watched(await browser.newPage({ viewport: { width: 1200, height: 900 } }));
    await page.goto(local.url);
    await page.getByRole('heading', { name: 'Fleet runners' }).waitFor();
  }, 500_000);
  afterAll(async () => {
    autoscaling?.destroy();
    await browser?.close();
    expect(await local?.stop()).toBe(0);
  }, 120_000);

  /** Notes what a page complains of, and whatever it asks of anybody but `drover local`. */
  async function watched(opened: Page): Promise<Page> {
    opened.setDefaultTimeout(patienceMs);
    opened.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
    });
    opened.on('pageerror', (error) => troubles.push(error.message));
    opened.on('request', (request) => {
      if (!request.url().startsWith(`${local.url}/`)) troubles.push(`a request to ${request.url()}`);
    });
    return opened;
  }

  async function until(what: string, check: () => Promise<boolean>): Promise<void> {
    for (const begun = Date.now(); Date.now() - begun < patienceMs; ) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    throw new Error(`not seen: ${what}\n${await page.locator('body').textContent()}`);
  }

  const press = async (name: string, said: string | RegExp) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  };
  const show = (view: (typeof views)[number]) => page.getByRole('link', { name: view, exact: true }).click();
  const shows = async (text: RegExp) => text.test((await page.locator('body').textContent()) ?? '');
  /** What a tile says, or nothing when it is gone. */
  const tile = async (id: string) => {
    const all = await page.locator('.tile', { has: page.locator(`strong[title="${id}"]`) }).allTextContents();
    return all.join(' ');
  };
  const speed = async (factor: number) => {
    await page.getByLabel('Speed').selectOption(String(factor));
    await page
      .getByRole('status')
      .filter({ hasText: `${factor} simulated seconds per second.` })
      .waitFor();
  };

  /** Looked at several times a second, which would cost a minute of CPU time with the AWS command line. */
  const group = async (name: string) => {
    const command = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] });
    const { AutoScalingGroups } = await autoscaling.send(command);
    return AutoScalingGroups![0] as {
      DesiredCapacity: number;
      Instances: { InstanceId: string; LifecycleState: string; HealthStatus: string }[];
    };
  };
  const inService = async (name: string) =>
    (await group(name)).Instances.filter(({ LifecycleState }) => LifecycleState === 'InService').map(
      ({ InstanceId }) => InstanceId,
    );
  /** As Auto Scaling sees it. */
  const serves = async (name: string, id: string) =>
    (await group(name)).Instances.some(
      ({ InstanceId, LifecycleState, HealthStatus }) =>
        InstanceId === id && LifecycleState === 'InService' && HealthStatus === 'Healthy',
    );
  const refreshStatus = async (name: string): Promise<string> => {
    const command = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name });
    const { InstanceRefreshes } = await autoscaling.send(command);
    return InstanceRefreshes?.[0]?.Status ?? 'none';
  };
  async function clusterCli(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await local.run(join(root, 'node_modules/.bin/cluster-cli'), args);
    if (code !== 0) throw new Error(`cluster-cli ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
  /** Asked as often as Auto Scaling is; anonymous callers may read. */
  // biome-ignore lint/suspicious/noExplicitAny: what the cluster returns is asserted where it is used
  const search = async (path: string): Promise<any> => (await fetch(`${local.searchUrl}${path}`)).json();
  const health = async (): Promise<string> => (await search('/_cluster/health')).status;
  const nodeCount = async (): Promise<number> => (await search('/_cat/nodes?format=json')).length;
  /** Simulated seconds since the epoch, as the cluster tells them. */
  const clusterTime = async () =>
    Number((JSON.parse(await clusterCli('--format', 'json', 'cat', 'health')) as { epoch: string }[])[0]!.epoch);
  /** Status and body of a request to the platform. */
  async function platform(path: string): Promise<{ status: number; body: string }> {
    const { stdout } = await local.run('curl', [
      '--silent',
      '--header',
      `authorization: Bearer ${local.platformToken}`,
      '--write-out',
      '\n%{http_code}',
      `${local.platformApi}${path}`,
    ]);
    const at = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, at) };
  }
  const runners = async () =>
    (JSON.parse((await platform('/orgs/example-org/actions/runners?per_page=100')).body) as { runners: Runner[] })
      .runners;

  const atPeace = async () => {
    await speed(300);
    await until('a green cluster of six', async () => (await health()) === 'green' && (await nodeCount()) === 6);
    await until('both groups at rest', async () => {
      const all = await Promise.all(['search', 'search-data'].map(inService));
      const states = await Promise.all(['search', 'search-data'].map(group));
      return all.every(({ length }) => length === 3) && states.every(({ Instances }) => Instances.length === 3);
    });
    await speed(60);
  };

  it('the clock pauses, resumes and changes its speed', async () => {
    await press('Pause', 'The clock is paused.');
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    const [clock, cluster] = [await page.locator('time').textContent(), await clusterTime()];
    expect(await clusterTime()).toBe(cluster);
    expect(await page.locator('time').textContent()).toBe(clock);
    await press('Resume', 'The clock is running.');
    await until('time passes', async () => (await clusterTime()) > cluster);
    await speed(300);
    await until('the page shows the speed', async () => (await page.getByLabel('Speed').inputValue()) === '300');
    await speed(60);
  }, 600_000);

  const blocks = readmeBlocks();
  it.each(awsClients)(
    'the README commands work in a second shell with the AWS CLI of $path',
    async ({ path }) => {
      // What does not call the AWS CLI is the same for each of them.
      const typed = blocks.filter((block) => path === awsClients[0]!.path || /\baws [a-z]/.test(block));
      expect(typed.length).toBeGreaterThan(0);
      await until('a runner in service', async () => (await inService('runners')).length > 0);
      for (const block of typed) {
        const { code, stdout, stderr } = await local.type(block, path);
        expect(code, `${block}\n${stdout}\n${stderr}`).toBe(0);
      }
    },
    900_000,
  );

  it('queued jobs make the fleet grow and are run', async () => {
    await until('two runners', async () => (await runners()).filter(({ status }) => status === 'online').length >= 2);
    await page.getByLabel('Jobs').fill('8');
    await page.getByLabel('of minutes').fill('240');
    await press('Queue jobs', '8 jobs were queued.');
    await speed(300);
    await until('busy on the page', () => shows(/busy\s*[4-8]\s/));
    await until('busy for the platform', async () => (await runners()).filter(({ busy }) => busy).length >= 4);
    await speed(60);
  }, 600_000);

  it('the console sets the desired capacity', async () => {
    await page.getByLabel('Desired capacity').fill('8');
    await press('Set', 'The desired capacity is 8.');
    await until('on the page', () => shows(/desired\s*8\s/));
    expect((await group('runners')).DesiredCapacity).toBe(8);
    await speed(300);
    await until('six of them in service', async () => (await inService('runners')).length >= 6);
    await speed(60);
  }, 600_000);

  it('the console terminates, breaks and reclaims an instance', async () => {
    expect(await page.getByRole('button', { name: /^Reclaim / }).count()).toBeGreaterThan(0);
    for (const [act, said] of [
      ['Terminate', 'is being terminated.'],
      ['Break', 'no longer responds.'],
      ['Reclaim', 'is interrupted in two minutes.'],
    ] as const) {
      const reachable = await page
        .getByRole('button', { name: new RegExp(`^${act} i-`) })
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')!.split(' ')[1]!));
      const served = await inService('runners');
      const id = reachable.find((one) => served.includes(one))!;
      await press(`${act} ${id}`, said);
      await until(
        `${act} on the page`,
        async () => !/InService/.test(await tile(id)) || /unhealthy/.test(await tile(id)),
      );
      await until(`${act} for Auto Scaling`, async () => !(await serves('runners', id)));
    }
  }, 600_000);

  it('the console takes the platform down and rate-limits it', async () => {
    await press('Take the platform down', 'The platform returns 503.');
    await until('down on the page', () => shows(/platformdown/));
    expect((await platform('/rate_limit')).status).toBe(503);
    await press('Bring the platform back', 'The platform is back.');
    await until('up on the page', () => shows(/platformup/));
    expect((await platform('/rate_limit')).status).toBe(200);
    await press('Rate-limit the platform', 'The platform rejects requests by its rate limit.');
    await until('limited on the page', () => shows(/platformlimited/));
    expect([403, 429]).toContain((await platform('/orgs/example-org/actions/runners')).status);
    await press('Lift the rate limit', 'The rate limit is lifted.');
    await until('up again on the page', () => shows(/platformup/));
    expect((await platform('/orgs/example-org/actions/runners')).status).toBe(200);
  }, 600_000);

  it('the console starts and cancels an instance refresh of the fleet', async () => {
    await press('Start an instance refresh', 'Every instance is replaced');
    await until('under way on the page', () => shows(/Instance refresh: (Pending|InProgress)/));
    expect(await refreshStatus('runners')).toMatch(/Pending|InProgress/);
    await press('Cancel the instance refresh', 'The refresh is cancelled.');
    await until('cancelled on the page', () => shows(/Instance refresh: Cancel/));
    expect(await refreshStatus('runners')).toMatch(/^Cancel/);
  }, 600_000);

  it.each(['search', 'search-data'])(
    'the console starts and cancels an instance refresh of %s',
    async (name) => {
      await show('Cluster');
      await atPeace();
      await press(`Start a refresh of ${name}`, `Every node of ${name} is replaced`);
      await until('under way on the page', () => shows(new RegExp(`refresh of ${name}: (Pending|InProgress)`)));
      expect(await refreshStatus(name)).toMatch(/Pending|InProgress/);
      await press(`Cancel the refresh of ${name}`, `The refresh of ${name} is cancelled.`);
      await until('cancelled on the page', () => shows(new RegExp(`refresh of ${name}: Cancel`)));
      expect(await refreshStatus(name)).toMatch(/^Cancel/);
    },
    900_000,
  );

  it('a shard square shows index and number on mouse-over', async () => {
    await show('Cluster');
    await atPeace();
    const squares = page.locator('.shards:has(svg:not([aria-label^="0 "]))').first();
    await until('its name', async () => {
      await squares.hover({ position: { x: 6, y: 6 } });
      return /^\S+\[\d+\] STARTED$/.test((await squares.getAttribute('title')) ?? '');
    });
  }, 900_000);

  it('a killed node turns the cluster yellow and is replaced', async () => {
    await show('Cluster');
    await atPeace();
    await speed(10);
    const [id] = await inService('search-data');
    const name = await page.locator(`strong[title="${id}"]`).textContent();
    await press(`Kill ${name}`, `${name} is powered off.`);
    await until('yellow on the page', () => shows(/Cluster search\s*yellow/));
    await until(
      'yellow or a node less for Elasticsearch',
      async () => (await health()) === 'yellow' || (await nodeCount()) < 6,
    );
    await atPeace();
    expect(await inService('search-data')).not.toContain(id);
  }, 900_000);

  it('a replaced node is drained before it is terminated', async () => {
    await show('Cluster');
    const [id] = await inService('search-data');
    const name = await page.locator(`strong[title="${id}"]`).textContent();
    // A drain takes minutes: on a busy machine it would be over before the next look.
    await speed(10);
    await press(`Replace ${name}`, `${name} is drained and replaced.`);
    await until('terminating on the page', async () => /Terminating/.test(await tile(id!)));
    await until('its drain on the page', async () => /draining, \d+ shards left/.test(await tile(id!)));
    expect(await serves('search-data', id!)).toBe(false);
    await atPeace();
    expect(await inService('search-data')).not.toContain(id);
  }, 900_000);

  it('the console takes a zone down and brings it back', async () => {
    await show('Cluster');
    await press('Lose eu-west-1c', 'eu-west-1c is lost.');
    await until('lost on the page', () => shows(/eu-west-1c \(lost\)/));
    await until('two nodes less for Elasticsearch', async () => (await nodeCount()) === 4);
    await press('Bring eu-west-1c back', 'eu-west-1c is back.');
    await until('back on the page', async () => !(await shows(/\(lost\)/)));
    await atPeace();
  }, 900_000);

  it.each(views)(
    'the console can be used without a mouse: view %s',
    async (view) => {
      await press('Pause', 'The clock is paused.');
      await show(view);
      const controls = 'a[href], button, input, select, [tabindex="0"]';
      const wanted = await page.locator(controls).count();
      expect(wanted).toBeGreaterThan(4);
      await page.evaluate('document.activeElement?.blur()');
      for (let pressed = 0; pressed < wanted + 2; pressed++) {
        await page.keyboard.press('Tab');
        await page.evaluate("document.activeElement?.setAttribute('data-reached', 'yes')");
      }
      const unreached = await page
        .locator(controls)
        .evaluateAll((all) =>
          all
            .filter((element) => element.getAttribute('data-reached') !== 'yes')
            .map((element) => element.outerHTML.slice(0, 120)),
        );
      expect(unreached).toEqual([]);
      await press('Resume', 'The clock is running.');
    },
    600_000,
  );

  it.each([
    ['light', 'laptop', { width: 1200, height: 900 }],
    ['dark', 'laptop', { width: 1200, height: 900 }],
    ['light', 'phone', phone],
    ['dark', 'phone', phone],
  ] as const)(
    'axe reports no violation: %s, on a %s',
    async (colorScheme, _, viewport) => {
      const context = await browser.newContext({ colorScheme, viewport });
      const other = await watched(await context.newPage());
      for (const view of views) {
        await other.goto(`${local.url}/#${view.toLowerCase()}`);
        await other.getByRole('heading', { level: 2 }).first().waitFor();
        await other.evaluate(axeSource);
        const { violations } = await other.evaluate(() =>
          (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        const found = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('; ')}`,
        );
        expect(found, view).toEqual([]);
        const [shown, needed] = await other.evaluate<number[]>('[innerWidth, document.documentElement.scrollWidth]');
        expect(needed, `width of ${view}`).toBeLessThanOrEqual(shown!);
      }
      await context.close();
    },
    600_000,
  );

  it('the page logged no error and sent no request to another host', () => {
    expect(troubles).toEqual([]);
  });
});

interface Runner {
  readonly status: string;
  readonly busy: boolean;
}

/** What the README tells to type into a second shell. */
function readmeBlocks(): string[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const section = /^#+ A second shell$([\s\S]*?)(?=^#+ |(?![\s\S]))/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
}
