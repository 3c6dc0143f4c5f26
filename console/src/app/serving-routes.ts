import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { channelSearchSchema } from '../pages/channels/channel-search.ts'
import { connectSearchSchema } from '../pages/connect/connect-search.ts'
import { healthSearchSchema } from '../pages/health/health-search.ts'
import { modelSearchSchema } from '../pages/models/model-search.ts'
import { frameRoute } from './base-routes.ts'
import { loadsPage } from './load-page.ts'

const inFrame = { getParentRoute: () => frameRoute }

const channelsRoute = createRoute({
  ...inFrame,
  path: '/channels',
  validateSearch: channelSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/channels/channels-page.tsx')),
    'ChannelsPage',
  ),
})
const channelRoute = createRoute({
  getParentRoute: () => channelsRoute,
  path: '/$name',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/channels/channel-sheet.tsx')),
    'ChannelSheet',
  ),
})

const modelsRoute = createRoute({
  ...inFrame,
  path: '/models',
  validateSearch: modelSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/models/models-page.tsx')),
    'ModelsPage',
  ),
})
const modelRoute = createRoute({
  getParentRoute: () => modelsRoute,
  path: '/$name',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/models/model-sheet.tsx')),
    'ModelSheet',
  ),
})

const healthRoute = createRoute({
  ...inFrame,
  path: '/health',
  validateSearch: healthSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/health/health-page.tsx')),
    'HealthPage',
  ),
})

const connectRoute = createRoute({
  ...inFrame,
  path: '/connect',
  validateSearch: connectSearchSchema,
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/connect/connect-page.tsx')),
    'ConnectPage',
  ),
})

const playgroundRoute = createRoute({
  ...inFrame,
  path: '/playground',
  component: lazyRouteComponent(
    loadsPage(() => import('../pages/playground/playground-page.tsx')),
    'PlaygroundPage',
  ),
})

/** The pages of channels and models, and of the keys and groups that use them. */
export const servingRoutes = [
  channelsRoute.addChildren([channelRoute]),
  modelsRoute.addChildren([modelRoute]),
  healthRoute,
  playgroundRoute,
  connectRoute,
] as const
