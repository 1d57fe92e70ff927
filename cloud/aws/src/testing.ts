export { stackWorld } from './cloudformation/testing/stack-world.ts';
export { loadIntoProcess } from './services/lambda/testing/child-process.ts';
