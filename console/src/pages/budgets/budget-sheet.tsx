import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { BudgetView } from '../../../../src/admin/budgets/budget-contract.ts'
import { BudgetMeter, describeLimit } from '../../budgets/budget-meter.tsx'
import { nameWindow } from '../../budgets/budgets-input.tsx'
import { writeAuthor } from '../../changes/write-actor.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { DetailList } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, Code, MoneyText, TimeText } from '../../ui/text.tsx'
import { BudgetControls } from './budget-controls.tsx'
import { budgetQuery, forecastQuery } from './budget-queries.ts'
import { EditBudget } from './edit-budget.tsx'
import { ForecastBlock } from './forecast-text.tsx'
import { nameBudget, nameCounted, nameDefinition, nameScope } from './scope-words.ts'
import { TagValues } from './tag-values.tsx'

interface BudgetSheetProps {
  readonly name: string
  /** The value of the tag, if every value has a budget of its own. */
  readonly value: string | undefined
  readonly onShow: (value: string | undefined) => void
  readonly onClose: () => void
}

/** One budget, next to the list. */
export function BudgetSheet({ name, value, onShow, onClose }: BudgetSheetProps) {
  const budget = useQuery(budgetQuery(name, value))
  const [isEditing, setEditing] = useState(false)
  const shown = budget.data
  const title = nameBudget({ name, scope: shown?.scope ?? '' })
  return (
    <Dialog isOpen onClose={onClose} shape="side" title={value === undefined ? title : `${title} · ${value}`}>
      {budget.isPending && <Skeleton rows={6} />}
      {budget.isError && <ErrorState error={budget.error} onRetry={() => void budget.refetch()} />}
      {shown !== undefined && isEditing && <EditBudget name={name} onDone={() => setEditing(false)} />}
      {shown !== undefined && !isEditing && (
        <div className="space-y-6">
          <BudgetControls budget={shown} onEdit={() => setEditing(true)} onGone={onClose} />
          {shown.spent_usd === null ? <Values budget={shown} onShow={onShow} /> : <Spending budget={shown} />}
          <BudgetFacts budget={shown} />
        </div>
      )}
    </Dialog>
  )
}

interface ValuesProps {
  readonly budget: BudgetView
  readonly onShow: (value: string) => void
}

/** The values of a tag, with the limit and the raises that apply to each of them. */
function Values({ budget, onShow }: ValuesProps) {
  return (
    <>
      <TagValues name={budget.name} onShow={onShow} />
      <DetailList rows={[[t('budgets.limit.base'), <BaseLimit key="base" budget={budget} />]]} />
      <Raises budget={budget} />
    </>
  )
}

/** The spent, held and remaining amounts, with the forecast. */
function Spending({ budget }: { readonly budget: BudgetView }) {
  const { spent_usd: spent, held_usd: held, remaining_usd: left, resets_at: resets } = budget
  const forecast = useQuery(forecastQuery(budget.name, budget.value ?? undefined))
  return (
    <>
      <section className="space-y-3">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-2xl font-semibold tabular-nums">{writeUsd(spent ?? 0)}</span>
          <span className="text-muted">{t('budgets.of', { limit: describeLimit(budget) })}</span>
        </p>
        <BudgetMeter budget={budget} />
        <DetailList
          columns={2}
          rows={[
            [t('budgets.held'), <MoneyText key="held" usd={held} />],
            [t('budgets.left'), left === null ? <Absent key="left" /> : <MoneyText key="left" usd={left} />],
            [
              t('budgets.resets'),
              resets === null ? t('common.never') : <TimeText key="resets" at={resets} />,
            ],
            [t('budgets.limit.base'), <BaseLimit key="base" budget={budget} />],
          ]}
        />
        <p className="text-[0.8125rem] text-muted">{t('budgets.held.why')}</p>
      </section>
      {budget.limit_usd !== 'unlimited' && (
        <section>
          <h3 className="mb-1 font-semibold">{t('budgets.forecast')}</h3>
          {forecast.isPending && <Skeleton rows={2} />}
          {forecast.isError && <ErrorState error={forecast.error} />}
          {forecast.data !== undefined && <ForecastBlock forecast={forecast.data} />}
        </section>
      )}
      <Raises budget={budget} />
    </>
  )
}

function BaseLimit({ budget: { base_limit_usd: base } }: { readonly budget: BudgetView }) {
  return base === 'unlimited' ? t('budget.unlimited') : <MoneyText usd={base} />
}

function Raises({ budget: { raises } }: { readonly budget: BudgetView }) {
  if (raises.length === 0) return null
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('budgets.raises')}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {raises.map(({ by_usd: by, until, reason, author_fact: author, at }) => (
          <li key={`${at} ${by}`} className="px-3 py-2">
            <p className="flex flex-wrap justify-between gap-x-3">
              <span className="font-medium tabular-nums">
                {by > 0 ? '+' : ''}
                {writeUsd(by)}
              </span>
              <span className="text-muted">
                {until === null ? t('budgets.for_good') : t('budgets.until')}{' '}
                {until !== null && <TimeText at={until} />}
              </span>
            </p>
            <p className="text-[0.8125rem] text-muted">
              {[reason, writeAuthor({ author })].filter((each) => each !== '').join(' · ')} ·{' '}
              <TimeText at={at} style="distance" />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function BudgetFacts({ budget }: { readonly budget: BudgetView }) {
  const {
    name,
    scope,
    owner,
    window,
    time_zone: zone,
    mode,
    at_limit: atLimit,
    fallback,
    warn_at: warn,
  } = budget
  const { seesAll } = usePermissions()
  return (
    <section className="space-y-3">
      <h3 className="font-semibold">{t('common.details')}</h3>
      <DetailList
        rows={[
          [t('common.name'), <Code key="name">{name}</Code>],
          [t('budgets.scope'), <ScopeLink key="scope" scope={scope} />],
          [t('budgets.counts'), nameCounted(scope)],
          ...(seesAll
            ? [[t('owner.label'), owner === null ? nameDefinition(budget) : t(`owner.${owner}`)] as const]
            : []),
          [t('budget.window'), zone === null ? nameWindow(window) : `${nameWindow(window)} · ${zone}`],
          [
            t('budget.mode'),
            <span key="mode" title={t(`budget.mode.${mode}.why`)}>
              {t(`budget.mode.${mode}`)}
            </span>,
          ],
          [t('budgets.at_limit'), t(`budgets.at_limit.${atLimit}`, { model: fallback ?? '' })],
          [t('budgets.warn_at'), warn.map((percent) => `${percent} %`).join(', ')],
        ]}
      />
    </section>
  )
}

/** A link to the requests that are charged to the budget. */
function ScopeLink({ scope }: { readonly scope: string }) {
  const [, type, name] = /^(key|group|model|channel):(.+)$/.exec(scope) ?? []
  if (type === undefined || name === undefined) return nameScope(scope)
  return (
    <Link to="/requests" search={{ [type]: name }} className="text-accent hover:underline">
      {nameScope(scope)}
    </Link>
  )
}
