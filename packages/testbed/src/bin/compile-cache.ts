// Loaded before a test file (--import): what is imported is compiled, and stripped of its types, once for all runs.
// Not by an environment variable, which what the tests start would inherit.
import { enableCompileCache } from 'node:module';

enableCompileCache();
