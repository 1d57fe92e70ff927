import {
  softwareEnvironment,
  softwareFolder,
  softwareFunction,
  softwareObject,
} from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { Aws, CustomResource, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../../acknowledge.ts';
import { BootSoftware } from '../../boot/software.ts';
import { ModuleFunction } from '../../module-function.ts';
import { allow } from '../../statements.ts';
import { type ClusterStores, stateObjectsFinding } from '../permissions.ts';
import type { SearchClusterSettings } from '../settings.ts';
import { type NodePlaces, placesOf, pointedFacts } from '../user-data.ts';

/** By role, as nodes know it. */
const factsOf = (settings: SearchClusterSettings, places: NodePlaces) =>
  Object.fromEntries(Object.values(settings.nodes).map(({ key, role }) => [role, pointedFacts(key, settings, places)]));

/**
 * The software of the nodes, in the state bucket: archives and the pointer to them, which has the settings too. Its function is the only principal
 * that may write there; nodes find it at their boot, and later by `drover cluster roll`.
 */
export class NodeSoftware extends Construct {
  /** Address of the pointer. */
  readonly pointerUrl: string;
  /** The pointer; instances are launched after it. */
  readonly pointer: CustomResource;

  constructor(scope: Construct, id: string, settings: SearchClusterSettings, stores: ClusterStores, logKey: Key) {
    super(scope, id);
    const { state } = stores.buckets;
    const software = new BootSoftware(this, 'Archives', {
      architecture: settings.architecture,
      programs: { 'cluster-cli': 'apps/cluster-cli/dist' },
    });
    const writer = new ModuleFunction(this, 'Writer', {
      functionName: softwareFunction(settings.resourceName),
      bundle: 'apps/functions/dist/software',
      environment: { [softwareEnvironment.stateBucket]: state.bucketName },
      statements: [
        allow(['s3:GetObject'], [state.arnForObjects(softwareObject)]),
        allow(['s3:PutObject'], [state.arnForObjects(`${softwareFolder}*`)]),
        // Without it S3 returns 403 instead of 404 while there is no pointer yet.
        allow(['s3:ListBucket'], [state.bucketArn]),
      ],
      logKey,
    });
    software.grantRead(writer.fn);
    acknowledgeWildcards(
      writer,
      stateObjectsFinding(state, `${softwareFolder}*`, 'archives are named by their content'),
    );
    state.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [state.arnForObjects(`${softwareFolder}*`)],
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': writer.fn.role!.roleArn } },
      }),
    );
    this.pointer = new CustomResource(this, 'Pointer', {
      resourceType: 'Custom::Software',
      serviceToken: writer.fn.functionArn,
      properties: {
        Version: moduleVersion,
        ElasticsearchVersion: settings.elasticsearchVersion,
        // CloudFormation makes texts of all values.
        Facts: Stack.of(this).toJsonString(factsOf(settings, placesOf(stores))),
        Archives: software.published.map(({ bucketName, objectKey, sha256, prefix, into }) => ({
          Bucket: bucketName,
          Key: objectKey,
          Sha256: sha256,
          Prefix: prefix,
          Into: into,
        })),
      },
    });
    // The denial for all others is in force before anything is written.
    this.pointer.node.addDependency(writer, state.policy!);
    this.pointerUrl = `https://s3.${Aws.REGION}.${Aws.URL_SUFFIX}/${state.bucketName}/${softwareObject}`;
  }
}
