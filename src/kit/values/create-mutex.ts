/** Lets one piece of asynchronous work in at a time, in the order of asking. */
export interface Mutex {
  /** Fulfilled when it is the asker's turn, with the function that ends it. */
  acquire(): Promise<() => void>
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    async acquire() {
      const previous = last
      const turn = Promise.withResolvers<void>()
      last = turn.promise
      await previous
      return turn.resolve
    },
  }
}
