/** The messages between a process that has objects and those that call them over a local socket. */
export type CallMessage =
  | { readonly type: 'hello'; readonly process: string }
  | {
      readonly type: 'call'
      readonly id: number
      readonly object: string
      readonly method: string
      readonly args: readonly unknown[]
    }
  /** Something that all others are to hear of. */
  | { readonly type: 'publish'; readonly topic: string; readonly value: unknown }
  /** No call comes any more over this connection. */
  | { readonly type: 'paused' }
  /** The event of that number was taken over. */
  | { readonly type: 'received'; readonly id: number }

export type CallReply =
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly fault: unknown }
  /** `id` where the sender waits until the event was taken over. */
  | {
      readonly type: 'event'
      readonly id: number | undefined
      readonly topic: string
      readonly value: unknown
    }
  /** Another process takes over: calls wait for it, and those that were sent are answered before this one ends. */
  | { readonly type: 'pause' }

/** Writes errors as plain data, which alone crosses the socket, and reads them. */
export interface FaultCodec {
  write(error: unknown): unknown
  read(fault: unknown): Error
}
