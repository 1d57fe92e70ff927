import type { Random } from '@drover/core';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import { type Key, keyNotFound, validation } from './model.ts';

/** All keys of the account. */
export class Keys {
  readonly all = new Map<string, Key>();
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
      description,
      state: 'Enabled',
      policy: policy ?? this.#defaultPolicy(),
      rotation: false,
      tags: { ...tags },
    };
    this.all.set(id, key);
    return key;
  }

  /** By id or ARN. */
  find(idOrArn: string): Key | undefined {
    return this.all.get((idOrArn.split(':').at(-1) ?? '').replace(/^key\//, ''));
  }

  get(idOrArn: string | undefined): Key {
    const key = this.find(idOrArn ?? '');
    if (key === undefined) throw keyNotFound(idOrArn ?? '');
    return key;
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
