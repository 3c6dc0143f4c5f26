import type { Freshness } from '../../access/people/policy.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../admin-route.ts'
import { readConfigAuthor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import {
  channelListSchema,
  channelViewSchema,
  modelListSchema,
  modelViewSchema,
  objectSchema,
  stepConfigSchema,
} from './config-contract.ts'
import type { ConfigOperations } from './config-operations.ts'
import { changeErrors, etagOf } from './config-routes.ts'
import { createObjectEditor, type ObjectEditor } from './edit-object.ts'
import type { ConfigState } from './live-config.ts'
import { channelKind, modelKind } from './object-kind.ts'
import { listChannels, viewModels } from './view-config.ts'

interface RouteKind {
  readonly word: 'channel' | 'model'
  readonly editor: ObjectEditor
  readonly list: (state: ConfigState) => readonly { readonly name: string }[]
  readonly schema: typeof channelViewSchema | typeof modelViewSchema
  readonly listSchema: typeof channelListSchema | typeof modelListSchema
  readonly state: ConfigOperations['state']
}

/** Channels and models one by one. Each change is a version of the whole document. */
export function createObjectRoutes(config: ConfigOperations): readonly AdminRoute[] {
  const { state } = config
  const channels: RouteKind = {
    word: 'channel',
    editor: createObjectEditor(channelKind, config),
    list: listChannels,
    schema: channelViewSchema,
    listSchema: channelListSchema,
    state,
  }
  const models: RouteKind = {
    word: 'model',
    editor: createObjectEditor(modelKind, config),
    list: viewModels,
    schema: modelViewSchema,
    listSchema: modelListSchema,
    state,
  }
  return [
    ...[channels, models].flatMap((kind) => [...createListRoutes(kind), ...createOneRoutes(kind)]),
    createSwitchRoute(channels, {
      name: 'disable',
      disabled: true,
      summary: 'Take a channel out of rotation until it is enabled again',
    }),
    createSwitchRoute(channels, {
      name: 'enable',
      disabled: false,
      summary: 'Put a disabled channel back into rotation',
    }),
  ]
}

function createListRoutes({
  word,
  editor,
  list,
  schema,
  listSchema,
  state,
}: RouteKind): readonly AdminRoute[] {
  const path = `/admin/v1/${word}s`
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: `${word}s:read` },
      path,
      summary: `List the ${word}s of the configuration with their owners`,
      answer: { status: 200, schema: listSchema },
      errors: [],
      async handler() {
        const now = state()
        const body = { version: now.newest.number, data: list(now).map((one) => ({ ...one })) }
        return { status: 200, headers: etagOf(now), body }
      },
    },
    {
      method: 'POST',
      policy: writePolicy(word, dangerousFields),
      path,
      summary: `Create a ${word}`,
      body: objectSchema,
      answer: { status: 201, schema },
      errors: ['body_not_object', 'missing_field', 'invalid_field', 'name_taken', ...changeErrors],
      async handler(request) {
        const object = readInput(objectSchema, request.body)
        await editor.create(object, readConfigAuthor(request))
        return { ...answerOne(String(object['name']), { word, list, state }), status: 201 }
      },
    },
  ]
}

function createOneRoutes(kind: RouteKind): readonly AdminRoute[] {
  return [createShowRoute(kind), createReplaceRoute(kind), createPatchRoute(kind), createDeleteRoute(kind)]
}

function onOne({ word, schema }: RouteKind) {
  return {
    path: `/admin/v1/${word}s/{name}`,
    pathParameters: { name: `The ${word}'s name, percent-encoded: a slash is written %2F.` },
    answer: { status: 200, schema },
  } as const
}

/** A change of these fields of a channel leads upstream keys or traffic elsewhere. A model has none of them. */
const dangerousFields = [
  ...(['api_key', 'api_keys', 'credentials', 'headers'] as const),
  ...(['base_url', 'proxy', 'ca_file', 'allow_private'] as const),
] as const

/** `fresh` of a channel's route; what replaces a whole channel may change such a field by leaving it out. */
function writePolicy(word: RouteKind['word'], fresh?: Freshness): AdminRoute['policy'] {
  const policy = { access: 'write', scope: `${word}s:write` } as const
  return word === 'channel' && fresh !== undefined ? { ...policy, fresh } : policy
}

const inputErrors = ['body_not_object', 'invalid_field', ...changeErrors] as const

function createShowRoute(kind: RouteKind): AdminRoute {
  return {
    ...onOne(kind),
    method: 'GET',
    policy: { access: 'read', scope: `${kind.word}s:read` },
    summary: `Show a ${kind.word}`,
    errors: ['config_object_not_found'],
    handler: async (request) => answerOne(nameIn(request), kind),
  }
}

function createReplaceRoute(kind: RouteKind): AdminRoute {
  return {
    ...onOne(kind),
    method: 'PUT',
    policy: writePolicy(kind.word, true),
    summary: `Replace a ${kind.word}, or create it`,
    body: objectSchema,
    errors: inputErrors,
    async handler(request) {
      const object = readInput(objectSchema, request.body)
      const isNew = await kind.editor.replace(nameIn(request), object, readConfigAuthor(request))
      return { ...answerOne(nameIn(request), kind), status: isNew ? 201 : 200 }
    },
  }
}

function createPatchRoute(kind: RouteKind): AdminRoute {
  return {
    ...onOne(kind),
    method: 'PATCH',
    policy: writePolicy(kind.word, dangerousFields),
    summary: `Change some fields of a ${kind.word} (RFC 7396); null removes one`,
    body: objectSchema,
    errors: ['config_object_not_found', ...inputErrors],
    async handler(request) {
      const patch = readInput(objectSchema, request.body)
      await kind.editor.patch(nameIn(request), patch, readConfigAuthor(request))
      return answerOne(nameIn(request), kind)
    },
  }
}

function createDeleteRoute(kind: RouteKind): AdminRoute {
  return {
    ...onOne(kind),
    method: 'DELETE',
    policy: writePolicy(kind.word),
    summary: `Delete a ${kind.word}; the answer is its last state`,
    errors: ['config_object_not_found', ...changeErrors],
    async handler(request) {
      const before = kind.list(kind.state()).find(({ name }) => name === nameIn(request))
      await kind.editor.remove(nameIn(request), readConfigAuthor(request))
      return { status: 200, headers: etagOf(kind.state()), body: { name: nameIn(request), ...before } }
    },
  }
}

interface Switch {
  readonly name: 'disable' | 'enable'
  readonly disabled: boolean
  readonly summary: string
}

function createSwitchRoute(kind: RouteKind, { name, disabled, summary }: Switch): AdminRoute {
  return {
    method: 'POST',
    policy: writePolicy(kind.word),
    path: `/admin/v1/channels/{name}/${name}`,
    summary,
    pathParameters: { name: "The channel's name." },
    body: stepConfigSchema,
    answer: { status: 200, schema: channelViewSchema },
    errors: ['invalid_field', 'config_object_not_found', ...changeErrors],
    async handler(request) {
      const by = readConfigAuthor(request, readInput(stepConfigSchema, request.body))
      await kind.editor.patch(nameIn(request), { disabled: disabled ? true : null }, by)
      return answerOne(nameIn(request), kind)
    },
  }
}

function nameIn({ params }: AdminRequest): string {
  return params['name'] ?? ''
}

function answerOne(
  name: string,
  { word, list, state }: Pick<RouteKind, 'word' | 'list' | 'state'>,
): AdminAnswer {
  const now = state()
  const found = list(now).find((one) => one.name === name)
  if (found !== undefined) return { status: 200, headers: etagOf(now), body: { ...found } }
  const message = `There is no ${word} ${JSON.stringify(name)}. GET /admin/v1/${word}s lists those that there are.`
  throw new GatewayError('config_object_not_found', { param: 'name', message })
}
