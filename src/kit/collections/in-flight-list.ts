/** An entry of the list. The code that added the entry passes it to `remove`. */
export interface InFlightEntry<Item> {
  readonly item: Item
  previous: InFlightEntry<Item> | undefined
  next: InFlightEntry<Item> | undefined
}

/**
 * The items in flight at this moment. A Set with constant additions and removals leaves a chain of tables that keeps
 * every item alive until the next full collection (decision 0026).
 */
export class InFlightList<Item> {
  size = 0
  #first: InFlightEntry<Item> | undefined

  add(item: Item): InFlightEntry<Item> {
    const entry: InFlightEntry<Item> = { item, previous: undefined, next: this.#first }
    if (this.#first !== undefined) this.#first.previous = entry
    this.#first = entry
    this.size += 1
    return entry
  }

  /** Removes an entry. Must be called once for each entry. */
  remove(entry: InFlightEntry<Item>): void {
    if (entry.previous === undefined) this.#first = entry.next
    else entry.previous.next = entry.next
    if (entry.next !== undefined) entry.next.previous = entry.previous
    entry.previous = undefined
    entry.next = undefined
    this.size -= 1
  }

  /** The items at this moment. An item that is removed during the iteration may still be visited. */
  all(): readonly Item[] {
    const items: Item[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry.next) items.push(entry.item)
    return items
  }
}
