import { setTimeout as wait } from 'node:timers/promises'
import { residentBytes } from '../../bench/processor-time.ts'

export interface MemoryLog {
  /** Call after each of the steps; some of them take a reading. */
  count(): Promise<void>
  describe(): string
  /** Whether the last reading is no more above the first, taken when all was warm, than noise allows. */
  readonly isFlat: boolean
}

/** The first reading waits until every lane was compiled and every pool filled. */
const FIRST_READING = 0.3
const READINGS = 8
const SWEEP_MS = 300
const NOISE_MEGABYTES = 40

/** Reads a process' resident memory now and then, after asking it to collect garbage (SIGUSR2). */
export function createMemoryLog(pid: number, steps: number): MemoryLog {
  const due = Array.from({ length: READINGS }, (_, index) =>
    Math.floor(steps * (FIRST_READING + ((1 - FIRST_READING) * index) / (READINGS - 1))),
  )
  const megabytes: number[] = []
  let done = 0
  return {
    async count() {
      done += 1
      if (due[0] !== undefined && done >= due[0]) {
        due.shift()
        process.kill(pid, 'SIGUSR2')
        await wait(SWEEP_MS)
        megabytes.push(residentBytes(pid) / 1024 / 1024)
      }
    },
    describe: () =>
      `resident MB after ${FIRST_READING * 100} % to 100 %: ${megabytes.map((one) => one.toFixed(0)).join(' ')}`,
    get isFlat() {
      const [first = 0] = megabytes
      return (megabytes.at(-1) ?? 0) - first <= NOISE_MEGABYTES
    },
  }
}
