import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { asFetch } from '@drover/cloud-engine';
import { describe, expect, it } from 'vitest';
import type { NetworkModel } from '../../ec2/network/network.ts';
import { clientIn, injected, invoke, testWorld } from '../function-world.test-support.ts';

interface Place {
  readonly network: NetworkModel;
  readonly vpcId: string;
  readonly subnetId: string;
  /** Sends what is not for the VPC there. */
  leadTo(target: string): void;
}

/** The responses that a function in such a subnet gets from a site on the internet, and from AWS. */
async function askedFrom(prepare: (place: Place) => void) {
  const test = testWorld();
  const { network } = test.world.aws.ec2;
  test.world.network.register('api.example.com', async () => ({ status: 200, headers: {}, body: '' }));
  const { id: vpcId } = network.createVpc({ cidr: '10.0.0.0/16' });
  const { id: subnetId } = network.createSubnet({ vpcId, cidr: '10.0.0.0/24', zone: 'eu-west-1a' });
  const { routes } = network.mainRouteTable(vpcId);
  const destination = '0.0.0.0/0';
  prepare({ network, vpcId, subnetId, leadTo: (target) => routes.set(destination, { destination, target }) });
  const group = [...network.securityGroups.values()].find((one) => one.vpcId === vpcId)!;
  const VpcConfig = { SubnetIds: [subnetId], SecurityGroupIds: [group.id] };
  await injected(
    test,
    'asker',
    (environment) => async (what) => {
      if (what === 'site') return (await asFetch(environment.http)('https://api.example.com/')).status;
      return (await clientIn(test, environment).send(new GetFunctionConfigurationCommand({ FunctionName: 'asker' })))
        .Timeout;
    },
    { VpcConfig, Timeout: 20 },
  );
  const ask = async (what: string) => (await invoke(test, 'asker', what)).payload;
  return { site: await ask('site'), aws: await ask('aws'), notes: test.world.engine.journal.entries };
}

const withGateway = ({ network, vpcId }: Place) => {
  const gateway = network.createInternetGateway();
  gateway.vpcId = vpcId;
  return gateway.id;
};
const nothing = {
  errorType: 'Sandbox.Timedout',
  errorMessage: expect.stringMatching(/timed out after 20.00 seconds$/),
};

describe('a function in a VPC', () => {
  it('says in which VPC its subnets are, and is refused with subnets that are nowhere or in two', async () => {
    const test = testWorld();
    const { network } = test.world.aws.ec2;
    const [first, second] = ['10.0.0.0/16', '10.1.0.0/16'].map((cidr) => network.createVpc({ cidr }).id);
    const subnetIn = (vpcId: string, cidr: string) => network.createSubnet({ vpcId, cidr, zone: 'eu-west-1a' }).id;
    const [a, b, other] = [
      subnetIn(first!, '10.0.0.0/24'),
      subnetIn(first!, '10.0.1.0/24'),
      subnetIn(second!, '10.1.0.0/24'),
    ];
    const group = [...network.securityGroups.values()].find((one) => one.vpcId === first)!;
    const make = (name: string, ...SubnetIds: string[]) =>
      injected(test, name, () => () => null, { VpcConfig: { SubnetIds, SecurityGroupIds: [group.id] } });

    await make('placed', a!, b!);
    const { VpcConfig } = await test.aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: 'placed' }));

    expect(VpcConfig).toEqual({ SubnetIds: [a, b], SecurityGroupIds: [group.id], VpcId: first });
    await expect(make('nowhere', 'subnet-0')).rejects.toThrow("The subnet ID 'subnet-0' does not exist");
    await expect(make('torn', a!, other!)).rejects.toThrow('must all be in one VPC');
  });

  it('gets out of a VPC through NAT', async () => {
    const { site, aws } = await askedFrom((place) => {
      const { network, vpcId, leadTo } = place;
      const outer = network.createSubnet({ vpcId, cidr: '10.0.1.0/24', zone: 'eu-west-1a' });
      const table = network.createRouteTable({ vpcId });
      table.routes.set('0.0.0.0/0', { destination: '0.0.0.0/0', target: withGateway(place) });
      network.associate(table.id, outer.id);
      leadTo(network.createNatGateway({ subnetId: outer.id }).id);
    });

    expect({ site, aws }).toEqual({ site: 200, aws: 20 });
  });

  it('a function in a VPC has no way out of a public subnet, to AWS neither, and waits until its timeout', async () => {
    const { site, aws, notes } = await askedFrom((place) => place.leadTo(withGateway(place)));

    expect({ site, aws }).toEqual({ site: nothing, aws: nothing });
    expect(notes.filter(({ name }) => name === 'no way out').map(({ detail }) => detail?.host)).toEqual([
      'api.example.com',
      'lambda.eu-west-1.amazonaws.com',
    ]);
  });

  it('reaches from an isolated subnet only the AWS services that have an endpoint there', async () => {
    const endpoint = (service: string) =>
      askedFrom(({ network, vpcId, subnetId }) => {
        const serviceName = `com.amazonaws.eu-west-1.${service}`;
        network.createEndpoint({
          vpcId,
          serviceName,
          endpointType: 'Interface',
          subnetIds: [subnetId],
          routeTableIds: [],
        });
      });

    expect(await endpoint('lambda')).toMatchObject({ site: nothing, aws: 20 });
    expect(await endpoint('autoscaling')).toMatchObject({ site: nothing, aws: nothing });
  });
});
