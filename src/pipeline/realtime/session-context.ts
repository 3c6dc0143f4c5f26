import type { Failure } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import type { UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import type { LiveSetup } from '../../wire/gemini/live/live-setup.ts'
import type { SessionWishes } from '../../wire/realtime/session-fields.ts'
import type { ResponseTurns, TurnsOptions } from './response-turns.ts'
import type { SessionCharges } from './session-charges.ts'
import type { SessionNames } from './session-names.ts'

export interface RelayOptions extends TurnsOptions {
  readonly upstream: UpstreamWebSocket
  readonly charges: SessionCharges
  /** Called once at the end, with the failure of the provider's side if there is one. */
  readonly onEnd: (failure: Failure | undefined) => void
}

export interface LiveOptions extends RelayOptions {
  readonly setup: LiveSetup
  /** The provider's first messages. The last of them completes the setup. */
  readonly early: readonly string[]
  /** The lease of the session, which admitted its first response, too. Undefined where no rate limit applies. */
  readonly lease: RateLease | undefined
}

/** The session as the handlers of both sides use and change it. */
export interface SessionContext {
  readonly options: RelayOptions
  readonly turns: ResponseTurns
  readonly names: SessionNames
  readonly isOpen: boolean
  /** Whether no response and no event of the caller is in progress. */
  readonly isIdle: boolean
  wishes: SessionWishes
  sendText(text: string): void
  /** Shows the caller the session as the caller wrote it. */
  sendSession(event: JsonObject): void
  sendError(failure: Failure, callersId: string | undefined): void
  /** Processes an event of the gateway before all waiting events of the caller. */
  pushFirst(text: string): void
  /** Continues to read from the caller, if no event waits any longer. */
  rested(): void
  /** Called after each response that has ended. */
  responseEnded(): void
  end(failure: Failure, code: number): void
  /** Ends the session with a fault of the gateway. */
  fail(error: unknown): void
}
