import { moduleSurroundings } from '../module-function.ts';
import { webUiRedeploymentFunction } from './web-ui-redeployment.ts';

export const handler = webUiRedeploymentFunction(moduleSurroundings());
