import { apiContract } from './api-contract/api-contract.ts';
import { startMemoryDriver } from './api-contract/memory-driver.ts';

apiContract('in memory', { start: () => startMemoryDriver(1), deliberate: 'inMemory' });
