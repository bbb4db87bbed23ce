// Is there room for what is about to be written? Asked before the control plane starts and when one of its programs
// dies.
import { statfs } from 'node:fs/promises';
import { DiskFullError } from '../errors.ts';

const MIB = 1024 * 1024;

/** Bytes an ordinary user may still write there. */
export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** @throws DiskFullError when fewer than `neededBytes` are free under `folder` */
export async function requireSpace(folder: string, neededBytes: number, free: FreeBytes = freeBytes): Promise<void> {
  const left = await free(folder);
  if (left >= neededBytes) return;
  throw new DiskFullError(
    folder,
    `${Math.floor(left / MIB)} MiB are free, ${Math.ceil(neededBytes / MIB)} MiB are needed`,
  );
}

/** What programs print when the disk is full; undefined when the text says nothing of it. */
export function findDiskFull(log: string): string | undefined {
  return log.split('\n').find((line) => /no space left on device|ENOSPC|disk quota exceeded/i.test(line));
}
