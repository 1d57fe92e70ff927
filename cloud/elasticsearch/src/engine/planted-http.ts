export { routes } from '../http/routes/all-routes.ts';
