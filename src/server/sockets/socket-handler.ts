import type { GatewayError } from '../../canonical/failure.ts'

/** The reason why a connection accepts no more requests. */
export type RetireReason = 'draining' | 'lifetime'

/** Serves one connection in its protocol. */
export interface SocketHandler {
  /** Receives a text frame. */
  receive(frame: Buffer): void
  /** Whether no request is in progress. */
  readonly isIdle: boolean
  /** Whether the handler is full, so that more frames would only wait. */
  readonly isFull: boolean
  /** Called when the caller has read the waiting bytes. */
  drained(): void
  /** Called once, when the connection is closed. */
  leave(): void
  /** Sends the reason why the connection accepts no more requests, if the protocol has an event for that. */
  retire(reason: RetireReason): void
  /** Sends the error of a refused frame. */
  refuse(error: GatewayError): void
}

/** The connection from the handler's point of view. */
export interface CallerSocket {
  /** Sends a text frame. If it returns false, the handler should wait until the caller has read. */
  send(text: string): boolean
  /** The reason why the connection accepts no more requests; undefined while it accepts them. */
  readonly retired: RetireReason | undefined
  /** Called by the handler when a request has ended. */
  settle(): void
  /** Resumes reading after the handler was full. */
  readOn(): void
  close(code: number, reason: string): void
}
