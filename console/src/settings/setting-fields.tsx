import type { ReactNode } from 'react'
import type { SectionView } from '../../../src/admin/settings/settings-contract.ts'
import { NumberInput, SelectInput, Suggestions, TextArea, TextInput } from '../forms/inputs.tsx'
import type { Form } from '../forms/use-form.ts'
import { WordsInput } from '../forms/words-input.tsx'
import { findText, t } from '../language/language.ts'
import { useGroupNames } from '../suggestions/people-names.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { HeaderInputs } from './header-inputs.tsx'
import { type FieldKind, type PlannedField, type SettingPlan, WORD } from './setting-plan.ts'
import { type NamedChoice, type SettingValues, settingStates, type TypedField } from './setting-values.ts'

/** A setting, or one of its entries, with its value in force and its written value. */
export type TypedSection = Pick<SectionView, 'name' | 'value' | 'written'>

interface SettingFieldsProps {
  readonly section: TypedSection
  readonly plan: SettingPlan
  readonly form: Form<SettingValues>
}

/** The fields of a setting, each with its name in the configuration file and its default. */
export function SettingFields({ section, plan, form }: SettingFieldsProps) {
  const { state, fields } = form.values
  const isShown = !plan.mayBeOff || state === 'set'
  return (
    <>
      {plan.mayBeOff && (
        <SelectInput
          field={form.bind('state')}
          label={t('settings.state')}
          choices={settingStates.map((value) => ({ value, label: t(`settings.state.${value}`) }))}
        />
      )}
      {isShown && (
        <div className="grid gap-4 sm:grid-cols-2">
          {plan.fields.map((field) => (
            <SettingField
              key={field.name}
              section={section}
              field={field}
              typed={fields[field.name] ?? ''}
              error={form.errors[`fields.${field.name}`]}
              onChange={(typed) => form.set('fields', { ...fields, [field.name]: typed })}
            />
          ))}
        </div>
      )}
    </>
  )
}

interface SettingFieldProps {
  readonly section: TypedSection
  readonly field: PlannedField
  readonly typed: TypedField
  readonly error: string | undefined
  readonly onChange: (typed: TypedField) => void
}

/** One field of a setting, rendered by its kind. */
export function SettingField({ section, field: { name, kind }, typed, error, onChange }: SettingFieldProps) {
  const key = `${section.name}.${name}`
  const texts = { label: nameField(section.name, name), hint: <FieldHint path={key} name={name} /> }
  const unset = describeDefault(section, name)
  if (kind.type === 'headers' || kind.type === 'choices')
    return (
      <RowsField
        {...texts}
        section={section}
        name={name}
        kind={kind}
        rows={rowsOf(typed)}
        error={error}
        onChange={onChange}
      />
    )
  const text = typeof typed === 'string' ? typed : ''
  const bound = { name: `fields.${name}`, value: text, error, onChange }
  switch (kind.type) {
    case 'choice': {
      const offered = kind.choices.map((value) => ({ value, label: nameChoice(value) }))
      const choices = [{ value: '', label: unset }, ...offered]
      return <SelectInput {...texts} field={bound} choices={choices} />
    }
    case 'words': {
      const words = text.split(/[,\s]+/).filter((word) => word !== '')
      const field = {
        ...bound,
        value: words,
        onChange: (next: readonly string[]) => onChange(next.join(', ')),
      }
      return <WordsInput {...texts} field={field} suggestions={kind.choices} placeholder={unset} />
    }
    case 'lines':
      return (
        <div className="sm:col-span-2">
          <TextArea {...texts} field={bound} rows={3} isCode />
        </div>
      )
    case 'count':
    case 'number':
      return <NumberInput {...texts} field={bound} placeholder={unset} />
    case 'secret':
      return (
        <TextInput
          {...texts}
          field={bound}
          type={name === 'url' ? 'url' : 'password'}
          autoComplete={name === 'url' ? 'off' : 'new-password'}
          placeholder={memberOf(section.value, name) ?? ''}
        />
      )
    case 'text':
      return <TextInput {...texts} field={bound} placeholder={memberOf(section.value, name) ?? ''} />
    case 'duration':
    case 'size':
      return <TextInput {...texts} field={bound} placeholder={unset} />
  }
}

const rowsOf = (typed: TypedField): readonly NamedChoice[] => (typeof typed === 'string' ? [] : typed)

interface RowsFieldProps extends Pick<SettingFieldProps, 'section' | 'error' | 'onChange'> {
  readonly name: string
  readonly label: string
  readonly hint: ReactNode
  readonly kind: Extract<FieldKind, { type: 'headers' | 'choices' }>
  readonly rows: readonly NamedChoice[]
}

/** A field with several rows, which needs the full width. */
function RowsField({ section, name, kind, ...field }: RowsFieldProps) {
  return (
    <div className="sm:col-span-2">
      {kind.type === 'headers' ? (
        <HeaderInputs {...field} known={namesOf(section.written, name)} />
      ) : (
        <NamedChoices {...field} choices={kind.choices} isGroups={name === 'groups'} />
      )}
    </div>
  )
}

/** The label of a field. If there is no text for it, its name in the file. */
function nameField(section: string, field: string): string {
  const path = `${section}.${field}`
  return findText(`settings.field.${path}`) ?? field
}

function nameChoice(value: string): string {
  return findText(`settings.choice.${value}`) ?? value
}

function FieldHint({ path, name }: { readonly path: string; readonly name: string }) {
  const hint = findText(`settings.hint.${path}`)
  return (
    <>
      {name !== WORD && <code>{name}</code>}
      {name !== WORD && hint !== undefined && ' · '}
      {hint}
    </>
  )
}

/** Describes the default that is in force if the field is not written. */
function describeDefault({ value, written }: TypedSection, name: string): string {
  const inForce = memberOf(value, name)
  if (memberOf(written, name) !== undefined || inForce === undefined) return t('settings.state.default')
  return t('settings.default_is', { value: inForce })
}

function namesOf(value: SectionView['value'], name: string): readonly string[] {
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const member = members[name]
  return typeof member === 'object' && member !== null ? Object.keys(member) : []
}

function memberOf(value: SectionView['value'], name: string): string | undefined {
  if (name === WORD && typeof value === 'string') return nameChoice(value)
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const member = members[name]
  if (typeof member === 'string') return nameChoice(member)
  return typeof member === 'number' || typeof member === 'boolean' ? nameChoice(String(member)) : undefined
}

interface NamedChoicesProps {
  readonly label: string
  readonly hint: ReactNode
  readonly choices: readonly string[]
  readonly rows: readonly NamedChoice[]
  readonly error: string | undefined
  readonly isGroups: boolean
  readonly onChange: (rows: readonly NamedChoice[]) => void
}

/** Names, each with one of the choices. */
function NamedChoices({ label, hint, choices, rows, error, isGroups, onChange }: NamedChoicesProps) {
  const groups = useGroupNames()
  const add = () => onChange([...rows, { name: '', choice: choices.at(-1) ?? '' }])
  return (
    <fieldset className="space-y-2">
      <legend className="font-medium">{label}</legend>
      <p className="text-[0.8125rem] text-muted">{hint}</p>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are typed.
        <div key={index} className="flex flex-wrap items-center gap-2">
          <input
            aria-label={t('settings.named.name')}
            value={row.name}
            onChange={(event) => onChange(rows.with(index, { ...row, name: event.target.value }))}
            autoComplete="off"
            spellCheck={false}
            list={isGroups ? 'setting-groups' : undefined}
            className="input-frame min-w-32 flex-1"
          />
          <select
            aria-label={t('settings.named.choice')}
            value={row.choice}
            onChange={(event) => onChange(rows.with(index, { ...row, choice: event.target.value }))}
            className="input-frame"
          >
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {nameChoice(choice)}
              </option>
            ))}
          </select>
          <IconButton
            icon="trash"
            label={t('settings.named.remove')}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      {isGroups && <Suggestions id="setting-groups" texts={groups} />}
      {error !== undefined && <p className="text-bad">{error}</p>}
      <Button isSmall icon="plus" onClick={add}>
        {t('settings.named.add')}
      </Button>
    </fieldset>
  )
}
