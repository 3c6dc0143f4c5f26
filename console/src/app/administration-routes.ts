import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { auditSearchSchema } from '../pages/audit/audit-search.ts'
import { draftSearchSchema } from '../pages/drafts/draft-search.ts'
import { groupSearchSchema } from '../pages/groups/group-search.ts'
import { settingsSearchSchema } from '../pages/settings/settings-search.ts'
import { userSearchSchema } from '../pages/users/user-search.ts'
import { frameRoute } from './base-routes.ts'
import { loadsPage } from './load-page.ts'

const inFrame = { getParentRoute: () => frameRoute }

const auditRoute = createRoute({
  ...inFrame,
  path: '/audit',
  validateSearch: auditSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/audit/audit-page.tsx')),
    'AuditPage',
  ),
})

const nodesRoute = createRoute({
  ...inFrame,
  path: '/nodes',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/nodes/nodes-page.tsx')),
    'NodesPage',
  ),
})

const settingsRoute = createRoute({
  ...inFrame,
  path: '/settings',
  validateSearch: settingsSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/settings/settings-page.tsx')),
    'SettingsPage',
  ),
})

const groupsRoute = createRoute({
  ...inFrame,
  path: '/groups',
  validateSearch: groupSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/groups/groups-page.tsx')),
    'GroupsPage',
  ),
})

const draftsRoute = createRoute({
  ...inFrame,
  path: '/drafts',
  validateSearch: draftSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/drafts/drafts-page.tsx')),
    'DraftsPage',
  ),
})

const usersRoute = createRoute({
  ...inFrame,
  path: '/users',
  validateSearch: userSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/users/users-page.tsx')),
    'UsersPage',
  ),
})

/** The pages of people, money and the installation. */
export const administrationRoutes = [
  groupsRoute,
  usersRoute,
  draftsRoute,
  auditRoute,
  nodesRoute,
  settingsRoute,
] as const
