import { restartDelayMs } from '../../model/shutdown.ts';
import type { TrafficFacts, TrafficNote } from '../../model/traffic.ts';

/** Longer than the interval at which the function runs by itself and the deregistration delay. */
export const trafficWaitMs = 7 * 60_000;
/** Events may be lost, and a function that waits for other targets does not reply. */
export const askAgainMs = 45_000;

export type TrafficStep =
  | { readonly kind: 'wait'; readonly because: string; readonly ask?: TrafficNote; readonly untilMs?: number }
  /** It may be stopped; `warning` says why clients may notice. */
  | { readonly kind: 'free'; readonly warning: string | undefined };

/** Decides whether requests still come to the node that is to be stopped. It is stopped in any case, if later. */
export function decideOwnTraffic({ note, reply }: TrafficFacts, now: number): TrafficStep {
  if (note === undefined || now - note.since >= restartDelayMs)
    return { kind: 'wait', because: 'asked to get no requests', ask: { since: now, askedAt: now } };
  if (reply !== undefined && reply.askedAt >= note.since) {
    if (reply.awayAt === undefined)
      return free(
        'no other target of its load balancer is healthy, so it stays one: clients see errors until it is back',
      );
    const untilMs = reply.awayAt - now;
    return untilMs <= 0 ? free() : { kind: 'wait', because: 'its load balancer lets open requests end', untilMs };
  }
  if (now - note.since >= trafficWaitMs)
    return free(
      'it was not taken out of its load balancer: clients may see errors for a moment. To find out why: the log of the function cluster_watch',
    );
  const because = 'it is to be taken out of its load balancer';
  return now - note.askedAt >= askAgainMs
    ? { kind: 'wait', because, ask: { since: note.since, askedAt: now } }
    : { kind: 'wait', because };
}

const free = (warning?: string): TrafficStep => ({ kind: 'free', warning });
