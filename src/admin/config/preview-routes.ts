import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import {
  changePreviewSchema,
  checkConfigSchema,
  checkViewSchema,
  previewObjectSchema,
} from './config-contract.ts'
import { numberIn, versionParameter } from './config-routes.ts'
import type { PreviewOperations } from './preview-changes.ts'

/** The routes that say in words what changes would do; nothing is changed. */
export function createPreviewRoutes(previews: PreviewOperations): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      policy: { access: 'write', scope: 'config:write' },
      path: '/admin/v1/config/check',
      summary: 'Show what a document would change and do, without changing anything',
      body: checkConfigSchema,
      answer: { status: 200, schema: checkViewSchema },
      errors: ['body_not_object', 'missing_field', 'invalid_field'],
      async handler({ body }) {
        const { document } = readInput(checkConfigSchema, body)
        return { status: 200, body: { ...(await previews.check(document)) } }
      },
    },
    {
      method: 'POST',
      policy: { access: 'write', scope: 'config:write' },
      path: '/admin/v1/config/preview',
      summary: 'Show what a change of one object or setting would do, without changing anything',
      body: previewObjectSchema,
      answer: { status: 200, schema: changePreviewSchema },
      errors: [
        'body_not_object',
        'missing_field',
        'invalid_field',
        'config_object_not_found',
        'config_invalid',
        'owned_by_file',
      ],
      async handler({ body }) {
        const { object = {}, ...change } = readInput(previewObjectSchema, body)
        return { status: 200, body: { ...(await previews.object({ ...change, object })) } }
      },
    },
    ...createVersionPreviews(previews),
  ]
}

function createVersionPreviews(previews: PreviewOperations): readonly AdminRoute[] {
  const shared = {
    method: 'GET',
    policy: { access: 'read', scope: 'config:read' },
    pathParameters: versionParameter,
    answer: { status: 200, schema: changePreviewSchema },
    errors: ['config_version_not_found'],
  } as const
  return [
    {
      ...shared,
      path: '/admin/v1/config/versions/{version}/undo',
      summary: 'Show what undoing one version would do, and which later changes hinder it',
      handler: async (request) => ({ status: 200, body: { ...(await previews.undo(numberIn(request))) } }),
    },
    {
      ...shared,
      path: '/admin/v1/config/versions/{version}/restore',
      summary: 'Show what restoring a version would do',
      handler: async (request) => ({ status: 200, body: { ...(await previews.restore(numberIn(request))) } }),
    },
  ]
}
