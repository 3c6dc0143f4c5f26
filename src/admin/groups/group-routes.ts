import type { AdminRequest, AdminRoute } from '../admin-route.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import { etagOf } from '../config/config-routes.ts'
import { noSuchObject } from '../config/edit-object.ts'
import { objectKinds } from '../config/object-kind.ts'
import { createWriteRoutes } from '../config/object-routes.ts'
import { readOperator } from '../people/read-operator.ts'
import { checkInput } from '../read-input.ts'
import { readReach } from '../read-reach.ts'
import {
  groupListSchema,
  groupViewSchema,
  listGroupsSchema,
  listMembersSchema,
  memberListSchema,
  putMemberSchema,
  removedMemberSchema,
} from './group-contract.ts'
import type { GroupOperations } from './manage-groups.ts'

type GroupConfig = Pick<ConfigOperations, 'state' | 'edit'>

const read = { access: 'own', scope: 'groups:read' } as const
const nameParameter = { name: "The group's name." } as const

/** Groups of the configuration, with who is in them. Members see their own. */
export function createGroupRoutes(groups: GroupOperations, config: GroupConfig): readonly AdminRoute[] {
  const writes = createWriteRoutes({
    kind: objectKinds.groups,
    scope: 'groups',
    schema: groupViewSchema,
    config,
    find: (name) => groups.find(name, { type: 'all' }),
  })
  return [...createReadRoutes(groups, config), ...writes, ...createMemberRoutes(groups)]
}

function createReadRoutes(groups: GroupOperations, config: GroupConfig): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: read,
      path: '/admin/v1/groups',
      summary: 'List groups by pages, with how many members and keys they have',
      query: listGroupsSchema,
      answer: { status: 200, schema: groupListSchema },
      errors: ['invalid_field'],
      async handler(request) {
        const state = config.state()
        const list = await groups.list(checkInput(listGroupsSchema, request.query), readReach(request))
        return { status: 200, headers: etagOf(state), body: { version: state.newest.number, ...list } }
      },
    },
    {
      method: 'GET',
      policy: read,
      path: '/admin/v1/groups/{name}',
      pathParameters: nameParameter,
      summary: 'Show a group',
      answer: { status: 200, schema: groupViewSchema },
      errors: ['config_object_not_found'],
      async handler(request) {
        const headers = etagOf(config.state())
        const found = await groups.find(nameIn(request), readReach(request))
        if (found === undefined) throw noSuchObject(objectKinds.groups, nameIn(request))
        return { status: 200, headers, body: { ...found } }
      },
    },
  ]
}

const write = { access: 'write', scope: 'users:write', fresh: true } as const
const onOneMember = {
  path: '/admin/v1/groups/{name}/members/{user}',
  pathParameters: { ...nameParameter, user: "The user's id or name." },
} as const

function createMemberRoutes(groups: GroupOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: read,
      path: '/admin/v1/groups/{name}/members',
      pathParameters: nameParameter,
      summary: 'List the users of a group by pages; for those who manage it',
      query: listMembersSchema,
      answer: { status: 200, schema: memberListSchema },
      errors: ['invalid_field', 'config_object_not_found'],
      async handler(request) {
        const params = checkInput(listMembersSchema, request.query)
        return {
          status: 200,
          body: { ...(await groups.members(nameIn(request), params, readReach(request))) },
        }
      },
    },
    {
      ...onOneMember,
      method: 'PUT',
      policy: write,
      summary: 'Put a user into a group, or change whether the user manages it',
      body: putMemberSchema,
      answer: { status: 200, schema: memberListSchema.shape.data.element },
      errors: [
        'body_not_object',
        'invalid_field',
        'config_object_not_found',
        'user_not_found',
        'owner_required',
      ],
      async handler(request) {
        const input = checkInput(putMemberSchema, request.body)
        const member = await groups.putMember(nameIn(request), userIn(request), input, readOperator(request))
        return { status: 200, body: { ...member } }
      },
    },
    {
      ...onOneMember,
      method: 'DELETE',
      policy: write,
      summary: "Take a user out of a group; the user's keys of the group stay as they are",
      answer: { status: 200, schema: removedMemberSchema },
      errors: ['user_not_found', 'owner_required'],
      async handler(request) {
        const removed = await groups.removeMember(nameIn(request), userIn(request), readOperator(request))
        return { status: 200, body: { ...removed } }
      },
    },
  ]
}

function nameIn({ params }: AdminRequest): string {
  return params['name'] ?? ''
}

function userIn({ params }: AdminRequest): string {
  return params['user'] ?? ''
}
