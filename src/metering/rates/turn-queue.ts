/** Items by key. Keys take turns; the items of one key keep their order. */
export class TurnQueue<Item> {
  /** Keys in the order of their turn. */
  #byKey = new Map<string, Item[]>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** The first item of the key whose turn it is. */
  get head(): Item | undefined {
    for (const [first] of this.#byKey.values()) return first
    return undefined
  }

  addLast(key: string, item: Item): void {
    const items = this.#byKey.get(key)
    if (items === undefined) this.#byKey.set(key, [item])
    else items.push(item)
  }

  /** Returns an item that already had its turn to the head of the queue, so that it is next. */
  addFirst(key: string, item: Item): void {
    const items = [item, ...(this.#byKey.get(key) ?? [])]
    this.#byKey.delete(key)
    this.#byKey = new Map([[key, items], ...this.#byKey])
  }

  /** Removes the head, and ends the turn of its key. */
  shift(): void {
    for (const [key, items] of this.#byKey) {
      items.shift()
      this.#byKey.delete(key)
      if (items.length > 0) this.#byKey.set(key, items)
      return
    }
  }

  /** Removes an item without changing the turns. */
  remove(key: string, item: Item): void {
    const items = this.#byKey.get(key)
    const index = items?.indexOf(item) ?? -1
    if (items === undefined || index < 0) return
    items.splice(index, 1)
    if (items.length === 0) this.#byKey.delete(key)
  }
}
