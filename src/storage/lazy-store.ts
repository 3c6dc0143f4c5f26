// A store that is opened at its first use. It is closed only if it was opened.
interface Closable {
  close(): Promise<void>
}

export class LazyStore<Store extends Closable> {
  readonly #openStore: () => Promise<Store>
  #opening: Promise<Store> | undefined

  constructor(openStore: () => Promise<Store>) {
    this.#openStore = openStore
  }

  open(): Promise<Store> {
    this.#opening ??= this.#openStore().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close()
  }
}
