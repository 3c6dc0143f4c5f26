import { z } from 'zod'
import type { JsonObject } from '../../kit/json/json.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../admin-route.ts'
import { objectSchema, previewObjectSchema } from '../config/config-contract.ts'
import { isAlertPart } from '../config/edit-alert-part.ts'
import { findKind, type ObjectChange } from '../config/object-edits.ts'
import { readActor } from '../read-actor.ts'
import { readInput } from '../read-input.ts'
import {
  appliedDraftSchema,
  applyDraftSchema,
  changeDraftSchema,
  createDraftSchema,
  draftListSchema,
  draftSummarySchema,
  draftViewSchema,
  rebaseDraftSchema,
} from './draft-contract.ts'
import type { DraftOperations } from './manage-drafts.ts'

const read = { access: 'read', scope: 'config:read' } as const
const write = { access: 'write', scope: 'config:write' } as const

const onOne = {
  path: '/admin/v1/drafts/{id}',
  pathParameters: { id: "The draft's id." },
  answer: { status: 200, schema: draftSummarySchema },
} as const

/** The routes of drafts: changes of several objects that are reviewed and applied together, and not in force yet. */
export function createDraftRoutes(drafts: DraftOperations): readonly AdminRoute[] {
  return [
    ...createListRoutes(drafts),
    ...createOneRoutes(drafts),
    ...createObjectChanges(drafts),
    ...createEndRoutes(drafts),
  ]
}

function createListRoutes(drafts: DraftOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: read,
      path: '/admin/v1/drafts',
      summary: 'List the drafts, 50 at most, the last changed first',
      answer: { status: 200, schema: draftListSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...(await drafts.list()) } }),
    },
    {
      method: 'POST',
      policy: write,
      path: '/admin/v1/drafts',
      summary: 'Begin a draft of the newest version, or with the content of an older one',
      body: createDraftSchema,
      answer: { status: 201, schema: draftSummarySchema },
      errors: [
        'body_not_object',
        'missing_field',
        'invalid_field',
        'config_version_not_found',
        'too_many_drafts',
        'draft_too_large',
      ],
      async handler(request) {
        const input = readInput(createDraftSchema, request.body)
        return { status: 201, body: { ...(await drafts.create(input, readActor(request))) } }
      },
    },
  ]
}

function createOneRoutes(drafts: DraftOperations): readonly AdminRoute[] {
  return [
    {
      ...onOne,
      method: 'GET',
      policy: read,
      summary: 'Show what applying a draft would change and do, in words',
      answer: { status: 200, schema: draftViewSchema },
      errors: ['draft_not_found', 'config_version_not_found'],
      handler: async (request) => ({ status: 200, body: { ...(await drafts.get(idIn(request))) } }),
    },
    {
      ...onOne,
      method: 'PATCH',
      policy: write,
      summary: 'Give a draft another name or comment',
      body: changeDraftSchema,
      errors: ['body_not_object', 'invalid_field', 'draft_not_found', 'draft_changed'],
      handler: async (request) =>
        answerOne(drafts.rename(idIn(request), readInput(changeDraftSchema, request.body))),
    },
    {
      ...onOne,
      method: 'DELETE',
      policy: write,
      summary: 'Discard a draft; the answer is its last state',
      errors: ['draft_not_found'],
      handler: async (request) => answerOne(drafts.discard(idIn(request), readActor(request))),
    },
  ]
}

const changeErrors = [
  'body_not_object',
  'missing_field',
  'invalid_field',
  'config_object_not_found',
  'config_invalid',
  'owned_by_file',
  'draft_not_found',
  'draft_changed',
  'draft_too_large',
] as const

const settingBody = 'As on the object’s own route. A setting is the member "value".'

function createObjectChanges(drafts: DraftOperations): readonly AdminRoute[] {
  const shared = {
    ...onOne,
    policy: write,
    path: '/admin/v1/drafts/{id}/{kind}/{name}',
    pathParameters: {
      ...onOne.pathParameters,
      kind: 'channels, models, groups, user-limits, budgets, settings, alert-rules or alert-receivers.',
      name: "The object's name, percent-encoded.",
    },
    errors: changeErrors,
  } as const
  const change = (request: AdminRequest, how: ObjectChange['change']) =>
    answerOne(drafts.change(idIn(request), readChange(request, how), readActor(request)))
  const body = objectSchema.meta({ description: settingBody })
  return [
    {
      ...shared,
      method: 'POST',
      summary: 'Create an object in a draft, under a name that is free there',
      body,
      errors: ['name_taken', ...changeErrors],
      handler: (request) => change(request, 'create'),
    },
    {
      ...shared,
      method: 'PUT',
      summary: 'Replace an object or a setting in a draft, or create it there',
      body,
      handler: (request) => change(request, 'replace'),
    },
    {
      ...shared,
      method: 'PATCH',
      summary: 'Change some fields of an object in a draft (RFC 7396)',
      body,
      handler: (request) => change(request, 'patch'),
    },
    {
      ...shared,
      method: 'DELETE',
      summary: 'Delete an object or a setting in a draft',
      handler: (request) => change(request, 'remove'),
    },
  ]
}

const kindSchema = z.strictObject({ kind: previewObjectSchema.shape.kind })

function readChange({ params, body }: AdminRequest, change: ObjectChange['change']): ObjectChange {
  const { kind = '', name = '' } = params
  if (kind !== 'settings' && !isAlertPart(kind)) findKind(kind)
  const object: JsonObject = change === 'remove' ? {} : readInput(objectSchema, body)
  return { kind: readInput(kindSchema, { kind }).kind, name, change, object }
}

function createEndRoutes(drafts: DraftOperations): readonly AdminRoute[] {
  return [
    {
      ...onOne,
      method: 'POST',
      policy: write,
      path: '/admin/v1/drafts/{id}/rebase',
      summary: 'Make a draft a change of the newest version; conflicts are named',
      body: rebaseDraftSchema,
      errors: [
        'invalid_field',
        'draft_not_found',
        'draft_conflict',
        'draft_changed',
        'draft_too_large',
        'config_version_not_found',
      ],
      handler: async (request) =>
        answerOne(drafts.rebase(idIn(request), readInput(rebaseDraftSchema, request.body))),
    },
    {
      ...onOne,
      method: 'POST',
      policy: { ...write, fresh: true },
      path: '/admin/v1/drafts/{id}/apply',
      summary: 'Put a draft in force as one version, whole or not at all',
      body: applyDraftSchema,
      answer: { status: 200, schema: appliedDraftSchema },
      errors: [
        'invalid_field',
        'draft_not_found',
        'draft_changed',
        'draft_outdated',
        'group_in_use',
        'config_invalid',
        'owned_by_file',
        'config_version_conflict',
      ],
      async handler(request) {
        const input = readInput(applyDraftSchema, request.body)
        const applied = await drafts.apply(idIn(request), input, readActor(request))
        return { status: 200, headers: { etag: `"${applied.version}"` }, body: { ...applied } }
      },
    },
  ]
}

async function answerOne(summary: Promise<JsonObject>): Promise<AdminAnswer> {
  return { status: 200, body: { ...(await summary) } }
}

function idIn({ params }: AdminRequest): string {
  return params['id'] ?? ''
}
