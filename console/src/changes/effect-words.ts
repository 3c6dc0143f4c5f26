import type {
  Effect,
  FieldChange,
  RateChange,
  TargetShare,
} from '../../../src/admin/effects/effect-contract.ts'
import { writeCount, writeUsd } from '../language/format.ts'
import { findText, t } from '../language/language.ts'
import { joinWithMore } from '../ui/join-names.ts'

/** An effect in the language of the page. The gateway describes it only in English. */
export function writeEffect(effect: Effect): string {
  switch (effect.type) {
    case 'access_lost':
    case 'access_gained':
      return writeAccess(effect)
    case 'models_unserved':
    case 'models_served':
    case 'models_refused':
    case 'prices_lost':
    case 'prices_gained':
      return t(`effect.${effect.type}`, { models: joinWithMore(effect.models) })
    case 'models_unknown':
      return t('effect.models_unknown', { channels: joinWithMore(effect.channels) })
    case 'first_target':
    case 'strategy':
      return t(`effect.${effect.type}`, { ...effect, models: joinWithMore(effect.models) })
    case 'shares': {
      const targets = effect.targets.map(writeShareChange).join(', ')
      return t('effect.shares', { models: joinWithMore(effect.models), targets })
    }
    case 'reserves':
      return writeReserves(effect)
    case 'prices': {
      const rates = effect.rates.map(writeRateChange).join(', ')
      return t('effect.prices', { models: joinWithMore(effect.models), rates })
    }
    default:
      return writeLimits(effect)
  }
}

type LimitEffect = Exclude<
  Effect,
  {
    readonly type:
      | ('access_lost' | 'access_gained' | 'models_unserved' | 'models_served' | 'models_refused')
      | ('prices_lost' | 'prices_gained' | 'models_unknown' | 'first_target' | 'strategy')
      | ('shares' | 'reserves' | 'prices')
  }
>

function writeLimits(effect: LimitEffect): string {
  switch (effect.type) {
    case 'multiplier': {
      const { group, before, after } = effect
      return t('effect.multiplier', { group, before: String(before), after: String(after) })
    }
    case 'budget_spent': {
      const { budget, spent_usd: spent, limit_usd: limit } = effect
      return t('effect.budget_spent', { budget, spent: writeUsd(spent), limit: writeUsd(limit) })
    }
    case 'budget':
      return writeBudget(effect)
    case 'rate':
      return t('effect.rate', {
        limit: effect.limit,
        fields: effect.fields.map(writeRateField).join(', '),
      })
    case 'objects':
      return writeObjects(effect)
    case 'object_fields': {
      const { kind, name, fields } = effect
      return t('effect.object_fields', { kind: t(`kind.${kind}`), name, fields: joinWithMore(fields) })
    }
    case 'setting':
      return t('effect.setting', {
        setting: findText(`settings.title.${effect.setting}`) ?? effect.setting,
        fields: writeSettingFields(effect) || t('effect.secret'),
      })
    case 'restart':
      return t('effect.restart', { settings: joinWithMore(effect.settings) })
  }
}

const accessKeys = {
  keys: { access_lost: 'effect.keys_lose', access_gained: 'effect.keys_gain' },
  groups: { access_lost: 'effect.groups_lose', access_gained: 'effect.groups_gain' },
} as const

type OfType<Type> = Extract<Effect, { readonly type: Type }>

function writeAccess({ type, holders, who, models }: OfType<'access_lost' | 'access_gained'>): string {
  const values = { count: who.names.length + who.more, who: joinWithMore(who), models: joinWithMore(models) }
  return t(accessKeys[holders][type], values)
}

function writeShareChange({ target, before, after }: TargetShare): string {
  const write = (share: number | null) => (share === null ? '–' : `${share} %`)
  return `${target} ${write(before)} → ${write(after)}`
}

function writeReserves({ models, added, removed }: OfType<'reserves'>): string {
  const named = { models: joinWithMore(models) }
  return [
    ...(added.names.length === 0
      ? []
      : [t('effect.reserves_added', { ...named, targets: joinWithMore(added) })]),
    ...(removed.names.length === 0
      ? []
      : [t('effect.reserves_removed', { ...named, targets: joinWithMore(removed) })]),
  ].join('; ')
}

function writeRateChange({ percent, tier, above_input_tokens: above, ...change }: RateChange): string {
  const name = [
    findText(`rate_class.${change.class}`) ?? change.class,
    ...(tier === 'standard' ? [] : [tier]),
    ...(above === 0 ? [] : [t('effect.prices.above', { tokens: writeCount(above) })]),
  ].join(' ')
  const usd = `${writeUsd(change.before_usd)} → ${writeUsd(change.after_usd)}`
  return percent === null ? `${name} ${usd}` : `${name} ${percent > 0 ? '+' : ''}${percent} % (${usd})`
}

function writeBudget({ change, budget, before_usd: before, after_usd: after }: OfType<'budget'>): string {
  switch (change) {
    case 'added':
      return t('effect.budget_added', { budget, limit: writeLimit(after) })
    case 'removed':
      return t('effect.budget_removed', { budget, limit: writeLimit(before) })
    case 'limit':
      return t('effect.budget_limit', { budget, before: writeLimit(before), after: writeLimit(after) })
  }
}

function writeLimit(limit: number | 'unlimited' | null): string {
  return typeof limit === 'number' ? writeUsd(limit) : t('effect.unlimited')
}

const objectKeys = {
  channels: {
    added: 'effect.channels_added',
    removed: 'effect.channels_removed',
    disabled: 'effect.channels_disabled',
    enabled: 'effect.channels_enabled',
  },
  groups: { added: 'effect.groups_added', removed: 'effect.groups_removed' },
  users: { added: 'effect.users_added', removed: 'effect.users_removed' },
} as const

function writeObjects({ kind, change, objects }: OfType<'objects'>): string {
  const names = joinWithMore(objects)
  if (kind === 'channels') return t(objectKeys.channels[change], { names })
  return t(objectKeys[kind][change === 'removed' ? 'removed' : 'added'], { names })
}

function writeSettingFields({ setting, fields }: OfType<'setting'>): string {
  return fields.map((change) => writeRuleOff(change) ?? writeSettingField(setting, change)).join(', ')
}

const RULE_FIELD = /^rules\.(.+)\.(\w+)$/

/** The alert rule that a change turns off or on. Undefined for another field. */
function writeRuleOff({ field, after }: FieldChange): string | undefined {
  const [, rule = '', term] = RULE_FIELD.exec(field) ?? []
  if (term !== 'off') return undefined
  return t(after === 'true' ? 'effect.rule_off' : 'effect.rule_on', { rule: nameRule(rule) })
}

function writeSettingField(setting: string, { field, before, after }: FieldChange): string {
  const write = (value: string | null) =>
    value === null ? t('effect.default') : (findText(`settings.choice.${value}`) ?? value)
  return `${nameSettingField(setting, field)} ${write(before)} → ${write(after)}`.trim()
}

function nameSettingField(setting: string, field: string): string {
  const [, rule, term] = RULE_FIELD.exec(field) ?? []
  if (rule !== undefined && setting === 'alerts')
    return `${nameRule(rule)}: ${findText(`settings.field.rule.${term}`) ?? term}`
  return findText(`settings.field.${setting}.${field || 'value'}`) ?? field
}

/** A rule without a name is named after its kind. */
function nameRule(name: string): string {
  return findText(`alerts.kind.${name}`) ?? name
}

function writeRateField({ field, before, after }: FieldChange): string {
  return `${field} ${before ?? '–'} → ${after ?? '–'}`
}
