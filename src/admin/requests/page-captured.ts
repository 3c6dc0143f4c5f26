import type { CaptureQuery, CaptureStore, CaptureSummary } from '../../capture/capture-store.ts'
import type {
  RequestLogStore,
  RequestPage,
  RequestQuery,
  StoredSummary,
} from '../../request-log/request-log-store.ts'

/** The captures that are read at once. */
const BATCH_CAPTURES = 500
/** Requests that end within this time of each other may be stored in either order. */
const ORDER_SLACK_MS = 5_000

export interface CapturedSource {
  readonly log: Pick<RequestLogStore, 'page'>
  readonly captures: Pick<CaptureStore, 'page'>
}

/**
 * A page of the requests whose prompt or response is stored. The captures are read first, as there are far fewer
 * captures than requests. They are read from the newest on, and the log finds the matching rows of each batch.
 */
export async function pageCaptured(
  { log, captures }: CapturedSource,
  query: RequestQuery,
): Promise<RequestPage> {
  const wanted = query.limit + 1
  const narrowed = await narrowCaptures(log, query)
  let found: readonly StoredSummary[] = []
  let last: CaptureSummary | undefined
  for (let hasMore = true; hasMore && !isFilled(found, { wanted, last }); ) {
    const batch = await captures.page({ ...narrowed, after: last, limit: BATCH_CAPTURES })
    found = [...found, ...(await findRows(log, query, batch.captures))].toSorted((a, b) => b.id - a.id)
    last = batch.captures.at(-1)
    hasMore = batch.hasMore
  }
  return { rows: found.slice(0, query.limit), hasMore: found.length > query.limit }
}

/** Whether no unread capture can belong on the page. */
function isFilled(
  found: readonly StoredSummary[],
  { wanted, last }: { readonly wanted: number; readonly last: CaptureSummary | undefined },
): boolean {
  const lowest = found[wanted - 1]
  return lowest !== undefined && last !== undefined && last.atMs < lowest.endedAtMs - ORDER_SLACK_MS
}

async function findRows(
  log: CapturedSource['log'],
  query: RequestQuery,
  captures: readonly CaptureSummary[],
): Promise<readonly StoredSummary[]> {
  if (captures.length === 0) return []
  const requestIds = captures.map(({ requestId }) => requestId)
  return (await log.page({ ...query, requestIds, limit: requestIds.length })).rows
}

/**
 * The captures whose requests may match, judged by what a capture knows of its request and by the time at which the
 * request ended.
 */
async function narrowCaptures(
  log: CapturedSource['log'],
  query: RequestQuery,
): Promise<Omit<CaptureQuery, 'after' | 'limit'>> {
  const { key, user, group, model, status, before, after } = query
  const endOf = async (id: number) => (await log.page({ before: id, limit: 1 })).rows[0]?.endedAtMs
  const newestMs = before === undefined ? undefined : await endOf(before)
  const oldestMs = after === undefined ? undefined : await endOf(after + 1)
  const since = [query.sinceMs, oldestMs && oldestMs - ORDER_SLACK_MS].filter((each) => each !== undefined)
  const until = [query.untilMs, newestMs && newestMs + ORDER_SLACK_MS].filter((each) => each !== undefined)
  return {
    key,
    user,
    group,
    model,
    status,
    ...(since.length > 0 && { sinceMs: Math.max(...since) }),
    ...(until.length > 0 && { untilMs: Math.min(...until) }),
  }
}
