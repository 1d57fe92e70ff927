import { join } from 'node:path';
import { RunnerFleet } from '@drover/constructs';
import { App, Stack } from 'aws-cdk-lib';

const app = new App();
const stack = new Stack(app, 'runner-fleet');
new RunnerFleet(stack, 'RunnerFleet', RunnerFleet.readConfiguration(join(import.meta.dirname, 'fleet.yaml')));
app.synth();
