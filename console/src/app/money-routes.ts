import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { budgetSearchSchema } from '../pages/budgets/budget-search.ts'
import { usageSearchSchema } from '../pages/usage/usage-search.ts'
import { frameRoute } from './base-routes.ts'
import { loadsPage } from './load-page.ts'

const budgetsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/budgets',
  validateSearch: budgetSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/budgets/budgets-page.tsx')),
    'BudgetsPage',
  ),
})

const usageRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/usage',
  validateSearch: usageSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/usage/usage-page.tsx')),
    'UsagePage',
  ),
})

/** The pages of money. */
export const moneyRoutes = [budgetsRoute, usageRoute] as const
