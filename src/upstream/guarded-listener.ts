import type { TransportFault } from './transport-fault.ts'
import type { UpstreamFlow, UpstreamHeaders, UpstreamListener } from './upstream.ts'

/**
 * The one place that catches whatever a listener of an upstream's answer throws. Beyond it stand the network library,
 * which would swallow the error and never tell the listener that its call is over, and the inflating streams, where it
 * would end the process. The call ends at once: its connection closes and its listener gets a fault.
 */
export class GuardedListener implements UpstreamListener {
  readonly #listener: UpstreamListener
  readonly #flow: Pick<UpstreamFlow, 'abort'>
  #isBroken = false

  constructor(listener: UpstreamListener, flow: Pick<UpstreamFlow, 'abort'>) {
    this.#listener = listener
    this.#flow = flow
  }

  onSent(): void {
    if (this.#isBroken) return
    try {
      this.#listener.onSent?.()
    } catch (error) {
      this.#break(error)
    }
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#isBroken) return
    try {
      this.#listener.onHead(status, headers)
    } catch (error) {
      this.#break(error)
    }
  }

  onData(chunk: Buffer): void {
    if (this.#isBroken) return
    try {
      this.#listener.onData(chunk)
    } catch (error) {
      this.#break(error)
    }
  }

  onEnd(): void {
    if (this.#isBroken) return
    try {
      this.#listener.onEnd()
    } catch (error) {
      this.#break(error)
    }
  }

  onFault(fault: TransportFault): void {
    if (this.#isBroken) return
    try {
      this.#listener.onFault(fault)
    } catch (error) {
      this.#break(error)
    }
  }

  #break(error: unknown): void {
    this.#isBroken = true
    this.#flow.abort()
    try {
      this.#listener.onFault(faultOfThrown(error))
    } catch {
      // A listener that cannot take the fault either has its deadlines left.
    }
  }
}

/** What a listener threw, with the stack, which is all that says where it came from. */
export function faultOfThrown(error: unknown): TransportFault {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { kind: 'unreadable', message, onReusedConnection: false }
}
