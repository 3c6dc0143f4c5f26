import { modes } from '../../budgets/budget-drafts.ts'
import { nameWindow } from '../../budgets/budgets-input.tsx'
import { NumberInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { findText, t } from '../../language/language.ts'
import { useGroupNames, useUserNames } from '../../suggestions/people-names.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import {
  budgetWindows,
  effectOf,
  type InstallationBudgetDraft,
  isByCalendar,
  limitActions,
} from './budget-form.ts'
import { budgetScopes } from './budget-search.ts'

interface BudgetFieldsProps {
  readonly form: Form<InstallationBudgetDraft>
}

const zones = Intl.supportedValuesOf('timeZone')

/**
 * The fields of an installation budget. It can apply to any scope, whereas keys, users and groups have their own
 * budgets.
 */
export function BudgetFields({ form }: BudgetFieldsProps) {
  const { window, mode } = form.values
  const windowNames: readonly string[] = budgetWindows
  const windows = windowNames.includes(window) ? windowNames : [window, ...windowNames]
  return (
    <>
      <ScopeFields form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput
          field={form.bind('limit_usd')}
          label={t('budget.limit')}
          unit="USD"
          hint={t('budgets.limit.hint')}
        />
        <SelectInput
          field={form.bind('window')}
          label={t('budget.window')}
          choices={windows.map((value) => ({ value, label: nameWindow(value) }))}
        />
      </div>
      {isByCalendar(window) && (
        <TextInput
          field={form.bind('time_zone')}
          label={t('budgets.time_zone')}
          hint={t('budgets.time_zone.hint')}
          suggestions={zones}
        />
      )}
      <SelectInput
        field={form.bind('mode')}
        label={t('budget.mode')}
        hint={findText(`budget.mode.${mode}.why`)}
        choices={modes.map((value) => ({ value, label: t(`budget.mode.${value}`) }))}
      />
      <LimitFields form={form} />
      <WordsInput
        field={form.bind('warn_at')}
        label={t('budgets.warn_at')}
        hint={t('budgets.warn_at.hint')}
        isOptional
      />
    </>
  )
}

function ScopeFields({ form }: BudgetFieldsProps) {
  const { scope_type: type } = form.values
  const suggestions = {
    group: useGroupNames(),
    user: useUserNames(),
    model: usePublicModels(),
  }
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectInput
        field={form.bind('scope_type')}
        label={t('budgets.scope')}
        choices={budgetScopes.map((value) => ({ value, label: t(`budgets.scope.${value}`) }))}
      />
      {type !== 'installation' && (
        <TextInput
          field={form.bind('scope_name')}
          label={t('budgets.scope.name')}
          {...(type === 'tag' && { hint: t('budgets.scope.tag.hint') })}
          suggestions={type === 'group' || type === 'user' || type === 'model' ? suggestions[type] : []}
        />
      )}
    </div>
  )
}

function LimitFields({ form }: BudgetFieldsProps) {
  const { mode } = form.values
  const effect = effectOf(form.values)
  const models = usePublicModels()
  if (effect === undefined) return null
  const offered = limitActions.filter((action) => mode === 'exact' || action !== 'clamp')
  const field = form.bind('at_limit')
  return (
    <>
      <SelectInput
        field={{ ...field, value: effect }}
        label={t('budgets.at_limit')}
        choices={offered.map((value) => ({ value, label: t(`budgets.at_limit.choice.${value}`) }))}
      />
      {effect === 'fallback' && (
        <TextInput field={form.bind('fallback')} label={t('budgets.fallback')} suggestions={models} />
      )}
    </>
  )
}
