import type { HttpResponse } from '@drover/cloud-engine';
import type { Clock, Timer } from '@drover/core';
import type { Job, RunnerSession } from '../model.ts';
import { type Connection, longPollMs } from '../runners/connections.ts';
import { jobGuid } from './job-message.ts';
import { brokerError, empty, json } from './service-responses.ts';

/** A listener that has not polled for this long has lost its session. */
const silentMs = 30_000;

/** The response to a poll; undefined when GitHub has gone away meanwhile. */
type PollAnswer = HttpResponse | undefined;

const nothing = empty(202);

/** The session of a listener that polls over HTTP. */
export class WireSession implements RunnerSession {
  readonly id: string;
  readonly version: string;
  readonly #clock: Clock;
  readonly #runServiceUrl: string;
  readonly #given: (job: Job) => void;
  readonly #ended: () => void;
  readonly #isDown: () => boolean;
  readonly #inbox: PollAnswer[] = [];
  connection!: Connection;
  #messages = 0;
  #waiting: ((answer: PollAnswer) => void) | undefined;
  #silence: Timer | undefined;

  constructor(
    id: string,
    version: string,
    parts: {
      readonly clock: Clock;
      readonly runServiceUrl: string;
      given(job: Job): void;
      ended(): void;
      isDown(): boolean;
    },
  ) {
    this.id = id;
    this.version = version;
    this.#clock = parts.clock;
    this.#runServiceUrl = parts.runServiceUrl;
    this.#given = parts.given;
    this.#ended = parts.ended;
    this.#isDown = parts.isDown;
  }

  deliver(job: Job): void {
    this.#given(job);
    this.#messages += 1;
    const body = {
      id: jobGuid(job.id),
      runner_request_id: jobGuid(job.id),
      should_acknowledge: true,
      run_service_url: this.#runServiceUrl,
      billing_owner_id: 'O_1',
    };
    const message = { messageId: this.#messages, messageType: 'RunnerJobRequest', body: JSON.stringify(body) };
    this.#put(json(200, message));
  }

  revoked(): void {
    this.#put(brokerError(404, 'RunnerNotFound', 'The runner was not found.'));
  }

  deprecated(): void {
    const message = `Runner version v${this.version} is deprecated and cannot receive messages.`;
    this.#put(brokerError(403, 'RunnerVersionTooOld', message));
  }

  broken(): void {
    this.#settle(undefined);
  }

  /** The next message, or nothing when the time of a long poll is over. A second poll takes the place of the first. */
  poll(): Promise<PollAnswer> {
    this.#settle(nothing);
    // The poll that this one has replaced expects another; that is here.
    this.#silence?.cancel();
    const next = this.#inbox.shift();
    if (next !== undefined) return this.#answered(next);
    return new Promise((resolve) => {
      const timer = this.#clock.after(longPollMs, () => this.#settle(nothing));
      this.#waiting = (answer) => {
        timer.cancel();
        resolve(this.#answered(answer));
      };
    });
  }

  close(): void {
    this.#silence?.cancel();
    this.connection.close();
    this.#ended();
  }

  async #answered(answer: PollAnswer): Promise<PollAnswer> {
    this.expectPoll();
    return answer;
  }

  /** From the last poll, or the session's beginning, it must not be long until the next. */
  expectPoll(): void {
    this.#silence?.cancel();
    this.#silence = this.#clock.after(silentMs, () => {
      // Polls that an outage refuses are not counted as silence.
      if (this.#isDown()) return this.expectPoll();
      this.connection.vanish();
      this.#ended();
    });
  }

  #put(answer: PollAnswer): void {
    if (this.#waiting === undefined) this.#inbox.push(answer);
    else this.#settle(answer);
  }

  #settle(answer: PollAnswer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(answer);
  }
}
