import type { HookFacts } from '../model/lifecycle.ts';

/** How long before AWS's own end of a hook a command stops waiting, so that it can still act. */
export const hookMarginMs = 15 * 60_000;

/** A run that starts late still looks more than once. */
export const leastRunMs = 60_000;

/** AWS ends a wait after 48 h or 100 heartbeat timeouts, whichever is shorter (LifecycleHook, GlobalTimeout). */
export const globalTimeoutMs = (heartbeatTimeoutMs: number): number =>
  Math.min(48 * 3_600_000, 100 * heartbeatTimeoutMs);

/** When AWS ends the hook whatever we do. */
export const hookEndsAt = (hook: HookFacts): number =>
  hook.startedAt + Math.min(hook.globalTimeoutMs ?? Number.POSITIVE_INFINITY, globalTimeoutMs(hook.heartbeatTimeoutMs));

/** The smaller of the operator's limit and the hook's end minus the margin. */
export function deadlineAt(now: number, waitMs: number, hook: HookFacts | undefined): number {
  const asked = now + waitMs;
  if (hook === undefined) return asked;
  return Math.min(asked, Math.max(hookEndsAt(hook) - hookMarginMs, now + leastRunMs));
}

/** A heartbeat is due when a third of the hook's timeout has passed since the last one of this run. */
export const isHeartbeatDue = (hook: HookFacts, lastHeartbeatAt: number | undefined, now: number): boolean =>
  lastHeartbeatAt === undefined || now - lastHeartbeatAt >= hook.heartbeatTimeoutMs / 3;
