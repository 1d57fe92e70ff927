import type { Clock } from '@drover/core';
import type { Instance, RoleCredentials, RoleIssuer } from '../account.ts';

/** New ones are there at least five minutes before the old ones end: "Retrieve security credentials", EC2 user guide. */
const renewBeforeMs = 30 * 60_000;

/** The credentials of an instance's role, renewed before they expire. */
export class InstanceCredentials {
  readonly #instance: Instance;
  readonly #iam: RoleIssuer;
  readonly #clock: Clock;
  #held: { readonly roleArn: string; readonly credentials: RoleCredentials; readonly issuedAt: number } | undefined;

  constructor(instance: Instance, iam: RoleIssuer, clock: Clock) {
    this.#instance = instance;
    this.#iam = iam;
    this.#clock = clock;
  }

  get roleArn(): string | undefined {
    const { instanceProfileArn } = this.#instance;
    return instanceProfileArn === undefined ? undefined : this.#iam.roleOfInstanceProfile(instanceProfileArn);
  }

  get issuedAt(): number | undefined {
    return this.#held?.issuedAt;
  }

  /** Undefined without a role; throws when the role does not trust EC2. */
  current(): RoleCredentials | undefined {
    const { roleArn } = this;
    if (roleArn === undefined) return undefined;
    const now = this.#clock.now();
    const held = this.#held;
    if (held?.roleArn === roleArn && held.credentials.expiresAt! - now > renewBeforeMs) return held.credentials;
    const { id, arn: sourceInstanceArn } = this.#instance;
    const credentials = this.#iam.assumeRoleForService(roleArn, 'ec2.amazonaws.com', id, { sourceInstanceArn });
    this.#held = { roleArn, credentials, issuedAt: now };
    return credentials;
  }
}
