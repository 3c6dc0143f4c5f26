import type { Group, UserTerms } from '../access/group.ts'
import type { Caller } from '../access/key.ts'
import { budgetLabel } from '../access/limits/budget-schema.ts'
import type { BudgetTerms } from '../access/limits/budget-terms.ts'
import type { RateTerms } from '../access/limits/rate-schema.ts'
import { END_USER_TAG, type Tags } from '../canonical/tags.ts'
import { brand } from '../kit/brand.ts'
import { type Budget, type BudgetScope, installationBudgetId, ownBudgetId, writeScope } from './budget.ts'
import type { InstallationBudget } from './budgets/installation-budget-schema.ts'
import type { CreditBudgets } from './credits/credit-budget.ts'
import type { AppliedBudget } from './meter.ts'
import type { RateLimit, RateLimitId } from './rate-limit.ts'

/** The budgets and rate limits that a configuration sets. */
export interface ConfiguredLimits {
  readonly groups: readonly Group[]
  readonly users: readonly UserTerms[]
  readonly budgets: readonly InstallationBudget[]
  readonly rates: {
    readonly installation: RateTerms | undefined
    /** The terms by public name. */
    readonly models: ReadonlyMap<string, RateTerms>
  }
}

/** The limits of a caller's key, its user and its group. */
export type LimitedCaller = Pick<
  Caller,
  'keyId' | 'keyName' | 'user' | 'group' | 'budgets' | 'endUserBudget' | 'rate'
>

/**
 * The budgets and rate limits that apply to a request, found only by look-ups. An index never changes: a new
 * configuration gets a new index.
 */
export interface LimitIndex {
  /**
   * The budgets that count the amount charged to the caller: those of its key, its user, its group, its credits and the
   * tags of the request.
   */
  callerBudgets(caller: LimitedCaller, tags: Tags): readonly AppliedBudget[]
  /** The budgets that count the cost of the provider: those of a public name, a channel and the installation. */
  targetBudgets(model: string, channel: string): readonly AppliedBudget[]
  /** The rate limits of the key, its user, its group and the installation. */
  callerRates(caller: LimitedCaller): readonly RateLimit[]
  /** The limits of `callerRates`, and those of the public name. */
  rateLimits(caller: LimitedCaller, model: string): readonly RateLimit[]
  /** All budgets except those of keys: the section `budgets`, and the budgets of users and groups. */
  readonly configured: readonly Budget[]
}

/** The source of the credits that were granted to a caller. */
export type CreditSource = Pick<CreditBudgets, 'isEmpty' | 'ofCaller'>

/** Creates an index. For one caller with the same tags, or for one target, the index always returns the same object. */
export function createLimitIndex(limits: ConfiguredLimits, credits: CreditSource = noCredits): LimitIndex {
  const budgets = new ScopedBudgets(limits)
  const rates = new ScopedRates(limits)
  // A caller is the same object until its key or its group changes. Then a new object replaces it.
  const cache = new WeakMap<LimitedCaller, CallerLimits>()
  const find = (caller: LimitedCaller): CallerLimits => {
    const cached = cache.get(caller)
    if (cached !== undefined) return cached
    const callerLimits = {
      budgets: budgets.ofCaller(caller),
      endUser: endUserBudget(caller),
      rates: rates.ofCaller(caller),
    }
    cache.set(caller, callerLimits)
    return callerLimits
  }
  return {
    callerBudgets(caller, tags) {
      const { budgets: own, endUser } = find(caller)
      const ofTags = budgets.ofTags(tags, endUser)
      const ofCredits = credits.isEmpty ? none : credits.ofCaller(caller)
      if (ofTags.length + ofCredits.length === 0) return own
      return [...own, ...ofTags, ...ofCredits]
    },
    targetBudgets: (model, channel) => budgets.ofTarget(model, channel),
    callerRates: (caller) => find(caller).rates,
    rateLimits(caller, model) {
      const { rates: own } = find(caller)
      const ofModel = rates.models.get(model)
      return ofModel === undefined ? own : [...own, ofModel]
    },
    configured: budgets.all,
  }
}

interface CallerLimits {
  /** The budgets of the caller's key, its user and its group. */
  readonly budgets: readonly AppliedBudget[]
  /** The budget of each end user whom the caller names. */
  readonly endUser: Budget | undefined
  readonly rates: readonly RateLimit[]
}

const none: readonly AppliedBudget[] = []
const noCredits: CreditSource = { isEmpty: true, ofCaller: () => none }

class ScopedBudgets {
  readonly all: readonly Budget[]
  /** The budgets by the configuration's spelling of their scope. */
  readonly #byScope: ReadonlyMap<string, readonly AppliedBudget[]>
  readonly #hasTags: boolean
  readonly #ofTarget = new Map<string, Map<string, readonly AppliedBudget[]>>()

  constructor({ groups, users, budgets }: ConfiguredLimits) {
    this.all = [
      ...budgets.map(readInstallationBudget),
      ...users.flatMap((user) => user.budgets.map((terms) => ownBudget('user', user.name, terms))),
      ...groups.flatMap((group) => group.budgets.map((terms) => ownBudget('group', group.name, terms))),
    ]
    this.#byScope = groupByScope(this.all)
    this.#hasTags = this.all.some(({ scope }) => scope.type === 'tag')
  }

  ofCaller(caller: LimitedCaller): readonly AppliedBudget[] {
    const { keyId, keyName, user, group } = caller
    return [
      ...caller.budgets.map((terms) => ({ budget: keyBudget({ keyId, keyName }, terms) })),
      ...this.#of({ type: 'key', name: keyName }),
      ...(user === undefined ? [] : this.#of({ type: 'user', name: user })),
      ...(group === undefined ? [] : this.#of({ type: 'group', name: group })),
    ]
  }

  ofTags(tags: Tags, endUser: Budget | undefined): readonly AppliedBudget[] {
    if (!this.#hasTags && endUser === undefined) return none
    const applied: AppliedBudget[] = []
    for (const [name, value] of Object.entries(tags)) {
      applied.push(...this.#of({ type: 'tag', name, value }))
      for (const { budget } of this.#of({ type: 'tag', name, value: undefined }))
        applied.push({ budget, tagValue: value })
    }
    const customer = tags[END_USER_TAG]
    if (endUser !== undefined && customer !== undefined) applied.push({ budget: endUser, tagValue: customer })
    return applied
  }

  ofTarget(model: string, channel: string): readonly AppliedBudget[] {
    const ofModel = this.#ofTarget.get(model) ?? new Map<string, readonly AppliedBudget[]>()
    const cached = ofModel.get(channel)
    if (cached !== undefined) return cached
    const scopes: readonly BudgetScope[] = [
      { type: 'model', name: model },
      { type: 'channel', name: channel },
      { type: 'installation' },
    ]
    const budgets = scopes.flatMap((scope) => this.#of(scope))
    this.#ofTarget.set(model, ofModel.set(channel, budgets))
    return budgets
  }

  #of(scope: BudgetScope): readonly AppliedBudget[] {
    return this.#byScope.get(writeScope(scope)) ?? none
  }
}

function groupByScope(budgets: readonly Budget[]): ReadonlyMap<string, readonly AppliedBudget[]> {
  const grouped = new Map<string, AppliedBudget[]>()
  for (const budget of budgets) {
    const scope = writeScope(budget.scope)
    const group = grouped.get(scope)
    if (group === undefined) grouped.set(scope, [{ budget }])
    else group.push({ budget })
  }
  return grouped
}

function readInstallationBudget({ name, scope, terms }: InstallationBudget): Budget {
  const budget = { ...terms, name, scope }
  return { ...budget, id: installationBudgetId(budget) }
}

function ownBudget(type: 'user' | 'group', name: string, terms: BudgetTerms): Budget {
  const scope = { type, name }
  return {
    ...terms,
    name: `${type}:${name}/${budgetLabel(terms)}`,
    scope,
    id: ownBudgetId(type, name, terms),
  }
}

type NamedKey = Pick<LimitedCaller, 'keyId' | 'keyName'>

/** The budgets of a key, including the budget of its end users. */
export function budgetsOfKey(key: LimitedCaller): readonly Budget[] {
  const endUser = endUserBudget(key)
  return [...key.budgets.map((terms) => keyBudget(key, terms)), ...(endUser === undefined ? [] : [endUser])]
}

function keyBudget({ keyId, keyName }: NamedKey, terms: BudgetTerms): Budget {
  const scope = { type: 'key', name: keyName } as const
  return {
    ...terms,
    name: `key:${keyName}/${budgetLabel(terms)}`,
    scope,
    id: ownBudgetId('key', keyId, terms),
  }
}

function endUserBudget({ keyId, keyName, endUserBudget: terms }: LimitedCaller): Budget | undefined {
  if (terms === undefined) return undefined
  const scope = { type: 'tag', name: END_USER_TAG, value: undefined } as const
  const name = `key:${keyName}/${END_USER_TAG}/${budgetLabel(terms)}`
  return { ...terms, name, scope, id: ownBudgetId('end-user', keyId, terms) }
}

class ScopedRates {
  readonly models: ReadonlyMap<string, RateLimit>
  readonly #users: ReadonlyMap<string, RateLimit>
  readonly #groups: ReadonlyMap<string, RateLimit>
  readonly #installation: RateLimit | undefined

  constructor({ groups, users, rates }: ConfiguredLimits) {
    this.models = nameLimits('model', rates.models)
    this.#users = nameLimits(
      'user',
      users.map(({ name, rate }) => [name, rate] as const),
    )
    this.#groups = nameLimits(
      'group',
      groups.map(({ name, rate }) => [name, rate] as const),
    )
    this.#installation = rates.installation && rateLimit(['installation'], 'installation', rates.installation)
  }

  ofCaller({ keyId, keyName, rate, user, group }: LimitedCaller): readonly RateLimit[] {
    return [
      rate && rateLimit(['key', keyId], `key:${keyName}`, rate),
      user === undefined ? undefined : this.#users.get(user),
      group === undefined ? undefined : this.#groups.get(group),
      this.#installation,
    ].filter((limit) => limit !== undefined)
  }
}

function nameLimits(
  type: 'model' | 'user' | 'group',
  entries: Iterable<readonly [string, RateTerms | undefined]>,
): ReadonlyMap<string, RateLimit> {
  const limits = new Map<string, RateLimit>()
  for (const [name, terms] of entries)
    if (terms !== undefined) limits.set(name, rateLimit([type, name], `${type}:${name}`, terms))
  return limits
}

function rateLimit(id: readonly string[], name: string, terms: RateTerms): RateLimit {
  return { id: brand<RateLimitId>(id.join('/')), name, terms }
}
