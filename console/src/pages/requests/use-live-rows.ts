import { useEffect, useState } from 'react'
import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'
import { fetchNewRequests, type RequestFilters } from './request-queries.ts'

/** The time between two looks for new rows. */
const LOOK_MS = 750
/** The most rows that are held while following; older ones are in the list as it was read. */
const MAX_ROWS = 2_000

export interface LiveRows {
  /** The rows that ended since following began, the newest first. */
  readonly rows: readonly RequestSummaryView[]
  readonly error: unknown
}

const nothing: LiveRows = { rows: [], error: undefined }

/** Follows the log: rows that end appear by themselves. A look begins only when the one before has its answer. */
export function useLiveRows(isOn: boolean, filters: RequestFilters, newestId: number | undefined): LiveRows {
  const [live, setLive] = useState(nothing)
  const key = JSON.stringify(filters)
  useEffect(() => {
    setLive(nothing)
    if (!isOn || newestId === undefined) return
    const { signal, stop } = createStop()
    const wanted: RequestFilters = JSON.parse(key)
    void follow(wanted, newestId, signal, setLive)
    return stop
  }, [isOn, key, newestId])
  return live
}

function createStop() {
  const controller = new AbortController()
  return { signal: controller.signal, stop: () => controller.abort() }
}

async function follow(
  filters: RequestFilters,
  newestId: number,
  signal: AbortSignal,
  show: (change: (live: LiveRows) => LiveRows) => void,
): Promise<void> {
  let after = newestId
  while (!signal.aborted) {
    try {
      const rows = await fetchNewRequests(filters, after, signal)
      after = Math.max(after, ...rows.map(({ id }) => id))
      if (rows.length > 0)
        show((live) => ({ rows: [...rows, ...live.rows].slice(0, MAX_ROWS), error: undefined }))
    } catch (error) {
      if (!signal.aborted) show((live) => ({ ...live, error }))
    }
    await pause(LOOK_MS, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
