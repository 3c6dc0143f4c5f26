export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

/** A promise that the test fulfils when it is time. */
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
