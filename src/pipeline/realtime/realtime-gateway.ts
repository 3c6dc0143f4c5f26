import type { ClientGrant, ClientSecrets } from '../../access/client-secrets.ts'
import type { Caller } from '../../access/key.ts'
import { permits } from '../../access/permission.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { createRealtimeOpener } from './open-realtime.ts'
import type { OpenRealtime, RealtimeDependencies } from './realtime-port.ts'

/** Realtime sessions for the server. */
export interface RealtimeGateway {
  readonly open: OpenRealtime
  makeSecret(caller: Caller, order: SecretOrder): { readonly value: string; readonly expiresAtMs: number }
  /** Undefined if the secret was not made here, or has expired. */
  readSecret(secret: string): ClientGrant | undefined
  /** Whether a key is granted a model, and the model is served. */
  hasModel(caller: Caller, model: string): boolean
}

export interface SecretOrder {
  readonly lifeMs: number
  /** The session as JSON. */
  readonly session: string
}

export interface RealtimeGatewayOptions extends RealtimeDependencies {
  readonly clientSecrets: ClientSecrets
  readonly clock: Pick<Clock, 'nowMs'>
}

export function createRealtimeGateway(options: RealtimeGatewayOptions): RealtimeGateway {
  const { clientSecrets, clock, live } = options
  return {
    open: createRealtimeOpener(options),
    makeSecret({ keyId }, { lifeMs, session }) {
      const expiresAtMs = clock.nowMs() + lifeMs
      return { value: clientSecrets.make({ keyId, expiresAtMs, session }), expiresAtMs }
    },
    readSecret: (secret) => clientSecrets.open(secret),
    hasModel: ({ permission }, model) =>
      permits(permission, model) && live.gateway.catalog.current().findRoute(model) !== undefined,
  }
}
