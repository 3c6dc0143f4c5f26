import { useEffect, useState } from 'react'
import { addRows, type LiveRows, noLiveRows, withoutError } from './live-rows.ts'
import { fetchNewRequests, type RequestFilters } from './request-queries.ts'

/** The polling interval for new rows. */
const LOOK_MS = 750
/**
 * Follows the log: rows appear as requests end. A poll starts only after the previous one has its response. The rows
 * stay after following stops, since the list below does not have them yet.
 */
export function useLiveRows(isOn: boolean, filters: RequestFilters, newestId: number | undefined): LiveRows {
  const [live, setLive] = useState(noLiveRows)
  // Following restarts if the filters change, but not if an equal object replaces them.
  const [wanted, setWanted] = useState(filters)
  if (JSON.stringify(wanted) !== JSON.stringify(filters)) {
    setWanted(filters)
    setLive(noLiveRows)
  }
  useEffect(() => {
    if (!isOn || newestId === undefined) return
    setLive(noLiveRows)
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
      const added = await fetchNewRequests(filters, after, signal)
      after = Math.max(after, ...added.data.map(({ id }) => id))
      show((live) => (added.data.length === 0 ? withoutError(live) : addRows(live, added)))
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
