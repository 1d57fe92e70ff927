/** The AWS account as its machines know it: the instance itself, and the few services that reach into it. */

/** An EC2 instance as its machine and observers see it. */
export interface Instance {
  readonly id: string;
  readonly arn: string;
  readonly imageId: string;
  readonly instanceType: string;
  readonly availabilityZone: string;
  readonly subnetId: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  readonly launchedAt: number;
  readonly spot: boolean;
  /** Since when EC2 recommends to replace it. */
  readonly rebalanceRecommendedAt?: number;
  /** Decoded text. */
  readonly userData: string;
  readonly instanceProfileArn?: string;
  /** HibernationOptions.Configured */
  readonly hibernationConfigured: boolean;
  readonly metadataOptions: {
    readonly tokensRequired: boolean;
    readonly hopLimit: number;
    readonly tagsEnabled: boolean;
  };
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly tags: Readonly<Record<string, string>>;
}

/** Keys of a role's session. */
export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiresAt?: number;
}

/** The remote-command agent of one machine, as Systems Manager reaches it. */
export interface RemoteAgent {
  run(
    commands: readonly string[],
    timeoutSeconds: number,
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  /** False once the agent has died: a command then stays Pending until it times out. */
  alive(): boolean;
}

export interface RoleIssuer {
  roleOfInstanceProfile(profileArnOrName: string): string | undefined;
  /** Throws when the role does not trust the service. */
  assumeRoleForService(
    roleArn: string,
    service: string,
    sessionName: string,
    options?: { readonly sourceInstanceArn?: string },
  ): RoleCredentials;
  principalFor(accessKeyId: string, sessionToken: string | undefined): unknown;
  /** Throws when the principal lacks the permission. */
  authorize(principal: unknown, permission: { action: string; resource: string }, service: string): void;
}

/** The account around the machines. */
export interface MachineAccount {
  readonly accountId: string;
  readonly region: string;
  readonly iam: RoleIssuer;
  readonly ec2: {
    onInstanceState(listener: (instance: Instance) => void): void;
    /** Whether instances of this image have the remote-command agent from the start. */
    bringsRemoteAgent(imageId: string): boolean;
    /** Files that a new instance of this image has. */
    diskOfImage(imageId: string): ReadonlyMap<string, string>;
    /** The system has powered off by itself. */
    poweredOff(instanceId: string): void;
    setImpaired(instanceId: string, impaired: boolean): void;
    terminate(instanceId: string, reason: string): void;
  };
  readonly ssm: {
    registerAgent(instanceId: string, agent: RemoteAgent): void;
    unregisterAgent(instanceId: string): void;
  };
  readonly autoscaling: { targetLifecycleState(instanceId: string): string | undefined };
}
