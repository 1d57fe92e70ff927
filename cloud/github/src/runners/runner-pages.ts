import { createHash } from 'node:crypto';
import type { Clock } from '@drover/core';
import type { RunnerRecord } from '../model.ts';
import { nextReportAt, reportedBusy } from './busy-flag.ts';
import type { RunnerIndex } from './runner-index.ts';

/** Which part of which list. */
export interface PageOrder {
  /** The level of the runners. */
  readonly level: string;
  /** Undefined: all of the level. */
  readonly groupId: number | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** A page as text, with a tag that is equal exactly when the text is. */
export interface PresentedPage {
  readonly text: string;
  readonly tag: string;
  readonly total: number;
}

interface HeldPage extends PresentedPage {
  readonly revision: number;
  readonly membership: number;
  /** When `busy` of one of its runners changes by itself. */
  readonly validUntil: number;
}

interface Fragment {
  readonly revision: number;
  readonly busy: boolean;
  readonly text: string;
}

/** More held pages than a list of 10,000 has, in several page sizes. */
const mostHeldPages = 2_000;

/** Lists of runners as the API shows them. A page is written again only when one of its runners has changed. */
export class RunnerPages {
  readonly #index: RunnerIndex;
  readonly #clock: Clock;
  #held = new Map<string, HeldPage>();
  #fragments = new WeakMap<RunnerRecord, Fragment>();

  constructor(index: RunnerIndex, clock: Clock) {
    this.#index = index;
    this.#clock = clock;
  }

  page(order: PageOrder): PresentedPage {
    const key = `${order.level} ${order.groupId ?? ''}/${order.perPage}/${order.page}`;
    const held = this.#held.get(key);
    const { revision } = this.#index;
    const now = this.#clock.now();
    if (held !== undefined && held.revision === revision && now < held.validUntil) return held;
    const all = this.#index.at(order.level, order.groupId);
    const runners = all.slice((order.page - 1) * order.perPage, order.page * order.perPage);
    const fresh = this.#stillTrue(held, runners) ? { ...held!, revision } : this.#write(runners, all.length, held);
    if (this.#held.size >= mostHeldPages) this.#held.clear();
    this.#held.set(key, fresh);
    return fresh;
  }

  /** A list without pages: what a search by name finds. */
  list(runners: readonly RunnerRecord[]): PresentedPage {
    return this.#write(runners, runners.length, undefined);
  }

  /** One runner as the API shows it. */
  one(runner: RunnerRecord): string {
    const busy = reportedBusy(runner.busyReports, this.#clock.now());
    const known = this.#fragments.get(runner);
    if (known !== undefined && known.revision === runner.revision && known.busy === busy) return known.text;
    const text = JSON.stringify(present(runner, busy));
    this.#fragments.set(runner, { revision: runner.revision, busy, text });
    return text;
  }

  #stillTrue(held: HeldPage | undefined, runners: readonly RunnerRecord[]): boolean {
    if (held === undefined || held.membership !== this.#index.membership) return false;
    return this.#clock.now() < held.validUntil && runners.every((runner) => runner.revision <= held.revision);
  }

  #write(runners: readonly RunnerRecord[], total: number, before: HeldPage | undefined): HeldPage {
    const now = this.#clock.now();
    const text = `{"total_count":${total},"runners":[${runners.map((runner) => this.one(runner)).join(',')}]}`;
    const validUntil = runners.reduce(
      (at, runner) => Math.min(at, nextReportAt(runner.busyReports, now)),
      Number.POSITIVE_INFINITY,
    );
    const { revision, membership } = this.#index;
    const tag = before?.text === text ? before.tag : contentTag(text);
    return { text, tag, total, revision, membership, validUntil };
  }
}

export const contentTag = (text: string): string => createHash('sha1').update(text).digest('base64url');

/** A runner's labels as the API shows them. */
export const presentLabels = ({ labels, readOnlyLabels }: RunnerRecord) =>
  labels.map((name, index) => ({ id: index + 1, name, type: index < readOnlyLabels ? 'read-only' : 'custom' }));

function present(runner: RunnerRecord, busy: boolean) {
  return {
    id: runner.id,
    name: runner.name,
    os: runner.os,
    status: runner.session === undefined ? 'offline' : 'online',
    busy,
    labels: presentLabels(runner),
    runner_group_id: runner.groupId,
    ephemeral: runner.ephemeral,
    version: runner.version ?? null,
  };
}
