import type { ArnScope } from '../../account/arn.ts';
import type { Permission, Principal } from '../../account/service.ts';
import { awsManagedPolicy } from '../identities/aws-managed-policies.ts';
import type { IamModel, Identity } from '../model.ts';
import { contextOf, normalKey, type RequestContext } from '../policy/context.ts';
import { type Decision, decide, type Facts } from '../policy/decide.ts';
import { compilePolicy, type Policy } from '../policy/document.ts';
import { judgeResourcePolicy, type Question } from '../policy/evaluate.ts';
import type { Session } from '../sessions/sessions.ts';
import { DecisionCache, decisionKey } from './decision-cache.ts';

/** A resource's own policy: a document, or the document with the say that it alone has (see `ResourcePolicy.gatekeeper`). */
interface OwnPolicy {
  /** JSON text, or an object that is never changed in place. */
  readonly document: string | object;
  readonly gatekeeper?: boolean;
}

export type OwnPolicyLookup = (resourceArn: string) => OwnPolicy | undefined;

const maxCompiledTexts = 2_000;

/** Decides whether a principal may do something, from all the policies that speak about it. */
export class Authorizer {
  #scope: ArnScope;
  #model: IamModel;
  #now: () => number;
  #sessionOf: (principal: Principal) => Session | undefined;
  #lookups = new Map<string, OwnPolicyLookup>();
  #cache = new DecisionCache();
  #identities = new WeakMap<Principal, Omit<Facts, 'resource'>>();
  #texts = new Map<string, Policy>();
  #objects = new WeakMap<object, Policy>();

  constructor(scope: ArnScope, model: IamModel, now: () => number, sessionOf: (p: Principal) => Session | undefined) {
    this.#scope = scope;
    this.#model = model;
    this.#now = now;
    this.#sessionOf = sessionOf;
  }

  /** Registers where the policies of a service's resources are found; `prefix` is that of its actions. */
  lookUp(prefix: string, lookup: OwnPolicyLookup): void {
    this.#lookups.set(prefix, lookup);
  }

  /** Must be called after any change to identities and their policies. */
  forgetDecisions(): void {
    this.#cache.clear();
    this.#identities = new WeakMap();
  }

  decide(principal: Principal, permission: Permission): Decision {
    const own = this.#ownPolicy(permission);
    const identity = this.#identityFacts(principal);
    const reads = (name: string) => asks(identity, normalKey(name)) || own?.policy.asks.has(normalKey(name)) === true;
    const key = decisionKey(permission, reads);
    const known = this.#cache.find(principal, key, own?.policy);
    if (known !== undefined) return known;
    const facts: Facts = { ...identity, ...(own && { resource: own }) };
    const decision = decide(facts, this.#question(permission, this.#principalKeys(principal)));
    if (!timed(facts)) this.#cache.keep(principal, key, own?.policy, decision);
    return decision;
  }

  /** Whether the resource's own policy lets an AWS service in; a service has no other policies. */
  serviceMay(service: string, permission: Permission): boolean {
    const own = this.#ownPolicy(permission);
    if (own === undefined) return false;
    const keys = { 'aws:PrincipalIsAWSService': 'true', 'aws:PrincipalServiceName': service };
    const verdict = judgeResourcePolicy(own.policy, this.#question(permission, keys), { service });
    return !verdict.denied && verdict.allowed === 'direct';
  }

  #ownPolicy({ action, resource }: Permission): Facts['resource'] {
    const prefix = action.slice(0, action.indexOf(':'));
    const own = resource === '*' ? undefined : this.#lookups.get(prefix)?.(resource);
    if (own === undefined) return undefined;
    const kind = prefix === 'sts' ? 'trust' : 'resource';
    return { policy: this.#compiled(own.document, kind), gatekeeper: own.gatekeeper === true };
  }

  #compiled(document: string | object, kind: 'trust' | 'resource'): Policy {
    const found = typeof document === 'string' ? this.#texts.get(document) : this.#objects.get(document);
    if (found !== undefined) return found;
    const policy = compilePolicy(document, kind);
    if (this.#texts.size >= maxCompiledTexts) this.#texts.clear();
    if (typeof document === 'string') this.#texts.set(document, policy);
    else this.#objects.set(document, policy);
    return policy;
  }

  #identityFacts(principal: Principal): Omit<Facts, 'resource'> {
    let facts = this.#identities.get(principal);
    if (facts === undefined) {
      const identity = this.#identityOf(principal);
      const boundary = identity?.boundaryArn === undefined ? undefined : awsManagedPolicy(identity.boundaryArn)!;
      const session = this.#sessionOf(principal)?.policy;
      facts = {
        asker: { principal },
        identity: identity === undefined ? [] : this.#policiesOf(identity),
        ...(boundary && { boundary }),
        ...(session && { session }),
      };
      this.#identities.set(principal, facts);
    }
    return facts;
  }

  #identityOf(principal: Principal): Identity | undefined {
    if (principal.roleArn !== undefined) {
      const role = this.#model.roleByArn(principal.roleArn);
      // A role created again under the same name is another role: sessions of the old one are worth nothing.
      return role !== undefined && principal.userId.startsWith(`${role.id}:`) ? role : undefined;
    }
    return [...this.#model.users.values()].find(({ arn }) => arn === principal.arn);
  }

  #policiesOf(identity: Identity): Policy[] {
    const inline = [...identity.inline.values()].map(({ policy }) => policy);
    return [...inline, ...[...identity.attached].map((policyArn) => awsManagedPolicy(policyArn)!)];
  }

  #question(permission: Permission, principalKeys: Readonly<Record<string, string | undefined>>): Question {
    const nowMs = this.#now();
    const context: RequestContext = contextOf(
      {
        'aws:SecureTransport': 'true',
        'aws:ViaAWSService': 'false',
        'aws:RequestedRegion': this.#scope.region,
        'aws:ResourceAccount': this.#scope.accountId,
        'aws:CurrentTime': new Date(nowMs).toISOString(),
        'aws:EpochTime': String(Math.floor(nowMs / 1000)),
      },
      permission.context,
      principalKeys,
    );
    return { action: permission.action.toLowerCase(), resource: permission.resource, context };
  }

  /** The properties of the principal and of the role session in "AWS global condition context keys". */
  #principalKeys(principal: Principal): Record<string, string | undefined> {
    const identity = this.#identityOf(principal);
    const tags = { ...Object.fromEntries(identity?.tags ?? []), ...this.#sessionOf(principal)?.tags };
    const keys: Record<string, string | undefined> = {
      'aws:PrincipalIsAWSService': 'false',
      'aws:PrincipalAccount': principal.accountId,
      'aws:PrincipalArn': principal.roleArn ?? principal.arn,
      'aws:PrincipalType': principal.root ? 'Account' : principal.roleArn === undefined ? 'User' : 'AssumedRole',
      'aws:userid': principal.userId,
      'aws:username': identity?.kind === 'user' ? identity.name : undefined,
      'ec2:SourceInstanceARN': principal.sourceInstanceArn,
    };
    for (const [key, value] of Object.entries(tags)) keys[`aws:PrincipalTag/${key}`] = value;
    return keys;
  }
}

const asks = ({ identity, boundary, session }: Omit<Facts, 'resource'>, key: string) =>
  identity.some((policy) => policy.asks.has(key)) || boundary?.asks.has(key) || session?.asks.has(key);

const timed = ({ identity, boundary, session, resource }: Facts) =>
  [...identity, boundary, session, resource?.policy].some((policy) => policy?.timed === true);
