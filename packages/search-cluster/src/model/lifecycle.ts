/** The state of an instance in its Auto Scaling group. */
export interface GroupMember {
  readonly instanceId: string;
  readonly groupName: string;
  /** `InService`, `Pending:Wait`, `Terminating:Wait`, `Terminating:Retained`, … */
  readonly lifecycleState: string;
  /** Its availability zone; undefined where it was not asked for. */
  readonly zone?: string | undefined;
}

/** The hook that a command keeps open and completes. */
export interface HookFacts {
  readonly name: string;
  readonly heartbeatTimeoutMs: number;
  /** Longest wait with all heartbeats, as AWS reports it. */
  readonly globalTimeoutMs: number | undefined;
  /** Start of the scaling activity: no API shows when a hook began. */
  readonly startedAt: number;
}

/** An instance of a search group and its address. */
export interface GroupInstance extends GroupMember {
  readonly privateIp: string | undefined;
  /** EC2 has terminated it, whatever its group waits for; it has no address any more. */
  readonly terminated?: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly instanceType?: string | undefined;
}

export const terminatingWait = 'Terminating:Wait';
export const terminatingRetained = 'Terminating:Retained';
export const pendingWait = 'Pending:Wait';
export const inService = 'InService';

/** Its group has begun to let it go. */
export const isLeaving = ({ lifecycleState }: Pick<GroupMember, 'lifecycleState'>): boolean =>
  /^(Terminating|Terminated|Detach)/.test(lifecycleState);

export type HookResult = 'CONTINUE' | 'ABANDON';
