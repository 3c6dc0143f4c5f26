import type { AdminRoute } from '../admin-route.ts'
import { effectsSchema } from '../effects/effect-contract.ts'
import { readActor } from '../read-actor.ts'
import { checkInput, inputErrors } from '../read-input.ts'
import {
  createdKeySchema,
  type KeyOperationsByReader,
  keyListSchema,
  keyViewSchema,
  listKeysSchema,
} from './key-contract.ts'
import { changeKeySchema, createKeySchema, rotateKeySchema } from './key-input-schema.ts'
import { keysInReach } from './limit-keys-to-reach.ts'

/** The routes of keys: all of them, one of them, and the secret of one. */
export function createKeyRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
  return [...createAllKeysRoutes(keys), ...createOneKeyRoutes(keys), ...createSecretRoutes(keys)]
}

function createAllKeysRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
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

function createOneKeyRoutes(keys: KeyOperationsByReader): readonly AdminRoute[] {
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
