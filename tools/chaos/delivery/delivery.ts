import type { Closing } from '../script/position-schema.ts'

/** The next step of a connection. After `close` and `hang` nothing follows. */
export type DeliveryStep =
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'send'; readonly bytes: Buffer }
  /** Repeats until the caller leaves. */
  | { readonly type: 'repeat'; readonly bytes: Buffer; readonly everyMs: number }
  | { readonly type: 'close'; readonly by: Closing }
  /** Nothing more, and the connection stays open. */
  | { readonly type: 'hang' }
  /** The answer is whole; what becomes of the connection. */
  | { readonly type: 'done'; readonly after: AfterAnswer }

export type AfterAnswer = 'keep' | 'close' | 'close-on-next' | 'reset-on-next'

/** A stretch of a body, and the wait before it. */
export interface Piece {
  readonly waitMs: number
  readonly bytes: Buffer
}
