/** The messages between a process that hosts objects and the processes that call them over a local socket. */
export type CallMessage =
  | { readonly type: 'hello'; readonly process: string }
  | {
      readonly type: 'call'
      readonly id: number
      readonly object: string
      readonly method: string
      readonly args: readonly unknown[]
    }
  /** A value that all other processes are to get. */
  | { readonly type: 'publish'; readonly topic: string; readonly value: unknown }
  /** No further call comes over this connection. */
  | { readonly type: 'paused' }
  /** The event with that number was received. */
  | { readonly type: 'received'; readonly id: number }

export type CallReply =
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly fault: unknown }
  /** `id` is set where the sender waits until the event was received. */
  | {
      readonly type: 'event'
      readonly id: number | undefined
      readonly topic: string
      readonly value: unknown
    }
  /** Another process takes over. New calls wait for it. Calls that were sent are answered before this process ends. */
  | { readonly type: 'pause' }

/** Converts errors to plain data and back. Only plain data can cross the socket. */
export interface FaultCodec {
  write(error: unknown): unknown
  read(fault: unknown): Error
}
