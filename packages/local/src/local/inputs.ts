import { awsEndpoint } from '@drover/cloud-aws';
import type { HttpHandler, HttpRequest } from '@drover/cloud-engine';
import type { Random, VirtualClock } from '@drover/core';
import type { ControlName } from '@drover/observation/api';
import { carryOut } from './controls.ts';
import { isMereRead } from './http/mere-reads.ts';
import type { LocalWorld } from './local-world.ts';
import type { Input, KeptSession, Session } from './session.ts';

type Channel = Exclude<Input['channel'], 'control'>;

/** Everything that reaches the world from outside: carried out at once, and remembered so that it can be played again. */
export class Inputs {
  readonly #local: LocalWorld;
  readonly #session: Session;
  readonly #idsOfReads: Random;
  readonly handlers: Readonly<Record<Channel, HttpHandler>>;

  constructor(local: LocalWorld, session: Session) {
    this.#local = local;
    this.#session = session;
    this.#idsOfReads = local.world.engine.random.fork('reads from outside');
    this.handlers = {
      aws: awsEndpoint(local.world),
      platform: local.fleet.codeHost.handle,
      search: (request) => this.#anyNode(request),
    };
  }

  /** For a server: notes the request, then hands it on. A mere read is no input, and takes no chance that others draw from. */
  noted(channel: Channel): HttpHandler {
    const aws = awsEndpoint(this.#local.world);
    return async (request) => {
      const answer = await this.#local.pace.inTurn(async () => {
        if (channel === 'aws' && isMereRead(request)) return await aws(request, { ids: this.#idsOfReads });
        this.#note(channel, { ...request, body: Buffer.from(request.body).toString('base64') });
        return await this.handlers[channel](request);
      });
      // A caller from outside learns the simulated time.
      const date = new Date(this.#local.clock.now()).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };
  }

  async control(name: ControlName, input: never): Promise<void> {
    await this.#local.pace.inTurn(async () => {
      this.#note('control', { name, input });
      await carryOut(this.#local, name, input);
    });
  }

  /**
   * Moves time to where a session had come, doing again what came in on the way, and compares with the session's marks. A world that
   * skips the wire does so up to the last mark, for what follows could not be compared, and ends at a mark that differs.
   * @returns the moment of the first mark that differs
   */
  async replay(
    { inputs, marks, endedAt }: Omit<KeptSession, 'beginning'>,
    progress: (percent: number) => void = () => {},
  ): Promise<number | undefined> {
    const local = this.#local;
    const upTo = inSteps(local.clock, endedAt, progress);
    // An input at the very moment of a mark came before it or after: unknown.
    const moments = new Set(inputs.map(({ at }) => at));
    const compared = marks.filter(({ at }) => !moments.has(at));
    if (compared.length === 0) local.quickReplay.on = false;
    let otherFrom: number | undefined;
    for (const step of [...inputs, ...compared].sort((a, b) => a.at - b.at)) {
      await upTo(step.at);
      if (!('digest' in step)) {
        await this.#repeat(step);
        continue;
      }
      if (local.course.value !== step.digest) {
        if (local.quickReplay.on) return step.at;
        otherFrom ??= step.at;
      }
      if (step === compared.at(-1)) local.quickReplay.on = false;
    }
    await upTo(endedAt);
    return otherFrom;
  }

  /** As `Pace.inTurn` began it. */
  async #repeat(input: Input): Promise<void> {
    void this.#carryOut(input).catch(() => {});
    await this.#local.clock.settle();
  }

  async #carryOut({ channel, request }: Input): Promise<void> {
    if (channel === 'control') {
      const { name, input } = request as { name: ControlName; input: never };
      return await carryOut(this.#local, name, input);
    }
    const sent = request as Omit<HttpRequest, 'body'> & { body: string };
    await this.handlers[channel]({ ...sent, body: Buffer.from(sent.body, 'base64') });
  }

  #note(channel: Input['channel'], request: unknown): void {
    this.#session.note({ at: this.#local.clock.now(), channel, request });
  }

  #anyNode: HttpHandler = async (request) => {
    const up = [...this.#local.cluster.nodes.values()].find((node) => node.running && node.attached);
    if (up === undefined)
      return { status: 503, headers: { 'content-type': 'text/plain' }, body: 'no search node is up\n' };
    return await up.handle(request);
  };
}

/** Moves time in steps, and says of each percent how far it has come. */
function inSteps(clock: VirtualClock, endedAt: number, progress: (percent: number) => void) {
  const begunAt = clock.now();
  let said = 0;
  return async (at: number): Promise<void> => {
    while (clock.now() < at) {
      await clock.advanceTo(Math.min(at, clock.now() + 10 * 60_000));
      const percent = Math.min(100, Math.floor((100 * (clock.now() - begunAt)) / (endedAt - begunAt)));
      // Each tenth is printed, even if one step passes several.
      for (let tenth = said - (said % 10) + 10; tenth < percent; tenth += 10) progress(tenth);
      if (percent > said) progress(percent);
      said = percent;
    }
  };
}
