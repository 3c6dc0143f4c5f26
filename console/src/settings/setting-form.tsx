import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type SectionView, settingsViewSchema } from '../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../api/call-api.ts'
import { ChangeEffects } from '../changes/change-effects.tsx'
import { type ObjectChange, useAddToDraft } from '../changes/open-draft.ts'
import { OwnedByFile } from '../changes/owned-by-file.tsx'
import { useChangedToast } from '../changes/undo-version.ts'
import { FormFrame } from '../forms/form-frame.tsx'
import { rereads } from '../forms/submit-for-now.ts'
import { useForm } from '../forms/use-form.ts'
import { findText, t } from '../language/language.ts'
import { Banner } from '../ui/states.tsx'
import { SettingFields } from './setting-fields.tsx'
import type { SettingPlan } from './setting-plan.ts'
import { settingValuesSchema } from './setting-rules.ts'
import {
  isSameSetting,
  patchSetting,
  readSetting,
  type SettingValues,
  writeSetting,
} from './setting-values.ts'

interface SettingFormProps {
  readonly section: SectionView
  readonly plan: SettingPlan
  readonly onDone: () => void
}

export const pathOfSetting = (name: string) => `/settings/${encodeURIComponent(name)}`

/**
 * A form for a setting, with the fields of its schema. For a setting that the file owns, shows the lines to paste
 * there.
 */
export function SettingForm({ section, plan, onDone }: SettingFormProps) {
  const { name, written } = section
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const sayChanged = useChangedToast()
  const [initial] = useState(() => readSetting(plan, written))
  const form = useForm<SettingValues, unknown>({
    name: `setting.${name}`,
    initial,
    schema: settingValuesSchema(plan),
    fieldOf: (param) => fieldOf(param, plan),
    reread: rereads({
      path: '/settings',
      answer: settingsViewSchema,
      read: ({ sections }) => readSetting(plan, writtenOf(sections, name)),
    }),
    async submit(_, mode, ifMatch) {
      const change = changeOf({ section, plan, initial: form.initial, values: form.values })
      if (change !== undefined && mode === 'draft') await addToDraft(change)
      else if (change !== undefined) {
        const { config_version: version } = await makeChange(change, ifMatch)
        sayChanged(t('settings.edit.done', { name: findSettingTitle(name) ?? name }), version)
        await client.invalidateQueries()
      }
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  const fields = <SettingFields section={section} plan={plan} form={form} />
  if (!section.editable)
    return (
      <div className="space-y-4">
        {fields}
        <PastedLines section={section} plan={plan} values={form.values} />
      </div>
    )
  return (
    <FormFrame form={form} submit={t('settings.edit.submit')} onCancel={cancel} canDraft>
      {fields}
      <SettingPreview section={section} plan={plan} initial={form.initial} values={form.values} />
    </FormFrame>
  )
}

function writtenOf(sections: readonly SectionView[], name: string) {
  return sections.find((section) => section.name === name)?.written ?? null
}

function makeChange({ name, object }: ObjectChange, ifMatch: string | undefined) {
  const path = pathOfSetting(name)
  return object === undefined
    ? callApi({ method: 'DELETE', path, ifMatch, answer: settingsViewSchema })
    : callApi({ method: 'PATCH', path, body: object, ifMatch, answer: settingsViewSchema })
}

/** The gateway names a field `retry.attempts`. A setting that is a single word has only its own name. */
function fieldOf(param: string, { fields }: SettingPlan): string {
  const [, field = fields[0]?.name ?? ''] = param.split('.')
  return `fields.${field}`
}

/** The change: the fields that differ from the initial values. Other changes of the same setting are unaffected. */
function changeOf({ section: { name }, plan, initial, values }: ChangedSetting): ObjectChange | undefined {
  const before = writeSetting(plan, initial)
  const value = writeSetting(plan, values)
  if (isSameSetting(before, value)) return undefined
  if (value === undefined) return { kind: 'settings', name, change: 'remove' }
  return { kind: 'settings', name, change: 'patch', object: { value: patchSetting(before ?? null, value) } }
}

interface TypedSetting extends Omit<SettingFormProps, 'onDone'> {
  readonly values: SettingValues
}

interface ChangedSetting extends TypedSetting {
  readonly initial: SettingValues
}

function PastedLines({ section: { name }, plan, values }: TypedSetting) {
  const isRight = settingValuesSchema(plan).safeParse(values).success
  const written = isRight ? writeSetting(plan, values) : undefined
  const value = plan.isPart && isSameSetting(written, {}) ? undefined : written
  if (value === undefined) return <Banner tone="accent">{t('settings.lines.none', { name })}</Banner>
  return <OwnedByFile advice={t('settings.lines', { name })} document={{ [name]: value }} />
}

const TYPING_MS = 400

/** Shows the change and its effects after typing pauses. */
function SettingPreview({ values, ...setting }: ChangedSetting) {
  const [shown, setShown] = useState(values)
  useEffect(() => {
    const timer = setTimeout(() => setShown(values), TYPING_MS)
    return () => clearTimeout(timer)
  }, [values])
  const change = settingValuesSchema(setting.plan).safeParse(shown).success
    ? changeOf({ ...setting, values: shown })
    : undefined
  if (change === undefined) return null
  return (
    <section aria-label={t('settings.preview')} className="space-y-2 rounded-lg border border-line p-3">
      <h3 className="font-medium">{t('settings.preview')}</h3>
      <ChangeEffects change={change} />
    </section>
  )
}

/** The title of a setting. Undefined if it has only its name in the file. */
export function findSettingTitle(name: string): string | undefined {
  return findText(`settings.title.${name}`)
}
