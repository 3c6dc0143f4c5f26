import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'

export interface PageOf<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the next page. Null on the last page. */
  readonly next: string | number | null
}

export interface Pages<Row> {
  readonly rows: readonly Row[]
  readonly isPending: boolean
  /** Whether the rows belong to the previous query, while the new one is loading. */
  readonly isStale: boolean
  readonly error: Error | null
  readonly isLoadingMore: boolean
  /** The error of the next page. It is not loaded again unless the user asks for it. */
  readonly moreError: Error | null
  /** Undefined if there is no next page. */
  readonly onMore: (() => void) | undefined
  readonly refetch: () => void
}

interface PagesOptions<Row> {
  readonly queryKey: readonly unknown[]
  readonly fetchPage: (cursor: string | number | undefined, signal: AbortSignal) => Promise<PageOf<Row>>
  readonly refetchMs?: number | false
}

/** A paged list. The cursor of each page comes from the last row of the previous page. */
export function usePages<Row>({ queryKey, fetchPage, refetchMs = false }: PagesOptions<Row>): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | number | undefined,
    getNextPageParam: ({ next }: PageOf<Row>) => next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  })
  const { data, fetchNextPage, hasNextPage, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data])
  // A table may ask for the next page again before React has drawn it with the state of the first call.
  const isFetching = useRef(false)
  const onMore = useCallback(() => {
    if (isFetching.current) return
    isFetching.current = true
    void fetchNextPage().finally(() => {
      isFetching.current = false
    })
  }, [fetchNextPage])
  return {
    rows,
    isPending: query.isPending,
    isStale: query.isPlaceholderData,
    error: query.error,
    isLoadingMore: query.isFetchingNextPage,
    moreError: query.isFetchNextPageError ? query.error : null,
    onMore: hasNextPage ? onMore : undefined,
    refetch: () => void refetch(),
  }
}
