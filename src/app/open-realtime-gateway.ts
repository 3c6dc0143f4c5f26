import { createClientSecrets } from '../access/client-secrets.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Gateway } from '../pipeline/gateway.ts'
import { createRealtimeGateway, type RealtimeGateway } from '../pipeline/realtime/realtime-gateway.ts'
import { createWebSocketOpener } from '../upstream/open-web-socket.ts'

interface RealtimeOptions {
  /** The secret of the installation. All processes have the same. */
  readonly secret: string
  readonly clock: Clock
}

/** Opens realtime sessions: their connections to providers, and the client secrets for browsers. */
export function openRealtimeGateway(
  live: { readonly gateway: Gateway },
  { secret, clock }: RealtimeOptions,
): RealtimeGateway {
  const clientSecrets = createClientSecrets(createSealer(secret, systemRandom), clock)
  return createRealtimeGateway({ live, openWebSocket: createWebSocketOpener(), clientSecrets, clock })
}
