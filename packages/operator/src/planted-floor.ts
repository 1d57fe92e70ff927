export { runLocal } from '@drover/local';
