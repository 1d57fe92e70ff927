import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CDPSession, launchBrowser, type Page } from '../../apps/drover/test/outside/browser.ts';
import type { Observation } from '../../packages/observation/src/api.ts';
import { buildConsole } from '../../scripts/build/console.ts';
import { atMost, type Figures, informative, median } from '../figures.ts';
import { p99, scriptingPerFrame, tracedCategories } from './frames.ts';
import { consoleState } from './state.ts';
import { worldState } from './world-state.ts';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../apps/console/dist');
const browserPath = '/usr/bin/chromium';
const updates = 60;
/** The worst frame of one trace is often a collection of garbage: the median of three is taken. */
const traces = 3;
const tracedMs = 10_000;
const everyMs = 500;
const views = ['scene', 'shards'] as const;

interface Cost {
  /** From the message until the frame is painted, as the page measures it. */
  readonly shownMs: number;
  /** Work of the page's thread for it. */
  readonly workMs: number;
  /** Scripting in a frame, of which 99 of 100 frames need no more. */
  readonly frameMs: number;
}

type StateOf = (round: number) => Observation;

const empty: StateOf = (round) => consoleState({ instances: 0, shards: 0, dataNodes: 0 }, round);
const crowd: StateOf = (round) => consoleState({ instances: 200, shards: 2_000, dataNodes: 20 }, round);

/**
 * The cost of an update for a page of which a tenth changes, against a page that shows nothing, on the view where the
 * ratio is worse: with 200 instances and 2,000 shards, and of a world as `drover local` deploys it. Two ratios, and the
 * worse one counts: the median until it is shown, in which an empty page waits for the next frame too, and the work
 * alone, in which nothing waits. And the scripting of a frame, over half a minute with two updates a second.
 */
export async function benchConsole(): Promise<Figures> {
  if (!existsSync(browserPath)) throw new Error(`${browserPath} is missing: apt-get install chromium`);
  await buildConsole();
  const costs: { readonly view: string; readonly empty: Cost; readonly world: Cost; readonly full: Cost }[] = [];
  for (const view of views)
    costs.push({
      view,
      empty: await measure(view, empty),
      world: await measure(view, worldState),
      full: await measure(view, crowd),
    });
  const ratio = (kind: keyof Cost, of: 'world' | 'full') =>
    Math.max(...costs.map((cost) => cost[of][kind] / cost.empty[kind]));
  const update = (of: 'world' | 'full') => Math.max(ratio('shownMs', of), ratio('workMs', of));
  return {
    'console.update_ratio': atMost(update('full'), 8, 'times'),
    'console.update_world_ratio': atMost(update('world'), 6, 'times'),
    // As the bench printed it before the page of true states and incidents (3.49).
    'console.frame_p99_ratio': atMost(ratio('frameMs', 'full'), 3.5, 'times'),
    'console.update_shown_ratio': informative(ratio('shownMs', 'full'), 'times'),
    'console.update_work_ratio': informative(ratio('workMs', 'full'), 'times'),
    ...Object.fromEntries(
      costs.flatMap(({ view, ...of }) =>
        (['empty', 'world', 'full'] as const).flatMap((size) => [
          [`console.update_${view}_${size}`, informative(of[size].shownMs, 'ms')],
          [`console.update_${view}_work_${size}`, informative(of[size].workMs, 'ms')],
          [`console.frame_p99_${view}_${size}`, informative(of[size].frameMs, 'ms')],
        ]),
      ),
    ),
  };
}

async function measure(view: string, stateOf: StateOf): Promise<Cost> {
  const stub = await serveConsole();
  const browser = await launchBrowser(browserPath);
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${stub.url}/#/${view}`);
    await stub.listened;
    const send = (round: number) => update(page, () => stub.send(stateOf(round)));
    for (let round = 0; round < 10; round++) await send(round);
    const worked = await threadWork(session);
    const shown: number[] = [];
    for (let round = 0; round < updates; round++) shown.push(await send(round));
    const workMs = (1_000 * ((await threadWork(session)) - worked)) / updates;
    const frames: number[] = [];
    for (let trace = 0; trace < traces; trace++) {
      await browser.startTracing(page, { categories: tracedCategories });
      for (let round = 0; round < tracedMs / everyMs; round++) {
        stub.send(stateOf(round));
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
      frames.push(p99(scriptingPerFrame(JSON.parse((await browser.stopTracing()).toString()))));
    }
    return { shownMs: median(shown), workMs, frameMs: median(frames) };
  } finally {
    await browser.close();
    stub.close();
  }
}

/** Sends one update and waits for the page's own measure of it. */
async function update(page: Page, send: () => void): Promise<number> {
  await page.evaluate(() => performance.clearMeasures('update'));
  send();
  const measured = await page.waitForFunction(() => performance.getEntriesByName('update')[0]?.duration);
  return (await measured.jsonValue()) as number;
}

/** Seconds of its own time, whatever else the machine does, that the page's main thread has spent on script, style and layout. */
async function threadWork(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const kinds = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
  return metrics.filter(({ name }) => kinds.includes(name)).reduce((sum, { value }) => sum + value, 0);
}

const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html',
  'console.js': 'text/javascript',
  'console.css': 'text/css',
  'icon.svg': 'image/svg+xml',
};

/** The built page with a stream of events that the measure writes to. */
async function serveConsole() {
  let stream: ServerResponse | undefined;
  let heard = () => {};
  const listened = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const server = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1);
    if (request.url === '/api/events') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.flushHeaders();
      return heard();
    }
    if (types[name] === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[name] }).end(readFileSync(join(dist, name)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listened,
    send: (state: Observation) => void stream?.write(`data: ${JSON.stringify(state)}\n\n`),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
