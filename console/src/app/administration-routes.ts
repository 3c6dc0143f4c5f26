import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { auditSearchSchema } from '../pages/audit/audit-search.ts'
import { settingsSearchSchema } from '../pages/settings/settings-search.ts'
import { frameRoute } from './base-routes.ts'

const inFrame = { getParentRoute: () => frameRoute }

const auditRoute = createRoute({
  ...inFrame,
  path: '/audit',
  validateSearch: auditSearchSchema,
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
})

const settingsRoute = createRoute({
  ...inFrame,
  path: '/settings',
  validateSearch: settingsSearchSchema,
  component: lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
})

/** The pages of people, money and the installation. */
export const administrationRoutes = [auditRoute, settingsRoute] as const
