import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { Spinner } from './button.tsx'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import { leaveFocus } from './return-focus.ts'
import { ErrorState } from './states.tsx'

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** The header is for screen readers alone, where the cells show what they are. */
  readonly hidesHeader?: boolean
  readonly cell: (row: Row) => ReactNode
  /** The classes for the column's width, and for the page width from which it is shown. */
  readonly className?: string
  readonly align?: 'end'
  /** The name by which the gateway sorts this column. */
  readonly sort?: string
}

export interface Sorting {
  /** The name of the sorted column, with a leading "-" for descending order. */
  readonly by: string | undefined
  readonly onChange: (by: string) => void
}

export interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  readonly sorting?: Sorting
  /** Loads the next rows. Undefined if there are none. */
  readonly onMore?: (() => void) | undefined
  readonly isLoadingMore?: boolean
  /** The error of loading the next rows. */
  readonly moreError?: Error | null
}

const ROW_HEIGHT = 45
/** A text longer than its column is truncated. On a narrow screen it may have two lines, which fit into a row. */
const CELL =
  'truncate max-sm:line-clamp-2 max-sm:leading-tight max-sm:wrap-break-word max-sm:whitespace-normal'
const OVERSCAN = 10
/** The next rows are loaded when this many rows are left. */
const AHEAD = 20

/**
 * A table of any length. Only visible rows are rendered. All rows have the same height, so that the layout is stable.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, sorting, onMore, isLoadingMore = false, moreError = null } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const scrollMargin = useOffsetTop(body)
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin,
    getItemKey: (index) => itemKey(rows[index], keyOf, index),
  })
  const shown = virtualizer.getVirtualItems()
  const lastShown = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastShown >= rows.length - AHEAD && !isLoadingMore && moreError === null) onMore?.()
  }, [lastShown, rows.length, isLoadingMore, moreError, onMore])
  const before = (shown[0]?.start ?? scrollMargin) - scrollMargin
  const after = virtualizer.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin)
  return (
    <>
      <table
        aria-label={label}
        aria-rowcount={onMore === undefined ? rows.length + 1 : -1}
        className="w-full table-fixed"
      >
        <TableHead columns={columns} sorting={sorting} />
        <tbody ref={body}>
          <Spacer height={before} />
          {shown.map(({ index, key }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <TableRow key={String(key)} row={row} columns={columns} index={index} />
            )
          })}
          <Spacer height={after} />
        </tbody>
      </table>
      {isLoadingMore && (
        <div className="flex justify-center py-3 text-muted">
          <Spinner />
        </div>
      )}
      {moreError !== null && !isLoadingMore && <ErrorState error={moreError} onRetry={onMore} />}
    </>
  )
}

function itemKey<Row>(row: Row | undefined, keyOf: (row: Row) => string | number, index: number) {
  return row === undefined ? index : keyOf(row)
}

/** The table's distance from the top of the page, which depends on the content above it. */
function useOffsetTop(ref: { readonly current: HTMLElement | null }): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const top = ref.current?.getBoundingClientRect().top ?? 0
      setOffset(Math.round(top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [ref])
  return offset
}

/** A single cell, since a column span would make hidden columns visible again. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without a control takes no focus.
    <tr aria-hidden="true">
      <td style={{ height }} />
    </tr>
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly index: number
}

function TableRow<Row>({ row, columns, index }: TableRowProps<Row>) {
  const element = useRef<HTMLTableRowElement>(null)
  useLayoutEffect(() => {
    const shown = element.current
    return () => leaveFocus(shown)
  }, [])
  return (
    <tr
      ref={element}
      aria-rowindex={index + 2}
      className="relative h-[45px] border-b border-line transition-colors last:border-b-0 hover:bg-hover/60"
    >
      {columns.map(({ id, cell, className, align }) => (
        <td
          key={id}
          className={classNames('px-2 sm:px-3', align === 'end' && 'text-right tabular-nums', className)}
        >
          <div className={CELL}>{cell(row)}</div>
        </td>
      ))}
    </tr>
  )
}

interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sorting: Sorting | undefined
}

function TableHead<Row>({ columns, sorting }: TableHeadProps<Row>) {
  return (
    <thead className="sticky top-14 z-20 [&_th]:bg-surface">
      <tr aria-rowindex={1} className="border-b border-line">
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sorting={sorting} />
        ))}
      </tr>
    </thead>
  )
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>
  readonly sorting: Sorting | undefined
}

function HeadCell<Row>({ column, sorting }: HeadCellProps<Row>) {
  const { header, hidesHeader = false, className, align, sort } = column
  const direction = sort === undefined ? undefined : directionOf(sort, sorting?.by)
  const look = classNames(
    'h-10 px-2 text-xs sm:px-3 font-medium text-muted',
    align === 'end' ? 'text-right' : 'text-left',
    className,
  )
  if (sort === undefined || sorting === undefined)
    return (
      <th scope="col" className={look}>
        <div className={hidesHeader ? 'sr-only' : 'truncate'}>{header}</div>
      </th>
    )
  return (
    <th scope="col" aria-sort={direction ?? 'none'} className={look}>
      <button
        type="button"
        onClick={() => sorting.onChange(direction === 'descending' ? sort : `-${sort}`)}
        title={t('table.sort', { column: header })}
        className="inline-flex max-w-full items-center gap-1 rounded hover:text-ink"
      >
        <span className="truncate">{header}</span>
        {direction !== undefined && (
          <Icon name={direction === 'ascending' ? 'up' : 'down'} className="size-3.5" />
        )}
      </button>
    </th>
  )
}

function directionOf(sort: string, by: string | undefined): 'ascending' | 'descending' | undefined {
  if (by === sort) return 'ascending'
  return by === `-${sort}` ? 'descending' : undefined
}
