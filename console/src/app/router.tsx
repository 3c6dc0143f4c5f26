import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import { consolePath } from '../browser/addresses.ts'
import { administrationRoutes } from './administration-routes.ts'
import { frameRoute, rootRoute } from './base-routes.ts'
import { loadsPage } from './load-page.ts'
import { moneyRoutes } from './money-routes.ts'
import { NotFoundPage, PageError, PagePending } from './page-states.tsx'
import { servingRoutes } from './serving-routes.ts'
import { trafficRoutes } from './traffic-routes.ts'

const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/link',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/sign-in/link-page.tsx')),
    'LinkPage',
  ),
})

const singleSignOnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/single-sign-on',
  validateSearch: z.object({ outcome: z.string().optional().catch(undefined) }),
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/sign-in/single-sign-on-page.tsx')),
    'SingleSignOnPage',
  ),
})

const accountRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/account',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/account/account-page.tsx')),
    'AccountPage',
  ),
})

/** An unknown address is shown within the frame, so that the navigation stays available. */
const otherRoute = createRoute({ getParentRoute: () => frameRoute, path: '/$', component: NotFoundPage })

const pages = frameRoute.addChildren([
  ...trafficRoutes,
  ...moneyRoutes,
  ...servingRoutes,
  accountRoute,
  ...administrationRoutes,
  otherRoute,
])

export const router = createRouter({
  routeTree: rootRoute.addChildren([linkRoute, singleSignOnRoute, pages]),
  basepath: consolePath,
  // Parameters that others add to a shared link, such as `utm_source`, are no filters, which the gateway would refuse.
  search: { strict: true },
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
