interface Hook {
  readonly name: string;
  readonly heartbeatTimeoutSeconds: number;
  readonly defaultResult: string;
}

const hook =
  (transition: string) =>
  ({ name, heartbeatTimeoutSeconds, defaultResult }: Hook) => ({
    lifecycleHookName: name,
    lifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
    heartbeatTimeout: heartbeatTimeoutSeconds,
    defaultResult,
  });

/** Hooks as a group's own property has them, so that they exist before the first launch. */
export const launchHook = hook('LAUNCHING');
export const terminateHook = hook('TERMINATING');
