import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, so small that it can be filled. */
export interface SmallDisk extends Disposable {
  readonly folder: string
  /** Writes until no more than so much is free. */
  fillUntil(freeBytes: number): void
  /** Frees the room again. */
  empty(): void
}

/** Whether this process may mount a disk: the superuser of Linux alone may. */
export const canMountDisks = process.platform === 'linux' && process.getuid?.() === 0 && isMountable()

function isMountable(): boolean {
  try {
    openSmallDisk(1)[Symbol.dispose]()
    return true
  } catch {
    return false
  }
}

const MB = 1024 ** 2

/** Mounts a disk on a folder that is there. */
export function mountSmallDisk(folder: string, megabytes: number): Disposable {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]
  execFileSync('mount', options, { stdio: 'ignore' })
  return { [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]) }
}

export function openSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-disk-'))
  let mounted: Disposable
  try {
    mounted = mountSmallDisk(folder, megabytes)
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fillUntil(freeBytes) {
      for (;;) {
        const { bavail, bsize } = statfsSync(folder)
        const bytes = Math.min(MB, bavail * bsize - freeBytes)
        if (bytes <= 0) return
        appendFileSync(filler, Buffer.alloc(bytes))
      }
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      mounted[Symbol.dispose]()
      rmdirSync(folder)
    },
  }
}
