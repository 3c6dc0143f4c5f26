import { unreachable } from '../../kit/errors/unreachable.ts'
import type { FoundEffect } from './comparison.ts'
import type { Effect, FieldChange, NameList, RateChange, TargetShare } from './effect-contract.ts'

/** The effect with its sentence. */
export function describeEffect(found: FoundEffect): Effect {
  return { ...found, text: writeEffect(found) }
}

function writeEffect(effect: FoundEffect): string {
  switch (effect.type) {
    case 'access_lost':
    case 'access_gained':
      return writeAccess(effect)
    case 'models_unserved':
      return `No channel serves ${writeNames(effect.models)} any more`
    case 'models_served':
      return `New: ${writeNames(effect.models)}`
    case 'models_unknown':
      return `Which models ${writeNames(effect.channels)} serves is known once its list was read`
    case 'models_refused':
      return `Refused, because without a price: ${writeNames(effect.models)}`
    case 'first_target':
      return `${writeNames(effect.models)}: requests go to ${effect.after} first, not to ${effect.before}`
    case 'shares':
      return `${writeNames(effect.models)}: ${effect.targets.map(writeShare).join(', ')}`
    case 'reserves':
      return `${writeNames(effect.models)}: ${writeReserves(effect)}`
    case 'strategy':
      return `${writeNames(effect.models)}: chosen by ${effect.after}, not by ${effect.before}`
    default:
      return writeMoney(effect)
  }
}

type MoneyEffect = Exclude<
  FoundEffect,
  {
    readonly type:
      | ('access_lost' | 'access_gained' | 'models_unserved' | 'models_served' | 'models_unknown')
      | ('models_refused' | 'first_target' | 'shares' | 'reserves' | 'strategy')
  }
>

function writeMoney(effect: MoneyEffect): string {
  switch (effect.type) {
    case 'prices':
      return `Price of ${writeNames(effect.models)}: ${effect.rates.map(writeRateChange).join(', ')}`
    case 'prices_lost':
      return `No price is known any more: ${writeNames(effect.models)}`
    case 'prices_gained':
      return `A price is known now: ${writeNames(effect.models)}`
    case 'multiplier':
      return `Keys of the group ${effect.group} are charged ${effect.after} times the cost, not ${effect.before} times`
    case 'budget_spent':
      return `The budget ${effect.budget} refuses at once: ${writeUsd(effect.spent_usd)} are spent, and the limit is ${writeUsd(effect.limit_usd)}`
    case 'budget':
      return writeBudgetChange(effect)
    case 'rate':
      return `Rate limit of ${effect.limit}: ${effect.fields.map(writeField).join(', ')}`
    case 'objects':
      return writeObjects(effect)
    case 'object_fields':
      return `The ${words[effect.kind]} ${effect.name} works by other settings: ${writeNames(effect.fields)}`
    case 'setting':
      return `Setting ${effect.setting}: ${effect.fields.map(writeField).join(', ') || 'another secret'}`
    case 'restart':
      return `After a restart only: ${writeNames(effect.settings)}`
    default:
      return unreachable(effect)
  }
}

/** Writes the names, such as `gpt-4o, o3 and 12 more`. */
export function writeNames({ names, more }: NameList): string {
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`
}

const words = {
  channels: 'channel',
  models: 'model',
  groups: 'group',
  budgets: 'budget',
  keys: 'key',
  users: 'user',
} as const

function writeAccess({
  type,
  holders,
  who,
  models,
}: Extract<FoundEffect, { type: 'access_lost' | 'access_gained' }>): string {
  const [one, many] = type === 'access_lost' ? ['loses', 'lose'] : ['gains', 'gain']
  const count = who.names.length + who.more
  if (count === 1) return `The ${words[holders]} ${writeNames(who)} ${one} ${writeNames(models)}`
  return `${count} ${holders} ${many} ${writeNames(models)}: ${writeNames(who)}`
}

function writeShare({ target, before, after }: TargetShare): string {
  return `${target} ${writePercent(before)} → ${writePercent(after)}`
}

function writePercent(share: number | null): string {
  return share === null ? '–' : `${share} %`
}

function writeReserves({ added, removed }: Extract<FoundEffect, { type: 'reserves' }>): string {
  const parts = [
    ...(added.names.length === 0 ? [] : [`${writeNames(added)} in reserve`]),
    ...(removed.names.length === 0 ? [] : [`${writeNames(removed)} no longer in reserve`]),
  ]
  return parts.join('; ')
}

/** A class as people write it: `cache read` for `cacheRead`. */
function writeClass(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function writeRateChange({ percent, tier, above_input_tokens: above, ...change }: RateChange): string {
  const where = [
    ...(tier === 'standard' ? [] : [tier]),
    ...(above === 0 ? [] : [`above ${above} input tokens`]),
  ]
  const name = [writeClass(change.class), ...where].join(', ')
  const usd = `${writeUsd(change.before_usd)} → ${writeUsd(change.after_usd)}`
  return percent === null ? `${name} ${usd}` : `${name} ${percent > 0 ? '+' : ''}${percent} % (${usd})`
}

function writeUsd(amount: number): string {
  return `$${amount}`
}

function writeBudgetChange({
  change,
  budget,
  before_usd: before,
  after_usd: after,
}: Extract<FoundEffect, { type: 'budget' }>): string {
  if (change === 'added') return `New budget ${budget}: ${writeLimit(after)}`
  if (change === 'removed') return `No budget ${budget} any more (${writeLimit(before)})`
  return `The budget ${budget}: ${writeLimit(before)} → ${writeLimit(after)}`
}

function writeLimit(limit: number | 'unlimited' | null): string {
  return typeof limit === 'number' ? writeUsd(limit) : 'unlimited'
}

function writeField({ field, before, after }: FieldChange): string {
  const values = `${before ?? '–'} → ${after ?? '–'}`
  return field === '' ? values : `${field} ${values}`
}

function writeObjects({ kind, change, objects }: Extract<FoundEffect, { type: 'objects' }>): string {
  const count = objects.names.length + objects.more
  const noun = kind === 'users' ? 'limits of the user' : words[kind]
  const plural = kind === 'users' ? 'limits of the users' : kind
  return `${count === 1 ? noun : plural} ${change}: ${writeNames(objects)}`.replace(/^./, (first) =>
    first.toUpperCase(),
  )
}
