import type { BudgetView } from '../../../../src/admin/budgets/budget-contract.ts'
import { usePages } from '../../api/use-pages.ts'
import { BudgetMeter, describeLimit } from '../../budgets/budget-meter.tsx'
import { nameWindow } from '../../budgets/budgets-input.tsx'
import { writeRowUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import { fetchBudgets } from './budget-queries.ts'
import { type BudgetSearch, type BudgetSearchProps, budgetScopes } from './budget-search.ts'
import { ForecastText } from './forecast-text.tsx'
import { nameBudget, nameCounted, nameScope } from './scope-words.ts'

const REFRESH_MS = 10_000

/** Every budget with its spent, held and remaining amounts. */
export function BudgetList({ search, onChange }: BudgetSearchProps) {
  const { q, scope, sort = '-used' } = search
  const { seesAll } = usePermissions()
  const pages = usePages({
    queryKey: ['budgets', 'list', q, scope, sort],
    fetchPage: (after, signal) => fetchBudgets({ q, scope, sort }, after, signal),
    refetchMs: REFRESH_MS,
  })
  const active = [q, scope].filter((each) => each !== undefined).length
  const offered = seesAll ? budgetScopes : (['key', 'user', 'group'] as const)
  return (
    <>
      <FilterBar
        active={active}
        onClear={() => onChange({ q: undefined, scope: undefined })}
        first={
          <FilterText
            label={t('budgets.search')}
            value={q}
            onChange={(next) => onChange({ q: next })}
            isSearch
            className="min-w-40 flex-1 sm:max-w-64"
          />
        }
      >
        <FilterSelect
          label={t('budgets.scope')}
          value={scope}
          choices={offered.map((each) => [each, t(`budgets.scope.${each}`)])}
          onChange={(next) => onChange({ scope: next })}
        />
      </FilterBar>
      <PagedTable
        label={t('budgets.tab.budgets')}
        columns={budgetColumns(search)}
        pages={pages}
        keyOf={({ id }) => id}
        sorting={{ by: sort, onChange: (by) => onChange({ sort: by }) }}
        empty={
          <EmptyState icon="budget" title={t(active > 0 ? 'budgets.none.filtered' : 'budgets.none')}>
            {active > 0 ? t('filter.none.advice') : t(seesAll ? 'budgets.none.advice' : 'budgets.none.own')}
          </EmptyState>
        }
      />
    </>
  )
}

function budgetColumns(search: BudgetSearch): readonly Column<BudgetView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: ({ name, scope, raises }) => (
        <>
          <RowLink to="/budgets" search={{ ...search, budget: name, value: undefined }}>
            <span title={name}>{nameBudget({ name, scope })}</span>
          </RowLink>
          {raises.length > 0 && (
            <span className="ml-2">
              <Badge tone="accent">{t('budgets.raised')}</Badge>
            </span>
          )}
        </>
      ),
    },
    {
      id: 'scope',
      header: t('budgets.scope'),
      className: 'w-40 max-2xl:hidden',
      cell: ({ scope }) => <span title={scope}>{nameScope(scope)}</span>,
    },
    {
      id: 'used',
      header: t('budgets.used'),
      sort: 'used',
      className: 'w-60 max-md:w-28',
      cell: (budget) => <Used budget={budget} />,
    },
    {
      id: 'window',
      header: t('budget.window'),
      className: 'w-28 max-2xl:hidden',
      cell: ({ window }) => nameWindow(window),
    },
    ...amountColumns(),
  ]
}

function amountColumns(): readonly Column<BudgetView>[] {
  return [
    {
      id: 'held',
      header: t('budgets.held'),
      className: 'w-30 max-2xl:hidden',
      align: 'end',
      cell: ({ held_usd: held }) => (held === null ? <Absent /> : <MoneyText usd={held} style="row" />),
    },
    {
      id: 'left',
      header: t('budgets.left'),
      className: 'w-30 max-lg:hidden',
      align: 'end',
      cell: ({ remaining_usd: left }) => (left === null ? <Absent /> : <MoneyText usd={left} style="row" />),
    },
    {
      id: 'resets',
      header: t('budgets.resets'),
      className: 'w-32 max-lg:hidden',
      cell: (budget) => <Resets budget={budget} />,
    },
    {
      id: 'forecast',
      header: t('budgets.forecast'),
      className: 'w-60 max-md:hidden',
      cell: (budget) => <ForecastText budget={budget} />,
    },
  ]
}

function nameLimit({ limit_usd: limit }: BudgetView): string {
  return limit === 'unlimited' ? t('budget.unlimited') : writeRowUsd(limit)
}

/** The windows of a budget for each value of a tag reset too, but the row of all values has no time for it. */
function Resets({ budget }: { readonly budget: BudgetView }) {
  const { resets_at: at, spent_usd: spent, window } = budget
  if (at !== null) return <TimeText at={at} style="distance" />
  if (spent === null && window !== 'total') return <Absent />
  return <span className="text-muted">{t('common.never')}</span>
}

function Used({ budget }: { readonly budget: BudgetView }) {
  const { spent_usd: spent } = budget
  if (spent === null) return <span className="text-muted">{t('budgets.each_value')}</span>
  return (
    <span className="flex items-center gap-2">
      <BudgetMeter budget={budget} className="w-10 shrink-0" />
      <span
        className="truncate text-[0.8125rem] tabular-nums"
        title={`${describeLimit(budget)} · ${t('budgets.counts')}: ${nameCounted(budget.scope)}`}
      >
        {writeRowUsd(spent)}
        <span className="max-md:hidden"> / {nameLimit(budget)}</span>
      </span>
    </span>
  )
}
