import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { type Clients, clients, World } from '@drover/cloud-world';
import { VirtualClock } from '@drover/core';
import { strToU8, zipSync } from 'fflate';
import type { Credentials } from '../../account/service.ts';
import { inProcessClientConfig } from '../../wire/client-config.ts';
import { requestHandlerOver } from '../../wire/request-handler.ts';
import type { FunctionEnvironment, Handler } from './lambda.ts';

/** A world on a virtual clock with root's clients. */
export interface TestWorld {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly aws: Clients;
}

export function testWorld(seed: number | string = 1): TestWorld {
  const clock = new VirtualClock();
  const world = new World({ clock, seed });
  return { world, clock, aws: clients(world, undefined, { maxAttempts: 1 }) };
}

/** Moves time until the call has returned. */
export async function during<T>({ clock }: TestWorld, call: Promise<T>, limitMs = 3_600_000): Promise<T> {
  let ended = false;
  const settled = call.finally(() => {
    ended = true;
  });
  settled.catch(() => {});
  await clock.runUntil(() => ended, limitMs);
  return settled;
}

/** A role that a service may take, with the given allowed actions. */
export async function role(
  { aws }: TestWorld,
  name: string,
  service: string,
  statements: readonly object[],
): Promise<string> {
  const Statement = [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }];
  const { Role } = await aws.iam.send(
    new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument: policy(Statement) }),
  );
  if (statements.length > 0)
    await aws.iam.send(
      new PutRolePolicyCommand({ RoleName: name, PolicyName: 'own', PolicyDocument: policy(statements) }),
    );
  return Role!.Arn!;
}

const policy = (Statement: readonly object[]) => JSON.stringify({ Version: '2012-10-17', Statement });

export const mayEverything = [{ Effect: 'Allow', Action: '*', Resource: '*' }];

/** A function whose code is injected; returns its ARN once it can be invoked. */
export async function injected(
  test: TestWorld,
  name: string,
  factory: (environment: FunctionEnvironment) => Handler,
  settings: Partial<CreateFunctionCommandInput> = {},
): Promise<string> {
  test.world.aws.lambda.inject((functionName) => functionName === name, factory);
  return created(test, name, { 'index.js': 'exports.handler = async () => null' }, settings);
}

/** A function made of files. */
export async function created(
  test: TestWorld,
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  settings: Partial<CreateFunctionCommandInput> = {},
): Promise<string> {
  const Role = settings.Role ?? (await role(test, `${name}-role`, 'lambda.amazonaws.com', mayEverything));
  const entries = Object.entries(files).map(([path, text]) => [path, typeof text === 'string' ? strToU8(text) : text]);
  const { FunctionArn } = await test.aws.lambda.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: zipSync(Object.fromEntries(entries)) },
      ...settings,
      Role,
    }),
  );
  await test.clock.advance(10_000);
  return FunctionArn!;
}

/** Invokes and waits for the response. */
export async function invoke(test: TestWorld, name: string, payload: unknown = {}) {
  const Payload = Buffer.from(JSON.stringify(payload));
  const answer = await during(test, test.aws.lambda.send(new InvokeCommand({ FunctionName: name, Payload })));
  return { ...answer, payload: JSON.parse(Buffer.from(answer.Payload!).toString()) };
}

/** The SDK as a function uses it: its credentials, its network, its clock; nothing is looked up in files. */
export const clientIn = ({ world }: TestWorld, environment: FunctionEnvironment) =>
  new LambdaClient({
    ...inProcessClientConfig(world, environment.caller.credentials as Credentials),
    maxAttempts: 1,
    requestHandler: requestHandlerOver(environment.http, { clock: environment.clock }),
  });
