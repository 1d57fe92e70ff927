export { stackWorld } from './cloudformation/testing/stack-world.ts';
