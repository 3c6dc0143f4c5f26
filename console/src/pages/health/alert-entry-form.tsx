import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import type { SectionView } from '../../../../src/admin/settings/settings-contract.ts'
import { hasProblem } from '../../api/api-error.ts'
import type { TaggedAnswer } from '../../api/call-api.ts'
import { type ObjectChange, useAddToDraft } from '../../changes/open-draft.ts'
import { useChangedToast } from '../../changes/undo-version.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { type Form, useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { SettingField } from '../../settings/setting-fields.tsx'
import { planEntries, type SettingPlan } from '../../settings/setting-plan.ts'
import { settingValuesSchema } from '../../settings/setting-rules.ts'
import {
  asMembers,
  isSameSetting,
  patchSetting,
  readSetting,
  type SettingValues,
  writeSetting,
} from '../../settings/setting-values.ts'
import { settingsQuery } from '../../settings/settings-query.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import {
  dropSecrets,
  isEmptySecret,
  isWithoutValue,
  maskedSecretsOf,
  rereadSecrets,
  showOtherSecrets,
} from './alert-entry-secrets.ts'
import { changeAlertPart } from './change-alert-part.ts'
import { type AlertEntry, requireFreeName, rereadEntry } from './reread-alert-entries.ts'

type Json = SectionView['value']
type Members = Readonly<Record<string, Json>>

/** A part of the section `alerts`, with the field that distinguishes the kinds of its entries. */
export interface AlertPart {
  readonly kind: 'alert-rules' | 'alert-receivers'
  readonly path: 'rules' | 'receivers'
  readonly word: 'kind' | 'type'
  /** The part of the text keys that names the entries. */
  readonly texts: 'rule' | 'receiver'
  readonly nameWord: (word: string) => string
}

interface AlertEntryFormProps {
  readonly part: AlertPart
  /** Absent for a new entry. */
  readonly entry?: AlertEntry
  readonly onDone: () => void
  /** Called instead of `onDone` for an entry that is in force at once. */
  readonly onSaved?: (name: string) => void
}

/** The form of a rule or a receiver, with the fields of the configuration's schema. */
export function AlertEntryForm({ part, entry, onDone, onSaved }: AlertEntryFormProps) {
  const settings = useQuery(settingsQuery)
  if (settings.isPending) return <Skeleton rows={4} />
  // An open form stays where the settings, which it has, cannot be read again.
  if (settings.data === undefined)
    return <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
  const section = settings.data.sections.find(({ name }) => name === 'alerts')
  const plans = planEntries(section?.schema ?? {}, part.path, part.word)
  const names = namesOf(section?.written ?? null, part)
  const secrets = maskedSecretsOf(section?.written ?? null, { path: part.path, name: entry?.name })
  const read = { plans, names, secrets }
  return <EntryForm part={part} entry={entry} onDone={onDone} onSaved={onSaved} {...read} />
}

/** The names of the entries that are written. An entry without a name has that of its kind. */
function namesOf(written: Json, { path, word }: AlertPart): readonly string[] {
  const entries = asMembers(written)[path] ?? []
  return (Array.isArray(entries) ? entries : []).map((each) => {
    const { name, [word]: kind } = asMembers(each)
    return String(name ?? kind)
  })
}

interface EntryFormProps extends Omit<AlertEntryFormProps, 'entry' | 'onSaved'> {
  readonly onSaved: AlertEntryFormProps['onSaved']
  readonly entry: AlertEntry | undefined
  readonly plans: ReadonlyMap<string, SettingPlan>
  /** The names of all entries of this part. */
  readonly names: readonly string[]
  /** The secrets of the entry, masked. */
  readonly secrets: Members
}

const emptyPlan: SettingPlan = { shape: 'fields', mayBeOff: false, fields: [] }

type EntryValues = SettingValues & {
  readonly name: string
  readonly word: string
}

function EntryForm({ part, entry, plans, names, secrets, onDone, onSaved }: EntryFormProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const sayChanged = useChangedToast()
  const [initial] = useState(() => readEntry(plans, entry))
  const [secretsBefore] = useState(secrets)
  const form = useForm({
    name: `${part.kind}.${entry?.name ?? ''}`,
    initial,
    schema: z.custom<EntryValues>().superRefine((values, context) => {
      check(values, { plans, names, entry }, context)
    }),
    withoutSecrets: (values) => dropSecrets(values, plans.get(values.word) ?? emptyPlan),
    fieldOf: (param: string) => fieldOf(param),
    explain: (error) => (hasProblem(error, 'private_address') ? sayPrivate() : undefined),
    async reread(): Promise<TaggedAnswer<EntryValues>> {
      if (entry === undefined)
        return { body: form.initial, etag: await requireFreeName(part, nameOf(form.values)) }
      return rereadValues(part, { entry, plans, secretsBefore })
    },
    async submit(values: EntryValues, mode, ifMatch) {
      const change = changeOf(part, { values, initial: form.initial, isNew: entry === undefined, plans })
      if (change !== undefined && mode === 'draft') await addToDraft(change)
      else if (change !== undefined) {
        const version = await changeAlertPart(part, change, ifMatch)
        const { name } = change
        const { texts } = part
        const isNew = entry === undefined
        sayChanged(
          isNew ? t(`alerts.${texts}.added`, { name }) : t(`alerts.${texts}.saved`, { name }),
          version,
        )
        await client.invalidateQueries()
      }
      form.reset()
      if (onSaved !== undefined && change !== undefined && mode !== 'draft') onSaved(change.name)
      else onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame
      form={form}
      submit={entry === undefined ? t(`alerts.${part.texts}.add`) : t(`alerts.${part.texts}.save`)}
      onCancel={cancel}
      canDraft
    >
      {entry === undefined && <EntryHead part={part} words={[...plans.keys()]} form={form} />}
      <EntryFields part={part} entry={entry} plan={plans.get(form.values.word) ?? emptyPlan} form={form} />
    </FormFrame>
  )
}

interface ShownEntry extends Pick<EntryFormProps, 'plans'> {
  readonly entry: AlertEntry
  readonly secretsBefore: Members
}

/** Reads the values of an entry again, with the secrets that another user changed. */
async function rereadValues(
  part: AlertPart,
  { entry, plans, secretsBefore }: ShownEntry,
): Promise<TaggedAnswer<EntryValues>> {
  const { body, etag } = await rereadEntry(part, entry)
  const secrets = { before: secretsBefore, now: await rereadSecrets({ path: part.path, name: entry.name }) }
  const now = readEntry(plans, body)
  return { body: showOtherSecrets(now, secrets, plans.get(now.word) ?? emptyPlan), etag }
}

interface EntryHeadProps {
  readonly part: AlertPart
  readonly words: readonly string[]
  readonly form: Form<EntryValues>
}

/** The kind and the name of a new entry. */
function EntryHead({ part, words, form }: EntryHeadProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectInput
        field={form.bind('word')}
        label={t(`alerts.${part.texts}.word`)}
        choices={words.map((value) => ({ value, label: part.nameWord(value) }))}
      />
      <TextInput
        field={form.bind('name')}
        label={t('common.name')}
        hint={part.texts === 'rule' ? t('alerts.rule.name.hint') : undefined}
        isOptional={part.texts === 'rule'}
      />
    </div>
  )
}

interface EntryFieldsProps extends Pick<EntryFormProps, 'part' | 'entry'> {
  readonly plan: SettingPlan
  readonly form: Form<EntryValues>
}

function EntryFields({ part, entry, plan, form }: EntryFieldsProps) {
  const { fields } = form.values
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {plan.fields.map((field) => (
        <SettingField
          key={field.name}
          section={{ name: part.texts, value: { ...entry?.inForce }, written: { ...entry?.written } }}
          field={field}
          typed={fields[field.name] ?? ''}
          error={form.errors[`fields.${field.name}`]}
          onChange={(typed) => form.set('fields', { ...fields, [field.name]: typed })}
        />
      ))}
    </div>
  )
}

function readEntry(plans: EntryFormProps['plans'], entry: AlertEntry | undefined): EntryValues {
  const [first = ''] = plans.keys()
  const word = entry?.word ?? first
  const values = readSetting(plans.get(word) ?? emptyPlan, { ...entry?.written })
  return { ...values, name: entry?.name ?? '', word }
}

function check(
  values: EntryValues,
  { plans, names, entry }: Pick<EntryFormProps, 'plans' | 'names' | 'entry'>,
  context: z.RefinementCtx,
): void {
  const name = nameOf(values)
  if (entry === undefined && names.includes(name))
    context.addIssue({ code: 'custom', path: ['name'], message: t('alerts.name.in_use', { name }) })
  const plan = plans.get(values.word) ?? emptyPlan
  const read = settingValuesSchema(plan).safeParse(withAll(values, plan))
  for (const { path, message } of read.error?.issues ?? [])
    context.addIssue({ code: 'custom', path: path.slice(0, 2), message })
  for (const { name } of plan.fields.filter(({ kind }) => kind.type === 'headers'))
    if (isWithoutValue(values.fields[name], entry?.written[name]))
      context.addIssue({ code: 'custom', path: ['fields', name], message: t('settings.rule.header_value') })
}

/** Fields that the user has not touched are empty, also if another kind was chosen before. */
function withAll({ state, fields }: EntryValues, plan: SettingPlan): SettingValues {
  return {
    state,
    fields: Object.fromEntries(plan.fields.map(({ name }) => [name, fields[name] ?? ''])),
  }
}

/** The gateway's own message refers to the file. */
function sayPrivate(): string {
  const [label, choice] = [t('settings.field.receiver.allow_private'), t('settings.choice.true')]
  return t('alerts.receiver.private', { label, choice })
}

function fieldOf(param: string): string {
  const field = param.split('.').findLast((step) => !/^\d+$/.test(step)) ?? ''
  return field === 'name' || field === 'kind' || field === 'type' ? field : `fields.${field}`
}

interface TypedEntry {
  readonly values: EntryValues
  readonly initial: EntryValues
  readonly isNew: boolean
  readonly plans: EntryFormProps['plans']
}

/**
 * A new entry is set as a whole. For an existing entry only the differences are sent, so that secrets stay unchanged.
 */
function changeOf(part: AlertPart, { values, initial, isNew, plans }: TypedEntry): ObjectChange | undefined {
  const plan = plans.get(values.word) ?? emptyPlan
  const typed = writeMembers(plan, values)
  const name = nameOf(values)
  const { kind, word } = part
  if (isNew) return { kind, name, change: 'create', object: { [word]: values.word, ...typed } }
  const before = writeMembers(plan, initial)
  const names = plan.fields.filter((field) => !isEmptySecret(field, values)).map((field) => field.name)
  const changed = names.filter((field) => !isSameSetting(typed[field], before[field]))
  if (changed.length === 0) return undefined
  const object = Object.fromEntries(
    changed.map((field) => [field, patchSetting(before[field] ?? null, typed[field] ?? null)]),
  )
  return { kind, name, change: 'patch', object }
}

function nameOf({ name, word }: EntryValues): string {
  return name.trim() === '' ? word : name.trim()
}

function writeMembers(plan: SettingPlan, values: EntryValues): Members {
  const written = writeSetting(plan, withAll(values, plan))
  return typeof written === 'object' && written !== null && !Array.isArray(written) ? written : {}
}
