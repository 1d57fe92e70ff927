import type { CloudFormationOperations } from '../calls.ts';
import { queryProtocol } from './protocols.ts';
import { listOf, members } from './read-xml.ts';
import type { SignedService } from './signed-calls.ts';

/** AWS CloudFormation. */
export const cloudFormation: SignedService<CloudFormationOperations> = {
  name: 'cloudformation',
  protocol: queryProtocol('2010-05-15'),
  operations: { DescribeStacks: { output: members({ Stacks: listOf(members({ StackStatus: 'text' })) }) } },
};
