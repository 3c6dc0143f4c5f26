import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { consolePath } from '../lib/addresses.ts'
import { keySearchSchema } from '../pages/keys/key-search.ts'
import { overviewSearchSchema } from '../pages/overview/overview-search.ts'
import { requestSearchSchema } from '../pages/requests/request-search.ts'
import { Frame } from './frame.tsx'
import { NotFoundPage, PageError, PagePending } from './page-states.tsx'

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/link',
  component: lazyRouteComponent(() => import('../pages/sign-in/link-page.tsx'), 'LinkPage'),
})

const frameRoute = createRoute({ getParentRoute: () => rootRoute, id: 'frame', component: Frame })
const inFrame = { getParentRoute: () => frameRoute }

const overviewRoute = createRoute({
  ...inFrame,
  path: '/',
  validateSearch: overviewSearchSchema,
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})

const keysRoute = createRoute({
  ...inFrame,
  path: '/keys',
  validateSearch: keySearchSchema,
  component: lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})
const keyRoute = createRoute({
  getParentRoute: () => keysRoute,
  path: '/$id',
  component: lazyRouteComponent(() => import('../pages/keys/key-sheet.tsx'), 'KeySheet'),
})

const requestsRoute = createRoute({
  ...inFrame,
  path: '/requests',
  validateSearch: requestSearchSchema,
  component: lazyRouteComponent(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
})
const requestRoute = createRoute({
  getParentRoute: () => requestsRoute,
  path: '/$id',
  component: lazyRouteComponent(() => import('../pages/requests/request-sheet.tsx'), 'RequestSheet'),
})

const accountRoute = createRoute({
  ...inFrame,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    linkRoute,
    frameRoute.addChildren([
      overviewRoute,
      keysRoute.addChildren([keyRoute]),
      requestsRoute.addChildren([requestRoute]),
      accountRoute,
    ]),
  ]),
  basepath: consolePath,
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
