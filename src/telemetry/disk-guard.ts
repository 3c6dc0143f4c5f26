import { errorCodeOf } from '../kit/errors/error-code.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

/**
 * `low`: writes that are not essential stop, which leaves the rest to the ledger. `nearly-full`: no work starts that
 * includes a write which must not fail.
 */
export type DiskLevel = 'ample' | 'low' | 'nearly-full'

/** The free space at one check, and what it means. */
export interface DiskState {
  readonly level: DiskLevel
  readonly space: DiskSpace
}

export interface DiskGuardOptions {
  readonly read: () => Promise<DiskSpace>
  readonly clock: Pick<Clock, 'startTimer'>
  readonly onChange: (state: DiskState) => void
  readonly warn: (message: string) => void
}

/** The time between two checks. It is short, so that little can be written before the free space is known. */
const CHECK_INTERVAL_MS = 1_000
const BYTES_PER_MB = 1024 ** 2
/**
 * The limits of free space: a share of a small file system, and an amount of a large one, since writes are equally
 * large on both.
 */
const bounds = {
  low: { bytes: 1_024 * BYTES_PER_MB, share: 0.1 },
  'nearly-full': { bytes: 128 * BYTES_PER_MB, share: 0.05 },
} as const

/** A level ends only with this much more free space, so that it does not flap. */
const ROOM_TO_LEAVE = 1.25

/** Watches the free space where the stores are. While the free space cannot be read, the level does not change. */
export class DiskGuard {
  /** The level at the last check. */
  level: DiskLevel = 'ample'
  readonly #options: DiskGuardOptions
  #space: DiskSpace | undefined
  /** Whether the last check failed. A failure is reported once, not at every check. */
  #isUnread = false
  #timer: Timer | undefined
  #isClosed = false

  constructor(options: DiskGuardOptions) {
    this.#options = options
  }

  /** The result of the last check. */
  get space(): DiskSpace | undefined {
    return this.#space
  }

  /** Undefined while the free space is unknown. */
  get reading(): DiskState | undefined {
    return this.#space && { level: this.level, space: this.#space }
  }

  /** Makes the first check, then repeats it. */
  async start(): Promise<void> {
    await this.#look()
    if (!this.#isClosed)
      this.#timer = this.#options.clock.startTimer(CHECK_INTERVAL_MS, () => void this.start())
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  async #look(): Promise<void> {
    const space = await this.#read()
    if (space === undefined || this.#isClosed) return
    this.#space = space
    const from = this.level
    this.level = judge(space, from)
    if (this.level !== from) this.#options.onChange({ level: this.level, space })
  }

  /** Undefined where the free space cannot be read. */
  async #read(): Promise<DiskSpace | undefined> {
    try {
      const space = await this.#options.read()
      this.#isUnread = false
      return space
    } catch (error) {
      const isReported = this.#isUnread || unsupportedCodes.has(errorCodeOf(error))
      this.#isUnread = true
      if (!isReported)
        this.#options.warn(`the free space where the data folder is cannot be read: ${reasonOf(error)}`)
      return undefined
    }
  }
}

/** The codes for a file system that does not report its free space. */
const unsupportedCodes: ReadonlySet<string | undefined> = new Set(['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

function judge(space: DiskSpace, before: DiskLevel): DiskLevel {
  if (isBelow('nearly-full', space, before === 'nearly-full')) return 'nearly-full'
  return isBelow('low', space, before !== 'ample') ? 'low' : 'ample'
}

/** The free space below which the level `nearly-full` begins. */
export function nearlyFullBelow(totalBytes: number): number {
  return boundOf('nearly-full', totalBytes)
}

function boundOf(level: keyof typeof bounds, totalBytes: number): number {
  const { bytes, share } = bounds[level]
  return Math.min(bytes, totalBytes * share)
}

function isBelow(level: keyof typeof bounds, { freeBytes, totalBytes }: DiskSpace, isIn: boolean): boolean {
  return freeBytes < boundOf(level, totalBytes) * (isIn ? ROOM_TO_LEAVE : 1)
}

/** Describes a level for operators. */
export function describeDisk({ level, space: { freeBytes, totalBytes } }: DiskState): string {
  const free = `${Math.floor(freeBytes / BYTES_PER_MB)} of ${Math.floor(totalBytes / BYTES_PER_MB)} MB are free where the data folder is`
  switch (level) {
    case 'low':
      return `the disk fills up: ${free}; the request log is not stored until there is room again`
    case 'nearly-full':
      return `the disk is nearly full: ${free}; requests under a limit in money are refused until there is room again, so that none of their rows is lost`
    case 'ample':
      return `the disk has room again: ${free}`
  }
}
