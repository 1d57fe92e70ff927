import type { Clock, Random } from '@drover/core';
import { longPollMs } from '../runners/connections.ts';
import type { OpenPoll, PollAnswer, ScaleSet, Session } from './scale-set.ts';

/** Listeners refresh their token about every 50 minutes (actions/scaleset pull request 123). */
const tokenMs = 50 * 60_000;
/** How long a session lives without a request is not known; after a crash it was in the way for minutes (actions/actions-runner-controller issue 3209). */
export const silentMs = 10 * 60_000;
/** Events that come together are sent together. */
const gatherMs = { least: 100, most: 1_000 };

/** The sessions of scale sets: one each, and one open poll in it. */
export class Sessions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #byToken = new Map<string, ScaleSet>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The session of a set, if it has not fallen silent. */
  of(set: ScaleSet): Session | undefined {
    const { session } = set;
    if (session === undefined) return undefined;
    if (session.poll === undefined && this.#clock.now() - session.seenAt >= silentMs) this.end(set);
    return set.session;
  }

  /** Undefined: there is one already. */
  open(set: ScaleSet, owner: string): Session | undefined {
    if (this.of(set) !== undefined) return undefined;
    set.session = { id: this.#random.uuid(), owner, token: '', tokenExpiresAt: 0, seenAt: 0, poll: undefined };
    return this.refresh(set, set.session);
  }

  /** Another token; the one before is void. */
  refresh(set: ScaleSet, session: Session): Session {
    this.#byToken.delete(session.token);
    session.token = `eyJhbGciOiJub25lIn0.${this.#random.hex(64)}.`;
    session.tokenExpiresAt = this.#clock.now() + tokenMs;
    this.#byToken.set(session.token, set);
    this.#touch(set, session);
    return session;
  }

  /** The token for messages is void, as after its time. */
  expireToken({ session }: ScaleSet): void {
    if (session !== undefined) session.tokenExpiresAt = this.#clock.now();
  }

  end(set: ScaleSet): void {
    const { session } = set;
    set.session = undefined;
    if (session === undefined) return;
    this.#byToken.delete(session.token);
    session.poll?.end('session-gone');
  }

  /** The reader that a token belongs to; undefined when it is void. */
  readerOf(token: string): { readonly set: ScaleSet; readonly session: Session } | undefined {
    const set = this.#byToken.get(token);
    const session = set === undefined ? undefined : this.of(set);
    if (set === undefined || session?.token !== token || this.#clock.now() >= session.tokenExpiresAt) return undefined;
    this.#touch(set, session);
    return { set, session };
  }

  /** The next message, or nothing when the time of a long poll is over. A second poll takes the place of the first. */
  poll(set: ScaleSet, session: Session, lastMessageId: number): Promise<PollAnswer> {
    session.poll?.end('nothing');
    const message = set.messages.after(lastMessageId);
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => {
      const timer = this.#clock.after(longPollMs, () => open.end('nothing'));
      const open: OpenPoll = {
        lastMessageId,
        end: (answer) => {
          if (session.poll !== open) return;
          session.poll = undefined;
          timer.cancel();
          this.#touch(set, session);
          resolve(answer);
        },
      };
      session.poll = open;
    });
  }

  /** There is news: the open poll brings it, with what else happens in this moment. */
  wake(set: ScaleSet): void {
    const poll = set.session?.poll;
    if (poll === undefined || this.#waking.has(poll)) return;
    this.#waking.add(poll);
    this.#clock.after(this.#random.int(gatherMs.least, gatherMs.most), () => {
      this.#waking.delete(poll);
      if (set.session?.poll !== poll) return;
      const message = set.messages.after(poll.lastMessageId);
      if (message !== undefined) poll.end(message);
    });
  }

  readonly #waking = new Set<OpenPoll>();

  #touch(set: ScaleSet, session: Session): void {
    session.seenAt = this.#clock.now();
    set.connectedAt = session.seenAt;
  }
}
