import type { Failure } from '../../canonical/failure.ts'
import type { UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import type { TurnsOptions } from './response-turns.ts'
import type { SessionMoney } from './session-money.ts'

export interface RelayOptions extends TurnsOptions {
  readonly upstream: UpstreamWebSocket
  readonly money: SessionMoney
  /** Called once at the end, with the failure of the provider's side. */
  readonly onEnd: (failure: Failure | undefined) => void
}
