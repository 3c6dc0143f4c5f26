import type { CreditView } from '../../../../src/admin/credits/credit-contract.ts'
import { usePages } from '../../api/use-pages.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import type { Column } from '../../ui/data-table.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import type { BudgetSearch, BudgetSearchProps } from './budget-search.ts'
import { fetchCredits } from './credit-queries.ts'
import { nameScope } from './scope-words.ts'

/** The credits with their remaining amounts. */
export function CreditList({ search, onChange }: BudgetSearchProps) {
  const { sort = 'owner' } = search
  const grants = useMay('POST /credits')
  const { seesAll } = usePermissions()
  const pages = usePages({
    queryKey: ['credits', 'list', sort],
    fetchPage: (after, signal) => fetchCredits(sort, after, signal),
  })
  return (
    <PagedTable
      label={t('budgets.tab.credits')}
      columns={creditColumns(search)}
      pages={pages}
      keyOf={({ owner }) => owner}
      sorting={{ by: sort, onChange: (by) => onChange({ sort: by }) }}
      empty={
        <EmptyState icon="budget" title={t('credits.none')}>
          {t(grants ? 'credits.none.advice' : seesAll ? 'credits.none.viewer' : 'credits.none.own')}
        </EmptyState>
      }
    />
  )
}

function creditColumns(search: BudgetSearch): readonly Column<CreditView>[] {
  return [
    {
      id: 'owner',
      header: t('credits.owner'),
      sort: 'owner',
      cell: ({ owner }) => (
        <RowLink to="/budgets" search={{ ...search, credit: owner }}>
          {nameScope(owner)}
        </RowLink>
      ),
    },
    {
      id: 'remaining',
      header: t('budgets.left'),
      sort: 'remaining',
      className: 'w-32',
      align: 'end',
      cell: ({ remaining_usd: left }) => <MoneyText usd={left} style="row" />,
    },
    {
      id: 'lapse',
      header: t('credits.next_lapse'),
      className: 'w-64 max-md:hidden',
      cell: ({ next_lapse: lapse }) =>
        lapse === null ? (
          <Absent />
        ) : (
          <>
            {writeUsd(lapse.amount_usd)} <span className="text-muted">·</span>{' '}
            <TimeText at={lapse.at} style="distance" />
          </>
        ),
    },
    {
      id: 'lapsed',
      header: t('credits.lapsed'),
      className: 'w-28 max-lg:hidden',
      align: 'end',
      cell: ({ lapsed_usd: lapsed }) => (lapsed === 0 ? <Absent /> : <MoneyText usd={lapsed} style="row" />),
    },
    {
      id: 'grants',
      header: t('credits.grants'),
      className: 'w-24 max-sm:hidden',
      align: 'end',
      cell: ({ grants }) => String(grants.length),
    },
  ]
}
