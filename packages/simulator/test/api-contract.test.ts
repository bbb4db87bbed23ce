import { apiContract } from './api-contract/api-contract.ts';
import { startMemoryDriver } from './api-contract/memory-driver.ts';

apiContract('of the server in memory', { start: () => startMemoryDriver(1), deliberate: 'inMemory' });
