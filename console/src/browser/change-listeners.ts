/** The listeners to a value outside React, for `useSyncExternalStore`. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>()

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
