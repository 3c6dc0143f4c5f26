/**
 * A fetch that can be left. LlamaIndex takes no signal, and leaving its streams does not reach the request: a program
 * that wants to leave gives the session a fetch of its own.
 */
export interface LeavableFetch {
  readonly fetch: typeof globalThis.fetch
  /** Requests from now on end when the signal says so. */
  leaveOn(signal: AbortSignal): void
}

export function createLeavableFetch(): LeavableFetch {
  let leaving: AbortSignal | undefined
  return {
    fetch: (resource, options = {}) => {
      const signals = [options.signal, leaving].filter((signal) => signal instanceof AbortSignal)
      return globalThis.fetch(resource, { ...options, signal: AbortSignal.any(signals) })
    },
    leaveOn(signal) {
      leaving = signal
    },
  }
}
