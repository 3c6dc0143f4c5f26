import type { InputFact } from '../kit/schema/input-fact.ts'
import type { ErrorCode } from './error-table.ts'
import { type FailureDetails, GatewayError } from './failure.ts'

/** A refusal of the admin API, for programs, where its message says more than its code. The sentence is for people. */
export type RefusalFact =
  | Fact<(typeof plainRefusals)[number], Readonly<Record<string, never>>>
  | Fact<'name_in_use' | 'owned_by_file', { readonly kind: RefusedKind; readonly name: string }>
  | Fact<NamedRefusal, { readonly name: string }>
  | Fact<'retry_after', { readonly seconds: number }>
  /** An object that `version` changed was changed again after it. */
  | Fact<'changed_later', { readonly version: number }>
  | Fact<'changed_by_both', { readonly draft: string; readonly newest: string }>
  | Fact<'configuration_moved', { readonly newest: number; readonly base: number }>
  | Fact<'model_not_served', { readonly channel: string; readonly model: string }>
  | Fact<'models_over_limit', { readonly count: number; readonly maximum: number }>
  | Fact<'grants_over_limit', { readonly maximum_usd: string }>
  | Fact<'groups_over_limit', { readonly name: string; readonly maximum: number }>
  | Fact<'not_in_group', { readonly name: string; readonly group: string }>
  | Fact<'group_has_keys', { readonly name: string; readonly count: number }>
  | Fact<'not_your_field', { readonly field: string }>
  | Fact<'not_your_group', { readonly group: string; readonly groups: readonly string[] }>
  | Fact<'ends_too_late', { readonly at: string }>
  | Fact<'change_not_stored', { readonly name: string; readonly change: 'disabled' | 'revoked' }>
  | Fact<'role_needed', { readonly roles: readonly string[]; readonly role: string }>
  | Fact<'scope_needed', { readonly scope: string }>
  | Fact<'span_too_long', { readonly days: number }>
  | Fact<'not_counted_together', { readonly fields: readonly string[] }>
  | Fact<'too_many_levels', { readonly maximum: number }>

type Fact<Code extends string, Values> = { readonly code: Code; readonly values: Values }

/** The codes of refusals that have no values. */
export const plainRefusals = [
  'code_unknown',
  'code_redeemed',
  'code_revoked',
  'code_expired',
  'disabled_channel',
  'rule_has_default',
  'only_for_managers',
  'own_key_needs_group',
  'in_no_group',
  'only_for_people',
  'role_requires_factor',
  'session_lacks_code',
  'only_for_users',
  'only_for_administrators',
  'only_on_this_machine',
  'wrong_cursor',
  'wrong_version',
] as const

/** The codes of refusals that name one object: a budget, a channel, a user, a key or a host. */
export const namedRefusals = [
  'budget_without_values',
  'channel_not_in_use',
  'channel_without_models',
  'webhook_receiver',
  'user_name_used',
  'user_is_disabled',
  'heir_is_disabled',
  'heir_is_the_same',
  'user_without_identity',
  'only_your_keys',
  'key_is_revoked',
  'secret_in_use',
  'host_not_known',
] as const
type NamedRefusal = (typeof namedRefusals)[number]

/** The kinds of objects whose names refusals have. */
export const refusedKinds = [
  'channel',
  'model',
  'group',
  'user_limit',
  'budget',
  'key',
  'user',
  'setting',
  'rule',
  'receiver',
] as const
export type RefusedKind = (typeof refusedKinds)[number]

interface Refusal extends Omit<FailureDetails, 'message' | 'problems'> {
  readonly message: string
  readonly fact: RefusalFact | InputFact
}

/** The error for a refusal whose message says more than its code. Its only problem has the same as data. */
export function refuse(
  code: ErrorCode,
  { message, fact, ...more }: Refusal,
  options?: ErrorOptions,
): GatewayError {
  const problems = [{ path: more.param ?? '', message, fact }]
  return new GatewayError(code, { message, problems, ...more }, options)
}
