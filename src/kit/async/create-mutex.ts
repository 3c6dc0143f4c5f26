/** Runs one piece of asynchronous work at a time, in the order of the calls. */
export interface Mutex {
  /** Fulfilled when the caller has the lock. The value is the function that releases the lock. */
  acquire(): Promise<() => void>
  /** Runs `work` with the lock held and releases the lock when `work` settles. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  async function acquire(): Promise<() => void> {
    const previous = last
    const turn = Promise.withResolvers<void>()
    last = turn.promise
    await previous
    return turn.resolve
  }
  return {
    acquire,
    async run(work) {
      const release = await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
