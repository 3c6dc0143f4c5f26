import type { GatewayError } from '../../canonical/failure.ts'

/** The reason why a connection accepts no more requests. */
export type RetireReason = 'draining' | 'lifetime'

/** Serves one connection in the words of its protocol. */
export interface SocketHandler {
  /** Receives a text frame. */
  receive(frame: Buffer): void
  /** Whether nothing is under way. */
  readonly isIdle: boolean
  /** Whether more frames would only wait. */
  readonly isFull: boolean
  /** Called when the caller has read what waited. */
  drained(): void
  /** Called once, when the connection is gone. */
  leave(): void
  /** Says why the connection accepts no more requests, where the protocol has an event for it. */
  retire(reason: RetireReason): void
  /** Says that a frame is refused. */
  refuse(error: GatewayError): void
}

/** The connection as its handler sees it. */
export interface CallerSocket {
  /** Sends a text frame. False asks to wait until the caller has read. */
  send(text: string): boolean
  /** The reason why it accepts no more requests; undefined where it does. */
  readonly retired: RetireReason | undefined
  /** Called by the handler when a request has ended. */
  settle(): void
  /** Reads on, where the handler was full. */
  readOn(): void
  close(code: number, reason: string): void
}
