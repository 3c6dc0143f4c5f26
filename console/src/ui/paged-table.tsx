import type { ReactNode } from 'react'
import type { Pages } from '../api/use-pages.ts'
import { classNames } from './class-names.ts'
import { type Column, DataTable, type Sorting } from './data-table.tsx'
import { ErrorState, Skeleton } from './states.tsx'

interface PagedTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly pages: Pages<Row>
  readonly keyOf: (row: Row) => string | number
  readonly sorting?: Sorting
  /** The content shown if the list is empty. */
  readonly empty: ReactNode
}

/** A paged list as a table, including its loading, error and empty states. */
export function PagedTable<Row>({ pages, empty, ...table }: PagedTableProps<Row>) {
  const { rows, isPending, isStale, error, onMore, isLoadingMore, moreError, refetch } = pages
  return (
    <div
      aria-busy={isPending || isStale}
      className={classNames(
        'overflow-clip rounded-xl border border-line bg-surface shadow-lift transition-opacity',
        // A short list is as high as its rows. Content shown instead of rows gets more space.
        rows.length === 0 && 'min-h-64',
        isStale && 'opacity-60',
      )}
    >
      {isPending && <Skeleton rows={6} />}
      {error !== null && rows.length === 0 && <ErrorState error={error} onRetry={refetch} />}
      {!isPending && error === null && rows.length === 0 && empty}
      {rows.length > 0 && (
        <DataTable
          {...table}
          rows={rows}
          onMore={onMore}
          isLoadingMore={isLoadingMore}
          moreError={moreError}
        />
      )}
    </div>
  )
}
