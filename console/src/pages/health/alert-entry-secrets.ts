// The secrets of a receiver in its form. An empty field leaves a secret unchanged.
import { type SectionView, settingsViewSchema } from '../../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { SettingPlan } from '../../settings/setting-plan.ts'
import {
  asMembers,
  isSameSetting,
  type SettingValues,
  type TypedField,
} from '../../settings/setting-values.ts'

type Members = Readonly<Record<string, SectionView['value']>>

interface NamedEntry {
  readonly path: 'rules' | 'receivers'
  /** Undefined for a new entry. */
  readonly name: string | undefined
}

/** The secrets of an entry as the gateway shows them: masked, with their last characters. */
export function maskedSecretsOf(written: SectionView['value'], { path, name }: NamedEntry): Members {
  const entries = asMembers(written)[path] ?? []
  const members = (Array.isArray(entries) ? entries : []).map(asMembers)
  return members.find((each) => (each['name'] ?? each['type']) === name) ?? {}
}

/** The secrets of an entry as they are now. They are read after the ETag of the change that is made for them. */
export async function rereadSecrets(entry: NamedEntry): Promise<Members> {
  const { sections } = await callApi({ path: '/settings', answer: settingsViewSchema })
  return maskedSecretsOf(sections.find(({ name }) => name === 'alerts')?.written ?? null, entry)
}

/**
 * Shows the secrets that another user changed, masked. An unchanged one stays empty, so that a form that changes it as
 * well finds the difference.
 */
export function showOtherSecrets<Values extends SettingValues>(
  values: Values,
  { before, now }: Readonly<Record<'before' | 'now', Members>>,
  plan: SettingPlan,
): Values {
  const changed = plan.fields.filter(
    ({ name, kind }) => kind.type === 'secret' && !isSameSetting(before[name], now[name]),
  )
  const shown = changed.map(({ name }) => [name, String(now[name] ?? '…')])
  return { ...values, fields: { ...values.fields, ...Object.fromEntries(shown) } }
}

/** Removes addresses, keys and header values, which must stay only in the form. */
export function dropSecrets<Values extends SettingValues>(values: Values, plan: SettingPlan): Values {
  const plain = plan.fields.filter(({ kind }) => kind.type !== 'secret' && kind.type !== 'headers')
  return { ...values, fields: Object.fromEntries(plain.map(({ name }) => [name, values.fields[name] ?? ''])) }
}

/** Whether a secret is left empty, which means that it stays. */
export function isEmptySecret(
  { name, kind }: SettingPlan['fields'][number],
  { fields }: SettingValues,
): boolean {
  return kind.type === 'secret' && (fields[name] ?? '') === ''
}

/** Whether a new header has no value yet. */
export function isWithoutValue(typed: TypedField = '', written: SectionView['value'] = null): boolean {
  const known = typeof written === 'object' && written !== null ? Object.keys(written) : []
  return (
    typeof typed !== 'string' &&
    typed.some(({ name, choice }) => name.trim() !== '' && choice === '' && !known.includes(name.trim()))
  )
}
