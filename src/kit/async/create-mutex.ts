/** Lets one piece of asynchronous work in at a time, in the order of asking. */
export interface Mutex {
  /** Fulfilled when it is the asker's turn, with the function that ends it. */
  acquire(): Promise<() => void>
  /** The same for work that ends by itself. */
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
