import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { BudgetList } from './budget-list.tsx'
import type { BudgetSearch, BudgetSearchProps, BudgetTab } from './budget-search.ts'
import { BudgetSheet } from './budget-sheet.tsx'
import { CreateCodesDialog, RedeemDialog } from './code-dialogs.tsx'
import { CodeList } from './code-list.tsx'
import { CreateBudgetDialog } from './create-budget-dialog.tsx'
import { CreditList } from './credit-list.tsx'
import { CreditSheet } from './credit-sheet.tsx'
import { GrantDialog } from './grant-dialog.tsx'

/** Budgets, credits and redemption codes. */
export function BudgetsPage() {
  const search = useSearch({ from: '/frame/budgets' })
  const navigate = useNavigate({ from: '/budgets' })
  const { seesAll } = usePermissions()
  const change = useCallback(
    (next: Partial<BudgetSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  // The address may come from a user who may open a form or a tab that this one may not.
  const manages = useMay('POST /budgets')
  const shown = manages ? search : { ...search, make: undefined }
  const { tab: asked = 'budgets' } = search
  const tab = asked === 'codes' && !seesAll ? 'budgets' : asked
  const close = () => change({ make: undefined })
  const tabs: readonly Tab<BudgetTab>[] = [
    {
      name: 'budgets',
      label: t('budgets.tab.budgets'),
      content: <BudgetList search={search} onChange={change} />,
    },
    {
      name: 'credits',
      label: t('budgets.tab.credits'),
      content: <CreditList search={search} onChange={change} />,
    },
    ...(seesAll
      ? [{ name: 'codes', label: t('budgets.tab.codes'), content: <CodeList onChange={change} /> } as const]
      : []),
  ]
  return (
    <>
      <PageHeader
        title={t('nav.budgets')}
        description={t(seesAll ? 'budgets.description' : 'budgets.description.own')}
        actions={manages && <PageActions tab={tab} onChange={change} />}
      />
      <Tabs
        label={t('nav.budgets')}
        tabs={tabs}
        active={tab}
        onChange={(next) =>
          change({ tab: next === 'budgets' ? undefined : next, q: undefined, sort: undefined })
        }
      />
      <CreateBudgetDialog isOpen={shown.make === 'budget'} onClose={close} />
      <GrantDialog isOpen={shown.make === 'grant'} owner={search.credit} onClose={close} />
      <CreateCodesDialog isOpen={shown.make === 'codes'} onClose={close} />
      <RedeemDialog isOpen={shown.make === 'redeem'} onClose={close} />
      <OpenSheet search={shown} onChange={change} />
    </>
  )
}

/** The sheet of the open budget or credit. */
function OpenSheet({ search, onChange: change }: BudgetSearchProps) {
  return (
    <>
      {search.budget !== undefined && (
        <BudgetSheet
          key={`${search.budget} ${search.value ?? ''}`}
          name={search.budget}
          value={search.value}
          onShow={(value) => change({ value })}
          onClose={() => change({ budget: undefined, value: undefined })}
        />
      )}
      {search.credit !== undefined && search.make === undefined && (
        <CreditSheet
          owner={search.credit}
          onGrant={() => change({ make: 'grant' })}
          onClose={() => change({ credit: undefined })}
        />
      )}
    </>
  )
}

interface PageActionsProps {
  readonly tab: BudgetTab
  readonly onChange: (next: Partial<BudgetSearch>) => void
}

function PageActions({ tab, onChange }: PageActionsProps) {
  if (tab === 'credits')
    return (
      <Button variant="primary" icon="plus" onClick={() => onChange({ make: 'grant', credit: undefined })}>
        {t('credits.grant')}
      </Button>
    )
  if (tab === 'codes')
    return (
      <>
        <Button onClick={() => onChange({ make: 'redeem' })}>{t('codes.redeem')}</Button>
        <Button variant="primary" icon="plus" onClick={() => onChange({ make: 'codes' })}>
          {t('codes.create')}
        </Button>
      </>
    )
  return (
    <Button variant="primary" icon="plus" onClick={() => onChange({ make: 'budget' })}>
      {t('budgets.create')}
    </Button>
  )
}
