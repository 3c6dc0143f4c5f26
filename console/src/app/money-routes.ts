import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { budgetSearchSchema } from '../pages/budgets/budget-search.ts'
import { frameRoute } from './base-routes.ts'

const budgetsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/budgets',
  validateSearch: budgetSearchSchema,
  component: lazyRouteComponent(() => import('../pages/budgets/budgets-page.tsx'), 'BudgetsPage'),
})

/** The pages of money. */
export const moneyRoutes = [budgetsRoute] as const
