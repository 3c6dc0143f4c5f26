/** The facts about a capture that are readable without the installation's secret. */
export interface CaptureSummary {
  readonly requestId: string
  readonly keyId: string
  readonly keyName: string
  readonly user: string | undefined
  readonly group: string | undefined
  readonly model: string | undefined
  readonly operation: string
  readonly status: number
  /** The time at which the request ended. */
  readonly atMs: number
  readonly hasPrompt: boolean
  readonly hasAnswer: boolean
}

/** A capture as it is stored. */
export interface StoredCapture extends CaptureSummary {
  /** The compressed and encrypted content: unreadable without the installation's secret. */
  readonly content: Uint8Array
}

export interface CaptureQuery {
  /** A key's id or name. */
  readonly key?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  /** The first and the last status to match, both included. */
  readonly status?: readonly [number, number] | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** Returns only captures that ended before this one. Of the same millisecond, it returns those with a lower ID. */
  readonly after?: { readonly atMs: number; readonly requestId: string } | undefined
  readonly limit: number
}

export interface CaptureTotals {
  readonly count: number
  readonly bytes: number
}

/**
 * The store of captured prompts and answers. Every promise rejects with `store_unavailable` where the store cannot be
 * used.
 */
export interface CaptureStore {
  /** Adds all captures or none. */
  append(captures: readonly StoredCapture[]): Promise<void>
  /** Lists the newest first. */
  page(
    query: CaptureQuery,
  ): Promise<{ readonly captures: readonly CaptureSummary[]; readonly hasMore: boolean }>
  find(requestId: string): Promise<StoredCapture | undefined>
  /** The given request IDs that have a capture. */
  findCaptured(requestIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Deletes the capture permanently; false if there is no such capture. */
  delete(requestId: string): Promise<boolean>
  /** Deletes all captures of a key, by its id or name, permanently, and returns their number. */
  deleteOfKey(key: string): Promise<number>
  deleteAll(): Promise<void>
  /** Deletes captures older than a time and, the oldest first, those over the size bound. */
  prune(limits: { readonly endedBeforeMs: number; readonly maxBytes: number }): Promise<void>
  totals(): Promise<CaptureTotals>
  close(): Promise<void>
}
