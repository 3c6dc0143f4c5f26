import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router'
import { Frame } from './frame.tsx'
import { NotFoundPage } from './page-states.tsx'

export const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

/** The frame around every page for signed-in users. */
export const frameRoute = createRoute({ getParentRoute: () => rootRoute, id: 'frame', component: Frame })
