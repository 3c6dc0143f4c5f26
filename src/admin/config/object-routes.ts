import type { z } from 'zod'
import type { Freshness } from '../../access/people/policy.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../admin-route.ts'
import { readConfigAuthor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import { objectSchema, stepConfigSchema } from './config-contract.ts'
import type { ConfigAuthor, ConfigOperations } from './config-operations.ts'
import { changeErrors, etagOf } from './config-routes.ts'
import { createObjectEditor, noSuchObject } from './edit-object.ts'
import { type ObjectKind, objectKinds } from './object-kind.ts'

type ObjectScope = 'channels' | 'models' | 'groups' | 'users' | 'budgets'

/** The objects of one kind, for the routes that show and change them. */
export interface RoutedKind {
  readonly kind: ObjectKind
  readonly scope: ObjectScope
  readonly schema: z.ZodType
  readonly config: Pick<ConfigOperations, 'state' | 'edit'>
  /** The object in the form that responses show. Undefined if there is none. */
  readonly find: (name: string) => Promise<JsonObject | undefined> | JsonObject | undefined
}

/** The routes that create, replace, change and delete one object. Each change makes a version of the whole document. */
export function createWriteRoutes(routed: RoutedKind): readonly AdminRoute[] {
  return [
    createPostRoute(routed),
    createReplaceRoute(routed),
    createPatchRoute(routed),
    createDeleteRoute(routed),
  ]
}

export function createShowRoute(routed: RoutedKind): AdminRoute {
  return {
    ...onOne(routed),
    method: 'GET',
    policy: { access: 'read', scope: `${routed.scope}:read` },
    summary: `Show a ${routed.kind.word}`,
    errors: ['config_object_not_found'],
    handler: async (request) => answerOne(nameIn(request), routed),
  }
}

function createPostRoute(routed: RoutedKind): AdminRoute {
  const { kind, schema, config } = routed
  const editor = createObjectEditor(kind, config)
  return {
    method: 'POST',
    policy: writePolicy(routed, dangerousFields),
    path: `/admin/v1/${kind.path}`,
    summary: `Create a ${kind.word}`,
    body: objectSchema,
    answer: { status: 201, schema },
    errors: ['body_not_object', 'missing_field', 'invalid_field', 'name_taken', ...changeErrors],
    async handler(request) {
      const object = readInput(objectSchema, request.body)
      await editor.create(object, readConfigAuthor(request))
      return { ...(await answerOne(String(object['name']), routed)), status: 201 }
    },
  }
}

function onOne({ kind, schema }: Pick<RoutedKind, 'kind' | 'schema'>) {
  return {
    path: `/admin/v1/${kind.path}/{name}`,
    pathParameters: { name: `The ${kind.word}'s name, percent-encoded: a slash is written %2F.` },
    answer: { status: 200, schema },
  } as const
}

/** Fields of a channel that can redirect upstream keys or traffic. Other kinds have none of these fields. */
export const dangerousFields = [
  'api_key',
  'api_keys',
  'credentials',
  'headers',
  'base_url',
  'proxy',
  'ca_file',
  'allow_private',
] as const

/**
 * The policy of a route that writes. `fresh` applies to channels: replacing a whole channel can change such a field
 * by omitting it.
 */
function writePolicy({ scope }: Pick<RoutedKind, 'scope'>, fresh?: Freshness): AdminRoute['policy'] {
  const policy = { access: 'write', scope: `${scope}:write` } as const
  return scope === 'channels' && fresh !== undefined ? { ...policy, fresh } : policy
}

const inputErrors = ['body_not_object', 'invalid_field', ...changeErrors] as const

function createReplaceRoute(routed: RoutedKind): AdminRoute {
  const editor = createObjectEditor(routed.kind, routed.config)
  return {
    ...onOne(routed),
    method: 'PUT',
    policy: writePolicy(routed, true),
    summary: `Replace a ${routed.kind.word}, or create it`,
    body: objectSchema,
    errors: inputErrors,
    async handler(request) {
      const object = readInput(objectSchema, request.body)
      const { isNew } = await editor.replace(nameIn(request), object, readConfigAuthor(request))
      return { ...(await answerOne(nameIn(request), routed)), status: isNew ? 201 : 200 }
    },
  }
}

function createPatchRoute(routed: RoutedKind): AdminRoute {
  const editor = createObjectEditor(routed.kind, routed.config)
  return {
    ...onOne(routed),
    method: 'PATCH',
    policy: writePolicy(routed, dangerousFields),
    summary: `Change some fields of a ${routed.kind.word} (RFC 7396); null removes one`,
    body: objectSchema,
    errors: ['config_object_not_found', ...inputErrors],
    async handler(request) {
      const patch = readInput(objectSchema, request.body)
      await editor.patch(nameIn(request), patch, readConfigAuthor(request))
      return answerOne(nameIn(request), routed)
    },
  }
}

function createDeleteRoute(routed: RoutedKind): AdminRoute {
  const { kind, scope, config, find } = routed
  const editor = createObjectEditor(kind, config)
  return {
    ...onOne(routed),
    method: 'DELETE',
    policy: writePolicy(routed),
    summary: `Delete a ${kind.word}; the answer is its last state`,
    errors: [
      'config_object_not_found',
      ...changeErrors,
      ...(scope === 'groups' ? (['group_in_use'] as const) : []),
    ],
    async handler(request) {
      const name = nameIn(request)
      const before = await find(name)
      await editor.remove(name, readConfigAuthor(request))
      return { status: 200, headers: etagOf(config.state()), body: { name, ...before } }
    },
  }
}

interface Switch {
  readonly name: 'disable' | 'enable'
  readonly disabled: boolean
  readonly summary: string
}

/** Routes that take a channel out of rotation, and put it back. */
export function createSwitchRoutes(routed: RoutedKind): readonly AdminRoute[] {
  return [
    createSwitchRoute(routed, {
      name: 'disable',
      disabled: true,
      summary: 'Take a channel out of rotation until it is enabled again',
    }),
    createSwitchRoute(routed, {
      name: 'enable',
      disabled: false,
      summary: 'Put a disabled channel back into rotation',
    }),
  ]
}

function createSwitchRoute(routed: RoutedKind, { name, disabled, summary }: Switch): AdminRoute {
  const { schema, config } = routed
  const editor = createObjectEditor(objectKinds.channels, config)
  return {
    method: 'POST',
    policy: writePolicy(routed),
    path: `/admin/v1/channels/{name}/${name}`,
    summary,
    pathParameters: { name: "The channel's name." },
    body: stepConfigSchema,
    answer: { status: 200, schema },
    errors: ['invalid_field', 'config_object_not_found', ...changeErrors],
    async handler(request) {
      const by: ConfigAuthor = readConfigAuthor(request, readInput(stepConfigSchema, request.body))
      await editor.patch(nameIn(request), { disabled: disabled ? true : null }, by)
      return answerOne(nameIn(request), routed)
    },
  }
}

function nameIn({ params }: AdminRequest): string {
  return params['name'] ?? ''
}

async function answerOne(name: string, { kind, config, find }: RoutedKind): Promise<AdminAnswer> {
  // The ETag is never newer than the object, as a change for it would overwrite a version that nobody saw.
  const headers = etagOf(config.state())
  const found = await find(name)
  if (found === undefined) throw noSuchObject(kind, name)
  return { status: 200, headers, body: { ...found } }
}
