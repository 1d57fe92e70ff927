import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { randomBytes } from './cipher.ts';
import { type Key, keyNotFound, validation } from './model.ts';

/** All keys of the account with their aliases. */
export class Keys {
  readonly all = new Map<string, Key>();
  /** Key ids by alias name. */
  readonly aliases = new Map<string, string>();
  readonly random: Random;
  readonly #aws: AwsNeighbours;

  constructor(aws: AwsNeighbours) {
    this.#aws = aws;
    this.random = aws.engine.random.fork('kms');
  }

  get now(): number {
    return this.#aws.engine.clock.now();
  }

  create(description: string, policy: string | undefined, tags: Readonly<Record<string, string>>): Key {
    const id = this.random.uuid();
    const key: Key = {
      id,
      arn: arn(this.#aws, 'kms', `key/${id}`),
      createdAt: this.now,
      secret: randomBytes(this.random, 32),
      description,
      state: 'Enabled',
      policy: policy ?? this.#defaultPolicy(),
      rotation: false,
      tags: { ...tags },
    };
    this.all.set(id, key);
    return key;
  }

  /** By id, key ARN, alias name or alias ARN. */
  find(idOrAlias: string): Key | undefined {
    const name = idOrAlias.split(':').at(-1) ?? '';
    const id = name.startsWith('alias/') ? this.aliases.get(name) : name.replace(/^key\//, '');
    return this.all.get(id ?? '');
  }

  get(idOrAlias: string | undefined): Key {
    const key = this.find(idOrAlias ?? '');
    if (key === undefined) throw keyNotFound(idOrAlias ?? '');
    return key;
  }

  addAlias(name: string, key: Key): void {
    if (!/^alias\/[A-Za-z0-9/_-]+$/.test(name) || name.startsWith('alias/aws/'))
      throw validation(`AliasName ${name} must begin with alias/ and must not begin with alias/aws/`);
    if (this.aliases.has(name))
      throw new AwsError('AlreadyExistsException', `An alias with the name ${this.aliasArn(name)} already exists`);
    this.aliases.set(name, key.id);
  }

  aliasArn(name: string): string {
    return arn(this.#aws, 'kms', name);
  }

  /** Between 7 and 30 days until the key is gone. (API Reference, ScheduleKeyDeletion.) */
  scheduleDeletion(key: Key, days = 30): void {
    if (days < 7 || days > 30) throw validation(`PendingWindowInDays is ${days}; it must be between 7 and 30`);
    key.state = 'PendingDeletion';
    key.deletionAt = this.now + days * 86_400_000;
    const due = key.deletionAt;
    this.#aws.engine.clock.after(days * 86_400_000, () => {
      if (key.state === 'PendingDeletion' && key.deletionAt === due) this.all.delete(key.id);
    });
  }

  /** Hands control over the key to the IAM policies of the account. */
  #defaultPolicy(): string {
    const Principal = { AWS: `arn:aws:iam::${this.#aws.accountId}:root` };
    const Statement = [
      { Sid: 'Enable IAM User Permissions', Effect: 'Allow', Principal, Action: 'kms:*', Resource: '*' },
    ];
    return JSON.stringify({ Version: '2012-10-17', Id: 'key-default-1', Statement });
  }
}
