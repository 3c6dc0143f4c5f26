import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { consolePath } from '../lib/addresses.ts'
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
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})

const accountRoute = createRoute({
  ...inFrame,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([linkRoute, frameRoute.addChildren([overviewRoute, accountRoute])]),
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
