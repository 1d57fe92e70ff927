import type { AddPermissionCommandInput } from '@aws-sdk/client-lambda';
import { conflict } from '../errors.ts';
import { setStatements } from '../functions/policy.ts';
import type { LambdaFunction, PolicyStatement } from '../model.ts';

type Conditions = Record<string, Record<string, string>>;

/** Adds a statement with the given id; ids are unique within a policy. */
export function addStatement(
  fn: LambdaFunction,
  input: Pick<AddPermissionCommandInput, 'StatementId' | 'Action' | 'Principal' | 'SourceArn' | 'SourceAccount'>,
): void {
  const statements = fn.policy?.Statement ?? [];
  if (statements.some(({ Sid }) => Sid === input.StatementId))
    throw conflict(
      `The statement id (${input.StatementId}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
    );
  const source: Conditions = input.SourceArn === undefined ? {} : { ArnLike: { 'AWS:SourceArn': input.SourceArn } };
  const account: Conditions =
    input.SourceAccount === undefined ? {} : { StringEquals: { 'AWS:SourceAccount': input.SourceAccount } };
  const condition = { ...account, ...source };
  const statement: PolicyStatement = {
    Sid: input.StatementId ?? '',
    Effect: 'Allow',
    Principal: principal(input.Principal ?? '*'),
    Action: input.Action ?? 'lambda:InvokeFunction',
    Resource: fn.arn,
    ...(Object.keys(condition).length > 0 ? { Condition: condition } : {}),
  };
  setStatements(fn, [...statements, statement]);
}

function principal(given: string): PolicyStatement['Principal'] {
  if (given === '*') return '*';
  if (given.endsWith('.amazonaws.com')) return { Service: given };
  return { AWS: /^\d{12}$/.test(given) ? `arn:aws:iam::${given}:root` : given };
}

export const removeStatement = (fn: LambdaFunction, id: string): void =>
  setStatements(
    fn,
    (fn.policy?.Statement ?? []).filter(({ Sid }) => Sid !== id),
  );
