import type { Alert, AlertKind, Severity } from './alert.ts'

/** The store of open and past alerts. Every promise fails with `store_unavailable` where the store cannot be used. */
export interface AlertStore {
  /** Loads every open alert and, for each identity that is muted at that time, the newest alert. */
  loadLive(nowMs: number): Promise<readonly Alert[]>
  /** Inserts or replaces each of these alerts by its ID, all or none. An alert that is resolved stays resolved. */
  save(alerts: readonly Alert[]): Promise<void>
  /** Changes an open alert as it is stored. Undefined if no such alert is open. */
  change(id: string, changed: AlertMarks): Promise<Alert | undefined>
  find(id: string): Promise<Alert | undefined>
  /** Lists by the time of opening, the newest first. */
  page(query: AlertQuery): Promise<AlertStorePage>
  /** Deletes alerts that were resolved before the given time, and the oldest resolved ones beyond `maxResolved`. */
  prune(limits: { readonly resolvedBeforeMs: number; readonly maxResolved: number }): Promise<void>
}

/** The parts of an alert that operators change. */
export type AlertMarks = Partial<Pick<Alert, 'acknowledged' | 'mute'>>

/** A query for alerts. An alert must match every filter that is given. */
export interface AlertQuery {
  readonly state?: 'open' | 'resolved' | undefined
  readonly kind?: AlertKind | undefined
  readonly severity?: Severity | undefined
  readonly channel?: string | undefined
  /** Alerts opened before this cursor. Within the same millisecond, alerts with a lower ID. */
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
