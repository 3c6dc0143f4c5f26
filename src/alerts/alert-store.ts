import type { Alert, AlertKind, Severity } from './alert.ts'

/** The store of open and past alerts. Every promise fails with `store_unavailable` where the store cannot be used. */
export interface AlertStore {
  /** All that are open, and the newest of each identity that is muted at that time. */
  loadLive(nowMs: number): Promise<readonly Alert[]>
  /** Makes each of these what is stored under its ID, all or none. */
  save(alerts: readonly Alert[]): Promise<void>
  find(id: string): Promise<Alert | undefined>
  /** Lists by the time at which they were opened, the newest first. */
  page(query: AlertQuery): Promise<AlertStorePage>
  /** Deletes those that were resolved before a time, and the oldest resolved ones beyond so many. */
  prune(limits: { readonly resolvedBeforeMs: number; readonly maxResolved: number }): Promise<void>
}

/** All that is given must hold. */
export interface AlertQuery {
  readonly state?: 'open' | 'resolved' | undefined
  readonly kind?: AlertKind | undefined
  readonly severity?: Severity | undefined
  readonly channel?: string | undefined
  /** Those opened before that one; of one millisecond, those whose ID is below. */
  readonly after?: AlertCursor | undefined
  readonly limit: number
}

export interface AlertCursor {
  readonly openedAtMs: number
  readonly id: string
}

export interface AlertStorePage {
  readonly alerts: readonly Alert[]
  readonly hasMore: boolean
}
