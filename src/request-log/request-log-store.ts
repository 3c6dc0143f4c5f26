import type { Loss } from '../canonical/loss.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Usage } from '../canonical/usage.ts'
import type { AttemptRow, PlannedRow } from '../telemetry/observer.ts'
import type { PackedRows } from './pack-row.ts'
import type { TrafficQuery, TrafficReport } from './traffic.ts'

/**
 * The store of the rows of ended requests. Every promise rejects with `store_unavailable` where the store cannot be
 * used.
 */
export interface RequestLogStore {
  /** Fulfilled once all rows are written in one transaction. Their order is the order of their IDs. */
  append(rows: PackedRows): Promise<void>
  page(query: RequestQuery): Promise<RequestPage>
  find(requestId: string): Promise<StoredRequest | undefined>
  /** Lists the client programs that sent the newest matching requests. */
  callers(query: CallerQuery): Promise<CallerList>
  /** Counts the requests of a time span, from sums that were added up as the requests ended. */
  traffic(query: TrafficQuery): Promise<TrafficReport>
  /**
   * Deletes some of the oldest rows: those that ended before `endedBeforeMs`, and those beyond the newest `maxRows`.
   * One call takes a short time. `hasMore` says whether rows to delete remain.
   */
  prune(limits: PruneLimits): Promise<{ readonly hasMore: boolean }>
  /** Copies the store as it is when the copy ends, readable by its owner only. The file must not exist yet. */
  copyTo(path: string): Promise<void>
  /** Waits for the calls in progress, then closes the store. */
  close(): Promise<void>
}

export interface PruneLimits {
  readonly endedBeforeMs: number
  readonly maxRows: number
}

/** A query for rows, the newest first. A row must match every condition that is given. */
export interface RequestQuery extends RequestFilter {
  /** The IDs of the requests to return. */
  readonly requestIds?: readonly string[] | undefined
  /** Matches rows with a lower ID. */
  readonly before?: number | undefined
  /** Matches rows with a higher ID. */
  readonly after?: number | undefined
  /** The time span in which a request ended, in milliseconds since 1970, both bounds included. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  readonly limit: number
}

export interface RequestFilter {
  /** A key's id or name. */
  readonly key?: string | undefined
  readonly ownedBy?: OwnedBy | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly channel?: string | undefined
  readonly upstreamModel?: string | undefined
  /** The first and the last status to match, both included. */
  readonly status?: readonly [number, number] | undefined
  readonly error?: string | undefined
  readonly isStream?: boolean | undefined
  readonly minMs?: number | undefined
}

export type CallerQuery = Pick<RequestFilter, 'key' | 'ownedBy' | 'user' | 'group' | 'model' | 'channel'>

/** A client program at an address, with its recent requests. */
export interface StoredCaller {
  readonly address: string
  readonly client: string | undefined
  readonly user: string | undefined
  readonly requests: number
  readonly lastAtMs: number
  readonly models: readonly string[]
}

export interface CallerList {
  /** The callers, the one with the newest request first. */
  readonly callers: readonly StoredCaller[]
  /** The number of requests that were scanned. */
  readonly lookedAt: number
  /** The end time of the oldest scanned request. */
  readonly sinceMs: number | undefined
}

export interface RequestPage {
  readonly rows: readonly StoredSummary[]
  /** Whether there are older rows that match. */
  readonly hasMore: boolean
}

/** The summary of a request in lists. IDs rise with the time at which requests ended. */
export interface StoredSummary {
  readonly id: number
  readonly requestId: string
  readonly endedAtMs: number
  readonly totalMs: number
  readonly firstContentMs: number | undefined
  readonly keyId: string | undefined
  readonly keyName: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  readonly format: string | undefined
  readonly model: string | undefined
  /** The channel that answered; if no channel answered, the one that was called last. */
  readonly channel: string | undefined
  readonly upstreamModel: string | undefined
  readonly status: number
  readonly error: string | undefined
  readonly isStream: boolean
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** Part of the input tokens, as are `cacheWriteTokens`. */
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  /** Part of the output tokens. */
  readonly reasoningTokens: number | undefined
  /** The cost of all attempts; undefined where nothing that has a price was billed. */
  readonly cost: NanoDollars | undefined
  readonly charged: NanoDollars | undefined
}

/** A request with all its stored details. */
export interface StoredRequest extends StoredSummary {
  readonly method: string
  readonly path: string
  readonly address: string
  /** The client program that called; undefined where the request does not name it. */
  readonly client?: string | undefined
  readonly cause: string | undefined
  readonly callerLeft: boolean
  readonly bytesIn: number
  readonly bytesOut: number
  readonly usage: Usage | undefined
  readonly losses: readonly StoredLoss[]
  readonly candidates: readonly PlannedRow[]
  readonly attempts: readonly StoredAttempt[]
  readonly receiveMs: number
  readonly queueMs: number
  readonly isRecovered: boolean
}

/** A loss as it was stored. Another version may have stored it, with words that this version does not know. */
export type StoredLoss = { readonly [Name in keyof Loss]: string }
export type StoredAttempt = Omit<AttemptRow, 'lane'> & { readonly lane: string }
