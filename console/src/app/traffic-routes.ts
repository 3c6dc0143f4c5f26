import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { keySearchSchema } from '../pages/keys/key-search.ts'
import { overviewSearchSchema } from '../pages/overview/overview-search.ts'
import { requestSearchSchema } from '../pages/requests/request-search.ts'
import { frameRoute } from './base-routes.ts'
import { loadsPage } from './load-page.ts'

const inFrame = { getParentRoute: () => frameRoute }

const overviewRoute = createRoute({
  ...inFrame,
  path: '/',
  validateSearch: overviewSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/overview/overview-page.tsx')),
    'OverviewPage',
  ),
})

const keysRoute = createRoute({
  ...inFrame,
  path: '/keys',
  validateSearch: keySearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/keys/keys-page.tsx')),
    'KeysPage',
  ),
})
const keyRoute = createRoute({
  getParentRoute: () => keysRoute,
  path: '/$id',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/keys/key-sheet.tsx')),
    'KeySheet',
  ),
})

const requestsRoute = createRoute({
  ...inFrame,
  path: '/requests',
  validateSearch: requestSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/requests/requests-page.tsx')),
    'RequestsPage',
  ),
})
const requestRoute = createRoute({
  getParentRoute: () => requestsRoute,
  path: '/$id',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/requests/request-sheet.tsx')),
    'RequestSheet',
  ),
})

/** The pages of requests and their keys. */
export const trafficRoutes = [
  overviewRoute,
  keysRoute.addChildren([keyRoute]),
  requestsRoute.addChildren([requestRoute]),
] as const
