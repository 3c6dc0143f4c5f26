import { joinNames, type KeyWarning, PRICE_ADVICE, writeWarning } from '../access/key-warning.ts'

/**
 * A warning, as data, about a setting that works but is probably not intended. `writeConfigWarning` writes its
 * sentence.
 */
export type ConfigWarning =
  | Fact<'no_channels' | 'admin_off' | 'unencrypted_listener', NoValues>
  | Fact<'certificate_early' | 'certificate_ended', { readonly at: string }>
  | Fact<'unencrypted_channel', { readonly channel: string }>
  | Fact<'split_weights' | 'unserved_rate', { readonly model: string }>
  | Fact<'absent_scope', { readonly budget: string; readonly scope: string }>
  | Fact<'unpriced_refused' | 'unpriced_uncounted', { readonly models: readonly string[] }>
  | Fact<'refused_for_price', { readonly refusals: readonly PriceRefusal[] }>
  | Fact<UngroupedWarning, WarnedOwner & { readonly model: string }>
  | Fact<'withheld_by_group', WarnedOwner & { readonly model: string; readonly group: string }>
  | Fact<'leads_to_itself', { readonly address: string; readonly key: string }>
  | Fact<'unreadable_prices' | 'kept_prices', { readonly path: string; readonly reason: string }>

interface Fact<Kind extends string, Values> {
  readonly kind: Kind
  readonly values: Values
}

type NoValues = Readonly<Record<string, never>>
type UngroupedWarning = 'unserved_model' | 'unmatched_pattern' | 'unserved_fallback' | 'ungranted_fallback'

/** A model whose requests are refused because no amount can be held for a spending limit. */
export interface PriceRefusal {
  /** The model's name for operators, with channels such as `fast (primary/my-model)`. */
  readonly model: string
  /** The names of the keys that cannot use the model. Undefined where no key can. */
  readonly keys: readonly string[] | undefined
}

/** The configuration object that has the grant or the fallback. */
export interface WarnedOwner {
  readonly object: 'keys' | 'groups' | 'users' | 'budgets'
  readonly owner: string
}

/** The warnings about a grant or a fallback of the configuration. */
export type GrantWarning = Extract<KeyWarning, { readonly type: UngroupedWarning | 'withheld_by_group' }>

export function warningOfOwner(warning: GrantWarning, { object, owner }: WarnedOwner): ConfigWarning {
  switch (warning.type) {
    case 'withheld_by_group': {
      const { type: kind, model, group } = warning
      return { kind, values: { object, owner, model, group } }
    }
    case 'unmatched_pattern':
      return { kind: warning.type, values: { object, owner, model: warning.pattern } }
    default:
      return { kind: warning.type, values: { object, owner, model: warning.model } }
  }
}

/** Writes the sentence for operators: for a terminal, the log and the admin API. */
export function writeConfigWarning(warning: ConfigWarning): string {
  const { kind, values } = warning
  switch (kind) {
    case 'no_channels':
      return 'channels: there is none, so no model can be served'
    case 'admin_off':
      return 'admin: the admin API and the metrics are off, since others can reach the listener; give admin.listen'
    case 'unencrypted_listener':
      return 'listen: keys travel unencrypted unless a proxy in front of this address serves https'
    case 'certificate_early':
      return `tls.cert: the certificate counts only from ${values.at} on`
    case 'certificate_ended':
      return `tls.cert: the certificate ended on ${values.at}`
    case 'unencrypted_channel':
      return `channels: "${values.channel}" sends its key unencrypted; use https`
    case 'split_weights':
      return `models: "${values.model}" has weights, but its targets share only where their channels have one priority`
    case 'unserved_rate':
      return `models: "${values.model}" has a rate limit, but no channel serves it`
    case 'absent_scope':
      return `budgets: "${values.budget}" stands on ${values.scope}, which is not there`
    case 'unpriced_refused':
      return `${writeUnpriced(values.models)}, so requests for them are refused; ${PRICE_ADVICE}`
    case 'unpriced_uncounted':
      return `${writeUnpriced(values.models)}, so what they cost is not counted; ${PRICE_ADVICE}`
    case 'refused_for_price':
      return `models: refused for want of a price, where a limit in money applies: ${writeRefusals(values.refusals)}`
    case 'leads_to_itself':
      return `${values.address} leads to Headgate itself, so ${values.key} makes no channel; unset both, or only ${values.address} if the key is the provider's`
    case 'unreadable_prices':
      return `${values.path}: is no price table that can be read (${values.reason}), so it is ignored; correct it, or delete it and run "headgate prices update"`
    case 'kept_prices':
      return `${values.path}: is no price table that can be read any more (${values.reason}), so the prices that it had apply until a restart, and those of the release after that; correct it, or delete it and run "headgate prices update"`
    case 'unmatched_pattern':
      return writeWarning({ type: kind, pattern: values.model }, writeOwner(values))
    case 'withheld_by_group':
      return writeWarning({ type: kind, model: values.model, group: values.group }, writeOwner(values))
    case 'unserved_model':
    case 'unserved_fallback':
    case 'ungranted_fallback':
      return writeWarning({ type: kind, model: values.model }, writeOwner(values))
  }
}

function writeOwner({ object, owner }: WarnedOwner): string {
  return `${object}: "${owner}"`
}

function writeUnpriced(models: readonly string[]): string {
  return `models: no price is known for ${joinNames(models)}`
}

function writeRefusals(refusals: readonly PriceRefusal[]): string {
  const shown = refusals.map(
    ({ model, keys }) => `${model} to ${keys === undefined ? 'all keys' : joinNames(keys)}`,
  )
  return joinNames(shown, '; ')
}

/** Whether the warning is about a price file that cannot be read. */
export function isOfPriceFile({ kind }: ConfigWarning): boolean {
  return kind === 'unreadable_prices' || kind === 'kept_prices'
}
