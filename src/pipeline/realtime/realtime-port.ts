import type { Caller } from '../../access/key.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { OpenWebSocket } from '../../upstream/open-web-socket.ts'
import type { LiveSetup } from '../../wire/gemini/live/live-setup.ts'
import type { Gateway } from '../gateway.ts'

/** The protocol of a session, which is the name of its endpoint, and what its caller opens it with. */
export type SessionOpening =
  /** `preset`: the session that a client secret was made for; undefined without one. */
  | { readonly type: 'realtime'; readonly preset: JsonObject | undefined }
  | { readonly type: 'geminiLive'; readonly setup: LiveSetup }

/** A caller who asks for a realtime session, before its connection is a WebSocket. */
export interface RealtimeRequest {
  readonly requestId: string
  readonly path: string
  readonly address: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly startedAtMs: number
  readonly caller: Caller
  /** The public name. */
  readonly model: string
  readonly opening: SessionOpening
  /** The caller as it is at this moment. Throws `GatewayError` where it may no longer come in. */
  readonly recheck: () => Caller
  /** Whether the caller has disconnected before the session is open. */
  readonly isGone: () => boolean
}

/** The caller's end of an open session. */
export interface RealtimeCaller {
  /** False asks to wait until the caller has read. */
  send(text: string): boolean
  close(code: number, reason: string): void
  /** Reads on, where reading was held back. */
  readOn(): void
}

/** A session that may begin: its provider is connected, and what a first response can cost is held where it must be. */
export interface OpenedRealtime {
  /** Begins to relay. */
  begin(caller: RealtimeCaller): RealtimeSession
  /** Ends it before it began. */
  abandon(): void
}

export interface RealtimeSession {
  receive(text: string): void
  /** Whether no response is under way. */
  readonly isIdle: boolean
  /** Whether more frames would only wait. */
  readonly isFull: boolean
  /** The caller has read what waited. */
  drained(): void
  /** The caller is gone. */
  leave(): void
  /** Ends it with an error event, since the process must end. */
  stop(): void
  /** Ends it with an error event, since it is as old as a session may be. */
  expire(): void
}

/** Rejects with `GatewayError` where the session may not begin. */
export type OpenRealtime = (request: RealtimeRequest) => Promise<OpenedRealtime>

export interface RealtimeDependencies {
  readonly live: { readonly gateway: Gateway }
  readonly openWebSocket: OpenWebSocket
}

/** Close codes of RFC 6455 §7.4.1. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  fault: 1011,
  tryLater: 1013,
} as const
