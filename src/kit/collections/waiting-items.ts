interface Queue<Item> {
  readonly items: Item[]
  /** The index of the first item that may still wait. */
  next: number
}

/**
 * A queue of items, each under one or more keys. `shift` removes and returns the first item under a key. Every step
 * takes constant time.
 */
export class WaitingItems<Item extends object> {
  readonly #waiting = new Set<Item>()
  readonly #queues = new Map<string, Queue<Item>>()

  add(item: Item, keys: readonly string[]): void {
    this.#waiting.add(item)
    for (const key of keys) {
      const queue = this.#queues.get(key)
      if (queue === undefined) this.#queues.set(key, { items: [item], next: 0 })
      else queue.items.push(item)
    }
  }

  shift(key: string): Item | undefined {
    const queue = this.#queues.get(key)
    while (queue !== undefined && queue.next < queue.items.length) {
      const item = queue.items[queue.next]
      queue.next += 1
      if (item !== undefined && this.#waiting.delete(item)) return item
    }
    return undefined
  }

  /** Removes and returns all waiting items in the order of their arrival. */
  drain(): readonly Item[] {
    const all = [...this.#waiting]
    this.#waiting.clear()
    this.#queues.clear()
    return all
  }
}
