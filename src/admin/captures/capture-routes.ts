import { z } from 'zod'
import type { AdminRoute } from '../admin-route.ts'
import { readActor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import {
  captureListSchema,
  captureStatusSchema,
  captureViewSchema,
  deleteCapturesSchema,
  deletedCapturesSchema,
  exportCapturesSchema,
  listCapturesSchema,
} from './capture-contract.ts'
import type { CaptureOperations } from './manage-captures.ts'

/**
 * The routes of captured prompts and responses. Only owners and admins who have just entered the password may read
 * them.
 */
export function createCaptureRoutes(captures: CaptureOperations): readonly AdminRoute[] {
  return [...createListRoutes(captures), ...createReadRoutes(captures), ...createDeleteRoutes(captures)]
}

function createListRoutes(captures: CaptureOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/capture',
      policy: { access: 'read', scope: 'captures:read' },
      summary: 'Show whose prompts and answers are captured, and how much is stored',
      answer: { status: 200, schema: captureStatusSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...(await captures.status()) } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/captures',
      policy: { access: 'write', scope: 'captures:read' },
      summary: 'List captures by pages, the newest first, without prompts and answers',
      query: listCapturesSchema,
      answer: { status: 200, schema: captureListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await captures.list(query)) } }),
    },
  ]
}

function createReadRoutes(captures: CaptureOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/captures/export',
      policy: { access: 'write', scope: 'captures:read', fresh: true },
      summary: 'Export captures that match every given filter as lines of JSON; the audit has it',
      query: exportCapturesSchema,
      answer: {
        status: 200,
        contentType: 'application/x-ndjson',
        schema: z.string().meta({ description: 'A capture on each line, as GET of one gives it.' }),
      },
      errors: ['invalid_field'],
      async handler(request) {
        const headers = {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="captures.jsonl"',
        }
        const download = await captures.export(request.query, readActor(request))
        return { status: 200, headers, body: {}, download }
      },
    },
    {
      method: 'GET',
      path: '/admin/v1/captures/{request_id}',
      policy: { access: 'write', scope: 'captures:read', fresh: true },
      summary: 'Read the captured prompt and answer of a request; the audit has it',
      pathParameters: { request_id: "As in the answer's header x-request-id." },
      answer: { status: 200, schema: captureViewSchema },
      errors: ['capture_not_found'],
      async handler(request) {
        const view = await captures.read(request.params['request_id'] ?? '', readActor(request))
        return { status: 200, body: { ...view } }
      },
    },
  ]
}

function createDeleteRoutes(captures: CaptureOperations): readonly AdminRoute[] {
  const answer = { status: 200, schema: deletedCapturesSchema } as const
  return [
    {
      method: 'DELETE',
      path: '/admin/v1/captures/{request_id}',
      policy: { access: 'write', scope: 'captures:write' },
      summary: 'Delete the capture of a request for good',
      pathParameters: { request_id: "As in the answer's header x-request-id." },
      answer,
      errors: ['capture_not_found'],
      async handler(request) {
        const deleted = await captures.delete(request.params['request_id'] ?? '', readActor(request))
        return { status: 200, body: { deleted } }
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/captures',
      policy: { access: 'write', scope: 'captures:write' },
      summary: 'Delete all captures of a key for good',
      query: deleteCapturesSchema,
      answer,
      errors: ['missing_field', 'invalid_field'],
      async handler(request) {
        const { key } = readInput(deleteCapturesSchema, request.query)
        return { status: 200, body: { deleted: await captures.deleteOfKey(key, readActor(request)) } }
      },
    },
  ]
}
