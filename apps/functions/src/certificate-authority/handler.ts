import { moduleSurroundings } from '../module-function.ts';
import { certificateAuthorityFunction } from './certificate-authority.ts';

export const handler = certificateAuthorityFunction(moduleSurroundings());
