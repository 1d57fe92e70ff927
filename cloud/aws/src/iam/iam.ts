import type { AssumeRoleRequest, AwsNeighbours, IamNeighbour } from '../account/neighbours.ts';
import type {
  AwsService,
  Credentials,
  Operations,
  Permission,
  Principal,
  ResourceProviders,
} from '../account/service.ts';
import { accessDenied } from './authorization/access-denied.ts';
import { Authorizer, type OwnPolicyLookup } from './authorization/authorizer.ts';
import type { IamAccount } from './identities/account.ts';
import { IamModel, lastPart } from './model.ts';
import { instanceProfileOperations } from './operations/instance-profiles.ts';
import { roleOperations } from './operations/roles.ts';
import { userOperations } from './operations/users.ts';
import { iamResources } from './resources.ts';
import { assumeRole, assumeRoleForService } from './sessions/assume-role.ts';
import { Sessions } from './sessions/sessions.ts';

/** One permission that was asked for, and with what words it was refused. */
export interface AuthorizationDecision {
  readonly principal: Principal;
  readonly permission: Permission;
  readonly refusal: string | undefined;
}

/** Identities, their policies, and authorization. Changes take effect at once: propagation delay is not modelled. */
export class Iam implements AwsService, IamNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly rootCredentials: Credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  readonly #root: Principal;
  readonly #account: IamAccount;
  readonly #sessions: Sessions;
  readonly #authorizer: Authorizer;
  readonly #listeners: ((decided: AuthorizationDecision) => void)[] = [];

  constructor(aws: AwsNeighbours) {
    const { accountId } = aws;
    const { clock } = aws.engine;
    const random = aws.engine.random.fork('iam');
    const model = new IamModel();
    this.#root = { arn: `arn:aws:iam::${accountId}:root`, accountId, userId: accountId, root: true };
    this.#sessions = new Sessions(clock, random);
    this.#authorizer = new Authorizer(
      aws,
      model,
      () => clock.now(),
      (principal) => this.#sessions.of(principal),
    );
    this.#account = { scope: aws, model, clock, random, changed: () => this.#authorizer.forgetDecisions() };
    this.operations = {
      ...roleOperations(this.#account),
      ...instanceProfileOperations(this.#account),
      ...userOperations(this.#account, this.#sessions),
    };
    this.resources = iamResources(this.#account);
    this.registerResourcePolicies('sts', (roleArn) => {
      const role = model.roleByArn(roleArn);
      return role && { document: role.trust.text, gatekeeper: true };
    });
  }

  principalFor(accessKeyId: string, sessionToken: string | undefined, service?: string): Principal {
    if (accessKeyId === this.rootCredentials.accessKeyId) return this.#root;
    return this.#sessions.identify(accessKeyId, sessionToken, service);
  }

  authorize(principal: Principal, permission: Permission, service: string): void {
    if (principal.root) return;
    const decision = this.#authorizer.decide(principal, permission);
    const refusal = decision.allowed ? undefined : accessDenied(principal, permission, decision, service);
    for (const listener of this.#listeners) listener({ principal, permission, refusal: refusal?.message });
    if (refusal !== undefined) throw refusal;
  }

  /** Calls `listener` for every decision from now on, apart from those about the root of the account. */
  onDecision(listener: (decided: AuthorizationDecision) => void): void {
    this.#listeners.push(listener);
  }

  serviceMay(servicePrincipal: string, permission: Permission): boolean {
    return this.#authorizer.serviceMay(servicePrincipal, permission);
  }

  registerResourcePolicies(actionPrefix: string, lookup: OwnPolicyLookup): void {
    this.#authorizer.lookUp(actionPrefix, lookup);
  }

  assumeRole(caller: Principal, request: AssumeRoleRequest): { credentials: Credentials; principal: Principal } {
    return assumeRole(this.#account, this.#sessions, caller, request);
  }

  assumeRoleForService(
    roleArn: string,
    service: string,
    sessionName: string,
    { sourceArn, ...options }: { sourceInstanceArn?: string; sourceArn?: string } = {},
  ): Credentials {
    // Services say on whose behalf they act: "The confused deputy problem", IAM user guide.
    const source = { 'aws:SourceAccount': this.#root.accountId, ...(sourceArn && { 'aws:SourceArn': sourceArn }) };
    const permission = { action: 'sts:AssumeRole', resource: roleArn, context: source };
    const trusted = this.#authorizer.serviceMay(service, permission);
    return assumeRoleForService(this.#account, this.#sessions, { roleArn, service, sessionName, trusted, ...options });
  }

  roleOfInstanceProfile(profileArnOrName: string): string | undefined {
    const { model } = this.#account;
    const profile = model.instanceProfiles.get(lastPart(profileArnOrName));
    if (profile?.roleName === undefined) return undefined;
    return model.roles.get(profile.roleName)?.arn;
  }
}
