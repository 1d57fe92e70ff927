import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FunctionStage, patienceMs } from './function-stage.ts';

type Answer = () => Response | Promise<Response>;

interface Strange {
  readonly answer: Answer;
  /** A pattern for the error, which quotes the response by its value. */
  readonly says: RegExp;
  /** The remedy; without one the trouble passes by itself. */
  readonly remedy?: RegExp;
  /** Only lists have pages: a token comes all the same. */
  readonly onlyLists?: boolean;
}

const json =
  (body: unknown, status = 200): Answer =>
  () =>
    Response.json(body as never, { status });
const page =
  (title: string, status: number): Answer =>
  () =>
    new Response(`<html><title>${title}</title></html>`, { status, headers: { 'content-type': 'text/html' } });
const text =
  (body: string | null, status = 200): Answer =>
  () =>
    new Response(body, { status, headers: { 'content-type': 'application/json' } });

const address = /platform_api \S+ is not GitHub's REST API: it is https:\/\/api\.github\.com/;
const report = /does not know the form of this response: please report it/;
const wayOut = /the functions' subnets need a way out to \S+ \(NAT, DNS, security group\)/;

const runner = (id: number) => ({ id, name: `r${id}`, status: 'online', busy: false, labels: [] });
const manyRunners = Array.from({ length: 100 }, (_, index) => runner(index));

/** Responses that no documentation describes. */
const strange: Readonly<Record<string, Strange>> = {
  'an empty success': { answer: text(''), says: /returned 200 without a body/ },
  'a success without content': { answer: text(null, 204), says: /returned 204 without a body/ },
  'an empty object': { answer: json({}), says: /but (token|total_count) is missing, not a/, remedy: report },
  'an empty list': { answer: json([]), says: /but (token|total_count) is missing, not a/, remedy: report },
  null: { answer: json(null), says: /but the response is null, not an object/, remedy: report },
  'a text': { answer: json('ok'), says: /but the response is "ok", not an object/, remedy: report },
  'members of the wrong type': {
    answer: json({ total_count: 'many', runners: 'none', token: 42 }),
    says: /but (token is 42, not a text|total_count is "many", not a number)/,
    remedy: report,
  },
  'runners without names': {
    answer: json({ total_count: 1, runners: [{ id: 1 }], token: null }),
    says: /but (token is null, not a text|runners\[0\]\.name is missing, not a text)/,
    remedy: report,
  },
  'a runner whose flag is a text': {
    answer: json({ total_count: 1, runners: [{ ...runner(1), busy: 'no' }], token: {} }),
    says: /but (token is \{\}, not a text|runners\[0\]\.busy is "no", not true or false)/,
    remedy: report,
  },
  'half of the JSON': {
    answer: text('{"total_count": 1, "runn'),
    says: /returned 200 with broken JSON that ends in .*runn/,
  },
  'half of a response, then the end of the connection': {
    answer: () => new Response(cutOff(), { headers: { 'content-type': 'application/json' } }),
    says: /got no response from \S+: .*terminated/,
    remedy: wayOut,
  },
  'a page for people': { answer: page('Login', 200), says: /returned 200 with a page for people/, remedy: address },
  'a page for people that is not found': {
    answer: page('Not here', 404),
    says: /returned 404: an HTML page, "Not here"/,
    remedy: address,
  },
  'a redirect that leads nowhere': {
    answer: () => new Response(null, { status: 302 }),
    says: /returned 302 without a body/,
  },
  'unchanged, though no one asked': {
    answer: () => new Response(null, { status: 304 }),
    says: /returned 304/,
  },
  'a server error': { answer: json({ message: 'oops' }, 500), says: /returned 500: oops/ },
  'a server error without words': { answer: text('', 500), says: /returned 500/ },
  'a page of a proxy': { answer: page('Bad Gateway', 502), says: /returned 502: an HTML page, "Bad Gateway"/ },
  'a page of a maintenance': { answer: page('Back soon', 503), says: /returned 503: an HTML page, "Back soon"/ },
  'bad credentials': {
    answer: json({ message: 'Bad credentials' }, 401),
    says: /returned 401: Bad credentials/,
    remedy: /store a valid token/,
  },
  'a missing right': {
    answer: json({ message: 'Resource not accessible' }, 403),
    says: /returned 403: Resource not accessible/,
    remedy: /scope admin:org/,
  },
  'an organisation that it does not know': {
    answer: json({ message: 'Not Found' }, 404),
    says: /returned 404: Not Found/,
    remedy: /check that platform_org "example-org" is spelt right/,
  },
  'a strange status': { answer: json({ message: "I'm a teapot" }, 418), says: /returned 418: I'm a teapot/ },
  'pages without an end': {
    answer: json({ total_count: 1_000_000, runners: manyRunners, token: 'AABB' }),
    says: /the platform lists more than 20000 runners/,
    remedy: /set runner_group/,
    onlyLists: true,
  },
  'a response that is far too large': {
    answer: () => new Response(' '.repeat(9 * 1024 * 1024), { headers: { 'content-type': 'application/json' } }),
    says: /returned more than 8388608 bytes/,
    remedy: address,
  },
  'no response': {
    answer: () => Promise.reject(new TypeError('fetch failed')),
    says: /got no response from \S+: fetch failed/,
    remedy: wayOut,
  },
};

function cutOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"total_count": 1'));
      setImmediate(() => controller.error(new TypeError('terminated')));
    },
  });
}

const answering = (answer: Answer) => (async () => await answer()) as typeof fetch;

vi.setConfig({ testTimeout: patienceMs });

/** One fleet for all: each response gets the next instance that the group launches. */
let stage: FunctionStage;
beforeAll(async () => {
  stage = await FunctionStage.open();
}, patienceMs);

beforeEach(async () => {
  await stage.forget();
  stage.log.length = 0;
}, patienceMs);

describe('when the platform asks for a pause', () => {
  it.each([
    ['record_metric', 'registration'],
    ['registration', 'record_metric'],
  ] as const)('%s is reported, and %s keeps it too', async (told, other) => {
    await stage.pending();
    const asked: string[] = [];
    const ask = async (who: 'record_metric' | 'registration') => {
      const limited = answering(() => {
        asked.push(who);
        return Response.json({ message: 'slow down' }, { status: 429, headers: { 'retry-after': '600' } });
      });
      await (await stage.load(who, limited))({}).catch(() => {});
    };

    await ask(told);
    await ask(other);
    expect(asked).toEqual([told]);
    await stage.fleet.pass(11);
    await ask(other);
    expect(asked).toEqual([told, other]);
  });
});

describe.each(Object.entries(strange))(
  'when the platform responds with %s',
  (_, { answer, says, remedy, onlyLists }) => {
    if (onlyLists !== true)
      it.skipIf(onlyLists)(
        'registration stores no token, says what is wrong and keeps the instance waiting',
        async () => {
          const instanceId = await stage.pending();
          const published = stage.published;
          await (await stage.load('registration', answering(answer)))({});

          expect(stage.tokens()).toEqual([]);
          expect(stage.fleet.stateOf(instanceId)).toBe('Pending:Wait');
          const errors = stage.logged('error');
          expect(errors).toHaveLength(1);
          expect(errors[0]).toMatchObject({ message: 'registration failed', error: expect.stringMatching(says) });
          if (remedy !== undefined) expect(errors[0]?.remedy).toMatch(remedy);
          expect(stage.published - published).toBe(1);
        },
      );

    it('record_metric fails with the reason and publishes and remembers nothing', async () => {
      const published = stage.published;
      const handler = await stage.load('record_metric', answering(answer));
      const { message } = await handler({}).then(
        () => new Error('it did not fail'),
        (error: Error) => error,
      );

      expect(message).toMatch(says);
      if (remedy !== undefined) expect(message).toMatch(new RegExp(`What to do: .*${remedy.source}`));
      expect(stage.published).toBe(published);
      expect(await stage.remembered()).toBe(false);
    });

    it('deregistration goes on: it says what is wrong and lets an instance go whose host is dead', async () => {
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
      const warnings = stage.logged('warn');
      expect(warnings[0]).toMatchObject({
        message: 'the platform could not be read',
        error: expect.stringMatching(says),
        ...(remedy === undefined ? {} : { remedy: expect.stringMatching(remedy) }),
      });
    });
  },
);
