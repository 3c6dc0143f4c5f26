import type { AdminRoute } from '../admin-route.ts'
import { readActor } from '../read-actor.ts'
import { checkInput, readInput } from '../read-input.ts'
import {
  type BudgetOperations,
  budgetPageSchema,
  budgetViewSchema,
  valueListSchema,
} from './budget-contract.ts'
import {
  listValuesSchema,
  raiseBudgetSchema,
  resetBudgetSchema,
  showBudgetSchema,
} from './budget-input-schema.ts'

const onOneBudget = {
  pathParameters: { name: "The budget's name, such as all or key:ci/day, or its id." },
  answer: { status: 200, schema: budgetViewSchema },
} as const

/** The routes that show what budgets have spent, and that change them. */
export function createBudgetRoutes(budgets: BudgetOperations): readonly AdminRoute[] {
  return [...createReadRoutes(budgets), ...createChangeRoutes(budgets)]
}

function createReadRoutes(budgets: BudgetOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: 'budgets:read' },
      path: '/admin/v1/budgets',
      summary: 'List every budget with what is spent and what is left of it',
      answer: { status: 200, schema: budgetPageSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...(await budgets.list()) } }),
    },
    {
      ...onOneBudget,
      method: 'GET',
      policy: { access: 'read', scope: 'budgets:read' },
      path: '/admin/v1/budgets/{name}',
      summary: 'Show a budget',
      query: showBudgetSchema,
      errors: ['invalid_field', 'config_object_not_found'],
      async handler({ params, query }) {
        const { value } = readInput(showBudgetSchema, query)
        return { status: 200, body: { ...(await budgets.get(params['name'] ?? '', value)) } }
      },
    },
    {
      ...onOneBudget,
      method: 'GET',
      policy: { access: 'read', scope: 'budgets:read' },
      path: '/admin/v1/budgets/{name}/values',
      summary: 'List the values of a tag that have spent most of the budget that each of them has',
      query: listValuesSchema,
      answer: { status: 200, schema: valueListSchema },
      errors: ['invalid_field', 'config_object_not_found'],
      async handler({ params, query }) {
        return { status: 200, body: { ...(await budgets.values(params['name'] ?? '', query)) } }
      },
    },
  ]
}

const changeErrors = ['body_not_object', 'missing_field', 'invalid_field', 'config_object_not_found'] as const

function createChangeRoutes(budgets: BudgetOperations): readonly AdminRoute[] {
  return [
    {
      ...onOneBudget,
      method: 'POST',
      policy: { access: 'write', scope: 'budgets:write' },
      path: '/admin/v1/budgets/{name}/raise',
      summary: 'Raise the limit of a budget until a time, or lower it',
      body: raiseBudgetSchema,
      errors: changeErrors,
      async handler(request) {
        const input = checkInput(raiseBudgetSchema, request.body)
        const view = await budgets.raise(request.params['name'] ?? '', input, readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
    {
      ...onOneBudget,
      method: 'POST',
      policy: { access: 'write', scope: 'budgets:write' },
      path: '/admin/v1/budgets/{name}/reset',
      summary: 'Let what was spent of the window of a budget be spent once more',
      body: resetBudgetSchema,
      errors: changeErrors,
      async handler(request) {
        const input = checkInput(resetBudgetSchema, request.body)
        const view = await budgets.reset(request.params['name'] ?? '', input, readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
  ]
}
