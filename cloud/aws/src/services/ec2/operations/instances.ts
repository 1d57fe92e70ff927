import type { Operations } from '../../../account/service.ts';
import { ec2Error, missingParameter } from '../errors.ts';
import type { Instance } from '../model.ts';
import { instanceShape, stateShape } from '../responses.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, type FilterReaders, page } from './filters.ts';
import { onIds, read } from './permissions.ts';

interface DescribeInput {
  readonly InstanceIds?: readonly string[];
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

interface StatusInput extends DescribeInput {
  readonly IncludeAllInstances?: boolean;
}

interface IdsInput {
  readonly InstanceIds?: readonly string[];
}

/** DescribeInstances, DescribeInstanceStatus, and what changes an instance's state. */
export const instanceOperations = (ec2: Ec2State): Operations => ({
  DescribeInstances: read('DescribeInstances', (input: DescribeInput) => {
    const { items, ...next } = page(select(ec2, input), input);
    return { Reservations: items.map((instance) => reservation(ec2, instance)), ...next };
  }),
  DescribeInstanceStatus: read('DescribeInstanceStatus', (input: StatusInput) => {
    const { Filters, IncludeAllInstances = false } = input;
    const chosen = select(ec2, { ...input, Filters: [] }).filter(
      ({ state }) => IncludeAllInstances || state === 'running',
    );
    const { items, ...next } = page(applyFilters(chosen, Filters, statusReaders), input);
    return { InstanceStatuses: items.map((instance) => statusOf(instance)), ...next };
  }),
  TerminateInstances: {
    permissions: (input: IdsInput) => onIds(ec2, 'TerminateInstances', input.InstanceIds),
    run: (input: IdsInput) => ({
      TerminatingInstances: change(ec2, input, (instance) =>
        ec2.fleet.terminate(instance, 'Client.UserInitiatedShutdown: User initiated shutdown'),
      ),
    }),
  },
});

const readers: FilterReaders<Instance> = {
  'availability-zone': (i) => i.availabilityZone,
  architecture: (i) => i.architecture,
  'iam-instance-profile.arn': (i) => i.instanceProfileArn,
  'image-id': (i) => i.imageId,
  'instance-id': (i) => i.id,
  'instance-lifecycle': (i) => (i.spot ? 'spot' : undefined),
  'instance-state-code': (i) => String(stateShape(i.state).Code),
  'instance-state-name': (i) => i.state,
  'instance-type': (i) => i.instanceType,
  'instance.group-id': (i) => i.securityGroupIds,
  'network-interface.addresses.private-ip-address': (i) => i.privateIp,
  'private-dns-name': (i) => i.privateDnsName,
  'private-ip-address': (i) => i.privateIp,
  'root-device-type': () => 'ebs',
  'subnet-id': (i) => i.subnetId,
  'vpc-id': (i) => i.vpcId,
};

/** The checks of the system and the network; that of the instance fails when its operating system does not respond. */
const reachability = ({ impaired }: Instance) => (impaired ? 'failed' : 'passed');
const checked = ({ impaired, state }: Instance) =>
  state !== 'running' ? 'not-applicable' : impaired ? 'impaired' : 'ok';

const statusReaders: FilterReaders<Instance> = {
  'availability-zone': (i) => i.availabilityZone,
  'instance-state-code': (i) => String(stateShape(i.state).Code),
  'instance-state-name': (i) => i.state,
  'instance-status.reachability': (i) => reachability(i),
  'instance-status.status': (i) => checked(i),
};

/** "The time when a status check failed": status checks for EC2 instances, InstanceStatusDetails. */
const statusOf = (instance: Instance) => ({
  InstanceId: instance.id,
  AvailabilityZone: instance.availabilityZone,
  InstanceState: stateShape(instance.state),
  InstanceStatus: {
    Status: checked(instance),
    Details: [
      {
        Name: 'reachability',
        Status: reachability(instance),
        ...(instance.impaired ? { ImpairedSince: new Date(instance.impairedAt) } : {}),
      },
    ],
  },
  SystemStatus: { Status: instance.state === 'running' ? 'ok' : 'not-applicable' },
});

/** By id (each must exist) and by filters. An id narrows before anything is walked. */
function select(ec2: Ec2State, input: DescribeInput): Instance[] {
  const ids = input.InstanceIds ?? [];
  if (ids.length > 0 && input.MaxResults !== undefined)
    throw ec2Error(
      'InvalidParameterCombination',
      'The parameter instancesSet cannot be used with the parameter maxResults',
    );
  const from = ids.length > 0 ? named(ec2, ids) : ec2.instances.values();
  return applyFilters(from, input.Filters, readers);
}

/** Every missing id is named at once, as EC2 does. */
function named(ec2: Ec2State, ids: readonly string[]): Instance[] {
  const malformed = ids.find((id) => !/^i-[0-9a-f]{8}([0-9a-f]{9})?$/.test(id));
  if (malformed !== undefined) throw ec2Error('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const missing = ids.filter((id) => !ec2.instances.has(id));
  if (missing.length === 1)
    throw ec2Error('InvalidInstanceID.NotFound', `The instance ID '${missing[0]}' does not exist`);
  if (missing.length > 1)
    throw ec2Error('InvalidInstanceID.NotFound', `The instance IDs '${missing.join(', ')}' do not exist`);
  return ids.map((id) => ec2.instances.get(id)!);
}

function change(ec2: Ec2State, input: IdsInput, act: (instance: Instance) => void) {
  if ((input.InstanceIds ?? []).length === 0) throw missingParameter('InstanceId');
  return named(ec2, input.InstanceIds!).map((instance) => {
    const PreviousState = stateShape(instance.state);
    act(instance);
    return { InstanceId: instance.id, PreviousState, CurrentState: stateShape(instance.state) };
  });
}

const reservation = (ec2: Ec2State, instance: Instance) => ({
  ReservationId: `r-${instance.id.slice(2)}`,
  OwnerId: ec2.aws.accountId,
  Groups: [],
  Instances: [instanceShape(ec2, instance)],
});
