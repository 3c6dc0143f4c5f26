import type { Key } from '../../access/key.ts'
import type { AdminRequest, AdminRoute } from '../admin-route.ts'
import { etagOf } from '../config/config-routes.ts'
import type { ConfigState } from '../config/live-config.ts'
import { readActor } from '../read-actor.ts'
import { checkInput, inputErrors, readInput } from '../read-input.ts'
import { readReach } from '../read-reach.ts'
import { budgetPageSchema, budgetViewSchema, valueListSchema } from './budget-contract.ts'
import {
  listBudgetsSchema,
  listValuesSchema,
  raiseBudgetSchema,
  resetBudgetSchema,
  showBudgetSchema,
} from './budget-input-schema.ts'
import type { BudgetOperations } from './manage-budgets.ts'
import { createBudgetControlReach, createBudgetVisibility } from './reach-budgets.ts'

const onOneBudget = {
  pathParameters: { name: "The budget's name, such as all or key:ci/day, or its id." },
  answer: { status: 200, schema: budgetViewSchema },
} as const

/** The routes that show what budgets have spent, and that change them. */
export function createBudgetRoutes(
  budgets: BudgetOperations,
  keys: () => readonly Key[],
  state: () => ConfigState,
): readonly AdminRoute[] {
  return [...createReadRoutes(budgets, keys, state), ...createChangeRoutes(budgets, keys)]
}

function createReadRoutes(
  budgets: BudgetOperations,
  keys: () => readonly Key[],
  state: () => ConfigState,
): readonly AdminRoute[] {
  const visibilityOf = (request: AdminRequest) => createBudgetVisibility(readReach(request), keys)
  return [
    {
      method: 'GET',
      policy: { access: 'own', scope: 'budgets:read' },
      path: '/admin/v1/budgets',
      summary: 'List budgets by pages, with what is spent and what is left of them',
      query: listBudgetsSchema,
      answer: { status: 200, schema: budgetPageSchema },
      errors: ['invalid_field'],
      async handler(request) {
        const params = checkInput(listBudgetsSchema, request.query)
        return { status: 200, body: { ...(await budgets.list(params, visibilityOf(request))) } }
      },
    },
    {
      ...onOneBudget,
      method: 'GET',
      policy: { access: 'own', scope: 'budgets:read' },
      path: '/admin/v1/budgets/{name}',
      summary: 'Show a budget',
      query: showBudgetSchema,
      errors: ['invalid_field', 'config_object_not_found'],
      async handler(request) {
        const { value } = readInput(showBudgetSchema, request.query)
        const headers = etagOf(state())
        const view = await budgets.get(request.params['name'] ?? '', value, visibilityOf(request))
        return { status: 200, headers, body: { ...view } }
      },
    },
    {
      ...onOneBudget,
      method: 'GET',
      policy: { access: 'own', scope: 'budgets:read' },
      path: '/admin/v1/budgets/{name}/values',
      summary: 'List the values of a tag that have spent most of the budget that each of them has',
      query: listValuesSchema,
      answer: { status: 200, schema: valueListSchema },
      errors: ['invalid_field', 'config_object_not_found'],
      async handler(request) {
        const { params, query } = request
        return {
          status: 200,
          body: { ...(await budgets.values(params['name'] ?? '', query, visibilityOf(request))) },
        }
      },
    },
  ]
}

const changeErrors = [...inputErrors, 'config_object_not_found'] as const

function createChangeRoutes(budgets: BudgetOperations, keys: () => readonly Key[]): readonly AdminRoute[] {
  const operatorOf = (request: AdminRequest) => ({
    actor: readActor(request),
    reaches: createBudgetControlReach(readReach(request), keys),
  })
  return [
    {
      ...onOneBudget,
      method: 'POST',
      policy: { access: 'own', scope: 'budgets:write' },
      path: '/admin/v1/budgets/{name}/raise',
      summary: 'Raise the limit of a budget until a time, or lower it',
      body: raiseBudgetSchema,
      errors: changeErrors,
      async handler(request) {
        const input = checkInput(raiseBudgetSchema, request.body)
        const view = await budgets.raise(request.params['name'] ?? '', input, operatorOf(request))
        return { status: 200, body: { ...view } }
      },
    },
    {
      ...onOneBudget,
      method: 'POST',
      policy: { access: 'own', scope: 'budgets:write' },
      path: '/admin/v1/budgets/{name}/reset',
      summary: 'Let what was spent of the window of a budget be spent once more',
      body: resetBudgetSchema,
      errors: changeErrors,
      async handler(request) {
        const input = checkInput(resetBudgetSchema, request.body)
        const view = await budgets.reset(request.params['name'] ?? '', input, operatorOf(request))
        return { status: 200, body: { ...view } }
      },
    },
  ]
}
