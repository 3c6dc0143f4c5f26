import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

export interface PageOf<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the page that follows; null on the last page. */
  readonly next: string | number | null
}

export interface Pages<Row> {
  readonly rows: readonly Row[]
  readonly isPending: boolean
  /** Whether the rows are those of another question, whose answer is on its way. */
  readonly isStale: boolean
  readonly error: Error | null
  readonly isLoadingMore: boolean
  /** Undefined where nothing follows. */
  readonly onMore: (() => void) | undefined
  readonly refetch: () => void
}

interface PagesOptions<Row> {
  readonly queryKey: readonly unknown[]
  readonly fetchPage: (cursor: string | number | undefined, signal: AbortSignal) => Promise<PageOf<Row>>
  readonly refetchMs?: number | false
}

/** A list that is read page by page, each found by the last row of the one before. */
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
  const onMore = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    rows,
    isPending: query.isPending,
    isStale: query.isPlaceholderData,
    error: query.error,
    isLoadingMore: query.isFetchingNextPage,
    onMore: hasNextPage ? onMore : undefined,
    refetch: () => void refetch(),
  }
}
