import { expect } from 'vitest';
import type { Resource, Template } from './synth.test-support.ts';

export const ofType = ({ Resources }: Template, type: string): Resource[] =>
  Object.values(Resources).filter(({ Type }) => Type === type);
export const text = (value: unknown) => JSON.stringify(value);

interface Rule {
  readonly FromPort: number;
  readonly ToPort: number;
  readonly CidrIp?: string;
  readonly SourceSecurityGroupId?: unknown;
}

/** The ingress rules of a security group of the template: `port from source`. */
export function ingressOf(template: Template, description: RegExp): string[] {
  const [id, group] = Object.entries(template.Resources).find(
    ([, { Type, Properties }]) =>
      Type === 'AWS::EC2::SecurityGroup' && description.test(String(Properties.GroupDescription)),
  )!;
  const apart = ofType(template, 'AWS::EC2::SecurityGroupIngress').filter(({ Properties }) =>
    text(Properties.GroupId).includes(`"${id}"`),
  );
  const rules = [
    ...((group.Properties.SecurityGroupIngress ?? []) as Rule[]),
    ...apart.map(({ Properties }) => Properties as unknown as Rule),
  ];
  const source = ({ CidrIp, SourceSecurityGroupId }: Rule) =>
    CidrIp ??
    String(template.Resources[/\["(\w+)"/.exec(text(SourceSecurityGroupId))![1]!]!.Properties.GroupDescription);
  return rules.map((rule) => {
    expect(rule.FromPort).toBe(rule.ToPort);
    return `${rule.FromPort} from ${source(rule)}`;
  });
}

export interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Statements of the roles whose logical id begins so. */
export const statementsOf = (template: Template, role: string): Statement[] =>
  ofType(template, 'AWS::IAM::Policy')
    .filter(({ Properties }) => text(Properties.Roles).includes(`"${role}`))
    .flatMap(({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
export const actionsOf = (statements: readonly Statement[]) => statements.flatMap(({ Action }) => Action).sort();
/** The resources for which an action is allowed, as text. */
export const resourcesOf = (statements: readonly Statement[], action: string) =>
  statements.filter(({ Action }) => [Action].flat().includes(action)).map(({ Resource }) => text(Resource));
