import {
  type AlertRuleView,
  alertRulesSchema,
  type ReceiverView,
  receiverListSchema,
} from '../../../../src/admin/alerts/alert-contract.ts'
import type { SectionView } from '../../../../src/admin/settings/settings-contract.ts'
import { ApiError } from '../../api/api-error.ts'
import { callApi, type TaggedAnswer } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'

type Members = Readonly<Record<string, SectionView['value']>>

/** A rule or a receiver before its change. */
export interface AlertEntry {
  readonly name: string
  readonly word: string
  /** The terms in force, for showing the defaults. */
  readonly inForce: Members
  readonly written: Members
}

/** A rule as form values. A default rule has nothing written. */
export function readRule(rule: AlertRuleView, written: AlertRuleView | undefined): AlertEntry {
  return { name: rule.name, word: rule.kind, inForce: rule, written: written ?? {} }
}

/** The receiver as form values. Its secrets are empty, which leaves them unchanged. */
export function readReceiver({
  name,
  type,
  address,
  kinds,
  severity,
  channels,
  resolved,
  signed,
  headers,
}: ReceiverView): AlertEntry {
  const written = {
    severity,
    resolved,
    ...(kinds !== null && { kinds: [...kinds] }),
    ...(channels !== null && { channels: [...channels] }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map((header) => [header, ''])) }),
  }
  const unchanged = t('alerts.receiver.unchanged')
  const inForce = { url: `${address}/…`, secret: signed ? unchanged : '', routing_key: unchanged }
  return { name, word: type, inForce, written }
}

interface AlertEntries {
  readonly path: 'rules' | 'receivers'
}

/** The entries as they are now, with the ETag of a change that is made for them. */
async function rereadEntries({ path }: AlertEntries): Promise<TaggedAnswer<readonly AlertEntry[]>> {
  if (path === 'rules') {
    const { written, config_version } = await callApi({ path: '/alerts/rules', answer: alertRulesSchema })
    return { body: written.map((rule) => readRule(rule, rule)), etag: `"${config_version}"` }
  }
  const { data, config_version } = await callApi({ path: '/alerts/receivers', answer: receiverListSchema })
  return { body: data.map(readReceiver), etag: `"${config_version}"` }
}

/** Reads an entry again. An entry that is deleted, or is a default rule, has nothing written. */
export async function rereadEntry(part: AlertEntries, entry: AlertEntry): Promise<TaggedAnswer<AlertEntry>> {
  const { body, etag } = await rereadEntries(part)
  return { body: body.find(({ name }) => name === entry.name) ?? { ...entry, written: {} }, etag }
}

/** Refuses the name of a new entry that another user gave after the form was opened, as the route would replace that. */
export async function requireFreeName(
  part: AlertEntries & { readonly texts: string },
  name: string,
): Promise<string | undefined> {
  const { body, etag } = await rereadEntries(part)
  if (body.every((entry) => entry.name !== name)) return etag
  const message = t('alerts.name.in_use', { name })
  const fact = { code: 'name_in_use', values: { kind: part.texts, name } }
  const problems = [{ path: 'name', message, fact }]
  throw new ApiError({ code: 'name_taken', status: 409, message, param: 'name', problems })
}
