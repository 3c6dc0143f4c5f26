import type { VisitedConsole } from '../support/open-console.ts'

export interface FilterTimes {
  readonly query: string
  /** Milliseconds until the rows of the filter show. */
  readonly times: number[]
}

/** Filters of Requests, some that much fits and some that little or nothing fits. */
const queries = [
  'model=model-7',
  'model=no-such-model',
  'status=5xx',
  'status=429',
  'key=service-9999',
  'key=service-1',
  'channel=channel-999',
  'group=group-3&error=upstream_timeout',
  'min_ms=30000',
  'stream=false',
] as const

/** Puts each filter on, and takes it off again, as links to it do. */
export async function measureFilters(
  { page, open }: VisitedConsole,
  rounds: number,
): Promise<readonly FilterTimes[]> {
  await open('/requests')
  const measured = queries.map((query): FilterTimes => ({ query, times: [] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { query, times } of measured) {
      times.push(await page.evaluate(showFilter, `?${query}`))
      await page.evaluate(showFilter, '')
    }
  }
  return measured
}

/** Runs in the page: changes the filters, and waits for the frame that shows their rows. */
async function showFilter(search: string): Promise<number> {
  // The bar has a button that clears the filters once one applies.
  const applies = () => document.querySelectorAll('search button').length > 1 === (search !== '')
  const isBusy = () => !applies() || document.querySelector('main [aria-busy="true"]') !== null
  const start = performance.now()
  history.pushState({}, '', `${location.pathname}${search}`)
  dispatchEvent(new PopStateEvent('popstate'))
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  while (isBusy()) {
    if (performance.now() - start > 30_000) throw new Error(`${search} never showed`)
    await new Promise(requestAnimationFrame)
  }
  return performance.now() - start
}

export interface LiveTimes {
  /** The tasks that took longer than 50 ms while following, in milliseconds. */
  readonly longTasks: readonly number[]
  /** The rows of the feed that are in view at the end. */
  readonly rowsShown: number
}

const ROWS_A_SECOND = 500

/**
 * Follows the log live for a while, and reports what held the page up. The rows are a recording of what the gateway
 * answers, sent again and again as rows that just ended, so that it is the page alone that is measured.
 */
export async function measureLive({ page, open }: VisitedConsole, followMs: number): Promise<LiveTimes> {
  const recorded = await page.request.get(
    `${new URL(page.url()).origin}/admin/v1/requests?limit=${ROWS_A_SECOND}`,
  )
  const { data }: { data: readonly { readonly id: number }[] } = await recorded.json()
  let id = data[0]?.id ?? 0
  let lastMs = Date.now()
  await page.route(/\/admin\/v1\/requests\?.*after=/, async (route) => {
    const count = Math.min(data.length, Math.round(((Date.now() - lastMs) * ROWS_A_SECOND) / 1_000))
    lastMs = Date.now()
    id += count
    const newest = id
    const rows = data.slice(0, count).map((row, index) => ({
      ...row,
      id: newest - index,
      request_id: `req_live-${newest - index}`,
      ended_at: new Date().toISOString(),
    }))
    await route.fulfill({ json: { data: rows, has_more: false, next: null } })
  })
  await open('/requests?live=true')
  await page.waitForTimeout(2_000)
  return page.evaluate(async (milliseconds) => {
    const longTasks: number[] = []
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longTasks.push(duration)
    })
    observer.observe({ type: 'longtask' })
    await new Promise((over) => setTimeout(over, milliseconds))
    observer.disconnect()
    const rowsShown = document.querySelectorAll('main tbody a[href*="req_live-"]').length
    return { longTasks, rowsShown }
  }, followMs)
}
