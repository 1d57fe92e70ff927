import { AwsError } from '../account/errors.ts';
import type { Template } from './template/template.ts';

/** IAM types by the property that would give them a name of their own. */
const namedBy: Readonly<Record<string, string>> = {
  'AWS::IAM::AccessKey': '',
  'AWS::IAM::Group': 'GroupName',
  'AWS::IAM::InstanceProfile': 'InstanceProfileName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Policy': '',
  'AWS::IAM::Role': 'RoleName',
  'AWS::IAM::User': 'UserName',
  'AWS::IAM::UserToGroupAddition': '',
};

/** The capabilities that a template needs (API Reference, CreateStack, Capabilities). */
export function neededCapabilities(template: Template): string[] {
  const resources = Object.values(template.Resources).filter(({ Type }) => Type in namedBy);
  const named = resources.some(({ Type, Properties }) => Properties?.[namedBy[Type]!] !== undefined);
  return [
    ...(named ? ['CAPABILITY_NAMED_IAM'] : resources.length > 0 ? ['CAPABILITY_IAM'] : []),
    ...(template.Transform.length > 0 ? ['CAPABILITY_AUTO_EXPAND'] : []),
  ];
}

/** Refuses a template that needs a capability which was not acknowledged; the named one covers the plain one. */
export function requireCapabilities(template: Template, given: readonly string[]): void {
  const covered = (needed: string) =>
    given.includes(needed) || (needed === 'CAPABILITY_IAM' && given.includes('CAPABILITY_NAMED_IAM'));
  const missing = neededCapabilities(template).filter((needed) => !covered(needed));
  if (missing.length > 0)
    throw new AwsError('InsufficientCapabilitiesException', `Requires capabilities : [${missing.join(', ')}]`, 400);
}
