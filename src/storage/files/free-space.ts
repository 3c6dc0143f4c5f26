import { statfs } from 'node:fs/promises'
import type { DiskSpace } from '../../telemetry/disk-guard.ts'

/** Of the file system that holds a folder, as far as this user may fill it. */
export async function readFreeSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
