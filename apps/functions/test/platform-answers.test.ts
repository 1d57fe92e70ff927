import { beforeAll, describe, expect, it } from 'vitest';
import { FunctionStage } from './function-stage.ts';

const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body as never, { status });

/** Answers that no documentation speaks of. */
const strange: Readonly<Record<string, () => Response | Promise<Response>>> = {
  'an empty success': () => new Response('', { status: 200 }),
  'a success without content': () => new Response(null, { status: 204 }),
  'an empty object': json({}),
  'an empty list': json([]),
  null: json(null),
  'a text': json('ok'),
  'members of the wrong type': json({ total_count: 'many', runners: 'none', token: 42 }),
  'runners without names': json({ total_count: 1, runners: [{}], token: null }),
  'half of the JSON': () =>
    new Response('{"total_count": 1, "runn', { headers: { 'content-type': 'application/json' } }),
  'a page for people': () =>
    new Response('<html><title>Login</title></html>', { headers: { 'content-type': 'text/html' } }),
  'a redirect to nowhere': () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
  'unchanged, though nobody asked': () => new Response(null, { status: 304 }),
  'a server error': json({ message: 'oops' }, 500),
  'a strange status': json({ message: "I'm a teapot" }, 418),
  'no answer': () => Promise.reject(new TypeError('fetch failed')),
};

const answering = (answer: () => Response | Promise<Response>) => (async () => await answer()) as typeof fetch;

/** One fleet for all: each answer gets the next instance that the group launches. */
let stage: FunctionStage;

describe.each(Object.entries(strange))('when the platform answers with %s', (_, answer) => {
  beforeAll(async () => {
    stage ??= await FunctionStage.open();
    await stage.forget();
  });

  it('registration stores no token, says what is wrong and keeps the instance waiting', async () => {
    const instanceId = await stage.pending();
    const published = stage.published;
    stage.log.length = 0;
    await (await stage.load('registration', answering(answer)))({});

    expect(await stage.tokens()).toEqual([]);
    expect(stage.fleet.stateOf(instanceId)).toBe('Pending:Wait');
    expect(stage.log.join('\n')).toMatch(/"level":"error","message":"registration failed"/);
    expect(stage.published - published).toBe(1);
  });

  it('record_metric fails and publishes nothing', async () => {
    const published = stage.published;
    const handler = await stage.load('record_metric', answering(answer));

    await expect(handler({})).rejects.toThrow();
    expect(stage.published).toBe(published);
  });

  it('deregistration goes on: it lets an instance go whose host is dead', async () => {
    const lost = await stage.pending();
    const waits = () => stage.fleet.stateOf(lost) === 'Terminating:Wait';
    stage.fleet.fleet.world.machines.kill(lost);
    await stage.fleet.terminate(lost, false);
    await stage.fleet.fleet.until('it waits for its end', waits, 10 * 60_000);
    const handler = await stage.load('deregistration', answering(answer));
    for (let pass = 0; pass < 20 && waits(); pass++) {
      await handler({});
      await stage.fleet.pass(1);
    }

    expect(waits()).toBe(false);
  });
});
