import { GatewayError } from '../../canonical/failure.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../admin-route.ts'
import { readConfigAuthor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import {
  configViewSchema,
  diffVersionsSchema,
  listVersionsSchema,
  putConfigSchema,
  stepConfigSchema,
  undoVersionSchema,
  versionDetailSchema,
  versionDiffSchema,
  versionListSchema,
} from './config-contract.ts'
import type { ConfigOperations } from './config-operations.ts'
import type { ConfigState } from './live-config.ts'
import { viewConfig } from './view-config.ts'

const DEFAULT_PAGE = 50

const answersConfig = { answer: { status: 200, schema: configViewSchema } } as const

/** Reading and writing the whole document, and its versions. */
export function createConfigRoutes(config: ConfigOperations): readonly AdminRoute[] {
  return [
    {
      ...answersConfig,
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/config',
      summary:
        'Show the configuration in use with the owner of each part, and the document that this API owns',
      errors: [],
      handler: async () => answerState(config.state()),
    },
    {
      ...answersConfig,
      method: 'PUT',
      policy: { access: 'write', scope: 'config:write', fresh: true },
      path: '/admin/v1/config',
      summary: 'Replace the document that this API owns',
      body: putConfigSchema,
      errors: ['body_not_object', 'missing_field', 'invalid_field', 'group_in_use', ...changeErrors],
      async handler(request) {
        const input = readInput(putConfigSchema, request.body)
        return answerState(await config.edit(() => input.document, readConfigAuthor(request, input)))
      },
    },
    ...createVersionRoutes(config),
    ...createRevertRoutes(config),
  ]
}

export const changeErrors = ['config_invalid', 'owned_by_file', 'config_version_conflict'] as const

export const versionParameter = { version: "The version's number." }

function createVersionRoutes(config: ConfigOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/config/versions',
      summary: 'List the versions, newest first: who changed what, when, and from where',
      query: listVersionsSchema,
      answer: { status: 200, schema: versionListSchema },
      errors: ['invalid_field'],
      async handler({ query }) {
        const { limit = DEFAULT_PAGE, before } = readInput(listVersionsSchema, query)
        const page = { limit, before: before === undefined ? undefined : Number(before) }
        return { status: 200, body: { ...(await config.versions(page)) } }
      },
    },
    {
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/config/versions/{version}',
      summary: 'Show a version and its differences from the previous one',
      pathParameters: versionParameter,
      answer: { status: 200, schema: versionDetailSchema },
      errors: ['config_version_not_found'],
      handler: async (request) => ({ status: 200, body: { ...(await config.version(numberIn(request))) } }),
    },
    {
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/config/versions/{version}/diff',
      summary: 'Show what a version has otherwise than another one',
      pathParameters: versionParameter,
      query: diffVersionsSchema,
      answer: { status: 200, schema: versionDiffSchema },
      errors: ['invalid_field', 'config_version_not_found'],
      async handler(request) {
        const to = numberIn(request)
        const { from } = readInput(diffVersionsSchema, request.query)
        const before = from === undefined ? Math.max(0, to - 1) : Number(from)
        return { status: 200, body: { ...(await config.diff(before, to)) } }
      },
    },
  ]
}

/** Each makes a new version with the content of an earlier one. */
function createRevertRoutes(config: ConfigOperations): readonly AdminRoute[] {
  return [
    {
      ...answersConfig,
      method: 'POST',
      policy: { access: 'write', scope: 'config:write', fresh: true },
      path: '/admin/v1/config/versions/{version}/restore',
      summary: 'Create a new version with the content of an old one; 0 is the empty document',
      pathParameters: versionParameter,
      body: stepConfigSchema,
      errors: ['invalid_field', 'config_version_not_found', 'group_in_use', ...changeErrors],
      async handler(request) {
        const by = readConfigAuthor(request, readInput(stepConfigSchema, request.body))
        return answerState(await config.restore(numberIn(request), by))
      },
    },
    {
      ...answersConfig,
      method: 'POST',
      policy: { access: 'write', scope: 'config:write', fresh: true },
      path: '/admin/v1/config/versions/{version}/undo',
      summary: 'Undo what one version changed, and nothing that later ones did',
      pathParameters: versionParameter,
      body: undoVersionSchema,
      errors: ['invalid_field', 'config_version_not_found', 'undo_conflict', 'group_in_use', ...changeErrors],
      async handler(request) {
        const input = readInput(undoVersionSchema, request.body)
        const by = { ...readConfigAuthor(request, input), force: input?.force ?? false }
        return answerState(await config.undoVersion(numberIn(request), by))
      },
    },
    {
      ...answersConfig,
      method: 'POST',
      policy: { access: 'write', scope: 'config:write', fresh: true },
      path: '/admin/v1/config/undo',
      summary: 'Undo the last change; again, the one before it',
      body: stepConfigSchema,
      errors: [
        'invalid_field',
        'nothing_to_undo',
        'config_version_not_found',
        'group_in_use',
        ...changeErrors,
      ],
      async handler(request) {
        const by = readConfigAuthor(request, readInput(stepConfigSchema, request.body))
        return answerState(await config.undo(by))
      },
    },
  ]
}

function answerState(state: ConfigState): AdminAnswer {
  return { status: 200, headers: etagOf(state), body: { ...viewConfig(state) } }
}

export function etagOf({ newest }: ConfigState): Readonly<Record<string, string>> {
  return { etag: `"${newest.number}"` }
}

export function numberIn({ params }: AdminRequest): number {
  const text = params['version'] ?? ''
  if (!/^\d{1,15}$/.test(text)) throw new GatewayError('config_version_not_found')
  return Number(text)
}
