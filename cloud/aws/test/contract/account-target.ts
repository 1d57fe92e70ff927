import { randomBytes } from 'node:crypto';
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { ScaledClock } from '@drover/core';
import { namedAccount, requireAccount } from './account.ts';
import type { ContractClients, OpenTarget, SessionCredentials } from './target.ts';
import { Cleanup, lookUntil } from './waiting.ts';

const speed = rehearsalSpeed(process.env);

/** How fast the cloud behind AWS_ENDPOINT_URL runs. Only a cloud on this machine can run faster than time. */
export function rehearsalSpeed(environment: Readonly<Record<string, string | undefined>>): number {
  const asked = Number(environment.DROVER_CONTRACT_SPEED ?? 1);
  if (asked === 1) return 1;
  const host = new URL(environment.AWS_ENDPOINT_URL ?? 'https://amazonaws.com').hostname;
  if (host !== '127.0.0.1' && host !== 'localhost')
    throw new Error(`DROVER_CONTRACT_SPEED is ${asked}, which needs AWS_ENDPOINT_URL on this machine, not ${host}`);
  return asked;
}

/** An account of AWS with the ambient credentials. Refuses any account but the one that was named. */
export class AccountTarget implements OpenTarget {
  readonly clients = accountClients();
  readonly embedded = undefined;
  readonly #clock = new ScaledClock({ speed });
  readonly #cleanup = new Cleanup();

  static async open(): Promise<AccountTarget> {
    const target = new AccountTarget();
    await requireAccount(namedAccount(process.env), target.clients.sts);
    return target;
  }

  clientsAs(credentials: SessionCredentials): ContractClients {
    return accountClients(credentials);
  }

  now(): number {
    return this.#clock.now();
  }

  pass(ms: number): Promise<void> {
    return this.#clock.sleep(ms);
  }

  until<T>(what: string, look: () => Promise<T | undefined | false>, limitMs?: number, everyMs?: number): Promise<T> {
    return lookUntil(this, what, look, limitMs, everyMs);
  }

  uniqueName(prefix: string): string {
    return `drover-contract-${prefix}-${randomBytes(4).toString('hex')}`;
  }

  cleanup(undo: () => Promise<unknown>): void {
    this.#cleanup.add(undo);
  }

  cleanUp(): Promise<readonly string[]> {
    return this.#cleanup.run();
  }
}

/** Clients of the account, each made when first used. */
export function accountClients(credentials?: SessionCredentials): ContractClients {
  const config = { maxAttempts: 10, ...(credentials === undefined ? {} : { credentials }) };
  const made = new Map<string, unknown>();
  const once = <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
  return {
    get autoscaling() {
      return once('autoscaling', () => new AutoScalingClient(config));
    },
    get cloudformation() {
      return once('cloudformation', () => new CloudFormationClient(config));
    },
    get cloudwatch() {
      return once('cloudwatch', () => new CloudWatchClient(config));
    },
    get ec2() {
      return once('ec2', () => new EC2Client(config));
    },
    get events() {
      return once('events', () => new EventBridgeClient(config));
    },
    get iam() {
      return once('iam', () => new IAMClient(config));
    },
    get lambda() {
      return once('lambda', () => new LambdaClient(config));
    },
    get logs() {
      return once('logs', () => new CloudWatchLogsClient(config));
    },
    get secretsmanager() {
      return once('secretsmanager', () => new SecretsManagerClient(config));
    },
    get ssm() {
      return once('ssm', () => new SSMClient(config));
    },
    get sts() {
      return once('sts', () => new STSClient(config));
    },
  };
}
