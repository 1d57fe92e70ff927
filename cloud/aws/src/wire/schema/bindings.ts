import type { ServiceId } from '../../account/service.ts';

/** The wire protocols, as AWS names them in its service models. */
export type ProtocolName = 'query' | 'ec2' | 'json' | 'cbor' | 'rest-json' | 'rest-xml';

/** How a service speaks. The first protocol is the one whose error envelope is used for a request that fits none. */
export interface ServiceBinding {
  readonly protocols: readonly ProtocolName[];
  readonly apiVersion: string;
  readonly xmlNamespace?: string;
  /** Prefix of `X-Amz-Target`, and the service's name in RPC v2 paths. */
  readonly target: string;
  readonly jsonVersion?: '1.0' | '1.1';
  /** The code for an absent required member, where it is not the protocol's usual one. */
  readonly missing?: string;
  /** The code for a value beyond a limit, where it is not that of an absent member. */
  readonly invalid?: string;
  /** Error codes go out with `x-amzn-query-error` for clients that learnt them when the service spoke Query. */
  readonly queryCompatible?: boolean;
}

const query = (target: string, apiVersion: string, xmlNamespace: string): ServiceBinding => ({
  protocols: ['query'],
  apiVersion,
  xmlNamespace,
  target,
});

const json = (target: string, apiVersion: string, missing?: string): ServiceBinding => ({
  protocols: ['json'],
  apiVersion,
  target,
  jsonVersion: '1.1',
  ...(missing === undefined ? {} : { missing }),
});

/** By signing name. Versions, targets and namespaces are those that the SDK's clients send and expect. */
export const bindings: Readonly<Record<ServiceId, ServiceBinding>> = {
  autoscaling: query('AutoScaling_2011_01_01', '2011-01-01', 'http://autoscaling.amazonaws.com/doc/2011-01-01/'),
  cloudformation: query('CloudFormation', '2010-05-15', 'http://cloudformation.amazonaws.com/doc/2010-05-15/'),
  ec2: {
    protocols: ['ec2'],
    apiVersion: '2016-11-15',
    xmlNamespace: 'http://ec2.amazonaws.com/doc/2016-11-15/',
    target: 'AmazonEC2',
    missing: 'MissingParameter',
    invalid: 'InvalidParameterValue',
  },
  ecs: json('AmazonEC2ContainerServiceV20141113', '2014-11-13', 'InvalidParameterException'),
  elasticloadbalancing: query(
    'ElasticLoadBalancing_v10',
    '2015-12-01',
    'http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/',
  ),
  events: json('AWSEvents', '2015-10-07'),
  iam: query('AWSIdentityManagementV20100508', '2010-05-08', 'https://iam.amazonaws.com/doc/2010-05-08/'),
  lambda: { protocols: ['rest-json'], apiVersion: '2015-03-31', target: 'AWSGirApiService' },
  logs: json('Logs_20140328', '2014-03-28', 'InvalidParameterException'),
  monitoring: {
    protocols: ['json', 'query', 'cbor'],
    apiVersion: '2010-08-01',
    xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/',
    target: 'GraniteServiceVersion20100801',
    jsonVersion: '1.0',
    missing: 'MissingParameter',
    invalid: 'ValidationError',
    queryCompatible: true,
  },
  route53: {
    protocols: ['rest-xml'],
    apiVersion: '2013-04-01',
    xmlNamespace: 'https://route53.amazonaws.com/doc/2013-04-01/',
    target: 'AWSDnsV20130401',
    missing: 'InvalidInput',
  },
  s3: {
    protocols: ['rest-xml'],
    apiVersion: '2006-03-01',
    xmlNamespace: 'http://s3.amazonaws.com/doc/2006-03-01/',
    target: 'AmazonS3',
    missing: 'MalformedXML',
    invalid: 'InvalidArgument',
  },
  secretsmanager: json('secretsmanager', '2017-10-17'),
  ssm: json('AmazonSSM', '2014-11-06'),
  sts: query('AWSSecurityTokenServiceV20110615', '2011-06-15', 'https://sts.amazonaws.com/doc/2011-06-15/'),
};
