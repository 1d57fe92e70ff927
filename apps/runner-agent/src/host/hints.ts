import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '@drover/core';

/** The socket on which the agent listens for `runner-agent job-started`. */
export const hintSocket = '/run/runner-agent/hints.sock';
/** Every process on the host may connect, so a hint counts at most this often. */
const leastBetweenHintsMs = 1_000;

/** Hints that something worth a look happened. A hint carries nothing: the agent looks for itself. */
export class Hints {
  readonly #clock: Clock;
  #lastAt = Number.NEGATIVE_INFINITY;
  #ring: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at the next hint, or after `mostMs`. */
  wait(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(mostMs, () => this.#ring());
      this.#ring = () => {
        timer.cancel();
        this.#ring = () => {};
        resolve();
      };
    });
  }

  hint(): void {
    const now = this.#clock.now();
    if (now - this.#lastAt < leastBetweenHintsMs) return;
    this.#lastAt = now;
    this.#ring();
  }
}

/** A connection is a hint; nothing is read from it. The runner's user may connect, hence the mode. */
export function listenForHints(path: string, hints: Hints): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  rmSync(path, { force: true });
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.destroy();
    hints.hint();
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      chmodSync(path, 0o666);
      resolve(server);
    });
  });
}

/** Tells the agent to look. Without an agent there is nothing to do. */
export function sendHint(path: string): Promise<void> {
  return new Promise((resolve) => {
    const connection = connect(path);
    const done = () => {
      connection.destroy();
      resolve();
    };
    connection.once('connect', done).once('error', done);
  });
}
