import type { ListenerLimits, ListenerOptions } from './listener-options.ts'

/** The connections of a listener, for all its servers together. */
export interface ConnectionCount {
  /** The limits. They are read for each connection, so that a change takes effect at once. */
  readonly limits: Pick<ListenerLimits, 'connections' | 'connectionsPerAddress'>
  /** Whether an address is shared by many callers, and is therefore exempt from the limit per address. */
  readonly isExempt: (address: string) => boolean
  all: number
  readonly byAddress: Map<string, number>
}

export function createConnectionCount({
  limits,
  callerAccess,
}: Pick<ListenerOptions, 'limits' | 'callerAccess'>): ConnectionCount {
  return {
    limits,
    // A peer that is trusted to report other addresses is a proxy.
    isExempt: (peer) =>
      isLoopback(peer) || callerAccess.findAddress({ peer, forwardedFor: ELSEWHERE }) !== peer,
    all: 0,
    byAddress: new Map(),
  }
}

/** An address that is reserved for documentation. */
const ELSEWHERE = '192.0.2.1'

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\./.test(address) || address === '::1'
}

export interface CountedSocket {
  readonly remoteAddress?: string | undefined
  once(event: 'close', listener: () => void): unknown
}

/** Counts a connection until it closes. Returns false if it exceeds a limit. */
export function countConnection(socket: CountedSocket, count: ConnectionCount): boolean {
  const address = socket.remoteAddress ?? ''
  const ofAddress = count.byAddress.get(address) ?? 0
  if (count.all >= count.limits.connections) return false
  if (ofAddress >= count.limits.connectionsPerAddress && !count.isExempt(address)) return false
  count.all += 1
  count.byAddress.set(address, ofAddress + 1)
  socket.once('close', () => {
    count.all -= 1
    const left = (count.byAddress.get(address) ?? 1) - 1
    if (left === 0) count.byAddress.delete(address)
    else count.byAddress.set(address, left)
  })
  return true
}
