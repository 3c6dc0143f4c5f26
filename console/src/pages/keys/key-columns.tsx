import type { ListedKey } from '../../../../src/admin/keys/key-contract.ts'
import { NearestBudget } from '../../budgets/nearest-budget.tsx'
import { t } from '../../language/language.ts'
import { writeCapture } from '../../settings/capture-text.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Marked } from '../../ui/row-mark.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import type { KeySearch } from './key-search.ts'
import { statusTones } from './status-tones.ts'

/** The columns of the list. Narrow screens omit the last ones. */
export function keyColumns(search: KeySearch): readonly Column<ListedKey>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: ({ id, name, hint, capture, origin }) => (
        <Marked icon="record" text={writeCapture(capture)}>
          <RowLink to="/keys/$id" params={{ id }} search={search}>
            {name}
          </RowLink>
          {origin === 'bootstrap' && (
            <span className="ml-2">
              <Badge title={t('keys.in_file')}>{t('owner.file')}</Badge>
            </span>
          )}
          {hint !== '' && <code className="ml-2 text-xs text-muted max-sm:hidden">{hint}…</code>}
        </Marked>
      ),
    },
    {
      id: 'status',
      header: t('keys.status'),
      className: 'w-24',
      cell: ({ status }) => <StatusText tone={statusTones[status]}>{t(`keys.status.${status}`)}</StatusText>,
    },
    {
      id: 'group',
      header: t('keys.group'),
      className: 'w-30 max-lg:hidden',
      cell: ({ group }) => (group === null ? <Absent /> : <Badge>{group}</Badge>),
    },
    {
      id: 'user',
      header: t('keys.user'),
      className: 'w-28 max-xl:hidden',
      cell: ({ user }) => user ?? <Absent />,
    },
    ...spendingColumns(),
  ]
}

function spendingColumns(): readonly Column<ListedKey>[] {
  return [
    {
      id: 'budget',
      header: t('keys.budget'),
      className: 'w-56 max-md:hidden',
      cell: ({ name, budgets }) => <NearestBudget of="key" name={name} budgets={budgets} />,
    },
    {
      id: 'cost',
      header: t('keys.cost'),
      className: 'w-30 max-sm:hidden',
      align: 'end',
      cell: (key) => <MoneyText usd={key.cost_this_month_usd} style="row" />,
    },
    {
      id: 'used',
      header: t('keys.last_used'),
      className: 'w-34 max-lg:hidden',
      align: 'end',
      sort: 'last_used',
      cell: ({ last_used_at: at }) =>
        at === null ? (
          <span className="text-muted">{t('common.never')}</span>
        ) : (
          <TimeText at={at} style="distance" />
        ),
    },
  ]
}
