import type { Random } from '@drover/core';
import { AwsError } from '../account/errors.ts';
import type { Policy } from './policy/document.ts';

/** A policy document as it was given, with its compiled form. */
export interface StoredPolicy {
  readonly text: string;
  readonly policy: Policy;
}

/** The common part of users and roles: policies and tags. */
export interface Identity {
  readonly kind: 'role' | 'user';
  readonly name: string;
  readonly path: string;
  /** `AROA…` or `AIDA…`: another one when the same name is created again. */
  readonly id: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly inline: Map<string, StoredPolicy>;
  /** ARNs of managed policies. */
  readonly attached: Set<string>;
  readonly tags: Map<string, string>;
  boundaryArn: string | undefined;
}

export interface Role extends Identity {
  readonly kind: 'role';
  trust: StoredPolicy;
  description: string;
  maxSessionSeconds: number;
}

export interface User extends Identity {
  readonly kind: 'user';
}

export interface InstanceProfile {
  readonly name: string;
  readonly path: string;
  readonly id: string;
  readonly arn: string;
  readonly createdAt: number;
  /** At most one role. */
  roleName: string | undefined;
}

/** Everything IAM knows of the account. */
export class IamModel {
  readonly roles = new Map<string, Role>();
  readonly users = new Map<string, User>();
  readonly instanceProfiles = new Map<string, InstanceProfile>();

  role(name: string): Role {
    return this.roles.get(name) ?? notFound(`The role with name ${name} cannot be found.`);
  }

  user(name: string): User {
    return this.users.get(name) ?? notFound(`The user with name ${name} cannot be found.`);
  }

  instanceProfile(name: string): InstanceProfile {
    return this.instanceProfiles.get(name) ?? notFound(`Instance Profile ${name} cannot be found.`);
  }

  roleByArn(roleArn: string): Role | undefined {
    const role = this.roles.get(lastPart(roleArn));
    return role?.arn === roleArn ? role : undefined;
  }
}

/** The name at the end of an ARN with a path. */
export const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

export const notFound = (message: string): never => {
  throw new AwsError('NoSuchEntity', message, 404);
};

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A unique id with its prefix, e.g. `AROA` for roles: "IAM identifiers", section Understanding unique ID prefixes. */
export function uniqueId(random: Random, prefix: string, length = 17): string {
  let id = prefix;
  for (let i = 0; i < length; i++) id += idAlphabet[random.int(0, idAlphabet.length - 1)];
  return id;
}
