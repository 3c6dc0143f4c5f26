import { constants, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import type { Clock } from '../../kit/time/clock.ts'

/** The launcher's option for which this code compensates (decision 0019). */
const REDUCER_OPTION = '--no-memory-reducer-favors-memory'

const LOOK_EVERY_MS = 1_000
/** The growth of the heap that ordinary traffic does not reach (decision 0019). */
const MARGIN_BYTES = 64 * 1024 * 1024
/** The memory that a small installation no longer needs after its start. */
const START_BYTES = 32 * 1024 * 1024
/** The busy share of the last second above which the process counts as busy. Compacting the heap costs most then. */
const BUSY_SHARE = 0.5
/** The time for V8's memory reducer, which checks every 8 s and collects twice. */
const RETURNING_MS = 20_000
/** The number of collections. The first one may have begun earlier. Each further one discards compiled code again. */
const COLLECTIONS = 2

export interface MemoryReturnParts {
  /** Whether the memory of the start is still to be returned. */
  readonly hasStartLeft: boolean
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  /** The bytes of V8's heap without the space of new objects, which grows under ordinary traffic and stays large. */
  readonly heapBytes: () => number
  /** The share of the time since the last call in which the event loop was busy, 0 to 1. */
  readonly busyShare: () => number
  /** Turns the memory return of V8's memory reducer on or off. */
  readonly favorMemory: (isFavored: boolean) => void
  /** Reports each collection of the whole heap, until the returned function is called. */
  readonly watchCollections: (onCollection: () => void) => () => void
}

/**
 * Returns the memory of large requests and answers to the system, where the launcher turned off V8's own way to do so.
 */
export function returnMemory(clock: MemoryReturnParts['clock'], hasStartLeft: boolean): void {
  if (!process.execArgv.includes(REDUCER_OPTION)) return
  let before = performance.eventLoopUtilization()
  returnMemoryWhenQuiet({
    clock,
    hasStartLeft,
    heapBytes: sizeWithoutNewSpace,
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    favorMemory: (isFavored) => {
      const no = isFavored ? '' : 'no-'
      setFlagsFromString(`--${no}memory-reducer-favors-memory`)
      setFlagsFromString(`--${no}memory-saver-mode`)
    },
    watchCollections,
  })
}

function watchCollections(onCollection: () => void): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isMajorCollection(entry)) onCollection()
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

function isMajorCollection(entry: object): boolean {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return false
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

function sizeWithoutNewSpace(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name !== 'new_space')
    .reduce((sum, { space_size }) => sum + space_size, 0)
}

/**
 * Waits until the heap is 64 MB larger than after the last return of memory, and then for a second that is not busy. A
 * burst of work delays the return (decision 0019). A start that leaves more than 32 MB also causes a return: much of
 * that is the text of the configuration and of modules, which is not needed later.
 */
export function returnMemoryWhenQuiet(parts: MemoryReturnParts): void {
  const { clock, heapBytes, busyShare, favorMemory, watchCollections } = parts
  let minHeapBytes = heapBytes()
  let maxHeapBytes = minHeapBytes
  let hasStartLeft = parts.hasStartLeft && minHeapBytes > START_BYTES
  /** The start of the current return. Undefined while no memory is being returned. */
  let sinceMs: number | undefined
  let endWatch: (() => void) | undefined

  const look = () => {
    const bytes = heapBytes()
    maxHeapBytes = Math.max(maxHeapBytes, bytes)
    const isBusy = busyShare() > BUSY_SHARE
    if (sinceMs === undefined) {
      if (!isBusy && (hasStartLeft || maxHeapBytes - minHeapBytes > MARGIN_BYTES)) begin()
    } else if (isBusy) {
      stop()
    } else if (clock.monotonicMs() - sinceMs >= RETURNING_MS) {
      end()
    }
    timer.restart()
  }
  const begin = () => {
    hasStartLeft = false
    sinceMs = clock.monotonicMs()
    favorMemory(true)
    let collections = 0
    endWatch = watchCollections(() => {
      collections += 1
      if (collections === COLLECTIONS) end()
    })
  }
  const stop = () => {
    sinceMs = undefined
    favorMemory(false)
    endWatch?.()
  }
  const end = () => {
    stop()
    minHeapBytes = heapBytes()
    maxHeapBytes = minHeapBytes
  }
  const timer = clock.startTimer(LOOK_EVERY_MS, look)
}
