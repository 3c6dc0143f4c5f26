import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import { writeCount, writeShortCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameWithout } from '../../language/name-without.ts'
import { nameKey } from '../../routing/name-parts.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { MoneyText } from '../../ui/text.tsx'
import { isNamedTwice, nameBucket } from './name-bucket.ts'
import { nameDimension } from './usage-choices.tsx'
import { measureOf, sumInput } from './usage-measures.ts'
import { unpricedQuery } from './usage-queries.ts'
import { type Measure, timeUnits, type UsageSearch } from './usage-search.ts'

interface UsageTableProps {
  readonly rows: readonly UsageGroupView[]
  readonly dimensions: readonly string[]
  readonly measure: Measure
  readonly search: UsageSearch
}

const none: ReadonlySet<string> = new Set()

/** The rows of the report. They are sorted here, as all rows are loaded. */
export function UsageTable({ rows, dimensions, measure, search }: UsageTableProps) {
  const [sort, setSort] = useState<string>()
  const { seesAll } = usePermissions()
  const unpriced = useQuery({ ...unpricedQuery, enabled: seesAll })
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort])
  const hasOffsets = useMemo(() => rows.some(({ by }) => isNamedTwice(by['hour'] ?? '')), [rows])
  const columns = usageColumns({ dimensions, search, unpriced: unpriced.data ?? none, hasOffsets })
  return (
    <div className="overflow-clip rounded-xl border border-line bg-surface shadow-lift">
      <DataTable
        label={t('usage.table', { measure: t(`usage.measure.${measure}`) })}
        columns={columns}
        rows={sorted}
        keyOf={(row) => dimensions.map((each) => row.by[each === 'key' ? 'key_id' : each] ?? '').join('\n')}
        sorting={{ by: sort, onChange: setSort }}
      />
    </div>
  )
}

function sortRows(rows: readonly UsageGroupView[], sort: string | undefined): readonly UsageGroupView[] {
  if (sort === undefined) return rows
  const name = sort.replace(/^-/, '')
  const direction = sort.startsWith('-') ? -1 : 1
  const readValue = (row: UsageGroupView): string | number =>
    name === 'input'
      ? sumInput(row)
      : name === 'per_request'
        ? (costPerRequest(row) ?? -1)
        : name === 'output'
          ? row.usage.output_tokens
          : isMeasure(name)
            ? measureOf(name, row)
            : (row.by[name] ?? '')
  return rows.toSorted((one, other) => {
    const [left, right] = [readValue(one), readValue(other)]
    return direction * (left < right ? -1 : left > right ? 1 : 0)
  })
}

/** The cost of a request. Null if a row has only attempts. */
function costPerRequest({ cost_usd: cost, requests }: UsageGroupView): number | null {
  return requests === 0 ? null : cost / requests
}

function isMeasure(name: string): name is Measure {
  return ['cost', 'charged', 'requests', 'failed'].includes(name)
}

interface ColumnOptions extends Pick<UsageTableProps, 'dimensions' | 'search'> {
  readonly unpriced: ReadonlySet<string>
  /** Whether an hour is shown with its offset, which needs space. */
  readonly hasOffsets: boolean
}

function usageColumns({
  dimensions,
  search,
  unpriced,
  hasOffsets,
}: ColumnOptions): readonly Column<UsageGroupView>[] {
  // With two dimensions, the names need the space of the last two numbers on a laptop.
  const last = dimensions.length > 1 ? 'max-2xl:hidden' : 'max-xl:hidden'
  return [
    ...dimensions.map(
      (dimension): Column<UsageGroupView> => ({
        id: dimension,
        header: nameDimension(dimension),
        sort: dimension,
        ...(isTime(dimension) ? { className: hasOffsets ? 'w-52 max-sm:w-32' : 'w-36 max-sm:w-24' } : {}),
        cell: (row) => <Name row={row} dimension={dimension} search={search} unpriced={unpriced} />,
      }),
    ),
    numberColumn('requests', t('usage.measure.requests'), 'w-22 max-md:hidden', ({ requests }) => requests),
    numberColumn('failed', t('usage.measure.failed'), 'w-32 max-lg:hidden', ({ failed }) => failed),
    numberColumn('input', t('usage.input'), 'w-26 max-lg:hidden', sumInput),
    numberColumn(
      'output',
      t('usage.output_tokens'),
      'w-28 max-lg:hidden',
      ({ usage }) => usage.output_tokens,
    ),
    {
      id: 'cost',
      header: t('usage.measure.cost'),
      sort: 'cost',
      className: 'w-30 max-sm:w-24',
      align: 'end',
      cell: (row) => <MoneyText usd={row.cost_usd} style="row" />,
    },
    {
      id: 'per_request',
      header: t('usage.per_request'),
      sort: 'per_request',
      className: `w-34 ${last}`,
      align: 'end',
      cell: (row) => <MoneyText usd={costPerRequest(row)} style="row" />,
    },
    {
      id: 'charged',
      header: t('usage.measure.charged'),
      sort: 'charged',
      className: `w-30 ${last}`,
      align: 'end',
      cell: (row) => <MoneyText usd={row.charged_usd} style="row" />,
    },
  ]
}

function numberColumn(
  id: string,
  header: string,
  className: string,
  read: (row: UsageGroupView) => number,
): Column<UsageGroupView> {
  return {
    id,
    header,
    className,
    sort: id,
    align: 'end',
    cell: (row) => <span title={writeCount(read(row))}>{writeShortCount(read(row))}</span>,
  }
}

function isTime(dimension: string): boolean {
  return timeUnits.some((unit) => unit === dimension)
}

interface NameProps {
  readonly row: UsageGroupView
  readonly dimension: string
  readonly search: UsageSearch
  readonly unpriced: ReadonlySet<string>
}

/** The name of a group, with a link to the report of only that group. */
function Name({ row, dimension, search, unpriced }: NameProps) {
  const name = row.by[dimension] ?? null
  if (name === null) return <span className="text-muted">{nameWithout(dimension)}</span>
  if (isTime(dimension)) return <span className="tabular-nums">{nameBucket(name)}</span>
  const shown = dimension === 'key' ? nameKey(name) : name
  const isUnpriced = dimension === 'model' && unpriced.has(name)
  const badge = isUnpriced && (
    <span className="ml-2">
      <Badge tone="warn" title={t('usage.unpriced.why')}>
        {t('usage.unpriced')}
      </Badge>
    </span>
  )
  const filter = dimension === 'key' ? row.by['key_id'] : name
  const isFilter = ['model', 'key', 'user', 'group', 'channel'].includes(dimension)
  if (!isFilter || filter === null || filter === undefined) return name
  return (
    <>
      <Link
        to="/usage"
        search={{ ...search, [dimension]: filter }}
        title={t('overview.filter_by', { name: shown })}
        className="font-medium hover:underline"
      >
        {shown}
      </Link>
      {badge}
    </>
  )
}
