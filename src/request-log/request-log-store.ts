import type { Loss } from '../canonical/loss.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Usage } from '../canonical/usage.ts'
import type { AttemptRow, PlannedRow } from '../telemetry/observer.ts'
import type { PackedRows } from './pack-row.ts'
import type { TrafficQuery, TrafficReport } from './traffic.ts'

/** The store of rows of ended requests. Every promise fails with `store_unavailable` where the store cannot be used. */
export interface RequestLogStore {
  /** Fulfilled once all are written together. Their order is that of their ids. */
  append(rows: PackedRows): Promise<void>
  page(query: RequestQuery): Promise<RequestPage>
  find(requestId: string): Promise<StoredRequest | undefined>
  /** Lists the programs behind the newest requests that fit. */
  callers(query: CallerQuery): Promise<CallerList>
  /** Counts the requests of a span, by sums that were made as they ended. */
  traffic(query: TrafficQuery): Promise<TrafficReport>
  /**
   * Deletes some of the oldest rows: those that ended before `endedBeforeMs`, and those beyond the newest `maxRows`.
   * One call takes a short time; whether it left any to delete is the answer's `hasMore`.
   */
  prune(limits: PruneLimits): Promise<{ readonly hasMore: boolean }>
  /** Makes a copy of it, as it is when this ends, readable by its owner alone. The file must not exist yet. */
  copyTo(path: string): Promise<void>
  /** Waits for what is under way. */
  close(): Promise<void>
}

export interface PruneLimits {
  readonly endedBeforeMs: number
  readonly maxRows: number
}

/** A query for rows, the newest first. All that is given must hold. */
export interface RequestQuery extends RequestFilter {
  /** The requests whose rows are meant. */
  readonly requestIds?: readonly string[] | undefined
  /** Rows whose id is below. */
  readonly before?: number | undefined
  /** Rows whose id is above. */
  readonly after?: number | undefined
  /** Wall times in milliseconds between which a request ended, both ends included. */
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
  /** First and last status that are meant. */
  readonly status?: readonly [number, number] | undefined
  readonly error?: string | undefined
  readonly isStream?: boolean | undefined
  readonly minMs?: number | undefined
}

export type CallerQuery = Pick<RequestFilter, 'key' | 'ownedBy' | 'user' | 'group' | 'model' | 'channel'>

/** A program at an address, with what it asked of late. */
export interface StoredCaller {
  readonly address: string
  readonly client: string | undefined
  readonly user: string | undefined
  readonly requests: number
  readonly lastAtMs: number
  readonly models: readonly string[]
}

export interface CallerList {
  /** The one that called last comes first. */
  readonly callers: readonly StoredCaller[]
  /** The number of requests that were looked at. */
  readonly lookedAt: number
  /** The end of the oldest of them. */
  readonly sinceMs: number | undefined
}

export interface RequestPage {
  readonly rows: readonly StoredSummary[]
  /** Whether there are older rows that fit. */
  readonly hasMore: boolean
}

/** The summary of a request in lists. IDs rise with the time of the end. */
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
  /** The channel that answered; where none did, the one that was called last. */
  readonly channel: string | undefined
  readonly upstreamModel: string | undefined
  readonly status: number
  readonly error: string | undefined
  readonly isStream: boolean
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** Part of the input, as is the next number. */
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  /** Part of the output. */
  readonly reasoningTokens: number | undefined
  /** The cost of all attempts; undefined where nothing that has a price was billed. */
  readonly cost: NanoDollars | undefined
  readonly charged: NanoDollars | undefined
}

/** The full story of a request. */
export interface StoredRequest extends StoredSummary {
  readonly method: string
  readonly path: string
  readonly address: string
  /** The program that called; undefined where it does not say. */
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

/** A loss as it was stored, perhaps by another version, whose words need not be known here. */
export type StoredLoss = { readonly [Name in keyof Loss]: string }
export type StoredAttempt = Omit<AttemptRow, 'lane'> & { readonly lane: string }
