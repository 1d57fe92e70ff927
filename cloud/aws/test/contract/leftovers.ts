import { paginateDescribeAutoScalingGroups } from '@aws-sdk/client-auto-scaling';
import { paginateDescribeStacks } from '@aws-sdk/client-cloudformation';
import { paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { paginateDescribeInstances, paginateDescribeLaunchTemplates } from '@aws-sdk/client-ec2';
import { ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { paginateListRoles } from '@aws-sdk/client-iam';
import { paginateListFunctions } from '@aws-sdk/client-lambda';
import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { type ContractClients, contractPrefix, contractTag } from './target.ts';

/**
 * Resources that tests have left behind, by tag where the service finds by tag, else by name. Empty when all is clean.
 */
export async function leftovers(clients: ContractClients): Promise<string[]> {
  const found = await Promise.all(searches.map((search) => search(clients)));
  return found.flat();
}

type Search = (clients: ContractClients) => Promise<string[]>;

const byTag = [{ Name: 'tag-key', Values: [contractTag] }];
const ours = (name: string | undefined) => name?.startsWith(contractPrefix) === true;

const searches: readonly Search[] = [
  async ({ autoscaling }) => {
    const found: string[] = [];
    for await (const { AutoScalingGroups } of paginateDescribeAutoScalingGroups(
      { client: autoscaling },
      { Filters: byTag },
    ))
      found.push(...(AutoScalingGroups ?? []).map((group) => `group ${group.AutoScalingGroupName}`));
    return found;
  },
  async ({ ec2 }) => {
    const found: string[] = [];
    const alive = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
    for await (const { Reservations } of paginateDescribeInstances({ client: ec2 }, { Filters: [...byTag, alive] }))
      for (const { Instances } of Reservations ?? [])
        found.push(...(Instances ?? []).map((instance) => `instance ${instance.InstanceId}`));
    return found;
  },
  async ({ ec2 }) => {
    const found: string[] = [];
    for await (const { LaunchTemplates } of paginateDescribeLaunchTemplates({ client: ec2 }, { Filters: byTag }))
      found.push(...(LaunchTemplates ?? []).map((template) => `launch template ${template.LaunchTemplateName}`));
    return found;
  },
  async ({ secretsmanager }) => {
    const found: string[] = [];
    const Filters = [{ Key: 'tag-key' as const, Values: [contractTag] }];
    for await (const { SecretList } of paginateListSecrets({ client: secretsmanager }, { Filters }))
      found.push(...(SecretList ?? []).map((secret) => `secret ${secret.Name}`));
    return found;
  },
  async ({ lambda }) => {
    const found: string[] = [];
    for await (const { Functions } of paginateListFunctions({ client: lambda }, {}))
      found.push(
        ...(Functions ?? []).flatMap(({ FunctionName }) => (ours(FunctionName) ? `function ${FunctionName}` : [])),
      );
    return found;
  },
  async ({ iam }) => {
    const found: string[] = [];
    for await (const { Roles } of paginateListRoles({ client: iam }, {}))
      found.push(...(Roles ?? []).flatMap(({ RoleName }) => (ours(RoleName) ? `role ${RoleName}` : [])));
    return found;
  },
  async ({ cloudwatch }) => {
    const found: string[] = [];
    for await (const { MetricAlarms } of paginateDescribeAlarms(
      { client: cloudwatch },
      { AlarmNamePrefix: contractPrefix },
    ))
      found.push(...(MetricAlarms ?? []).map(({ AlarmName }) => `alarm ${AlarmName}`));
    return found;
  },
  async ({ cloudformation }) => {
    const found: string[] = [];
    for await (const { Stacks } of paginateDescribeStacks({ client: cloudformation }, {}))
      found.push(...(Stacks ?? []).flatMap(({ StackName }) => (ours(StackName) ? `stack ${StackName}` : [])));
    return found;
  },
  async ({ events }) => {
    const { Rules } = await events.send(new ListRulesCommand({ NamePrefix: contractPrefix }));
    return (Rules ?? []).map(({ Name }) => `rule ${Name}`);
  },
  async ({ logs }) => {
    const logGroupNamePrefix = `/aws/lambda/${contractPrefix}`;
    const { logGroups } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix }));
    return (logGroups ?? []).map(({ logGroupName }) => `log group ${logGroupName}`);
  },
];
