import type { Caller } from '../../access/key.ts'
import type { Failure } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { OpenWebSocket } from '../../upstream/open-web-socket.ts'
import type { LiveSetup } from '../../wire/gemini/live/live-setup.ts'
import type { Gateway } from '../gateway.ts'

/** The protocol of a session, which is also the name of its endpoint, and the caller's opening data. */
export type SessionOpening =
  /**
   * A session of OpenAI. `preset` is the session for which a client secret was made; undefined without a client secret.
   */
  | { readonly type: 'realtime'; readonly preset: JsonObject | undefined }
  | { readonly type: 'geminiLive'; readonly setup: LiveSetup }

/** A caller's request for a realtime session, before its connection becomes a WebSocket. */
export interface RealtimeRequest {
  readonly requestId: string
  readonly path: string
  readonly address: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly startedAtMs: number
  readonly caller: Caller
  /** The public name of the model. */
  readonly model: string
  readonly opening: SessionOpening
  /**
   * Checks the caller again and returns its current state. Throws `GatewayError` if the caller no longer has access.
   */
  readonly recheck: () => Caller
  /** Aborted if the caller disconnects before the session is open. */
  readonly gone: AbortSignal
}

/** The caller's end of an open session. */
export interface RealtimeCaller {
  /** Returns false if the sender should wait until the caller has read. */
  send(text: string): boolean
  close(code: number, reason: string): void
  /** Continues to read, if reading was paused. */
  readOn(): void
}

/**
 * A session that may begin. Its provider is connected, and the possible cost of a first response is held if that is
 * needed.
 */
export interface OpenedRealtime {
  /** Begins to relay. */
  begin(caller: RealtimeCaller): RealtimeSession
  /** Ends the session before it begins. */
  abandon(): void
}

export interface RealtimeSession {
  receive(text: string): void
  /** Whether no response is in progress. */
  readonly isIdle: boolean
  /** Whether further frames would have to wait. */
  readonly isFull: boolean
  /** Called when the caller has read the waiting bytes. */
  drained(): void
  /** Called when the caller has disconnected. */
  leave(): void
  /** Ends the session with an error event because the process must end. */
  stop(): void
  /** Ends the session with an error event because it has reached its maximum age. */
  expire(): void
  /** Ends the session with an error event because a frame cannot be received now. */
  refuse(failure: Failure): void
}

/** Opens a session. Rejects with `GatewayError` if the session may not begin. */
export type OpenRealtime = (request: RealtimeRequest) => Promise<OpenedRealtime>

export interface RealtimeDependencies {
  readonly live: { readonly gateway: Gateway }
  readonly openWebSocket: OpenWebSocket
}

/** Close codes from RFC 6455 §7.4.1. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  fault: 1011,
  tryLater: 1013,
} as const
