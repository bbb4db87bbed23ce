// The oldest Node the bundle runs on: tried with 20, whose 20.16 is the first with
// process.getBuiltinModule. package.json says the same.

export const OLDEST_NODE = '20.16';
