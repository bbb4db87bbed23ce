export { startControlPlane } from './control-plane/control-plane.ts';
