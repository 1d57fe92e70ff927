import { join } from 'node:path';
import { SearchCluster } from '@drover/constructs';
import { App, Stack } from 'aws-cdk-lib';

const app = new App();
const stack = new Stack(app, 'search-cluster');
new SearchCluster(stack, 'SearchCluster', SearchCluster.readConfiguration(join(import.meta.dirname, 'cluster.yaml')));
app.synth();
