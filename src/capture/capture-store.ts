/** The facts of a capture that are readable without the installation's secret. */
export interface CaptureSummary {
  readonly requestId: string
  readonly keyId: string
  readonly keyName: string
  readonly user: string | undefined
  readonly group: string | undefined
  readonly model: string | undefined
  readonly operation: string
  readonly status: number
  /** The end of the request. */
  readonly atMs: number
  readonly hasPrompt: boolean
  readonly hasAnswer: boolean
}

/** A capture as it is stored. */
export interface StoredCapture extends CaptureSummary {
  /** Compressed and sealed: unreadable without the installation's secret. */
  readonly content: Uint8Array
}

export interface CaptureQuery {
  readonly keyId?: string | undefined
  /** A key's id or name. */
  readonly key?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  /** First and last status that are meant. */
  readonly status?: readonly [number, number] | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** Those that ended before that one; of one millisecond, those whose ID is below. */
  readonly after?: { readonly atMs: number; readonly requestId: string } | undefined
  readonly limit: number
}

export interface CaptureTotals {
  readonly count: number
  readonly bytes: number
}

/** The store of captured prompts and answers. Every promise fails with `store_unavailable` where it cannot be used. */
export interface CaptureStore {
  /** All or nothing. */
  append(captures: readonly StoredCapture[]): Promise<void>
  /** Lists the newest first. */
  page(
    query: CaptureQuery,
  ): Promise<{ readonly captures: readonly CaptureSummary[]; readonly hasMore: boolean }>
  find(requestId: string): Promise<StoredCapture | undefined>
  /** Those of these requests that have a capture. */
  findCaptured(requestIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Deletes it for good; false where there is none. */
  delete(requestId: string): Promise<boolean>
  /** Deletes all of a key for good, and says how many these were. */
  deleteOfKey(keyId: string): Promise<number>
  deleteAll(): Promise<void>
  /** Deletes those before a time and, the oldest first, what is over the bound. */
  prune(limits: { readonly endedBeforeMs: number; readonly maxBytes: number }): Promise<void>
  totals(): Promise<CaptureTotals>
  close(): Promise<void>
}
