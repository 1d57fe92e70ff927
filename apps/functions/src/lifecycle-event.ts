/** The part of an Auto Scaling lifecycle event that a function reads; anything else is the schedule. */
export interface LifecycleHint {
  readonly instanceId: string;
  /** The instance was just made; it does not come out of the warm pool. */
  readonly freshLaunch: boolean;
}

/** A malformed event is only a worse hint: the pass then looks at every instance. */
export function readLifecycleEvent(event: unknown): LifecycleHint | undefined {
  const detail = (event as { readonly detail?: Record<string, unknown> } | undefined)?.detail;
  const instanceId = detail?.EC2InstanceId;
  if (typeof instanceId !== 'string' || !/^i-[0-9a-f]+$/.test(instanceId)) return undefined;
  return { instanceId, freshLaunch: detail?.Origin === 'EC2' || detail?.Origin === undefined };
}
