/** A deployment that waits for a green cluster; a custom resource of CloudFormation asks for it. */
export interface AwaitedDeployment {
  /** The address for the response. */
  readonly responseUrl: string;
  /** Members of the request that the response has to repeat. */
  readonly response: Readonly<Record<string, string>>;
  readonly masters: number;
  readonly data: number;
  readonly minutes: number;
  readonly deadlineAt: number;
  readonly answered: boolean;
}

/** Why the launch of an instance failed, in its own words. */
export interface LaunchNote {
  readonly instanceId: string;
  readonly groupName: string;
  readonly note: string;
}
