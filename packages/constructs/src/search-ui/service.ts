import { kibanaUser, uiPort } from '@drover/core/names/search-cluster';
import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import { CfnCluster, CfnService, CfnTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { HttpsLoadBalancer } from '../balancing/https-load-balancer.ts';
import { allow } from '../statements.ts';
import type { SearchUiSettings } from './settings.ts';

const container = 'kibana';
/** Kibana migrates its saved objects at its first start with a version. */
const startSeconds = 600;

export interface UiServiceProps {
  readonly settings: SearchUiSettings;
  readonly balancer: HttpsLoadBalancer;
  readonly securityGroupIds: readonly string[];
  readonly logKey: Key;
}

/** Kibana on Fargate. Its task reads the password when it starts. */
export class UiService extends Construct {
  readonly cluster: CfnCluster;
  readonly service: CfnService;
  readonly executionRole: Role;

  constructor(scope: Construct, id: string, props: UiServiceProps) {
    super(scope, id);
    const { settings, balancer, securityGroupIds } = props;
    this.cluster = new CfnCluster(this, 'Cluster', {
      clusterSettings: [{ name: 'containerInsights', value: 'enabled' }],
    });
    const logs = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_YEAR,
      encryptionKey: props.logKey,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const encryptionKey = this.#encryptionKey(settings);
    this.executionRole = this.#executionRole(logs, [settings.login.secretId, encryptionKey.secretArn]);
    const definition = this.#taskDefinition(settings, logs, encryptionKey);
    this.service = new CfnService(this, 'Service', {
      cluster: this.cluster.ref,
      taskDefinition: definition.ref,
      desiredCount: settings.taskCount,
      launchType: 'FARGATE',
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: [...settings.subnetIds],
          securityGroups: [...securityGroupIds],
          assignPublicIp: 'DISABLED',
        },
      },
      loadBalancers: [{ containerName: container, containerPort: uiPort, targetGroupArn: balancer.targetGroup.ref }],
      healthCheckGracePeriodSeconds: startSeconds,
      deploymentConfiguration: {
        minimumHealthyPercent: 100,
        maximumPercent: 200,
        deploymentCircuitBreaker: { enable: true, rollback: true },
      },
      propagateTags: 'SERVICE',
    });
    // A target group belongs to a load balancer once a listener forwards to it.
    this.service.node.addDependency(balancer.listener);
  }

  #executionRole(logs: LogGroup, secretArns: string[]): Role {
    const role = new Role(this, 'ExecutionRole', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    role.addToPolicy(allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logs.logGroupArn]));
    role.addToPolicy(allow(['secretsmanager:GetSecretValue'], secretArns));
    return role;
  }

  #taskDefinition(settings: SearchUiSettings, logs: LogGroup, encryptionKey: Secret): CfnTaskDefinition {
    const definition = new CfnTaskDefinition(this, 'Definition', {
      cpu: String(settings.taskCpu),
      memory: String(settings.taskMemory),
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      runtimePlatform: {
        cpuArchitecture: settings.architecture === 'arm64' ? 'ARM64' : 'X86_64',
        operatingSystemFamily: 'LINUX',
      },
      executionRoleArn: this.executionRole.roleArn,
      containerDefinitions: [
        {
          name: container,
          image: `${settings.kibanaImage}:${settings.kibanaVersion}`,
          essential: true,
          portMappings: [{ containerPort: uiPort, protocol: 'tcp' }],
          environment: environment(settings),
          secrets: [
            { name: settings.login.variable, valueFrom: settings.login.secretId },
            ...encryptionKeys.map((name) => ({ name, valueFrom: encryptionKey.secretArn })),
          ],
          logConfiguration: {
            logDriver: 'awslogs',
            options: {
              'awslogs-group': logs.logGroupName,
              'awslogs-region': Aws.REGION,
              'awslogs-stream-prefix': container,
            },
          },
        },
      ],
    });
    acknowledge(definition, { ECS2: 'none of the variables is secret; those that are come from the secrets store' });
    // The first task needs its permissions.
    definition.node.addDependency(this.executionRole);
    return definition;
  }

  /** All tasks need the same key, also after a redeployment: it encrypts sessions and saved objects. */
  #encryptionKey({ url }: SearchUiSettings): Secret {
    const secret = new Secret(this, 'EncryptionKey', {
      description: `key with which the web UI ${url} encrypts sessions and saved objects`,
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    acknowledge(secret, { SMG4: 'with another key saved objects could not be read any more' });
    return secret;
  }
}

/** Settings of Kibana as its image takes them (Kibana guide, "Install Kibana with Docker", environment variables). */
const environment = (settings: SearchUiSettings) => [
  { name: 'SERVER_PUBLICBASEURL', value: settings.url },
  { name: 'ELASTICSEARCH_HOSTS', value: settings.elasticsearchUrl },
  // Kibana refuses to start with both a user and a token.
  ...(settings.kibanaTokenSecretId === undefined ? [{ name: 'ELASTICSEARCH_USERNAME', value: kibanaUser }] : []),
  // Versions differ in whether the health check of the load balancer may read the status without a login.
  { name: 'STATUS_ALLOWANONYMOUS', value: 'true' },
];

const encryptionKeys = [
  'XPACK_SECURITY_ENCRYPTIONKEY',
  'XPACK_ENCRYPTEDSAVEDOBJECTS_ENCRYPTIONKEY',
  'XPACK_REPORTING_ENCRYPTIONKEY',
];
