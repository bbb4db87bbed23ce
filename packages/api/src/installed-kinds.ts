// Whether the kinds that are installed have every field of this version. A separate entry, because nobody but the
// operator needs the outlines.

export { missingFrom, outlineOf } from './crd/outline.ts';
export { OUTLINES } from './crd/outlines.ts';
