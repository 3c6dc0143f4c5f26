// The routes of budgets and credits, and their operations.
import type { KeyRegistry } from '../access/key-registry.ts'
import type { AdminRoute } from '../admin/admin-route.ts'
import type { BudgetControl } from '../admin/budgets/budget-control.ts'
import { createBudgetRoutes } from '../admin/budgets/budget-routes.ts'
import { createForecastOperations, createForecastRoutes } from '../admin/budgets/forecast-budgets.ts'
import { createHourlySpending } from '../admin/budgets/forecast-history.ts'
import { type BudgetOperationOptions, createBudgetOperations } from '../admin/budgets/manage-budgets.ts'
import type { ConfigState } from '../admin/config/live-config.ts'
import { objectKinds } from '../admin/config/object-kind.ts'
import { listObjects } from '../admin/config/view-config.ts'
import type { CreditControl } from '../admin/credits/credit-control.ts'
import { createCodeRoutes, createCreditRoutes } from '../admin/credits/credit-routes.ts'
import { GrantBound } from '../admin/credits/grant-bound.ts'
import { createCodeOperations } from '../admin/credits/manage-codes.ts'
import { createCreditOperations } from '../admin/credits/manage-credits.ts'
import type { Config } from '../config/config.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Budget } from '../metering/budget.ts'
import { budgetsOfKey, createLimitIndex } from '../metering/limit-index.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Metering } from './open-metering.ts'

export interface MoneyRouteOptions {
  readonly keys: Pick<OpenKeys, 'registry' | 'credits' | 'digest'>
  readonly metering: Pick<
    Metering,
    'meter' | 'credits' | 'reader' | 'applyChange' | 'learnOthers' | 'learnTopValues'
  >
  readonly state: () => ConfigState
  readonly clock: Clock
}

export function createMoneyRoutes(options: MoneyRouteOptions): readonly AdminRoute[] {
  const { keys, state, clock } = options
  const directory = {
    keys: () => keys.registry.keys(),
    groups: () => state().config.groups,
  }
  const shared = { store: keys.credits, clock, random: systemRandom }
  const control = createCreditControl(options)
  const budgetControl = createBudgetControl(options)
  const spending = createHourlySpending(options.metering.reader, clock)
  const ofCredits = { ...shared, control, directory, bound: new GrantBound(control) }
  return [
    ...createBudgetRoutes(
      createBudgetOperations({
        ...shared,
        control: budgetControl,
        ownerOf: createOwnerFinder(state),
      }),
      directory.keys,
      state,
    ),
    ...createForecastRoutes(
      createForecastOperations({ control: budgetControl, spending, clock }),
      directory.keys,
    ),
    ...createCreditRoutes(createCreditOperations(ofCredits)),
    ...createCodeRoutes(createCodeOperations({ ...ofCredits, digest: keys.digest })),
  ]
}

/** Names of budgets of keys, users and groups contain a colon, which names in the configuration cannot contain. */
function createOwnerFinder(state: MoneyRouteOptions['state']): BudgetOperationOptions['ownerOf'] {
  const ownersOf = new WeakMap<ConfigState, ReadonlyMap<string, 'file' | 'api'>>()
  return ({ name }) => {
    const now = state()
    const owners =
      ownersOf.get(now) ??
      new Map(listObjects(objectKinds.budgets, now).map((each) => [each.name, each.owner]))
    ownersOf.set(now, owners)
    return owners.get(name)
  }
}

function createBudgetControl({ keys, metering, state, clock }: MoneyRouteOptions): BudgetControl {
  const { meter } = metering
  return {
    budgets: () => listBudgets(keys.registry, state().config),
    learnOthers: metering.learnOthers,
    learnTopValues: metering.learnTopValues,
    status: (applied) => meter.status(applied, clock.nowMs()),
    raised: (budget) => meter.raised(budget, clock.nowMs()),
    values: (budget) => meter.values(budget),
    resettable: (applied) => meter.resettable(applied, clock.nowMs()),
    apply: (change) => metering.applyChange(change),
  }
}

/** All budgets except credits: those of the configuration and of keys. */
export function listBudgets(registry: Pick<KeyRegistry, 'keys'>, config: Config): readonly Budget[] {
  const live = registry.keys().filter(({ revokedAtMs }) => revokedAtMs === undefined)
  const ofKeys = live.flatMap((key) => budgetsOfKey({ ...key, keyId: key.id, keyName: key.name }))
  return [...createLimitIndex(config).configured, ...ofKeys]
}

function createCreditControl({ metering, clock }: MoneyRouteOptions): CreditControl {
  const { meter, credits } = metering
  return {
    credits: () => credits.all,
    creditOf: (scope) => credits.of(scope),
    learnOthers: (budgets) => metering.learnOthers(budgets.map((budget) => ({ budget }))),
    balance: (credit) => meter.balance(credit, clock.nowMs()),
    add: (grant) => credits.add(grant),
  }
}
