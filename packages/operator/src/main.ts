// The process: flags, credentials, one manager, one exit code.

import { setFlagsFromString } from 'node:v8';
import { createLogger, exitCodeOf, loadClusterAccess, runUntilExit } from '@marekvs/runtime';
import packageJson from '../package.json' with { type: 'json' };
import { createOperator } from './app.ts';
import { parseOptions } from './process/options.ts';

// After a burst of work the heap would stay at four times what is needed, for hours: let it grow by only a quarter
// between two collections. That is no limit: a thousand clusters get what they need.
setFlagsFromString('--heap-growing-percent=25');

const options = parseOptions(process.argv.slice(2));
const logger = createLogger({ level: options.logLevel, format: options.logFormat });

await runUntilExit(
  async (signal) => {
    try {
      const access = await loadClusterAccess(options);
      logger.info('Starting marekvs-operator', { version: packageJson.version, apiServer: access.describe });
      const operator = createOperator(access, options, packageJson.version, logger);
      return await operator.run(signal);
    } catch (error) {
      return { exitCode: exitCodeOf(error), error };
    }
  },
  { logger },
);
