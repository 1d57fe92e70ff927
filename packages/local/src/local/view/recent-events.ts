import type { JournalEntry } from '@drover/cloud-engine';
import type { RecentEvent } from '@drover/observation/api';

/** Of each kind: in a burst of changes trouble is not washed away. */
const kept = 100;

/** The newest things worth showing: what changed and what went wrong, not what goes well every minute. */
export class RecentEvents {
  readonly #scalingAlarms: ReadonlySet<string>;
  readonly #events: RecentEvent[] = [];
  readonly #counts: Record<RecentEvent['kind'], number> = { info: 0, change: 0, trouble: 0 };

  /** An alarm that only scales is on in normal times: no trouble. */
  constructor(scalingAlarms: readonly string[] = []) {
    this.#scalingAlarms = new Set(scalingAlarms);
  }

  note(entry: JournalEntry): void {
    const kind = this.#kindOf(entry);
    if (kind === undefined) return;
    const { at, source } = entry;
    this.#events.unshift({ at, source: source.replace(/^aws\./, ''), text: textOf(entry), kind });
    this.#counts[kind] += 1;
    if (this.#counts[kind] <= kept) return;
    this.#counts[kind] -= 1;
    this.#events.splice(
      this.#events.findLastIndex((event) => event.kind === kind),
      1,
    );
  }

  get newestFirst(): readonly RecentEvent[] {
    return this.#events;
  }

  #kindOf(entry: JournalEntry): RecentEvent['kind'] | undefined {
    const { kind, name, subject = '' } = entry;
    if (kind === 'fault') return 'trouble';
    if (kind === 'request') return failed(entry) ? 'trouble' : undefined;
    if (kind === 'transition') return trouble.test(name) && !this.#scalingAlarms.has(subject) ? 'trouble' : 'change';
    return trouble.test(name) ? 'trouble' : undefined;
  }
}

const trouble =
  /fail|-> unhealthy|lost|crash|dead|dropped|throttled|recursive|not-registered|may not|no way out|-> ALARM|-> red|Unsuccessful|Warning/;

/**
 * Responses such as "there is none" are not among them: programs that ask rather than remember get them every minute.
 */
const refusals = /AccessDenied|Unauthorized|Throttl|RequestLimitExceeded|ServiceUnavailable|Internal|NotImplemented/;
const refusingStatuses = [401, 403, 429];

/** A caller was refused, throttled, or met a service that does not work. */
function failed({ detail }: JournalEntry): boolean {
  const status = Number(detail?.status ?? 200);
  return refusals.test(String(detail?.error ?? '')) || refusingStatuses.includes(status) || status >= 500;
}

/** The subject, the event, and its cause. */
function textOf({ name, subject, detail = {} }: JournalEntry): string {
  const { unit, error, reason, because, condition, status, runner } = detail;
  const thing = [subject?.replace(/^arn:(?:[^:]*:){4}/, ''), unit].filter((part) => part !== undefined).join(' ');
  const more = error ?? reason ?? because ?? condition ?? status ?? runner;
  return `${thing === '' ? '' : `${thing}: `}${name}${more === undefined ? '' : ` (${String(more)})`}`;
}
