import { refuse } from '../../canonical/refusal.ts'
import type { AdminRequest, AdminRoute } from '../admin-route.ts'
import { objectSchema } from '../config/config-contract.ts'
import { dangerousFields } from '../config/object-routes.ts'
import { readActor } from '../read-actor.ts'
import { inputErrors, readInput } from '../read-input.ts'
import {
  type CheckName,
  certificationListSchema,
  certificationPlanSchema,
  certificationSchema,
  certifySchema,
  checkNames,
  listCertificationsSchema,
  planCertificationSchema,
} from './certification-contract.ts'
import type { CertificationAuthor, CertificationOperations } from './manage-certifications.ts'
import { channelTrialSchema, tryChannelSchema } from './trial-contract.ts'
import type { TryChannel } from './try-channel.ts'

const ofChannel = { pathParameters: { name: "The channel's name." } } as const
const ofOne = { pathParameters: { id: 'As in the list.' } } as const
const shown = { status: 200, schema: certificationSchema } as const

export function createCertificationRoutes(
  operations: CertificationOperations,
  tryChannel: TryChannel,
): readonly AdminRoute[] {
  return [...createStartRoutes(operations), ...createResultRoutes(operations), createTrialRoute(tryChannel)]
}

function createTrialRoute(tryChannel: TryChannel): AdminRoute {
  return {
    method: 'POST',
    path: '/admin/v1/channel-trials',
    policy: { access: 'write', scope: 'channels:write', fresh: dangerousFields },
    summary:
      'Find out whether a channel would work, before it is created or changed; one short request costs money',
    query: tryChannelSchema,
    body: objectSchema,
    answer: { status: 200, schema: channelTrialSchema },
    errors: [
      ...inputErrors,
      'config_invalid',
      'owned_by_file',
      'name_taken',
      'config_object_not_found',
      'model_not_found',
    ],
    async handler(request) {
      const { model, channel: changed } = readInput(tryChannelSchema, request.query)
      const object = readInput(objectSchema, request.body)
      const { signal = new AbortController().signal } = request
      const trial = await tryChannel({ object, changed, model, by: readAuthor(request), signal })
      return { status: 200, body: { ...trial } }
    },
  }
}

function createStartRoutes(operations: CertificationOperations): readonly AdminRoute[] {
  const path = '/admin/v1/channels/{name}/certifications'
  return [
    {
      ...ofChannel,
      method: 'GET',
      path: '/admin/v1/channels/{name}/certification-plan',
      policy: { access: 'read', scope: 'channels:read' },
      summary: 'Show what a certification would send and what it can cost at most',
      query: planCertificationSchema,
      answer: { status: 200, schema: certificationPlanSchema },
      errors: ['invalid_field', 'config_object_not_found', 'model_not_found'],
      async handler({ params, query }) {
        const { model, checks } = readInput(planCertificationSchema, query)
        const plan = operations.plan(params['name'] ?? '', { model, checks: readChecks(checks) })
        return { status: 200, body: { ...plan } }
      },
    },
    {
      ...ofChannel,
      path,
      method: 'POST',
      policy: { access: 'write', scope: 'channels:write' },
      summary:
        'Find out in the background what works on a channel and its models, by requests that cost money',
      body: certifySchema,
      answer: { status: 202, schema: certificationListSchema },
      errors: [
        'body_not_object',
        'invalid_field',
        'config_object_not_found',
        'model_not_found',
        'certification_in_progress',
      ],
      async handler(request) {
        const input = readInput(certifySchema, request.body ?? {})
        const list = await operations.start(request.params['name'] ?? '', input, readAuthor(request))
        return { status: 202, body: { ...list } }
      },
    },
  ]
}

function createResultRoutes(operations: CertificationOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/certifications',
      policy: { access: 'read', scope: 'channels:read' },
      summary: 'List certifications, newest first',
      query: listCertificationsSchema,
      answer: { status: 200, schema: certificationListSchema },
      errors: ['invalid_field'],
      async handler({ query }) {
        const list = await operations.list(readInput(listCertificationsSchema, query))
        return { status: 200, body: { ...list } }
      },
    },
    {
      ...ofOne,
      method: 'GET',
      path: '/admin/v1/certifications/{id}',
      policy: { access: 'read', scope: 'channels:read' },
      summary: 'Show a certification: what works, what does not, and the evidence',
      answer: shown,
      errors: ['certification_not_found'],
      handler: async ({ params }) => ({
        status: 200,
        body: { ...(await operations.get(params['id'] ?? '')) },
      }),
    },
    {
      ...ofOne,
      method: 'POST',
      path: '/admin/v1/certifications/{id}/cancel',
      policy: { access: 'write', scope: 'channels:write' },
      summary: 'End a certification at once; what is known of it stays',
      answer: shown,
      errors: ['certification_not_found'],
      handler: async ({ params }) => ({
        status: 200,
        body: { ...(await operations.cancel(params['id'] ?? '')) },
      }),
    },
  ]
}

function readAuthor(request: AdminRequest): CertificationAuthor {
  const { principal, address } = request
  const user = principal.type === 'user' ? principal.name : undefined
  return { actor: readActor(request), operator: { user, address } }
}

/** The names in a query, with commas between them. */
function readChecks(list: string | undefined): readonly CheckName[] | undefined {
  return list?.split(',').map((written) => {
    const found = checkNames.find((name) => name === written.trim())
    if (found !== undefined) return found
    throw refuse('invalid_field', {
      param: 'checks',
      message: `"checks": must be of ${checkNames.join(', ')}.`,
      fact: { code: 'unknown_value', values: { values: checkNames } },
    })
  })
}
