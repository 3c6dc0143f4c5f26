import { z } from 'zod'
import type { Group } from '../../access/group.ts'
import { type Principal, reachOf } from '../../access/people/principal.ts'
import { noModels, type Permission, permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import type { AdminRoute } from '../admin-route.ts'
import { inputErrors, readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import type { PlaygroundRequest, SendPlaygroundRequest } from './send-request.ts'

const name = z.string().min(1).max(256)

const playgroundRequestSchema = z.strictObject({
  request: z
    .record(z.string(), z.unknown(), { error: 'must be the body of a chat completion' })
    .meta({ description: 'The body of POST /v1/chat/completions, with its model.' }),
  channel: name.meta({ description: 'The only channel that may answer; for owners and admins.' }).optional(),
  group: name
    .meta({
      description:
        'The group that is charged and whose limits apply. Of a member the first of their groups that grants the model, unless given.',
    })
    .optional(),
})

type PlaygroundInput = Readonly<z.output<typeof playgroundRequestSchema>>

export interface PlaygroundOptions {
  readonly send: SendPlaygroundRequest
  readonly groups: () => ReadonlyMap<string, Group> | undefined
}

export function createPlaygroundRoutes({ send, groups }: PlaygroundOptions): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/admin/v1/playground/completions',
      policy: { access: 'own', scope: 'playground:write' },
      summary:
        'Send a chat completion as who asks, and stream the answer; members use what their groups grant',
      body: playgroundRequestSchema,
      answer: {
        status: 200,
        contentType: 'text/event-stream',
        schema: z
          .string()
          .meta({ description: 'The answer of POST /v1/chat/completions; JSON unless it streams.' }),
      },
      errors: [
        ...inputErrors,
        'model_not_found',
        'budget_exceeded',
        'rate_limit_exceeded',
        'upstream_rejected',
        'upstream_error',
        'no_channel',
        'shutting_down',
      ],
      async handler({ body, principal, address, signal = new AbortController().signal }) {
        const input = readInput(playgroundRequestSchema, body)
        const terms = findTerms(input, principal, groups() ?? new Map())
        const { channel, request } = input
        if (!isJsonObject(request)) throw new GatewayError('body_not_object')
        const answer = await send({ ...terms, body: request, channel, address, signal })
        return { status: answer.status, headers: answer.headers, body: {}, download: answer.bytes }
      },
    },
  ]
}

type Terms = Pick<PlaygroundRequest, 'user' | 'group' | 'permission'>

/** Finds who is charged and which models are permitted. Throws `GatewayError` if the principal may not choose that. */
function findTerms(input: PlaygroundInput, principal: Principal, groups: ReadonlyMap<string, Group>): Terms {
  const user = principal.type === 'user' ? principal.name : undefined
  const reach = reachOf(principal)
  if (reach.type === 'all') {
    const group = input.group === undefined ? undefined : findGroup(input.group, groups)
    return { user, group, permission: { type: 'all' } }
  }
  if (input.channel !== undefined) throw notYours('channel')
  if (input.group !== undefined && !reach.groups.includes(input.group)) throw notYours('group')
  const own = input.group === undefined ? reach.groups : [input.group]
  const known = own.flatMap((name) => groups.get(name) ?? [])
  const model = modelOf(input.request)
  const group = known.find(({ permission }) => permits(permission, model)) ?? known[0]
  const permission: Permission = group?.permission ?? noModels
  return { user, group, permission }
}

function findGroup(name: string, groups: ReadonlyMap<string, Group>): Group {
  const group = groups.get(name)
  if (group !== undefined) return group
  throw refuseField('invalid_field', {
    param: 'group',
    message: `"group": there is no group ${JSON.stringify(name)}. "headgate groups list" shows those that exist.`,
    fact: unknownName('group', name, undefined),
  })
}

function modelOf({ model }: PlaygroundInput['request']): string {
  return typeof model === 'string' ? model : ''
}

function notYours(field: string): GatewayError {
  return refuse('not_permitted', {
    param: field,
    message: `"${field}" is not for you to choose. Leave it out.`,
    fact: { code: 'not_your_field', values: { field } },
  })
}
