// How Pods find a host, for the testbed: its hosts and the simulated ones judge by the same rules.

export { matches } from './world/api-server/selectors.ts';
export { type Taint, taintsToSet } from './world/controllers/cordon-taint.ts';
export { type Placed, ruleBroken } from './world/hosts/placement.ts';
export { type PodPlacement, placePod } from './world/hosts/scheduler.ts';
