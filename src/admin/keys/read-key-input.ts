import type { Group } from '../../access/group.ts'
import type { KeyTerms } from '../../access/key.ts'
import { openTerms, readTerms } from '../../access/key-schema.ts'
import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import { type Expiry, readExpiry } from '../expiry-schema.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import { changeKeySchema, createKeySchema } from './key-input-schema.ts'

/** Undefined if the configuration is not known. */
type Groups = ReadonlyMap<string, Group> | undefined

export interface KeyInputContext {
  readonly groups: Groups
  readonly nowMs: number
  /** Whether an expiry later than the group's default for new keys is refused. */
  readonly isWithinLife?: boolean
}

/** The terms of a new key: those of the input, or else the group's defaults for new keys. */
export function readKeyOrder(
  input: unknown,
  { groups, nowMs, isWithinLife = false }: KeyInputContext,
): KeyTerms {
  const { name, group, expires_at: expiry, ...fields } = readInput(createKeySchema, input)
  const defaults = group === undefined ? undefined : findGroup(group, groups).keyDefaults
  const life = defaults?.expiresAfterMs
  const end: Expiry | null =
    expiry === undefined && life !== undefined ? { type: 'after', lengthMs: life } : (expiry ?? null)
  const expiresAtMs = readExpiry(end, nowMs, 'expires_at')
  if (isWithinLife && life !== undefined && (expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs + life)
    throw endsTooLate(nowMs + life)
  return {
    ...openTerms,
    ...defaults?.terms,
    ...readTerms(fields),
    name,
    group,
    disabled: false,
    expiresAtMs,
  }
}

function endsTooLate(atMs: number): GatewayError {
  const latest = new Date(atMs).toISOString()
  return refuse('not_permitted', {
    param: 'expires_at',
    message: `"expires_at": a key of this group ends at ${latest} at the latest. Give an earlier end, or ask the manager of the group or an admin.`,
    fact: { code: 'ends_too_late', values: { at: latest } },
  })
}

/** Whether a new key of the group gets an end, limits or tags that a key from another group would lack. */
export function limitsNewKeys(name: string, groups: Groups): boolean {
  const { expiresAfterMs, terms = {} } = groups?.get(name)?.keyDefaults ?? {}
  const { budgets, rate, tags, endUserBudget } = terms
  return [expiresAfterMs, budgets, rate, tags, endUserBudget].some((limit) => limit !== undefined)
}

/** The terms that the change contains. */
export function readKeyChange(input: unknown, { groups, nowMs }: KeyInputContext): Partial<KeyTerms> {
  const change = readInput(changeKeySchema, input)
  if (typeof change.group === 'string' && groups !== undefined) findGroup(change.group, groups)
  const { name, group, user, allow_ips, disabled, rate, end_user_budget, expires_at, ...fields } = change
  return {
    ...readTerms(fields),
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group: group ?? undefined }),
    ...(user !== undefined && { user: user ?? undefined }),
    ...(allow_ips !== undefined && { allowIps: allow_ips ?? [] }),
    ...(disabled !== undefined && { disabled }),
    ...(rate !== undefined && { rate: rate ?? undefined }),
    ...(end_user_budget !== undefined && { endUserBudget: end_user_budget ?? undefined }),
    ...(expires_at !== undefined && { expiresAtMs: readExpiry(expires_at, nowMs, 'expires_at') }),
  }
}

function findGroup(name: string, groups: Groups): Group {
  if (groups === undefined) {
    const message =
      'a key of a group takes what the configuration gives new keys of the group, which the running server alone knows; start it, then create the key'
    throw refuse('invalid_field', {
      param: 'group',
      message: `"group": ${message}.`,
      fact: unknownName('group', name, undefined),
    })
  }
  const group = groups.get(name)
  if (group !== undefined) return group
  const nearest = nearestName(name, groups.keys())
  const advice =
    nearest === undefined ? 'add it to "groups" of the configuration' : `did you mean "${nearest}"?`
  const message = `"group": there is no group "${name}", so the key could use nothing; ${advice}`
  throw refuseField('invalid_field', {
    param: 'group',
    message: nearest === undefined ? `${message}.` : message,
    fact: unknownName('group', name, nearest),
  })
}
