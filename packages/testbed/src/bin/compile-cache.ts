// Loaded before a test file (--import): imported modules are compiled, and stripped of types, once for all runs. Not
// switched on by an environment variable, which processes started by tests would inherit.
import { enableCompileCache } from 'node:module';

enableCompileCache();
