import { z } from 'zod'
import { lazy } from '../kit/async/lazy.ts'
import type { AdminRoute, AnyAdminRoute } from './admin-route.ts'
import type { ConfigOperations } from './config/config-operations.ts'
import { createConfigRoutes } from './config/config-routes.ts'
import { createObjectRoutes } from './config/list-objects.ts'
import { effectsSchema } from './effects/effect-contract.ts'
import {
  createdKeySchema,
  type KeyOperationsByReader,
  keyListSchema,
  keyViewSchema,
  listKeysSchema,
} from './keys/key-contract.ts'
import { changeKeySchema, createKeySchema, rotateKeySchema } from './keys/key-input-schema.ts'
import { keysInReach } from './keys/limit-keys-to-reach.ts'
import { describeApi } from './openapi.ts'
import { readActor } from './read-actor.ts'
import { checkInput, inputErrors } from './read-input.ts'

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
    ...createKeyListRoutes(keys),
    ...createKeyRoutes(keys),
    ...createSecretRoutes(keys),
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

function createKeyListRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'own', scope: 'keys:read' },
      path: '/admin/v1/keys',
      summary: 'List keys by pages: filtered, searched and sorted',
      query: listKeysSchema,
      answer: { status: 200, schema: keyListSchema },
      errors: ['invalid_field'],
      async handler({ query, principal }) {
        const params = checkInput(listKeysSchema, query)
        return { status: 200, body: { ...(await keysInReach(keys, principal).list(params)) } }
      },
    },
    {
      method: 'POST',
      policy: { access: 'own', scope: 'keys:write' },
      path: '/admin/v1/keys',
      summary: 'Create a key; its secret is in this answer only',
      body: createKeySchema,
      answer: { status: 201, schema: createdKeySchema },
      errors: [...inputErrors, 'name_taken'],
      async handler(request) {
        const input = checkInput(createKeySchema, request.body)
        return {
          status: 201,
          body: await keysInReach(keys, request.principal).create(input, readActor(request)),
        }
      },
    },
  ]
}

const onOneKey = {
  path: '/admin/v1/keys/{id}',
  pathParameters: { id: "The key's id, or the name of one that is not revoked." },
  answer: { status: 200, schema: keyViewSchema },
} as const

function createKeyRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
  return [
    {
      ...onOneKey,
      method: 'GET',
      policy: { access: 'own', scope: 'keys:read' },
      summary: 'Show a key',
      errors: ['key_not_found'],
      handler: async ({ params, principal }) => ({
        status: 200,
        body: await keysInReach(keys, principal).get(params['id'] ?? ''),
      }),
    },
    {
      ...onOneKey,
      path: '/admin/v1/keys/{id}/preview',
      method: 'POST',
      policy: { access: 'own', scope: 'keys:write' },
      summary: 'Show what a change of a key would do, without making it',
      body: changeKeySchema,
      answer: { status: 200, schema: effectsSchema },
      errors: ['body_not_object', 'invalid_field', 'key_not_found'],
      async handler({ params, body, principal }) {
        const change = checkInput(changeKeySchema, body)
        const effects = await keysInReach(keys, principal).preview(params['id'] ?? '', change)
        return { status: 200, body: { ...effects } }
      },
    },
    {
      ...onOneKey,
      method: 'PATCH',
      policy: { access: 'own', scope: 'keys:write' },
      summary: 'Change a key: what is absent stays, null takes away',
      body: changeKeySchema,
      errors: ['body_not_object', 'invalid_field', 'key_not_found', 'key_in_file', 'name_taken'],
      async handler(request) {
        const change = checkInput(changeKeySchema, request.body)
        const id = request.params['id'] ?? ''
        return {
          status: 200,
          body: await keysInReach(keys, request.principal).change(id, change, readActor(request)),
        }
      },
    },
  ]
}

function createSecretRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
  return [
    {
      ...onOneKey,
      path: '/admin/v1/keys/{id}/rotate',
      method: 'POST',
      policy: { access: 'own', scope: 'keys:write' },
      summary: 'Give a key another secret, which is in this answer only; the one before works for a while',
      body: rotateKeySchema,
      answer: { status: 200, schema: createdKeySchema },
      errors: ['body_not_object', 'invalid_field', 'key_not_found', 'key_in_file', 'key_rotated'],
      async handler(request) {
        const input = checkInput(rotateKeySchema, request.body)
        const id = request.params['id'] ?? ''
        return {
          status: 200,
          body: await keysInReach(keys, request.principal).rotate(id, input, readActor(request)),
        }
      },
    },
    {
      ...onOneKey,
      method: 'DELETE',
      policy: { access: 'own', scope: 'keys:write' },
      summary: 'Revoke a key for good',
      errors: ['key_not_found', 'key_in_file'],
      handler: async (request) => ({
        status: 200,
        body: await keysInReach(keys, request.principal).revoke(
          request.params['id'] ?? '',
          readActor(request),
        ),
      }),
    },
  ]
}
