import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DiskStep } from './read-trace.ts'

export type FileStep = Exclude<DiskStep, { readonly type: 'sync' | 'committed' }>

/** The files of a ledger as a disk would have them after a power cut, in a folder of their own. */
export class CrashImage {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  apply(step: FileStep): void {
    switch (step.type) {
      case 'unlink':
        rmSync(join(this.folder, step.file), { force: true })
        break
      case 'truncate':
        this.#within(step.file, (fd) => ftruncateSync(fd, step.length))
        break
      case 'write':
        this.#within(step.file, (fd) => writeSync(fd, step.bytes, 0, step.bytes.length, step.offset))
    }
  }

  /** Applies writes, does the work, and takes them back. */
  with<Result>(steps: readonly Extract<FileStep, { type: 'write' }>[], work: () => Result): Result {
    const before = steps.map(({ file, offset, bytes }) => ({
      file,
      ...this.#read(file, offset, bytes.length),
    }))
    for (const step of steps) this.apply(step)
    try {
      return work()
    } finally {
      for (const { file, offset, bytes, length } of before.toReversed()) {
        this.#within(file, (fd) => {
          writeSync(fd, bytes, 0, bytes.length, offset)
          ftruncateSync(fd, length)
        })
      }
    }
  }

  #read(file: string, offset: number, size: number) {
    return this.#within(file, (fd) => {
      const { size: length } = fstatSync(fd)
      const bytes = Buffer.alloc(Math.max(0, Math.min(size, length - offset)))
      readSync(fd, bytes, 0, bytes.length, offset)
      return { offset, bytes, length }
    })
  }

  #within<Result>(file: string, work: (fd: number) => Result): Result {
    const path = join(this.folder, file)
    const fd = openSync(path, existsSync(path) ? 'r+' : 'w+')
    try {
      return work(fd)
    } finally {
      closeSync(fd)
    }
  }
}
