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
import { freePort, LocalProcess, root } from './local-process.ts';

/** Old releases read other variables than new ones: each that is installed counts. */
const awsClients = outsideClients('aws', 'apt-get install awscli');
const clients = [
  outsideClient('chromium', 'apt-get install chromium'),
  awsClients[0]!,
  outsideClient('curl', 'apt-get install curl'),
];
const missing = clients.find((client) => client.missing);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = ['Scene', 'Jobs', 'Shards', 'Alarms', 'Functions', 'Snapshots', 'Events'] as const;
const phone = { width: 320, height: 800 };
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
    page = await watched(await browser.newPage({ viewport: { width: 1440, height: 900 } }));
    await page.goto(local.url);
    await page.getByText('Fleet runners').waitFor();
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
    for (let looks = 0; looks < patienceMs / 300; looks++) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    throw new Error(`not seen: ${what}\n${await page.locator('body').textContent()}`);
  }

  /** Every control that a test has used, as `kindOf` names it. */
  const used = new Set<string>(['Speed', 'Find', 'Instance, node, job, incident or view']);

  const press = async (name: string, said: string | RegExp) => {
    used.add(kindOf(name));
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  };
  /** What cannot be undone asks first. */
  const confirm = async (name: string, said: string | RegExp) => {
    used.add(kindOf(name));
    await page.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('button', { name: / now$/ }).click();
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  };
  const show = (view: (typeof views)[number]) => page.getByRole('navigation').getByRole('link', { name: view }).click();
  const openUp = async (about: string) => {
    await page.goto(`${local.url}/#/scene/${about}`);
    await page.getByRole('link', { name: 'Close the details' }).waitFor();
  };
  const fill = async (label: string, text: string) => {
    used.add(label);
    await page.getByLabel(label, { exact: true }).fill(text);
  };
  const shows = async (text: RegExp) => text.test((await page.locator('body').textContent()) ?? '');
  const titleOf = async (id: string) =>
    (await page
      .locator(`[data-instance="${id}"]`)
      .first()
      .getAttribute('title', { timeout: 5_000 })
      .catch(() => '')) ?? '';
  const nodeName = async (id: string) => (await titleOf(id)).split(':')[0]!;
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
      MaxSize: number;
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
    // The step under way when the button was pressed still ends.
    let before: string | null = '';
    await until('the clock stands still', async () => {
      const shown = await page.locator('.clock time').first().textContent();
      const same = shown === before;
      before = shown;
      return same;
    });
    const [clock, cluster] = [await page.locator('.clock time').textContent(), await clusterTime()];
    expect(await clusterTime()).toBe(cluster);
    expect(await page.locator('.clock time').textContent()).toBe(clock);
    await press('Resume', 'The clock is running.');
    await until('time passes', async () => (await clusterTime()) > cluster);
    await speed(300);
    await until('the page shows the speed', async () => (await page.getByLabel('Speed').inputValue()) === '300');
    await speed(60);
  }, 600_000);

  it('an earlier moment is shown as it was, and a branch from it takes the place of what happened since', async () => {
    used.add('Moment');
    const slider = page.getByLabel('Moment', { exact: true });
    await until('three frames', async () => Number(await slider.getAttribute('max')) >= 3);
    await fill('Jobs', '3');
    await press('Queue jobs', '3 jobs were queued.');
    await until('jobs', () => shows(/[1-3] (queued|busy)/));
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(/^You see .* Nothing can be done to the past/).waitFor();
    expect(await page.getByRole('heading', { name: 'Tools' }).count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    used.add('Back to now');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(/^You see /).waitFor();
    await press('Branch from here', / is being replayed\./);
    await until('progress on the page', () => shows(/Branching from .* \d+ % replayed/));
    // biome-ignore lint/suspicious/noExplicitAny: a part of the state, while one process gives way to the other
    const state = async (): Promise<any> => (await fetch(`${local.url}/api/state`)).json();
    await until('the branch has taken over', async () => {
      const { travel, fleet } = await state().catch(() => ({ travel: 'nobody listens' }));
      return travel === undefined && fleet.jobs.length === 0;
    });
    await until('the page follows', async () => !(await shows(/Not connected|Branching/)));
    // Between the two nobody listens, which the browser says.
    for (let at = troubles.length - 1; at >= 0; at--) if (/net::ERR_/.test(troubles[at]!)) troubles.splice(at, 1);
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

  it('queued jobs make the fleet grow and are run, and each can be opened', async () => {
    await until('two runners', async () => (await runners()).filter(({ status }) => status === 'online').length >= 2);
    await fill('Jobs', '8');
    await fill('of minutes', '240');
    await press('Queue jobs', '8 jobs were queued.');
    await speed(300);
    await until('busy on the page', () => shows(/, [4-8] busy/));
    await until('busy for the platform', async () => (await runners()).filter(({ busy }) => busy).length >= 4);
    await speed(60);
    await show('Jobs');
    for (const filter of ['waiting', 'completed', 'lost', 'all', 'running']) {
      used.add(filter);
      await page.getByRole('button', { name: filter, exact: true }).click();
    }
    await page
      .getByRole('link', { name: /^job \d+$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^Job \d+$/ }).waitFor();
    await until('how long it waited', () => shows(/started after \d+ (s|min) on i-/));
    await show('Scene');
  }, 600_000);

  it('the console sets the desired capacity', async () => {
    await fill('Desired capacity', '8');
    await press('Set', 'The desired capacity is 8.');
    await until('on the page', () => shows(/desired 8 /));
    expect((await group('runners')).DesiredCapacity).toBe(8);
    await speed(300);
    await until('six of them in service', async () => (await inService('runners')).length >= 6);
    await speed(60);
  }, 600_000);

  it('inputs of the fleet are changed on the page, by an update of its stack', async () => {
    await fill('Idle target', '3');
    await fill('Maximum size', '9');
    await fill('Drain seconds', '1200');
    used.add('Scales on');
    await page.getByLabel('Scales on').selectOption('idle');
    await press('Deploy inputs', 'The stack is being updated.');
    await until('Auto Scaling has the maximum', async () => (await group('runners')).MaxSize === 9);
    await until('on the page', () => shows(/idle of target 3/));
    await until('its incident', () => shows(/You changed inputs of the fleet: .*maximum size 9/));
  }, 600_000);

  it.each([
    ['Terminate', 'is being terminated.'],
    ['Break', 'no longer exists.'],
    ['Hang', 'no longer responds.'],
    ['Fill disk of', 'is full.'],
    ['Reclaim', 'is interrupted in two minutes.'],
  ])(
    'an instance is opened by its cell, and %s takes it out of service',
    async (act, said) => {
      await show('Scene');
      await until('an instance for it', async () => (await inService('runners')).length > 0);
      const served = await inService('runners');
      const spots = await page
        .locator('.cell.spot[data-instance]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-instance')!));
      const id = served.find((one) => act !== 'Reclaim' || spots.includes(one))!;
      await page.locator(`[data-instance="${id}"]`).click();
      await page.getByRole('heading', { name: `Instance ${id}` }).waitFor();
      await until('its life', () => shows(/was launched/));
      await confirm(`${act} ${id}`, said);
      await speed(300);
      await until(`${act} for Auto Scaling`, async () => !(await serves('runners', id)));
      await until(`${act} on the page`, async () => !/InService/.test(await titleOf(id)));
      await speed(60);
      used.add('Close the details');
      await page.getByRole('link', { name: 'Close the details' }).click();
    },
    900_000,
  );

  it('GitHub, the network and the functions are taken away and given back, by button and by Undo', async () => {
    await press('Take GitHub down', 'GitHub returns 503.');
    await until('down on the page', () => shows(/GitHub down/));
    expect((await platform('/rate_limit')).status).toBe(503);
    await press('Undo', 'Undone.');
    await until('up on the page', () => shows(/GitHub up/));
    await press('Take GitHub down', 'GitHub returns 503.');
    await press('Bring GitHub back', 'GitHub is back.');
    expect((await platform('/rate_limit')).status).toBe(200);
    await press('Rate-limit GitHub', 'GitHub rejects requests by its rate limit.');
    await until('limited on the page', () => shows(/GitHub rate-limited/));
    expect([403, 429]).toContain((await platform('/orgs/example-org/actions/runners')).status);
    await press('Lift the rate limit', 'The rate limit is lifted.');
    await until('up again on the page', () => shows(/GitHub up/));
    await press('Slow the network', 'Every request takes five seconds more.');
    await press('Restore the network', 'The network is fast again.');
    await press('Throttle the functions', 'Lambda runs no function.');
    await press('Let functions run', 'Lambda runs functions again.');
    await until(
      'an incident for each',
      async () => (await shows(/GitHub is down/)) && (await shows(/Lambda runs no function/)),
    );
  }, 600_000);

  it.each(['runners', 'search', 'search-data'])(
    'the console starts and cancels an instance refresh of %s',
    async (name) => {
      if (name !== 'runners') await atPeace();
      await press(`Refresh ${name}`, `Every instance of ${name} is replaced`);
      await until('under way on the page', () => shows(new RegExp(`refresh of ${name}: (Pending|InProgress)`)));
      expect(await refreshStatus(name)).toMatch(/Pending|InProgress/);
      await press(`Cancel refresh of ${name}`, `The refresh of ${name} is cancelled.`);
      await until('cancelled on the page', () => shows(new RegExp(`refresh of ${name}: Cancel`)));
      expect(await refreshStatus(name)).toMatch(/^Cancel/);
    },
    900_000,
  );

  it('shards are shown on the scene by mouse-over, and by node and index in their own view', async () => {
    await atPeace();
    const squares = page.locator('.shards:has(svg:not([aria-label^="0 "]))').first();
    await until('its name', async () => {
      await squares.hover({ position: { x: 6, y: 6 } });
      return /^\S+\[\d+\] STARTED$/.test((await squares.getAttribute('title')) ?? '');
    });
    await show('Shards');
    await page.getByRole('columnheader', { name: 'orders' }).waitFor();
    expect(await page.getByRole('row', { name: /^unassigned/ }).count()).toBe(1);
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.getByRole('heading', { name: /^Node ip-/ }).waitFor();
    await show('Scene');
  }, 900_000);

  it('a killed node turns the cluster yellow and is replaced, and the incident tells it', async () => {
    await atPeace();
    await speed(10);
    const [id] = await inService('search-data');
    const name = await nodeName(id!);
    await openUp(`node/${id}`);
    await confirm(`Kill ${name}`, `${name} is powered off.`);
    await until('yellow on the page', () => shows(/Cluster search\s*yellow/));
    await until(
      'yellow or a node less for Elasticsearch',
      async () => (await health()) === 'yellow' || (await nodeCount()) < 6,
    );
    await atPeace();
    expect(await inService('search-data')).not.toContain(id);
    await until('the verdict', () => shows(/ended well after .*None of \d+ acknowledged documents are lost/));
  }, 900_000);

  it('a replaced node is drained before it is terminated', async () => {
    const [id] = await inService('search-data');
    const name = await nodeName(id!);
    // A drain takes minutes: on a busy machine it would be over before the next look.
    await speed(10);
    await openUp(`node/${id}`);
    await confirm(`Replace ${name}`, `${name} is drained and replaced.`);
    await until('terminating on the page', async () => /Terminating/.test(await titleOf(id!)));
    await until('its drain on the page', () => shows(/draining, \d+ of \d+ shards left/));
    expect(await serves('search-data', id!)).toBe(false);
    await atPeace();
    expect(await inService('search-data')).not.toContain(id);
  }, 900_000);

  it('a guided scenario is played: a zone is lost and brought back', async () => {
    const first = 'Your first zone loss';
    used.add(first).add('Deploy during an outage').add('The majority of masters is gone');
    await page.getByRole('button', { name: first }).click();
    await page.locator('.guide ~ .acts').getByRole('button', { name: 'Queue jobs' }).click();
    used.add('Lose the first zone').add('Bring the zone back').add('End the scenario');
    await page.getByRole('button', { name: 'Lose the first zone' }).click();
    await until('lost on the page', () => shows(/eu-west-1a \(lost\)/));
    await until('two nodes less for Elasticsearch', async () => (await nodeCount()) === 4);
    await page.getByRole('button', { name: 'Bring the zone back' }).click();
    await until('back on the page', async () => !(await shows(/\(lost\)/)));
    await page.getByRole('button', { name: 'End the scenario' }).click();
    await atPeace();
    await press('Lose eu-west-1c', 'eu-west-1c is lost.');
    await press('Bring eu-west-1c back', 'eu-west-1c is back.');
    await atPeace();
  }, 900_000);

  it('the palette finds a node by a few letters, events are filtered, and the space bar pauses', async () => {
    await page.keyboard.press('Control+k');
    const [id] = await inService('search');
    await page.getByRole('dialog', { name: 'Find' }).getByRole('searchbox').fill(`node ${id}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Node ip-/ }).waitFor();
    await show('Events');
    for (const kind of ['trouble', 'change', 'all']) {
      used.add(kind);
      await page.getByRole('button', { name: kind, exact: true }).click();
    }
    await fill('Search', 'no such event');
    expect(await page.getByRole('table').getByRole('row').count()).toBe(1);
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press(' ');
    await page.getByText('Paused: nothing happens until you resume.').waitFor();
    await page.keyboard.press(' ');
    await until('running again', async () => !(await shows(/Paused: nothing/)));
  }, 600_000);

  it('every control of the page has a case above', async () => {
    const found = new Set<string>();
    const [instance] = await inService('runners');
    const [node] = await inService('search');
    for (const address of [
      ...views.map((view) => view.toLowerCase()),
      `scene/instance/${instance}`,
      `scene/node/${node}`,
    ]) {
      await page.goto(`${local.url}/#/${address}`);
      await page.getByRole('navigation').waitFor();
      const names = await page
        .locator('button, input, select')
        .evaluateAll((all) =>
          all
            .filter((one) => one.closest('dialog') === null)
            .map(
              (one) =>
                one.getAttribute('aria-label') ??
                one.closest('label')?.firstChild?.textContent ??
                one.textContent ??
                '',
            ),
        );
      for (const name of names) found.add(kindOf(name.trim()));
    }
    expect(found.size).toBeGreaterThan(20);
    expect([...found].filter((name) => !used.has(name))).toEqual([]);
  }, 600_000);

  it('at 1440 by 900 scene, chart, scoreboard and the current incident are visible without scrolling', async () => {
    await page.goto(`${local.url}/#/scene`);
    await page.reload();
    await page.locator('.incident').first().waitFor();
    for (const place of ['.zones', '.plot canvas', '.scoreboard', '.incident']) {
      const box = (await page.locator(place).first().boundingBox())!;
      expect([place, box.y >= 0 && box.y + Math.min(box.height, 200) <= 900]).toEqual([place, true]);
    }
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  });

  it.each(views)(
    'the console can be used without a mouse: view %s',
    async (view) => {
      await press('Pause', 'The clock is paused.');
      await show(view);
      const controls = ':is(a[href], button, input, select, [tabindex="0"]):not(dialog *)';
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
    ['light', 'laptop', { width: 1440, height: 900 }],
    ['dark', 'laptop', { width: 1440, height: 900 }],
    ['light', 'phone', phone],
    ['dark', 'phone', phone],
  ] as const)(
    'axe reports no violation: %s, on a %s',
    async (colorScheme, _, viewport) => {
      const context = await browser.newContext({ colorScheme, viewport });
      const other = await watched(await context.newPage());
      for (const view of views) {
        await other.goto(`${local.url}/#/${view.toLowerCase()}`);
        await other.getByRole('navigation').waitFor();
        expect(await violationsOn(other), view).toEqual([]);
        const [shown, needed] = await other.evaluate<number[]>('[innerWidth, document.documentElement.scrollWidth]');
        expect(needed, `width of ${view}`).toBeLessThanOrEqual(shown!);
      }
      await context.close();
    },
    600_000,
  );

  it('drover console shows the same stack without any tool, and axe reports no violation', async () => {
    const port = await freePort();
    const stop = await local.serve('console', '--stack', 'drover-local', '--port', String(port));
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const other = await context.newPage();
    const complaints: string[] = [];
    other.on('pageerror', (error) => complaints.push(error.message));
    other.on('request', (request) => {
      if (!request.url().startsWith(`http://127.0.0.1:${port}/`)) complaints.push(`a request to ${request.url()}`);
    });
    try {
      await other.goto(`http://127.0.0.1:${port}/#/scene`);
      await other.getByText('Fleet runners').waitFor({ timeout: patienceMs });
      await other.getByText(/desired [1-9]/).waitFor({ timeout: patienceMs });
      await other.locator('.place.green').waitFor({ timeout: patienceMs });
      const [instance] = await inService('runners');
      const [node] = await inService('search-data');
      await other.locator(`[data-instance="${instance}"]`).waitFor({ timeout: patienceMs });
      await other.locator(`[data-instance="${node}"]`).waitFor({ timeout: patienceMs });
      for (const address of [
        ...views.map((view) => view.toLowerCase()),
        `scene/instance/${instance}`,
        `scene/node/${node}`,
      ]) {
        await other.goto(`http://127.0.0.1:${port}/#/${address}`);
        await other.getByText('This console only reads').waitFor();
        const controls = await other
          .locator('button:visible, select:visible')
          .evaluateAll((all) => all.map((one) => one.textContent ?? ''));
        expect(
          controls.filter((name) => !/^(Find|all$|waiting|running|completed|lost|trouble|change)/.test(name)),
        ).toEqual([]);
        expect(await violationsOn(other), address).toEqual([]);
      }
      expect((await fetch(`http://127.0.0.1:${port}/api/controls/clock`, { method: 'POST' })).status).not.toBe(204);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
      expect(await stop()).toBe(0);
    }
  }, 900_000);

  it('the page logged no error and sent no request to another host', () => {
    expect(troubles).toEqual([]);
  });
});

/** What axe finds wrong. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('; ')}`);
}

/** The name of a control without what it is about. */
function kindOf(name: string): string {
  return name
    .replace(/\bi-[0-9a-f]+|\bip-[\d-]+/, 'ONE')
    .replace(/eu-west-1[abc]/, 'ZONE')
    .replace(/\b(runners|search-data|search)$/, 'GROUP')
    .replace(/^(Pause|Resume)$/, 'Pause')
    .replace(/^Updating the stack…$/, 'Deploy inputs')
    .replace(/^Find.*/, 'Find');
}

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
