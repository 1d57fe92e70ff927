import { awsEndpoint } from '@drover/cloud-aws';
import type { HttpHandler, HttpRequest } from '@drover/cloud-engine';
import type { ControlName } from '@drover/console/api';
import { carryOut } from './controls.ts';
import type { LocalWorld } from './local-world.ts';
import type { Input, Mark, Session } from './session.ts';

type Channel = Exclude<Input['channel'], 'control'>;

/** A session to be played again. */
export interface Course {
  readonly inputs: readonly Input[];
  readonly marks: readonly Mark[];
  readonly endedAt: number;
}

/** Everything that reaches the world from outside: carried out at once, and remembered so that it can be played again. */
export class Inputs {
  readonly #local: LocalWorld;
  readonly #session: Session;
  readonly handlers: Readonly<Record<Channel, HttpHandler>>;

  constructor(local: LocalWorld, session: Session) {
    this.#local = local;
    this.#session = session;
    this.handlers = {
      aws: awsEndpoint(local.world),
      platform: local.fleet.codeHost.handle,
      search: (request) => this.#anyNode(request),
    };
  }

  /** For a server: notes the request, then hands it on. */
  noted(channel: Channel): HttpHandler {
    return async (request) => {
      this.#note(channel, { ...request, body: Buffer.from(request.body).toString('base64') });
      const answer = await this.handlers[channel](request);
      // Who asks from outside learns what time it is in here.
      const date = new Date(this.#local.clock.now()).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };
  }

  async control(name: ControlName, input: never): Promise<void> {
    this.#note('control', { name, input });
    await carryOut(this.#local, name, input);
  }

  /**
   * Moves time to where a session had come, doing again what came in on the way. Agents call AWS without the wire meanwhile; what was
   * marked on the first play is compared, and another course ends it with `false`.
   */
  async replayQuickly(course: Course, progress?: (percent: number) => void): Promise<boolean> {
    this.#local.skipsWire = true;
    try {
      return await this.#replay(course, progress);
    } finally {
      this.#local.skipsWire = false;
    }
  }

  /** The same over the wire, call by call as it was played first. */
  async replay(course: Omit<Course, 'marks'>, progress?: (percent: number) => void): Promise<void> {
    await this.#replay({ ...course, marks: [] }, progress);
  }

  async #replay({ inputs, marks, endedAt }: Course, progress = (_percent: number) => {}): Promise<boolean> {
    const { clock, course } = this.#local;
    const begunAt = clock.now();
    let said = 0;
    const upTo = async (at: number) => {
      while (clock.now() < at) {
        await clock.advanceTo(Math.min(at, clock.now() + 10 * 60_000));
        const percent = Math.floor((100 * (clock.now() - begunAt)) / (endedAt - begunAt));
        // Each tenth is said, also where one step passes several.
        for (let tenth = said - (said % 10) + 10; tenth < percent; tenth += 10) progress(tenth);
        if (percent > said) progress(percent);
        said = percent;
      }
    };
    // What came in at the very moment of a mark came before it or after: nobody knows.
    const moments = new Set(inputs.map(({ at }) => at));
    const checked = marks.filter(({ at }) => at > begunAt && at <= endedAt && !moments.has(at)).values();
    let mark = checked.next();
    const sameUpTo = async (at: number): Promise<boolean> => {
      for (; !mark.done && mark.value.at <= at; mark = checked.next()) {
        await upTo(mark.value.at);
        if (course.value !== mark.value.digest) return false;
      }
      await upTo(at);
      return true;
    };
    for (const input of inputs) {
      if (!(await sameUpTo(input.at))) return false;
      void this.#again(input).catch(() => {});
      await clock.settle();
    }
    return await sameUpTo(endedAt);
  }

  async #again({ channel, request }: Input): Promise<void> {
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
