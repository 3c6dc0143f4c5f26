import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { HOUR_MS, MINUTE_MS } from '../kit/time/time-units.ts'

/** The limits of callers' WebSocket connections. */
export interface WebSocketPolicy {
  /** The idle time after which a connection is closed: no request in flight and no frame. */
  readonly idleMs: number
  /** The limit of open connections for one key. */
  readonly socketsOfKey: number
}

const defaultPolicy: WebSocketPolicy = { idleMs: 10 * MINUTE_MS, socketsOfKey: 100 }

/** The section `websocket`. */
export const webSocketSchema = z
  .union(
    [
      offSchema,
      z.strictObject({
        idle: createDurationSchema({ minMs: 10_000, maxMs: HOUR_MS, range: '10s and 1h' }).optional(),
        per_key: z
          .int({ error: 'must be a whole number' })
          .positive({ error: 'must be above 0; or set websocket: off' })
          .optional(),
      }),
    ],
    { error: 'must be off, or have bounds, such as { idle: 10m, per_key: 100 }' },
  )
  .transform((input): WebSocketPolicy | 'off' => {
    if (input === 'off' || input === false) return 'off'
    return {
      idleMs: input.idle ?? defaultPolicy.idleMs,
      socketsOfKey: input.per_key ?? defaultPolicy.socketsOfKey,
    }
  })

/** Reads the policy. Undefined where callers may not connect over WebSocket. */
export function readWebSocket(
  input: z.output<typeof webSocketSchema> | undefined,
): WebSocketPolicy | undefined {
  return input === 'off' ? undefined : (input ?? defaultPolicy)
}
