export { type Clock, systemClock, type Timer } from './clock.ts';
export { createHeap, type Heap } from './heap.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
