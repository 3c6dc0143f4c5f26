import type { Failure } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import type { LiveSetup } from '../../wire/gemini/live/live-setup.ts'
import type { SessionWishes } from '../../wire/realtime/session-fields.ts'
import type { ResponseTurns, TurnsOptions } from './response-turns.ts'
import type { SessionMoney } from './session-money.ts'
import type { SessionNames } from './session-names.ts'

export interface RelayOptions extends TurnsOptions {
  readonly upstream: UpstreamWebSocket
  readonly money: SessionMoney
  /** Called once at the end, with the failure of the provider's side. */
  readonly onEnd: (failure: Failure | undefined) => void
}

export interface LiveOptions extends RelayOptions {
  readonly setup: LiveSetup
  /** The provider's first messages, of which the last completes the setup. */
  readonly early: readonly string[]
}

/** The session as the events of both its ends change it. */
export interface SessionContext {
  readonly options: RelayOptions
  readonly turns: ResponseTurns
  readonly names: SessionNames
  readonly isOpen: boolean
  /** Whether neither a response nor an event of the caller is under way. */
  readonly isIdle: boolean
  wishes: SessionWishes
  sendText(text: string): void
  /** Shows the caller the session as the caller wrote it. */
  sendSession(event: JsonObject): void
  sendError(failure: Failure, callersId: string | undefined): void
  /** Carries an event of ours out before all of the caller's that wait. */
  pushFirst(text: string): void
  /** Reads on from the caller, where nothing waits any more. */
  rested(): void
  /** Called after each response that has ended. */
  responseEnded(): void
  end(failure: Failure, code: number): void
  /** Ends it with a fault of ours. */
  fail(error: unknown): void
}
