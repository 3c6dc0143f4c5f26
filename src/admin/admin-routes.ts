import { z } from 'zod'
import { lazy } from '../kit/async/lazy.ts'
import type { AnyAdminRoute } from './admin-route.ts'
import type { ConfigOperations } from './config/config-operations.ts'
import { createConfigRoutes } from './config/config-routes.ts'
import { createObjectRoutes } from './config/list-objects.ts'
import type { KeyOperationsByReader } from './keys/key-contract.ts'
import { createKeyRoutes } from './keys/key-routes.ts'
import { describeApi } from './openapi.ts'

export interface AdminApi {
  readonly keys: KeyOperationsByReader
  /** Absent if only keys are managed. */
  readonly config?: ConfigOperations
  /** Further routes, which the OpenAPI document describes as well. */
  readonly more?: readonly AnyAdminRoute[]
  /** Headgate's own version, for the document. */
  readonly version: string
}

export function createAdminRoutes({ keys, config, more = [], version }: AdminApi): readonly AnyAdminRoute[] {
  const routes = [
    ...createKeyRoutes(keys),
    ...(config === undefined ? [] : [...createConfigRoutes(config), ...createObjectRoutes(config)]),
    ...more,
  ]
  const documentRoute = {
    method: 'GET',
    policy: { access: 'self', tokens: true },
    path: '/admin/v1/openapi.json',
    summary: 'This document',
    answer: { status: 200, schema: z.object({}).meta({ description: 'An OpenAPI 3.1 document.' }) },
    errors: [],
  } as const
  // Created on first use, since most processes never need it.
  const describe = lazy(() => describeApi([...routes, documentRoute], version))
  return [...routes, { ...documentRoute, handler: async () => ({ status: 200, body: describe() }) }]
}
