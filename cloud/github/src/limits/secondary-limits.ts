import type { Clock } from '@drover/core';
import { GitHubError } from '../http/responses.ts';

/** docs.github.com, "Rate limits for the REST API": About secondary rate limits. */
export interface SecondaryLimitOptions {
  /** Points a minute: a read costs 1, a write 5. GitHub counts by endpoint; here all count together, which is stricter. @default 900 */
  readonly pointsPerMinute?: number;
  /** Requests at the same time. @default 100 */
  readonly concurrent?: number;
  /**
   * Requests that create content. GitHub lets 10,000 runners an hour register, so it cannot mean those: no limit unless
   * given; then every POST counts. GitHub's numbers are 80 a minute and 500 an hour. @default none
   */
  readonly contentCreation?: { readonly perMinute: number; readonly perHour: number };
}

interface Spending {
  underWay: number;
  points: Tally;
  contentThisMinute: Tally;
  contentThisHour: Tally;
}

interface Tally {
  readonly period: number;
  readonly spent: number;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const page = 'rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits';

/** Limits against bursts, by account. No header says how near one is; being over is 403 or 429 with `retry-after`. */
export class SecondaryLimits {
  readonly enabled: boolean;
  readonly #clock: Clock;
  readonly #pointsPerMinute: number;
  readonly #concurrent: number;
  readonly #content: { readonly perMinute: number; readonly perHour: number } | undefined;
  #spendings = new Map<string, Spending>();

  constructor(clock: Clock, options: SecondaryLimitOptions & { readonly enabled: boolean }) {
    this.#clock = clock;
    this.enabled = options.enabled;
    this.#pointsPerMinute = options.pointsPerMinute ?? 900;
    this.#concurrent = options.concurrent ?? 100;
    this.#content = options.contentCreation;
  }

  /** A request begins; returns how it ends. */
  enter(account: string | undefined): () => void {
    if (account === undefined) return () => {};
    const spending = this.#spending(account);
    spending.underWay += 1;
    return () => {
      spending.underWay -= 1;
    };
  }

  /** Throws when the account asks too much at once. The refused request is counted too. */
  admit(account: string, method: string, status: 403 | 429): void {
    if (!this.enabled) return;
    const spending = this.#spending(account);
    const reads = method === 'GET' || method === 'HEAD';
    spending.points = this.#add(spending.points, minuteMs, reads ? 1 : 5);
    if (method === 'POST') {
      spending.contentThisMinute = this.#add(spending.contentThisMinute, minuteMs, 1);
      spending.contentThisHour = this.#add(spending.contentThisHour, hourMs, 1);
    }
    if (spending.underWay > this.#concurrent || spending.points.spent > this.#pointsPerMinute)
      throw exceeded(status, '. Please wait a few minutes before you try again.');
    if (method === 'POST' && this.#tooMuchContent(spending))
      throw exceeded(
        status,
        ' and have been temporarily blocked from content creation. Please retry your request again later.',
      );
  }

  #tooMuchContent({ contentThisMinute, contentThisHour }: Spending): boolean {
    const limit = this.#content;
    return limit !== undefined && (contentThisMinute.spent > limit.perMinute || contentThisHour.spent > limit.perHour);
  }

  #add(tally: Tally, periodMs: number, cost: number): Tally {
    const period = Math.floor(this.#clock.now() / periodMs);
    return { period, spent: (tally.period === period ? tally.spent : 0) + cost };
  }

  #spending(account: string): Spending {
    let spending = this.#spendings.get(account);
    if (spending === undefined) {
      const none = { period: -1, spent: 0 };
      spending = { underWay: 0, points: none, contentThisMinute: none, contentThisHour: none };
      this.#spendings.set(account, spending);
    }
    return spending;
  }
}

const exceeded = (status: 403 | 429, how: string) =>
  new GitHubError(status, `You have exceeded a secondary rate limit${how}`, {
    headers: { 'retry-after': '60' },
    page,
    overLimit: true,
  });
