export { main } from '@drover/drover';
