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
  // Other filters begin anew; the same ones in another object do not.
  const [wanted, setWanted] = useState(filters)
  if (JSON.stringify(wanted) !== JSON.stringify(filters)) setWanted(filters)
  useEffect(() => {
    setLive(nothing)
    if (!isOn || newestId === undefined) return
    const { signal, stop } = createStop()
    void follow({ filters: wanted, newestId, signal, show: setLive })
    return stop
  }, [isOn, wanted, newestId])
  return live
}

function createStop() {
  const controller = new AbortController()
  return { signal: controller.signal, stop: () => controller.abort() }
}

interface Following {
  readonly filters: RequestFilters
  readonly newestId: number
  readonly signal: AbortSignal
  show(change: (live: LiveRows) => LiveRows): void
}

async function follow({ filters, newestId, signal, show }: Following): Promise<void> {
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
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
