export { handler } from '../../functions/src/registration/handler.ts';
