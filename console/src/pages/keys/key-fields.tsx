import { BudgetsInput } from '../../budgets/budgets-input.tsx'
import { RateInputs } from '../../budgets/rate-inputs.tsx'
import { CheckInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { useMay, useMe } from '../../shell/use-me.ts'
import { useGroupChoice, useUserNames } from '../../suggestions/people-names.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { viewerZone } from '../../time/time-buckets.ts'
import { classNames } from '../../ui/class-names.ts'
import { type KeyDraft, lives, ownLives } from './key-form.ts'

interface KeyFieldsProps {
  readonly form: Form<KeyDraft>
  /** Whether an existing key is changed, which has its own expiry. */
  readonly isChange: boolean
}

/** The fields of a key that the user may set. */
export function KeyFields({ form, isChange }: KeyFieldsProps) {
  const manages = useMay('PATCH /groups/{name}')
  const { groups: memberships } = useMe()
  const models = usePublicModels()
  const isManager = memberships.some(({ group, manager }) => manager && group === form.values.group)
  const setsLimits = manages || isManager
  return (
    <>
      <TextInput field={form.bind('name')} label={t('common.name')} hint={t('keys.name.hint')} autoFocus />
      <div className="grid gap-4 sm:grid-cols-2">
        <GroupInput form={form} />
        {setsLimits && <UserInput form={form} />}
      </div>
      <WordsInput
        field={form.bind('models')}
        label={t('keys.models')}
        hint={t('keys.models.hint')}
        suggestions={models}
        placeholder={t('keys.models.all')}
        isOptional
      />
      {(setsLimits || !isChange) && <LifeFields form={form} isChange={isChange} />}
      {setsLimits && <LimitFields form={form} />}
      {manages && <MoreFields form={form} />}
    </>
  )
}

/** A choice of groups, or a text where there are too many to list. The group of a key is always among the choices. */
function GroupInput({ form }: Pick<KeyFieldsProps, 'form'>) {
  const { rows: names, isComplete } = useGroupChoice()
  const field = form.bind('group')
  const texts = { field, label: t('keys.group'), hint: t('keys.group.hint') }
  if (!isComplete) return <TextInput {...texts} suggestions={names} isOptional />
  const groups = field.value === '' || names.includes(field.value) ? names : [field.value, ...names]
  return (
    <SelectInput
      {...texts}
      choices={[
        { value: '', label: t('common.none') },
        ...groups.map((group) => ({ value: group, label: group })),
      ]}
    />
  )
}

function UserInput({ form }: Pick<KeyFieldsProps, 'form'>) {
  const users = useUserNames()
  return (
    <TextInput
      field={form.bind('user')}
      label={t('keys.user')}
      hint={t('keys.user.hint')}
      suggestions={users}
      isOptional
    />
  )
}

function LifeFields({ form, isChange }: KeyFieldsProps) {
  const unchanged = { value: form.initial.life, label: t('keys.life.keep') }
  const chosen = (isChange ? lives : ownLives).map((value) => ({ value, label: t(`keys.life.${value}`) }))
  return (
    <div className={classNames('grid gap-4', form.values.life === 'date' && 'sm:grid-cols-2')}>
      <SelectInput
        field={form.bind('life')}
        label={t('keys.life')}
        choices={isChange ? [unchanged, ...chosen] : chosen}
      />
      {form.values.life === 'date' && (
        <TextInput
          field={form.bind('last_day')}
          label={t('keys.last_day', { zone: viewerZone() })}
          type="date"
        />
      )}
    </div>
  )
}

function LimitFields({ form }: Pick<KeyFieldsProps, 'form'>) {
  return (
    <>
      <BudgetsInput field={form.bind('budgets')} errors={form.errors} />
      <RateInputs field={form.bind('rate')} errors={form.errors} />
    </>
  )
}

function MoreFields({ form }: Pick<KeyFieldsProps, 'form'>) {
  return (
    <details className="rounded-lg border border-line px-3 py-2.5">
      <summary className="font-medium">{t('form.more')}</summary>
      <div className="mt-3 space-y-4">
        <WordsInput
          field={form.bind('allow_ips')}
          label={t('keys.allow_ips')}
          hint={t('keys.allow_ips.hint')}
          placeholder="10.0.0.0/8"
          isOptional
        />
        <CheckInput field={form.bind('dry_run')} label={t('keys.dry_run')} hint={t('keys.dry_run.hint')} />
        <WordsInput
          field={form.bind('passthrough')}
          label={t('keys.passthrough')}
          hint={t('keys.passthrough.hint')}
          placeholder="openai"
          isOptional
        />
      </div>
    </details>
  )
}
